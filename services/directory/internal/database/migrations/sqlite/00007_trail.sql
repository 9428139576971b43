-- +goose Up
CREATE TABLE audit_trail (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at         DATETIME NOT NULL,
    company_id INTEGER NOT NULL REFERENCES companies (id),
    user_id    INTEGER REFERENCES users (id),
    action     TEXT NOT NULL,
    provider   TEXT NOT NULL,
    service    TEXT NOT NULL,
    detail     TEXT NOT NULL,
    request_id TEXT NOT NULL
);
CREATE INDEX audit_trail_newest ON audit_trail (company_id, id);

-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_update BEFORE UPDATE ON audit_trail
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_delete BEFORE DELETE ON audit_trail
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_trail;
