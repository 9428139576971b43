-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- duration_ms is the time of the last attempt up to the response or the failure.
ALTER TABLE webhook_deliveries ADD COLUMN duration_ms BIGINT NOT NULL DEFAULT 0;

-- +goose Down
SET LOCAL lock_timeout = '500ms';
ALTER TABLE webhook_deliveries DROP COLUMN duration_ms;
