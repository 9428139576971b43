-- +goose Up
ALTER TABLE profile_audits ADD COLUMN signals TEXT CHECK (json_valid(signals));

-- +goose Down
ALTER TABLE profile_audits DROP COLUMN signals;
