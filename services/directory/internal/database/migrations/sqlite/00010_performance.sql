-- +goose Up

-- The figures of a Business Profile location for one day, such as 2026-11-20.
CREATE TABLE performance_days (
    company_id     INTEGER NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    account_id     TEXT NOT NULL,
    day            TEXT NOT NULL,
    search_desktop INTEGER NOT NULL,
    search_mobile  INTEGER NOT NULL,
    maps_desktop   INTEGER NOT NULL,
    maps_mobile    INTEGER NOT NULL,
    calls          INTEGER NOT NULL,
    directions     INTEGER NOT NULL,
    website        INTEGER NOT NULL,
    messages       INTEGER NOT NULL,
    bookings       INTEGER NOT NULL,
    PRIMARY KEY (company_id, account_id, day)
);
CREATE INDEX performance_days_day ON performance_days (day);

-- +goose Down
DROP TABLE performance_days;
