-- +goose Up
CREATE TABLE company_profiles (
    company_id INTEGER NOT NULL PRIMARY KEY REFERENCES companies (id),
    source     TEXT NOT NULL,
    place_id   TEXT NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    fetched_at DATETIME NOT NULL
);

CREATE TABLE profile_audits (
    id                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    company_id          INTEGER NOT NULL REFERENCES companies (id),
    audit_date          DATETIME NOT NULL,
    completeness_score  REAL NOT NULL CHECK (completeness_score BETWEEN 0 AND 100),
    score_category      TEXT NOT NULL CHECK (score_category IN ('excellent', 'good', 'needs_work', 'poor')),
    fields_status       TEXT NOT NULL CHECK (json_valid(fields_status)),
    recommendations     TEXT NOT NULL CHECK (json_valid(recommendations)),
    has_name            BOOLEAN NOT NULL CHECK (has_name IN (0, 1)),
    has_address         BOOLEAN NOT NULL CHECK (has_address IN (0, 1)),
    has_phone           BOOLEAN NOT NULL CHECK (has_phone IN (0, 1)),
    has_website         BOOLEAN NOT NULL CHECK (has_website IN (0, 1)),
    has_hours           BOOLEAN NOT NULL CHECK (has_hours IN (0, 1)),
    has_categories      BOOLEAN NOT NULL CHECK (has_categories IN (0, 1)),
    has_photos          BOOLEAN NOT NULL CHECK (has_photos IN (0, 1)),
    has_description     BOOLEAN NOT NULL CHECK (has_description IN (0, 1)),
    has_services        BOOLEAN NOT NULL CHECK (has_services IN (0, 1)),
    has_reviews         BOOLEAN NOT NULL CHECK (has_reviews IN (0, 1)),
    photo_count         INTEGER NOT NULL,
    review_count        INTEGER NOT NULL,
    average_rating      REAL,
    place_id            TEXT NOT NULL,
    audit_source        TEXT NOT NULL,
    audit_version       TEXT NOT NULL,
    logo_present        BOOLEAN NOT NULL CHECK (logo_present IN (0, 1)),
    cover_photo_present BOOLEAN NOT NULL CHECK (cover_photo_present IN (0, 1)),
    triggered_by        INTEGER REFERENCES users (id)
);
CREATE INDEX profile_audits_newest ON profile_audits (company_id, id);

-- +goose Down
DROP TABLE profile_audits;
DROP TABLE company_profiles;
