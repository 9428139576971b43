-- +goose Up
CREATE TABLE companies (
    id              INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL,
    slug            TEXT NOT NULL UNIQUE,
    status          TEXT NOT NULL,
    address         TEXT NOT NULL,
    phone           TEXT NOT NULL,
    website         TEXT NOT NULL,
    hours           TEXT NOT NULL,
    description     TEXT NOT NULL,
    categories      TEXT NOT NULL CHECK (json_valid(categories)),
    services        TEXT NOT NULL CHECK (json_valid(services)),
    logo_url        TEXT NOT NULL,
    cover_photo_url TEXT NOT NULL,
    place_id        TEXT NOT NULL,
    created_at      DATETIME NOT NULL,
    updated_at      DATETIME NOT NULL
);

-- +goose Down
DROP TABLE companies;
