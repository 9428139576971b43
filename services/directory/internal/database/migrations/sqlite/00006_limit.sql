-- +goose Up

-- subject is a hash.
CREATE TABLE limit_entries (
    id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    used_at DATETIME NOT NULL
);
CREATE INDEX limit_entries_window ON limit_entries (kind, subject, used_at);
CREATE INDEX limit_entries_used ON limit_entries (used_at);

-- +goose Down
DROP TABLE limit_entries;
