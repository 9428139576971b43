-- +goose Up

-- How long the last pause of the provider was, as in oauth_tokens.
ALTER TABLE provider_stops ADD COLUMN stopped_seconds INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE provider_stops DROP COLUMN stopped_seconds;
