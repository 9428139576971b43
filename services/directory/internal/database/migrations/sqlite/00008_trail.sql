-- +goose Up

-- The trail outlives what it is about. actor is who was no user of the website,
-- about_user_id the user to whom it was done.
DROP TRIGGER audit_trail_no_update;
DROP TRIGGER audit_trail_no_delete;
CREATE TABLE new_audit_trail (
    id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at            DATETIME NOT NULL,
    company_id    INTEGER,
    user_id       INTEGER,
    action        TEXT NOT NULL,
    provider      TEXT NOT NULL,
    service       TEXT NOT NULL,
    detail        TEXT NOT NULL,
    request_id    TEXT NOT NULL,
    about_user_id INTEGER,
    actor         TEXT NOT NULL DEFAULT ''
);
INSERT INTO new_audit_trail (id, at, company_id, user_id, action, provider, service, detail, request_id) SELECT id, at, company_id, user_id, action, provider, service, detail, request_id FROM audit_trail;
DROP TABLE audit_trail;
ALTER TABLE new_audit_trail RENAME TO audit_trail;
CREATE INDEX audit_trail_newest ON audit_trail (company_id, id);
CREATE INDEX audit_trail_at ON audit_trail (at);

-- Old lines may go, the others stay as they are.
-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_update BEFORE UPDATE ON audit_trail
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_delete BEFORE DELETE ON audit_trail
WHEN julianday(OLD.at) > julianday('now', '-30 days')
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER audit_trail_no_update;
DROP TRIGGER audit_trail_no_delete;
CREATE TABLE new_audit_trail (
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
INSERT INTO new_audit_trail (id, at, company_id, user_id, action, provider, service, detail, request_id)
    SELECT id, at, company_id, (SELECT u.id FROM users u WHERE u.id = user_id), action, provider, service, detail, request_id
    FROM audit_trail WHERE company_id IN (SELECT id FROM companies);
DROP TABLE audit_trail;
ALTER TABLE new_audit_trail RENAME TO audit_trail;
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
