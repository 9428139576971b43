-- +goose Up

-- Requests of a provider to delete a person's data that are not carried out yet.
CREATE TABLE pending_deletions (
    code         TEXT NOT NULL PRIMARY KEY,
    provider     TEXT NOT NULL,
    person_id    TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    requested_at DATETIME NOT NULL
);

-- +goose Down
DROP TABLE pending_deletions;
