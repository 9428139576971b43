-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- What an audit is about: the resource name of the chosen location, or the empty text, and
-- how each source was read.
ALTER TABLE profile_audits
    ADD COLUMN location TEXT NOT NULL DEFAULT '',
    ADD COLUMN sources JSON;

-- +goose Down
SET LOCAL lock_timeout = '500ms';
ALTER TABLE profile_audits
    DROP COLUMN sources,
    DROP COLUMN location;
