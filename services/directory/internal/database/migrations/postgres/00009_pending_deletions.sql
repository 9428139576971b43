-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- Requests of a provider to delete a person's data that are not carried out yet.
CREATE TABLE pending_deletions (
    code         TEXT NOT NULL PRIMARY KEY,
    provider     TEXT NOT NULL,
    person_id    TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    requested_at TIMESTAMPTZ NOT NULL
);

-- +goose Down
SET LOCAL lock_timeout = '500ms';
DROP TABLE pending_deletions;
