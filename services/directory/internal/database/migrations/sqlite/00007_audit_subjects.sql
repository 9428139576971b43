-- +goose Up

-- What an audit is about: the resource name of the chosen location, or the empty text, and
-- how each source was read.
ALTER TABLE profile_audits ADD COLUMN location TEXT NOT NULL DEFAULT '';
ALTER TABLE profile_audits ADD COLUMN sources TEXT CHECK (json_valid(sources));

-- +goose Down
ALTER TABLE profile_audits DROP COLUMN sources;
ALTER TABLE profile_audits DROP COLUMN location;
