-- +goose Up

-- Whether webhooks were told last that the connection is broken.
ALTER TABLE oauth_tokens ADD COLUMN told_broken BOOLEAN NOT NULL DEFAULT FALSE CHECK (told_broken IN (0, 1));

-- Both secrets are encrypted. Without a company it hears of every one.
CREATE TABLE webhooks (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id INTEGER REFERENCES companies (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    secret     TEXT NOT NULL,
    old_secret TEXT NOT NULL,
    old_until  DATETIME,
    disabled   TEXT NOT NULL,
    created_at DATETIME NOT NULL
);
CREATE INDEX webhooks_company ON webhooks (company_id, id);

CREATE TABLE webhook_deliveries (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    company_id INTEGER REFERENCES companies (id) ON DELETE CASCADE,
    event_id   TEXT NOT NULL,
    type       TEXT NOT NULL,
    at         DATETIME NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    state      TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'parked')),
    attempts   INTEGER NOT NULL,
    result     TEXT NOT NULL,
    status     INTEGER NOT NULL,
    next_at    DATETIME NOT NULL,
    done_at    DATETIME,
    created_at DATETIME NOT NULL
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (webhook_id, next_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_company ON webhook_deliveries (company_id);
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (created_at);

-- +goose Down
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
ALTER TABLE oauth_tokens DROP COLUMN told_broken;
