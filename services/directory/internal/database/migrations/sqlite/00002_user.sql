-- +goose Up
CREATE TABLE users (
    id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id    INTEGER REFERENCES companies (id),
    email         TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    role          INTEGER NOT NULL CHECK (role IN (10, 20, 30, 40, 50, 100)),
    created_at    DATETIME NOT NULL,
    updated_at    DATETIME NOT NULL
);
CREATE INDEX users_company ON users (company_id);

-- id_hash is the SHA-256 of what the browser holds; data is encrypted.
CREATE TABLE sessions (
    id_hash      BLOB NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
    user_id      INTEGER REFERENCES users (id),
    data         TEXT NOT NULL,
    version      INTEGER NOT NULL,
    created_at   DATETIME NOT NULL,
    last_seen_at DATETIME NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_created ON sessions (created_at);
CREATE INDEX sessions_last_seen ON sessions (last_seen_at);

-- +goose Down
DROP TABLE sessions;
DROP TABLE users;
