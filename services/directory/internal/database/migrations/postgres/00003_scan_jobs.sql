-- +goose Up
-- Jobs say who works on which connection.
SET LOCAL lock_timeout = '500ms';
DROP TABLE leases;
ALTER TABLE oauth_tokens DROP COLUMN renewal_claimed_until, DROP COLUMN sync_claimed_until;

-- +goose Down
SET LOCAL lock_timeout = '500ms';
ALTER TABLE oauth_tokens
    ADD COLUMN renewal_claimed_until TIMESTAMPTZ NOT NULL DEFAULT '1970-01-01 00:00:00+00:00',
    ADD COLUMN sync_claimed_until TIMESTAMPTZ NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
CREATE TABLE leases (
    name       TEXT NOT NULL PRIMARY KEY,
    holder     TEXT NOT NULL,
    expires_ms BIGINT NOT NULL
);
