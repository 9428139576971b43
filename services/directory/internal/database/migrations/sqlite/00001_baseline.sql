-- +goose Up

-- Companies are listed and searched by the beginning of their names, without Polish
-- letters, by the expression of companies_by_name.
CREATE TABLE companies (
    id              INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL,
    slug            TEXT NOT NULL UNIQUE,
    status          TEXT NOT NULL,
    address         TEXT NOT NULL,
    phone           TEXT NOT NULL,
    website         TEXT NOT NULL,
    hours           TEXT NOT NULL,
    description     TEXT NOT NULL,
    categories      TEXT NOT NULL CHECK (json_valid(categories)),
    services        TEXT NOT NULL CHECK (json_valid(services)),
    logo_url        TEXT NOT NULL,
    cover_photo_url TEXT NOT NULL,
    place_id        TEXT NOT NULL,
    created_at      DATETIME NOT NULL,
    updated_at      DATETIME NOT NULL
);
CREATE INDEX companies_by_name ON companies (substr(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(name)
    , 'ą', 'a'), 'ć', 'c'), 'ę', 'e'), 'ł', 'l'), 'ń', 'n'), 'ó', 'o'), 'ś', 's'), 'ź', 'z'), 'ż', 'z')
    , 'Ą', 'a'), 'Ć', 'c'), 'Ę', 'e'), 'Ł', 'l'), 'Ń', 'n'), 'Ó', 'o'), 'Ś', 's'), 'Ź', 'z'), 'Ż', 'z'), 1, 100), id);

CREATE TABLE users (
    id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id    INTEGER REFERENCES companies (id),
    email         TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    role          INTEGER NOT NULL CHECK (role IN (10, 20, 30, 40, 50, 100)),
    created_at    DATETIME NOT NULL,
    updated_at    DATETIME NOT NULL,
    disabled_at   DATETIME,
    silent        BOOLEAN NOT NULL DEFAULT FALSE CHECK (silent IN (0, 1)), -- wants no e-mails about the company
    month_mailed  TEXT NOT NULL DEFAULT '' -- the last month that an e-mail was queued about, e.g. 2026-10
);
CREATE INDEX users_company ON users (company_id);

-- id_hash is the SHA-256 of what the browser stores; oauth_state is encrypted.
CREATE TABLE sessions (
    id_hash      BLOB NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
    user_id      INTEGER REFERENCES users (id),
    oauth_state  TEXT NOT NULL,
    created_at   DATETIME NOT NULL,
    last_seen_at DATETIME NOT NULL,
    browser      TEXT NOT NULL DEFAULT '', -- as its list shows it
    network      TEXT NOT NULL DEFAULT ''  -- of its login
);
CREATE INDEX sessions_created ON sessions (created_at);
CREATE INDEX sessions_last_seen ON sessions (last_seen_at);
CREATE INDEX sessions_user ON sessions (user_id);

-- access_token, refresh_token and the value of user_access_token inside metadata_json are
-- encrypted; an empty text is no token. user_id is null once the person was erased.
-- told_broken says whether the last event to webhooks was that the connection is broken.
-- scanned_at is the order of scans.
CREATE TABLE oauth_tokens (
    id                      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id              INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    user_id                 INTEGER REFERENCES users (id),
    provider                TEXT NOT NULL,
    service                 TEXT NOT NULL,
    access_token            TEXT NOT NULL,
    refresh_token           TEXT NOT NULL,
    scopes                  TEXT NOT NULL,
    account_id              TEXT NOT NULL,
    account_name            TEXT NOT NULL,
    expires_at              DATETIME,
    is_active               BOOLEAN NOT NULL CHECK (is_active IN (0, 1)),
    provider_user_id        TEXT NOT NULL,
    reconnect_reason        TEXT NOT NULL,
    metadata_json           TEXT NOT NULL CHECK (json_valid(metadata_json)),
    created_at              DATETIME NOT NULL,
    updated_at              DATETIME NOT NULL,
    told_broken             BOOLEAN NOT NULL DEFAULT FALSE CHECK (told_broken IN (0, 1)),
    scanned_at              DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00',
    UNIQUE (company_id, provider, service)
);
CREATE INDEX oauth_tokens_broken ON oauth_tokens (provider, service) WHERE is_active AND reconnect_reason <> '';
CREATE INDEX oauth_tokens_grant ON oauth_tokens (provider_user_id, provider) WHERE provider_user_id <> '';
CREATE INDEX oauth_tokens_scanned ON oauth_tokens (scanned_at, id) WHERE is_active;
CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id, provider);

-- What a refusal of the provider excludes from scans: everything at it, a service, or a connection.
-- seconds are those of this pause and of those before it without a success since.
CREATE TABLE scan_pauses (
    provider      TEXT NOT NULL,
    service       TEXT NOT NULL,
    connection_id INTEGER NOT NULL,
    until         DATETIME NOT NULL,
    seconds       INTEGER NOT NULL,
    PRIMARY KEY (provider, service, connection_id)
);
CREATE INDEX scan_pauses_connection ON scan_pauses (connection_id);
CREATE INDEX scan_pauses_until ON scan_pauses (until);

-- access_token is encrypted. updated_by outlives its user, as a pseudonym.
CREATE TABLE social_media_configs (
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
CREATE INDEX social_media_configs_company ON social_media_configs (company_id);

-- The newest figures of each service.
CREATE TABLE social_statistics (
    company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    data       TEXT CHECK (json_valid(data)),
    synced_at  DATETIME NOT NULL,
    PRIMARY KEY (company_id, service)
);

-- The followers of past readings, for the charts.
CREATE TABLE social_statistics_history (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    followers  INTEGER NOT NULL,
    synced_at  DATETIME NOT NULL
);
CREATE INDEX social_statistics_history_newest ON social_statistics_history (company_id, service, synced_at, id);
CREATE INDEX social_statistics_history_synced ON social_statistics_history (synced_at);

CREATE TABLE company_profiles (
    company_id INTEGER NOT NULL PRIMARY KEY REFERENCES companies (id) ON DELETE CASCADE,
    source     TEXT NOT NULL,
    place_id   TEXT NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    fetched_at DATETIME NOT NULL
);

-- triggered_by outlives its user, as a pseudonym.
-- What an audit is about: the resource name of the chosen location, or the empty text, and
-- how each source was read.
CREATE TABLE profile_audits (
    id                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id          INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    audit_date          DATETIME NOT NULL,
    data_at             DATETIME NOT NULL,
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
    triggered_by        INTEGER,
    signals             TEXT CHECK (json_valid(signals)),
    holidays            TEXT NOT NULL CHECK (json_valid(holidays)),
    location            TEXT NOT NULL DEFAULT '',
    sources             TEXT CHECK (json_valid(sources))
);
CREATE INDEX profile_audits_date ON profile_audits (audit_date);
CREATE INDEX profile_audits_newest ON profile_audits (company_id, id);

-- Both secrets are encrypted. A webhook without a company receives the events of all.
-- failing_since is the time of the first failure since its last accepted delivery.
CREATE TABLE webhooks (
    id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id    INTEGER REFERENCES companies (id) ON DELETE CASCADE,
    url           TEXT NOT NULL,
    secret        TEXT NOT NULL,
    old_secret    TEXT NOT NULL,
    old_until     DATETIME,
    disabled      TEXT NOT NULL,
    created_at    DATETIME NOT NULL,
    failing_since DATETIME
);
CREATE INDEX webhooks_company ON webhooks (company_id, id);

-- attempted_at is the time of the last attempt, duration_ms how long it took up to the response
-- or the failure.
CREATE TABLE webhook_deliveries (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    webhook_id   INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    company_id   INTEGER REFERENCES companies (id) ON DELETE CASCADE,
    event_id     TEXT NOT NULL,
    type         TEXT NOT NULL,
    at           DATETIME NOT NULL,
    data         TEXT NOT NULL CHECK (json_valid(data)),
    state        TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'parked')),
    attempts     INTEGER NOT NULL,
    result       TEXT NOT NULL,
    status       INTEGER NOT NULL,
    attempted_at DATETIME,
    created_at   DATETIME NOT NULL,
    duration_ms  INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX webhook_deliveries_company ON webhook_deliveries (company_id);
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, attempts, attempted_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (created_at);

-- subject is a hash.
CREATE TABLE limit_entries (
    id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    used_at DATETIME NOT NULL
);
CREATE INDEX limit_entries_used ON limit_entries (used_at);
CREATE INDEX limit_entries_window ON limit_entries (kind, subject, used_at);

-- The trail outlives what it is about. actor names the person where it was no user of the
-- website, about_user_id the user whom the action concerned.
CREATE TABLE audit_trail (
    id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at            DATETIME NOT NULL,
    company_id    INTEGER,
    user_id       INTEGER,
    action        TEXT NOT NULL,
    provider      TEXT NOT NULL,
    service       TEXT NOT NULL,
    detail        TEXT NOT NULL,
    request_id    TEXT NOT NULL,
    about_user_id INTEGER,
    actor         TEXT NOT NULL DEFAULT ''
);
CREATE INDEX audit_trail_at ON audit_trail (at);
CREATE INDEX audit_trail_newest ON audit_trail (company_id, id);

-- Lines of the last 30 days stay; of the others nothing but the detail may change, and only
-- to nothing, since it can name what is erased.
-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_update BEFORE UPDATE ON audit_trail
WHEN NEW.detail <> '' OR (NEW.id, NEW.at, NEW.company_id, NEW.user_id, NEW.action, NEW.provider, NEW.service, NEW.request_id,
        NEW.about_user_id, NEW.actor)
    IS NOT (OLD.id, OLD.at, OLD.company_id, OLD.user_id, OLD.action, OLD.provider, OLD.service, OLD.request_id,
        OLD.about_user_id, OLD.actor)
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_delete BEFORE DELETE ON audit_trail
WHEN julianday(OLD.at) > julianday('now', '-30 days')
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd

-- Requests of a provider to delete a person's data. Those that were carried out do not say whose.
CREATE TABLE data_deletions (
    code         TEXT NOT NULL PRIMARY KEY,
    requested_at DATETIME NOT NULL,
    deleted_at   DATETIME,
    provider     TEXT NOT NULL,
    person_id    TEXT NOT NULL,
    request_id   TEXT NOT NULL
);

-- One-time links by which people choose a password; token_hash is the SHA-256 of what the
-- link contains.
CREATE TABLE password_links (
    token_hash BLOB NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at DATETIME NOT NULL,
    email      TEXT NOT NULL DEFAULT '' -- a new address that the link confirms; empty: it sets a password
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
    created_at DATETIME NOT NULL,
    email      TEXT NOT NULL DEFAULT '', -- a new address, to which the mail goes; empty: to the user's
    inviter    TEXT NOT NULL DEFAULT ''  -- the name of the person who invites
);
CREATE INDEX password_mails_user ON password_mails (user_id);

-- The networks from which a user has logged in, as SHA-256.
CREATE TABLE login_networks (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network TEXT NOT NULL,
    seen_at DATETIME NOT NULL,
    PRIMARY KEY (user_id, network)
);
CREATE INDEX login_networks_seen ON login_networks (seen_at);

-- The slots of requests to the providers, by API, in milliseconds of the database's clock: the last
-- one, and the largest interval lately with the time at which it was given.
CREATE TABLE slots (
    name      TEXT NOT NULL PRIMARY KEY,
    last_ms   INTEGER NOT NULL,
    widest_ms INTEGER NOT NULL,
    given_ms  INTEGER NOT NULL
);

-- Deleted rows whose bytes are still in the files of the database.
CREATE TABLE purges (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    requested_at DATETIME NOT NULL
);

-- Refusals of a provider in a row, without a success in between. detail is the mark that
-- the connection got; it is empty if it got none.
CREATE TABLE provider_refusals (
    provider      TEXT NOT NULL,
    service       TEXT NOT NULL,
    kind          TEXT NOT NULL,
    connection_id INTEGER NOT NULL,
    detail        TEXT NOT NULL,
    at            DATETIME NOT NULL,
    PRIMARY KEY (provider, service, kind, connection_id)
);

-- App-wide failures that have not ended.
CREATE TABLE provider_incidents (
    provider       TEXT NOT NULL,
    service        TEXT NOT NULL,
    kind           TEXT NOT NULL,
    whole          BOOLEAN NOT NULL CHECK (whole IN (0, 1)),
    began_at       DATETIME NOT NULL,
    PRIMARY KEY (provider, service, kind)
);

-- The figures of a Business Profile location for one day, such as 2026-11-20.
CREATE TABLE performance_days (
    company_id     INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    account_id     TEXT NOT NULL,
    day            TEXT NOT NULL,
    search_desktop INTEGER NOT NULL,
    search_mobile  INTEGER NOT NULL,
    maps_desktop   INTEGER NOT NULL,
    maps_mobile    INTEGER NOT NULL,
    calls          INTEGER NOT NULL,
    directions     INTEGER NOT NULL,
    website        INTEGER NOT NULL,
    messages       INTEGER NOT NULL,
    bookings       INTEGER NOT NULL,
    PRIMARY KEY (company_id, account_id, day)
);
CREATE INDEX performance_days_day ON performance_days (day);

-- A figure of a Facebook page or an Instagram account for one day, such as 2026-11-20.
CREATE TABLE metric_days (
    company_id INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    service    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    metric     TEXT NOT NULL,
    day        TEXT NOT NULL,
    value      INTEGER NOT NULL,
    PRIMARY KEY (company_id, service, account_id, metric, day)
);
CREATE INDEX metric_days_day ON metric_days (day);

-- Grants of ended connections that have yet to be withdrawn at their provider. secret is
-- encrypted, with whose grant it is.
CREATE TABLE revocations (
    id         TEXT NOT NULL PRIMARY KEY,
    provider   TEXT NOT NULL,
    secret     TEXT NOT NULL,
    created_at DATETIME NOT NULL
);
CREATE INDEX revocations_created ON revocations (provider, created_at);

-- +goose Down
DROP TABLE revocations;
DROP TABLE metric_days;
DROP TABLE performance_days;
DROP TABLE provider_incidents;
DROP TABLE provider_refusals;
DROP TABLE purges;
DROP TABLE slots;
DROP TABLE login_networks;
DROP TABLE password_mails;
DROP TABLE password_links;
DROP TABLE data_deletions;
DROP TABLE audit_trail;
DROP TABLE limit_entries;
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
DROP TABLE profile_audits;
DROP TABLE company_profiles;
DROP TABLE social_statistics_history;
DROP TABLE social_statistics;
DROP TABLE social_media_configs;
DROP TABLE scan_pauses;
DROP TABLE oauth_tokens;
DROP TABLE sessions;
DROP TABLE users;
DROP TABLE companies;
