-- +goose Up
ALTER TABLE users ADD COLUMN disabled_at DATETIME;

-- +goose Down
ALTER TABLE users DROP COLUMN disabled_at;
