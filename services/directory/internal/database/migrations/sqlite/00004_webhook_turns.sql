-- +goose Up

-- next_at is the time of the webhook's last turn, or when its wait after a failure ends.
-- failing_since is the time of the first failure since its last accepted delivery.
ALTER TABLE webhooks ADD COLUMN next_at DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
ALTER TABLE webhooks ADD COLUMN failing_since DATETIME;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN failing_since;
ALTER TABLE webhooks DROP COLUMN next_at;
