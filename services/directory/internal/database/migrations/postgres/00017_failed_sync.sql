-- +goose Up

-- When the last sync that failed did; it counts while it is younger than the reading.
ALTER TABLE social_statistics ADD failed_at TIMESTAMPTZ;

-- +goose Down
ALTER TABLE social_statistics DROP failed_at;
