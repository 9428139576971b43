-- +goose Up

-- Deleted rows whose bytes are still in the files of the database.
CREATE TABLE purges (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    requested_at DATETIME NOT NULL
);

-- +goose Down
DROP TABLE purges;
