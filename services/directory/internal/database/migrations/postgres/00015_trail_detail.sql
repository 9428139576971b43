-- +goose Up

-- The details of a line may be taken out, since they can name what is erased.
DROP TRIGGER audit_trail_append_only ON audit_trail;
-- +goose StatementBegin
CREATE FUNCTION audit_trail_only_empty() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    OLD.detail := '';
    IF NEW IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'audit_trail is append-only';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_trail_append_only BEFORE TRUNCATE ON audit_trail
    FOR EACH STATEMENT EXECUTE FUNCTION audit_trail_refuse();
CREATE TRIGGER audit_trail_only_empty BEFORE UPDATE ON audit_trail
    FOR EACH ROW EXECUTE FUNCTION audit_trail_only_empty();

-- +goose Down
DROP TRIGGER audit_trail_only_empty ON audit_trail;
DROP FUNCTION audit_trail_only_empty;
DROP TRIGGER audit_trail_append_only ON audit_trail;
CREATE TRIGGER audit_trail_append_only BEFORE UPDATE OR TRUNCATE ON audit_trail
    FOR EACH STATEMENT EXECUTE FUNCTION audit_trail_refuse();
