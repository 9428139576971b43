-- +goose Up

-- Grants of ended connections that have yet to be withdrawn at their provider. secret is
-- encrypted, with whose grant it is; next_at is when the next try may begin.
CREATE TABLE revocations (
    id         TEXT NOT NULL PRIMARY KEY,
    provider   TEXT NOT NULL,
    secret     TEXT NOT NULL,
    next_at    DATETIME NOT NULL,
    created_at DATETIME NOT NULL
);
CREATE INDEX revocations_due ON revocations (provider, next_at);
CREATE INDEX revocations_created ON revocations (provider, created_at);

-- +goose Down
DROP TABLE revocations;
