-- +goose Up

-- Where each active connection stands in the order of the two tasks of a scan, and
-- until when a refusal of the provider keeps it out.
ALTER TABLE oauth_tokens ADD renewal_scanned_at DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
ALTER TABLE oauth_tokens ADD renewal_stopped_until DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
ALTER TABLE oauth_tokens ADD sync_scanned_at DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
ALTER TABLE oauth_tokens ADD sync_stopped_until DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
DROP INDEX oauth_tokens_connected;
CREATE INDEX oauth_tokens_renewal ON oauth_tokens (renewal_scanned_at, id) WHERE is_active;
CREATE INDEX oauth_tokens_sync ON oauth_tokens (sync_scanned_at, id) WHERE is_active;
CREATE INDEX oauth_tokens_broken ON oauth_tokens (provider, service) WHERE is_active AND reconnect_reason <> '';

CREATE TABLE provider_stops (
    provider      TEXT NOT NULL PRIMARY KEY,
    stopped_until DATETIME NOT NULL
);

-- +goose Down
DROP TABLE provider_stops;
DROP INDEX oauth_tokens_broken;
DROP INDEX oauth_tokens_sync;
DROP INDEX oauth_tokens_renewal;
CREATE INDEX oauth_tokens_connected ON oauth_tokens (provider, service, company_id);
ALTER TABLE oauth_tokens DROP renewal_scanned_at;
ALTER TABLE oauth_tokens DROP renewal_stopped_until;
ALTER TABLE oauth_tokens DROP sync_scanned_at;
ALTER TABLE oauth_tokens DROP sync_stopped_until;
