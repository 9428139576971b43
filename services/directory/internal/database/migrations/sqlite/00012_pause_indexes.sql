-- +goose Up

-- The connections that are paused are few: they are listed each minute, for the metrics.
CREATE INDEX oauth_tokens_renewal_paused ON oauth_tokens (renewal_stopped_until) WHERE renewal_stopped_until > '1970-01-01 00:00:00+00:00';
CREATE INDEX oauth_tokens_sync_paused ON oauth_tokens (sync_stopped_until) WHERE sync_stopped_until > '1970-01-01 00:00:00+00:00';

-- +goose Down
DROP INDEX oauth_tokens_sync_paused;
DROP INDEX oauth_tokens_renewal_paused;
