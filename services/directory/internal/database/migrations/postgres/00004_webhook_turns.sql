-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- next_at is the time of the webhook's last turn, or when its wait after a failure ends.
-- failing_since is the time of the first failure since its last accepted delivery.
ALTER TABLE webhooks
    ADD COLUMN next_at       TIMESTAMPTZ NOT NULL DEFAULT '1970-01-01 00:00:00+00:00',
    ADD COLUMN failing_since TIMESTAMPTZ;

-- +goose Down
SET LOCAL lock_timeout = '500ms';
ALTER TABLE webhooks
    DROP COLUMN failing_since,
    DROP COLUMN next_at;
