-- +goose Up

-- One-time links by which people choose a password; token_hash is the SHA-256 of what the
-- link contains.
CREATE TABLE password_links (
    token_hash BLOB NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at DATETIME NOT NULL
);
CREATE INDEX password_links_expires ON password_links (expires_at);
CREATE INDEX password_links_user ON password_links (user_id);

-- Links that are to be sent by e-mail; the link is made when it is sent. A request for an
-- account that does not exist is a row, too, so that both take the same time; it has no
-- user.
CREATE TABLE password_mails (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER REFERENCES users (id) ON DELETE CASCADE,
    invitation BOOLEAN NOT NULL CHECK (invitation IN (0, 1)),
    attempts   INTEGER NOT NULL,
    due_at     DATETIME NOT NULL,
    created_at DATETIME NOT NULL
);
CREATE INDEX password_mails_due ON password_mails (due_at);
CREATE INDEX password_mails_user ON password_mails (user_id);

-- The networks from which a user has logged in, as SHA-256.
CREATE TABLE login_networks (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network TEXT NOT NULL,
    seen_at DATETIME NOT NULL,
    PRIMARY KEY (user_id, network)
);
CREATE INDEX login_networks_seen ON login_networks (seen_at);

-- +goose Down
DROP TABLE login_networks;
DROP TABLE password_mails;
DROP TABLE password_links;
