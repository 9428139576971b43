-- +goose Up

-- The details of a line may be taken out, since they can name what is erased.
DROP TRIGGER audit_trail_no_update;
-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_update BEFORE UPDATE ON audit_trail
WHEN NEW.detail <> '' OR (NEW.id, NEW.at, NEW.company_id, NEW.user_id, NEW.action, NEW.provider, NEW.service, NEW.request_id,
        NEW.about_user_id, NEW.actor)
    IS NOT (OLD.id, OLD.at, OLD.company_id, OLD.user_id, OLD.action, OLD.provider, OLD.service, OLD.request_id,
        OLD.about_user_id, OLD.actor)
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER audit_trail_no_update;
-- +goose StatementBegin
CREATE TRIGGER audit_trail_no_update BEFORE UPDATE ON audit_trail
BEGIN
    SELECT RAISE(ABORT, 'audit_trail is append-only');
END;
-- +goose StatementEnd
