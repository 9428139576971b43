-- +goose Up

-- What belongs to a company goes with it.
ALTER TABLE oauth_tokens
    ALTER user_id DROP NOT NULL,
    DROP CONSTRAINT oauth_tokens_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE CASCADE;
ALTER TABLE social_statistics
    DROP CONSTRAINT social_statistics_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE CASCADE;
ALTER TABLE company_profiles
    DROP CONSTRAINT company_profiles_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE CASCADE;

-- Of a past reading the charts want the followers alone.
ALTER TABLE social_statistics_history
    DROP COLUMN data,
    DROP CONSTRAINT social_statistics_history_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE CASCADE;
CREATE INDEX social_statistics_history_synced ON social_statistics_history (synced_at);

-- updated_by and triggered_by are numbers that outlive their users, as pseudonyms.
ALTER TABLE social_media_configs
    DROP CONSTRAINT social_media_configs_updated_by_fkey,
    DROP CONSTRAINT social_media_configs_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE CASCADE;
ALTER TABLE profile_audits
    DROP CONSTRAINT profile_audits_triggered_by_fkey,
    DROP CONSTRAINT profile_audits_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE CASCADE;
CREATE INDEX profile_audits_date ON profile_audits (audit_date);

-- +goose Down
DROP INDEX profile_audits_date;
UPDATE profile_audits SET triggered_by = NULL WHERE triggered_by NOT IN (SELECT id FROM users);
ALTER TABLE profile_audits
    DROP CONSTRAINT profile_audits_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id),
    ADD FOREIGN KEY (triggered_by) REFERENCES users (id);
DELETE FROM social_media_configs WHERE updated_by NOT IN (SELECT id FROM users);
ALTER TABLE social_media_configs
    DROP CONSTRAINT social_media_configs_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id),
    ADD FOREIGN KEY (updated_by) REFERENCES users (id);
DROP INDEX social_statistics_history_synced;
ALTER TABLE social_statistics_history
    ADD data JSON NOT NULL DEFAULT '{}',
    DROP CONSTRAINT social_statistics_history_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id);
ALTER TABLE company_profiles
    DROP CONSTRAINT company_profiles_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id);
ALTER TABLE social_statistics
    DROP CONSTRAINT social_statistics_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id);
DELETE FROM oauth_tokens WHERE user_id IS NULL;
ALTER TABLE oauth_tokens
    ALTER user_id SET NOT NULL,
    DROP CONSTRAINT oauth_tokens_company_id_fkey,
    ADD FOREIGN KEY (company_id) REFERENCES companies (id);
