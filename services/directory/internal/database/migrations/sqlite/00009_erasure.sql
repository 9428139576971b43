-- +goose Up

-- What belongs to a company goes with it.
CREATE TABLE new_oauth_tokens (
    id               INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id       INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    user_id          INTEGER REFERENCES users (id),
    provider         TEXT NOT NULL,
    service          TEXT NOT NULL,
    access_token     TEXT NOT NULL,
    refresh_token    TEXT NOT NULL,
    scopes           TEXT NOT NULL,
    account_id       TEXT NOT NULL,
    account_name     TEXT NOT NULL,
    expires_at       DATETIME,
    is_active        BOOLEAN NOT NULL CHECK (is_active IN (0, 1)),
    provider_user_id TEXT NOT NULL,
    reconnect_reason TEXT NOT NULL,
    metadata_json    TEXT NOT NULL CHECK (json_valid(metadata_json)),
    created_at       DATETIME NOT NULL,
    updated_at       DATETIME NOT NULL,
    UNIQUE (company_id, provider, service),
    CHECK (provider = 'provider_search' AND service IN ('search_profile', 'search_analytics')
        OR provider = 'provider_social' AND service IN ('social_pages', 'social_photos'))
);
INSERT INTO new_oauth_tokens SELECT * FROM oauth_tokens;
DROP TABLE oauth_tokens;
ALTER TABLE new_oauth_tokens RENAME TO oauth_tokens;
CREATE INDEX oauth_tokens_connected ON oauth_tokens (provider, service, company_id);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (provider_user_id, provider) WHERE provider_user_id <> '';
CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id, provider);

CREATE TABLE new_social_statistics (
    company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    synced_at  DATETIME NOT NULL,
    PRIMARY KEY (company_id, service)
);
INSERT INTO new_social_statistics SELECT * FROM social_statistics;
DROP TABLE social_statistics;
ALTER TABLE new_social_statistics RENAME TO social_statistics;

CREATE TABLE new_company_profiles (
    company_id INTEGER NOT NULL PRIMARY KEY REFERENCES companies (id) ON DELETE CASCADE,
    source     TEXT NOT NULL,
    place_id   TEXT NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    fetched_at DATETIME NOT NULL
);
INSERT INTO new_company_profiles SELECT * FROM company_profiles;
DROP TABLE company_profiles;
ALTER TABLE new_company_profiles RENAME TO company_profiles;

-- Of a past reading the charts want the followers alone.
CREATE TABLE new_social_statistics_history (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    synced_at  DATETIME NOT NULL
);
INSERT INTO new_social_statistics_history (id, company_id, service, account_id, followers, synced_at) SELECT id, company_id, service, account_id, followers, synced_at FROM social_statistics_history;
DROP TABLE social_statistics_history;
ALTER TABLE new_social_statistics_history RENAME TO social_statistics_history;
CREATE INDEX social_statistics_history_newest ON social_statistics_history (company_id, service, synced_at, id);
CREATE INDEX social_statistics_history_synced ON social_statistics_history (synced_at);

-- updated_by and triggered_by are numbers that outlive their users, as pseudonyms.
CREATE TABLE new_social_media_configs (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    platform     TEXT NOT NULL,
    company_id   INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    page_id      TEXT NOT NULL,
    page_name    TEXT NOT NULL,
    access_token TEXT NOT NULL,
    is_active    BOOLEAN NOT NULL CHECK (is_active IN (0, 1)),
    debug_mode   BOOLEAN NOT NULL CHECK (debug_mode IN (0, 1)),
    updated_by   INTEGER NOT NULL,
    created_at   DATETIME NOT NULL,
    updated_at   DATETIME NOT NULL,
    UNIQUE (platform, company_id)
);
INSERT INTO new_social_media_configs SELECT * FROM social_media_configs;
DROP TABLE social_media_configs;
ALTER TABLE new_social_media_configs RENAME TO social_media_configs;
CREATE INDEX social_media_configs_company ON social_media_configs (company_id);

CREATE TABLE new_profile_audits (
    id                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id          INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    audit_date          DATETIME NOT NULL,
    completeness_score  REAL NOT NULL CHECK (completeness_score BETWEEN 0 AND 100),
    score_category      TEXT NOT NULL CHECK (score_category IN ('excellent', 'good', 'needs_work', 'poor')),
    fields_status       TEXT NOT NULL CHECK (json_valid(fields_status)),
    recommendations     TEXT NOT NULL CHECK (json_valid(recommendations)),
    has_name            BOOLEAN NOT NULL CHECK (has_name IN (0, 1)),
    has_address         BOOLEAN NOT NULL CHECK (has_address IN (0, 1)),
    has_phone           BOOLEAN NOT NULL CHECK (has_phone IN (0, 1)),
    has_website         BOOLEAN NOT NULL CHECK (has_website IN (0, 1)),
    has_hours           BOOLEAN NOT NULL CHECK (has_hours IN (0, 1)),
    has_categories      BOOLEAN NOT NULL CHECK (has_categories IN (0, 1)),
    has_photos          BOOLEAN NOT NULL CHECK (has_photos IN (0, 1)),
    has_description     BOOLEAN NOT NULL CHECK (has_description IN (0, 1)),
    has_services        BOOLEAN NOT NULL CHECK (has_services IN (0, 1)),
    has_reviews         BOOLEAN NOT NULL CHECK (has_reviews IN (0, 1)),
    photo_count         INTEGER NOT NULL,
    review_count        INTEGER NOT NULL,
    average_rating      REAL,
    place_id            TEXT NOT NULL,
    audit_source        TEXT NOT NULL,
    audit_version       TEXT NOT NULL,
    logo_present        BOOLEAN NOT NULL CHECK (logo_present IN (0, 1)),
    cover_photo_present BOOLEAN NOT NULL CHECK (cover_photo_present IN (0, 1)),
    triggered_by        INTEGER
);
INSERT INTO new_profile_audits SELECT * FROM profile_audits;
DROP TABLE profile_audits;
ALTER TABLE new_profile_audits RENAME TO profile_audits;
CREATE INDEX profile_audits_newest ON profile_audits (company_id, id);
CREATE INDEX profile_audits_date ON profile_audits (audit_date);

-- +goose Down
UPDATE profile_audits SET triggered_by = NULL WHERE triggered_by NOT IN (SELECT id FROM users);
CREATE TABLE new_profile_audits (
    id                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id          INTEGER NOT NULL REFERENCES companies (id),
    audit_date          DATETIME NOT NULL,
    completeness_score  REAL NOT NULL CHECK (completeness_score BETWEEN 0 AND 100),
    score_category      TEXT NOT NULL CHECK (score_category IN ('excellent', 'good', 'needs_work', 'poor')),
    fields_status       TEXT NOT NULL CHECK (json_valid(fields_status)),
    recommendations     TEXT NOT NULL CHECK (json_valid(recommendations)),
    has_name            BOOLEAN NOT NULL CHECK (has_name IN (0, 1)),
    has_address         BOOLEAN NOT NULL CHECK (has_address IN (0, 1)),
    has_phone           BOOLEAN NOT NULL CHECK (has_phone IN (0, 1)),
    has_website         BOOLEAN NOT NULL CHECK (has_website IN (0, 1)),
    has_hours           BOOLEAN NOT NULL CHECK (has_hours IN (0, 1)),
    has_categories      BOOLEAN NOT NULL CHECK (has_categories IN (0, 1)),
    has_photos          BOOLEAN NOT NULL CHECK (has_photos IN (0, 1)),
    has_description     BOOLEAN NOT NULL CHECK (has_description IN (0, 1)),
    has_services        BOOLEAN NOT NULL CHECK (has_services IN (0, 1)),
    has_reviews         BOOLEAN NOT NULL CHECK (has_reviews IN (0, 1)),
    photo_count         INTEGER NOT NULL,
    review_count        INTEGER NOT NULL,
    average_rating      REAL,
    place_id            TEXT NOT NULL,
    audit_source        TEXT NOT NULL,
    audit_version       TEXT NOT NULL,
    logo_present        BOOLEAN NOT NULL CHECK (logo_present IN (0, 1)),
    cover_photo_present BOOLEAN NOT NULL CHECK (cover_photo_present IN (0, 1)),
    triggered_by        INTEGER REFERENCES users (id)
);
INSERT INTO new_profile_audits SELECT * FROM profile_audits;
DROP TABLE profile_audits;
ALTER TABLE new_profile_audits RENAME TO profile_audits;
CREATE INDEX profile_audits_newest ON profile_audits (company_id, id);
CREATE TABLE new_social_media_configs (
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
INSERT INTO new_social_media_configs SELECT * FROM social_media_configs WHERE updated_by IN (SELECT id FROM users);
DROP TABLE social_media_configs;
ALTER TABLE new_social_media_configs RENAME TO social_media_configs;
CREATE INDEX social_media_configs_company ON social_media_configs (company_id);
CREATE TABLE new_social_statistics_history (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER NOT NULL REFERENCES companies (id),
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    synced_at  DATETIME NOT NULL
);
INSERT INTO new_social_statistics_history (id, company_id, service, account_id, followers, data, synced_at) SELECT id, company_id, service, account_id, followers, '{}', synced_at FROM social_statistics_history;
DROP TABLE social_statistics_history;
ALTER TABLE new_social_statistics_history RENAME TO social_statistics_history;
CREATE INDEX social_statistics_history_newest ON social_statistics_history (company_id, service, synced_at, id);
CREATE TABLE new_company_profiles (
    company_id INTEGER NOT NULL PRIMARY KEY REFERENCES companies (id),
    source     TEXT NOT NULL,
    place_id   TEXT NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    fetched_at DATETIME NOT NULL
);
INSERT INTO new_company_profiles SELECT * FROM company_profiles;
DROP TABLE company_profiles;
ALTER TABLE new_company_profiles RENAME TO company_profiles;
CREATE TABLE new_social_statistics (
    company_id INTEGER NOT NULL REFERENCES companies (id),
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    synced_at  DATETIME NOT NULL,
    PRIMARY KEY (company_id, service)
);
INSERT INTO new_social_statistics SELECT * FROM social_statistics;
DROP TABLE social_statistics;
ALTER TABLE new_social_statistics RENAME TO social_statistics;
CREATE TABLE new_oauth_tokens (
    id               INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id       INTEGER NOT NULL REFERENCES companies (id),
    user_id          INTEGER NOT NULL REFERENCES users (id),
    provider         TEXT NOT NULL,
    service          TEXT NOT NULL,
    access_token     TEXT NOT NULL,
    refresh_token    TEXT NOT NULL,
    scopes           TEXT NOT NULL,
    account_id       TEXT NOT NULL,
    account_name     TEXT NOT NULL,
    expires_at       DATETIME,
    is_active        BOOLEAN NOT NULL CHECK (is_active IN (0, 1)),
    provider_user_id TEXT NOT NULL,
    reconnect_reason TEXT NOT NULL,
    metadata_json    TEXT NOT NULL CHECK (json_valid(metadata_json)),
    created_at       DATETIME NOT NULL,
    updated_at       DATETIME NOT NULL,
    UNIQUE (company_id, provider, service),
    CHECK (provider = 'provider_search' AND service IN ('search_profile', 'search_analytics')
        OR provider = 'provider_social' AND service IN ('social_pages', 'social_photos'))
);
INSERT INTO new_oauth_tokens SELECT * FROM oauth_tokens WHERE user_id IS NOT NULL;
DROP TABLE oauth_tokens;
ALTER TABLE new_oauth_tokens RENAME TO oauth_tokens;
CREATE INDEX oauth_tokens_connected ON oauth_tokens (provider, service, company_id);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (provider_user_id, provider) WHERE provider_user_id <> '';
CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id, provider);
