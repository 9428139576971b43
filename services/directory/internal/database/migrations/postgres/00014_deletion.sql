-- +goose Up

-- A deletion of a person's data that a provider asked for; it does not say whose.
CREATE TABLE data_deletions (
    code         TEXT NOT NULL PRIMARY KEY,
    requested_at TIMESTAMPTZ NOT NULL,
    deleted_at   TIMESTAMPTZ NOT NULL
);

-- +goose Down
DROP TABLE data_deletions;
