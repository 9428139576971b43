-- +goose Up

-- duration_ms is the time of the last attempt up to the response or the failure.
ALTER TABLE webhook_deliveries ADD COLUMN duration_ms INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE webhook_deliveries DROP COLUMN duration_ms;
