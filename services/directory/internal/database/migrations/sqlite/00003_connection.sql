-- +goose Up

-- access_token, refresh_token and the value of user_access_token inside
-- metadata_json are encrypted; an empty text is no token.
CREATE TABLE oauth_tokens (
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
CREATE INDEX oauth_tokens_connected ON oauth_tokens (provider, service, company_id);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (provider_user_id, provider) WHERE provider_user_id <> '';
CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id, provider);

-- +goose Down
DROP TABLE oauth_tokens;
