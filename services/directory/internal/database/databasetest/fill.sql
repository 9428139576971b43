INSERT INTO password_mails (user_id, invitation, created_at) VALUES (1, true, '2026-03-29 00:30:15.123456+00:00');
INSERT INTO login_networks (user_id, network, seen_at) VALUES (1, 'digest', '2026-03-29 00:30:15.123456+00:00');
INSERT INTO scan_pauses (provider, service, connection_id, until, seconds)
    VALUES ('provider_search', '', 1, '2026-03-29 00:30:15.123456+00:00', 60);
INSERT INTO provider_refusals (provider, service, kind, connection_id, detail, at)
    VALUES ('provider_search', 'search_profile', 'token', 1, '', '2026-03-29 00:30:15.123456+00:00');
INSERT INTO provider_incidents (provider, service, kind, whole, began_at)
    VALUES ('provider_search', 'search_profile', 'token', true, '2026-03-29 00:30:15.123456+00:00');
INSERT INTO slots (name, last_ms, widest_ms, given_ms) VALUES ('google/search', 0, 0, 0);
INSERT INTO social_statistics (company_id, service, account_id, followers, data, synced_at)
    VALUES (1, 'social_pages', '1', 7, '{"a": 1}', '2026-03-29 00:30:15.123456+00:00');
INSERT INTO social_statistics_history (company_id, service, account_id, followers, synced_at)
    VALUES (1, 'social_pages', '1', 7, '2026-03-29 00:30:15.123456+00:00');
INSERT INTO performance_days (company_id, account_id, day, search_desktop, search_mobile, maps_desktop, maps_mobile,
    calls, directions, website, messages, bookings)
    VALUES (1, 'locations/1', '2026-03-29', 1, 2, 3, 4, 5, 6, 7, 8, 9);
INSERT INTO metric_days (company_id, service, account_id, metric, day, value)
    VALUES (1, 'social_pages', '1', 'page_views_total', '2026-03-29', 7);
INSERT INTO company_profiles (company_id, source, place_id, data, fetched_at)
    VALUES (1, '', '', '{}', '2026-03-29 00:30:15.123456+00:00');
INSERT INTO profile_audits (company_id, audit_date, data_at, holidays, completeness_score, score_category,
    fields_status, recommendations, has_name, has_address, has_phone, has_website, has_hours, has_categories,
    has_photos, has_description, has_services, has_reviews, photo_count, review_count, average_rating, place_id,
    audit_source, audit_version, logo_present, cover_photo_present, triggered_by)
   
    VALUES (1, '2026-03-29 00:30:15.123456+00:00', '2026-03-29 00:30:15.123456+00:00', '[]', 12.5, 'poor', '{}', '[]',
    true, false, true, false, false, false, false, false, false,
    false, 0, 0, NULL, '', '', '1', false, true, 1);
INSERT INTO webhook_deliveries (webhook_id, company_id, event_id, type, at, data, state, attempts, result, status,
    created_at)
   
    VALUES (1, 1, 'event', 'connection.created', '2026-03-29 00:30:15.123456+00:00', '{}', 'pending', 0, '',
    0, '2026-03-29 00:30:15.123456+00:00');
INSERT INTO limit_entries (kind, subject, used_at) VALUES ('audit', 'digest', '2026-03-29 00:30:15.123456+00:00');
INSERT INTO audit_trail (at, company_id, user_id, action, provider, service, detail, request_id)
    VALUES ('2026-03-29 00:30:15.123456+00:00', 1, 1, 'connect', 'provider_social', 'social_pages', '', 'request');
INSERT INTO purges (requested_at) VALUES ('2026-03-29 00:30:15.123456+00:00');
INSERT INTO data_deletions (code, requested_at, provider, person_id, request_id)
    VALUES ('code', '2026-03-29 00:30:15.123456+00:00', 'provider_social', 'person', 'request');
