-- +goose Up
-- Jobs say who works on which connection.
DROP TABLE leases;
ALTER TABLE oauth_tokens DROP COLUMN renewal_claimed_until;
ALTER TABLE oauth_tokens DROP COLUMN sync_claimed_until;

-- +goose Down
ALTER TABLE oauth_tokens ADD COLUMN renewal_claimed_until DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
ALTER TABLE oauth_tokens ADD COLUMN sync_claimed_until DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
CREATE TABLE leases (
    name       TEXT NOT NULL PRIMARY KEY,
    holder     TEXT NOT NULL,
    expires_ms INTEGER NOT NULL
);
