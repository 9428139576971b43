-- +goose Up
ALTER TABLE profile_audits ADD COLUMN signals JSON;

-- +goose Down
ALTER TABLE profile_audits DROP COLUMN signals;
