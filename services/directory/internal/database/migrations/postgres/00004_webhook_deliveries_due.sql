-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_due;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_due;
CREATE INDEX CONCURRENTLY webhook_deliveries_due ON webhook_deliveries (next_at) WHERE state = 'pending';
