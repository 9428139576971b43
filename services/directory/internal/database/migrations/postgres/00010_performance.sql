-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- The figures of a Business Profile location for one day, such as 2026-11-20.
CREATE TABLE performance_days (
    company_id     BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    account_id     TEXT NOT NULL,
    day            TEXT NOT NULL,
    search_desktop BIGINT NOT NULL,
    search_mobile  BIGINT NOT NULL,
    maps_desktop   BIGINT NOT NULL,
    maps_mobile    BIGINT NOT NULL,
    calls          BIGINT NOT NULL,
    directions     BIGINT NOT NULL,
    website        BIGINT NOT NULL,
    messages       BIGINT NOT NULL,
    bookings       BIGINT NOT NULL,
    PRIMARY KEY (company_id, account_id, day)
);
CREATE INDEX performance_days_day ON performance_days (day);

-- +goose Down
SET LOCAL lock_timeout = '500ms';
DROP TABLE performance_days;
