-- +goose Up
SET LOCAL lock_timeout = '500ms';

-- Refusals of a provider in a row, without a success in between. detail is the mark that
-- the connection got; it is empty if it got none.
CREATE TABLE provider_refusals (
    provider      TEXT NOT NULL,
    service       TEXT NOT NULL,
    kind          TEXT NOT NULL,
    connection_id BIGINT NOT NULL,
    detail        TEXT NOT NULL,
    counted       BOOLEAN NOT NULL,
    at            TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (provider, service, kind, connection_id)
);

-- App-wide failures that have not ended, and until when each pauses scans: of all that the
-- provider has, or of one service.
CREATE TABLE provider_incidents (
    provider       TEXT NOT NULL,
    service        TEXT NOT NULL,
    kind           TEXT NOT NULL,
    whole          BOOLEAN NOT NULL,
    began_at       TIMESTAMPTZ NOT NULL,
    paused_until   TIMESTAMPTZ NOT NULL,
    paused_seconds BIGINT NOT NULL,
    PRIMARY KEY (provider, service, kind)
);

-- +goose Down
SET LOCAL lock_timeout = '500ms';
DROP TABLE provider_incidents;
DROP TABLE provider_refusals;
