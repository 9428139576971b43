-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- What one process does at a time, such as a scan, and until when: in milliseconds of the
-- database's clock. A holder that is still there renews its lease.
CREATE TABLE leases (
    name       TEXT NOT NULL PRIMARY KEY,
    holder     TEXT NOT NULL,
    expires_ms BIGINT NOT NULL
);

-- For each task of a scan: until when a run works on the connection, and how long the last
-- pause was, in seconds, until the first success after it; the next one is twice as long.
ALTER TABLE oauth_tokens
    ADD COLUMN renewal_claimed_until   TIMESTAMPTZ NOT NULL DEFAULT '1970-01-01 00:00:00+00:00',
    ADD COLUMN sync_claimed_until      TIMESTAMPTZ NOT NULL DEFAULT '1970-01-01 00:00:00+00:00',
    ADD COLUMN renewal_stopped_seconds BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN sync_stopped_seconds    BIGINT NOT NULL DEFAULT 0;

-- +goose Down
SET LOCAL lock_timeout = '500ms';
ALTER TABLE oauth_tokens
    DROP COLUMN sync_stopped_seconds,
    DROP COLUMN renewal_stopped_seconds,
    DROP COLUMN sync_claimed_until,
    DROP COLUMN renewal_claimed_until;
DROP TABLE leases;
