-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- How long the last pause of the provider was, as in oauth_tokens.
ALTER TABLE provider_stops ADD COLUMN stopped_seconds BIGINT NOT NULL DEFAULT 0;

-- +goose Down
SET LOCAL lock_timeout = '500ms';
ALTER TABLE provider_stops DROP COLUMN stopped_seconds;
