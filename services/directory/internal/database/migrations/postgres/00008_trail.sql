-- +goose Up

-- The trail outlives what it is about. actor is who was no user of the website,
-- about_user_id the user to whom it was done.
ALTER TABLE audit_trail
    ALTER company_id DROP NOT NULL,
    ADD about_user_id BIGINT,
    ADD actor TEXT NOT NULL DEFAULT '',
    DROP CONSTRAINT audit_trail_company_id_fkey,
    DROP CONSTRAINT audit_trail_user_id_fkey;
CREATE INDEX audit_trail_at ON audit_trail (at);

-- Old lines may go, the others stay as they are.
-- +goose StatementBegin
CREATE FUNCTION audit_trail_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.at > now() - INTERVAL '30 days' THEN
        RAISE EXCEPTION 'audit_trail is append-only';
    END IF;
    RETURN OLD;
END
$$;
-- +goose StatementEnd
DROP TRIGGER audit_trail_append_only ON audit_trail;
CREATE TRIGGER audit_trail_append_only BEFORE UPDATE OR TRUNCATE ON audit_trail
    FOR EACH STATEMENT EXECUTE FUNCTION audit_trail_refuse();
CREATE TRIGGER audit_trail_keep BEFORE DELETE ON audit_trail
    FOR EACH ROW EXECUTE FUNCTION audit_trail_keep();

-- +goose Down
DROP TRIGGER audit_trail_keep ON audit_trail;
DROP FUNCTION audit_trail_keep;
DROP INDEX audit_trail_at;
DELETE FROM audit_trail WHERE company_id IS NULL OR company_id NOT IN (SELECT id FROM companies);
DROP TRIGGER audit_trail_append_only ON audit_trail;
UPDATE audit_trail SET user_id = NULL WHERE user_id NOT IN (SELECT id FROM users);
CREATE TRIGGER audit_trail_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_trail
    FOR EACH STATEMENT EXECUTE FUNCTION audit_trail_refuse();
ALTER TABLE audit_trail
    ALTER company_id SET NOT NULL,
    DROP COLUMN about_user_id,
    DROP COLUMN actor,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id),
    ADD FOREIGN KEY (user_id) REFERENCES users (id);
