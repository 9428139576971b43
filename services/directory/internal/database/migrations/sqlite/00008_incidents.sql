-- +goose Up

-- Refusals of a provider in a row, without a success in between. detail is the mark that
-- the connection got; it is empty if it got none.
CREATE TABLE provider_refusals (
    provider      TEXT NOT NULL,
    service       TEXT NOT NULL,
    kind          TEXT NOT NULL,
    connection_id INTEGER NOT NULL,
    detail        TEXT NOT NULL,
    counted       BOOLEAN NOT NULL CHECK (counted IN (0, 1)),
    at            DATETIME NOT NULL,
    PRIMARY KEY (provider, service, kind, connection_id)
);

-- App-wide failures that have not ended, and until when each pauses scans: of all that the
-- provider has, or of one service.
CREATE TABLE provider_incidents (
    provider       TEXT NOT NULL,
    service        TEXT NOT NULL,
    kind           TEXT NOT NULL,
    whole          BOOLEAN NOT NULL CHECK (whole IN (0, 1)),
    began_at       DATETIME NOT NULL,
    paused_until   DATETIME NOT NULL,
    paused_seconds INTEGER NOT NULL,
    PRIMARY KEY (provider, service, kind)
);

-- +goose Down
DROP TABLE provider_incidents;
DROP TABLE provider_refusals;
