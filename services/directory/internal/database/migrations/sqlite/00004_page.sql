-- +goose Up

-- access_token is encrypted.
CREATE TABLE social_media_configs (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    platform     TEXT NOT NULL,
    company_id   INTEGER NOT NULL REFERENCES companies (id),
    page_id      TEXT NOT NULL,
    page_name    TEXT NOT NULL,
    access_token TEXT NOT NULL,
    is_active    BOOLEAN NOT NULL CHECK (is_active IN (0, 1)),
    debug_mode   BOOLEAN NOT NULL CHECK (debug_mode IN (0, 1)),
    updated_by   INTEGER NOT NULL REFERENCES users (id),
    created_at   DATETIME NOT NULL,
    updated_at   DATETIME NOT NULL,
    UNIQUE (platform, company_id)
);
CREATE INDEX social_media_configs_company ON social_media_configs (company_id);

CREATE TABLE social_statistics (
    company_id INTEGER NOT NULL REFERENCES companies (id),
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    synced_at  DATETIME NOT NULL,
    PRIMARY KEY (company_id, service)
);

CREATE TABLE social_statistics_history (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER NOT NULL REFERENCES companies (id),
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    synced_at  DATETIME NOT NULL
);
CREATE INDEX social_statistics_history_newest ON social_statistics_history (company_id, service, synced_at, id);

-- +goose Down
DROP TABLE social_statistics_history;
DROP TABLE social_statistics;
DROP TABLE social_media_configs;
