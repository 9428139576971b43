//go:build !race

package database_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

// TestSize checks, with many companies and ten times as many readings, that no query of scans,
// pauses, budgets, webhooks, retention, searches and charts reads a table from end to end.
// SIMULATION_COMPANIES is their number.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a large database")
	}
	companies, err := strconv.Atoi(cmp.Or(os.Getenv("SIMULATION_COMPANIES"), "20000"))
	ok(t, err)
	onPostgres(t, func(t *testing.T, db databasetest.Database) {
		// Rows like those of a service in use, of each company the oldest first. The last connections
		// are due, and some are paused; most of what is dated is recent.
		readings := 10 * companies
		const series = " FROM generate_series(1, ?) AS i"
		one := apptest.New(t, apptest.On(db.URL))
		_, err := one.Audits.Run(t.Context(), apptest.Actor(one.Anna),
			audit.Request{Company: audit.CompanyRef{ID: &one.Company.ID}, Save: true})
		ok(t, err)
		db.Exec(t,
			`INSERT INTO companies (name, slug, status, address, phone, website, hours, description, categories,
				services, logo_url, cover_photo_url, place_id, created_at, updated_at)
			SELECT 'Firma ' || md5(i::text), 'firma-' || i, 'active', 'ul. Floriańska 12, 31-021 Kraków',
				'+48 12 421 00 12', 'https://firma.example', 'pn-pt 8-16', 'Rodzinna firma.', '[]', '[]', '', '', '',
				now(), now()`+series, companies)
		db.Exec(t,
			`INSERT INTO oauth_tokens (company_id, provider, service, access_token, refresh_token, scopes,
				account_id, account_name, is_active, provider_user_id, reconnect_reason, metadata_json,
				created_at, updated_at, scanned_at)
			SELECT i, 'provider_search', 'search_profile', repeat('x', 300), repeat('x', 200), 'scope',
				'locations/' || i, 'Firma', true, 'person-' || i, '', '{}',
				now(), now(), now() - i * interval '24 hours' / ?`+series, companies, companies)
		db.Exec(t, `INSERT INTO scan_pauses (provider, service, connection_id, until, seconds)
			SELECT provider, '', id, now() + interval '1 hour', 60 FROM oauth_tokens WHERE id % 1000 = 0`)
		db.Exec(t, `INSERT INTO social_statistics (company_id, service, account_id, followers, data, synced_at)
			SELECT i, 'social_pages', i::text, 7, ('{"name": "' || repeat('x', 1500) || '"}')::json, now()`+series,
			companies)
		db.Exec(t, `INSERT INTO social_statistics_history (company_id, service, account_id, followers, synced_at)
			SELECT 1 + i % ?, 'social_pages', '104118000000' || i % 1000, i % 5000,
				now() - (? - i) * interval '864 milliseconds'`+series, companies, readings, readings)
		columns :=
			`audit_date, completeness_score, score_category, fields_status, recommendations, has_name, has_address,
			has_phone, has_website, has_hours, has_categories, has_photos,
			has_description, has_services, has_reviews, photo_count, review_count, average_rating, place_id,
			audit_source, audit_version, logo_present, cover_photo_present, triggered_by, signals, location, sources,
			data_at, holidays`
		db.Exec(t, "INSERT INTO profile_audits (company_id, "+columns+") SELECT 1 + i % ?, "+columns+
			" FROM profile_audits, generate_series(2, ?) AS i", companies, companies)
		db.Exec(t, `INSERT INTO audit_trail (at, company_id, user_id, action, provider, service, detail, request_id)
			SELECT now() - (? - i) * interval '864 milliseconds', i, NULL, 'refresh', 'provider_search',
				'search_profile', '', ''`+series, companies, companies)
		db.Exec(t, `INSERT INTO webhooks (company_id, url, secret, old_secret, disabled, created_at) SELECT i, `+
			`'https://firma.example/' || i, repeat('x', 100), '', '', now()`+series, companies/10)
		db.Exec(t,
			`INSERT INTO webhook_deliveries (webhook_id, company_id, event_id, type, at, data, state, attempts, result,
				status, attempted_at, created_at)
			SELECT 1 + i % ?, 1 + i % ?, 'msg_' || md5(i::text), 'audit.completed', now(),
				('{"audit_id": 1, "completeness_score": 100, "audit_source": "' || repeat('x', 100) || '"}')::json,
				CASE WHEN i % 20 = 0 THEN 'pending' ELSE 'delivered' END, 1, '', 200, now(),
				now() - (? - i) * interval '1 second'`+series, companies/10, companies/10, 3*companies, 3*companies)
		db.Exec(t, "ANALYZE")
		large := db.Query(t, "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples >= 20000")
		own := databasetest.Open(t, db.URL)
		var statements []string
		ok(t, databasetest.Observe(own, func(statement string) { statements = append(statements, statement) }))
		ctx, size := t.Context(), time.Duration(companies)
		connections, search := &connection.Store{DB: own}, company.New(own).Search
		now := time.Now()
		silent := slog.New(slog.DiscardHandler)
		scans := scan.New(scan.Options{DB: own, Workers: 1, Log: silent})
		hooks := webhook.New(webhook.Options{DB: own})
		incidents := incident.New(own, silent)
		of := incident.Subject{Provider: provider.Search, Service: provider.SearchProfile, Kind: incident.Token}
		for _, call := range []struct {
			name string
			most int // statements that it may execute
			run  func() error
		}{
			{"schedule", 100, func() error { return scans.Schedule(ctx, 24*time.Hour) }},
			{"backlog", 3, func() error {
				_, _, err := scans.Backlog(ctx, now.Add(-24*time.Hour+time.Minute))
				return err
			}},
			{"pauses", 1, func() error { return databasetest.ErrorOf(scans.Pauses(ctx)) }},
			{"lift", 6, func() error { return databasetest.ErrorOf(scans.Lift(ctx, trail.Entry{}, provider.Search)) }},
			{"turns", 2, func() error {
				return databasetest.ErrorOf(own.Clock().Next(ctx, "budget", time.Second, 1))
			}},
			{"refused", 9, func() error { return databasetest.ErrorOf(incidents.Refused(ctx, of, 1, "detail")) }},
			{"marked", 1, func() error { return databasetest.ErrorOf(incidents.Marked(ctx, provider.Search)) }},
			{"succeeded", 9, func() error { return incidents.Succeeded(ctx, of, func() {}) }},
			{"broken", 1, func() error { return databasetest.ErrorOf(connections.CountBroken(ctx)) }},
			{"waiting", 1, func() error { return databasetest.ErrorOf(hooks.Waiting(ctx)) }},
			{"receivers", 9999, func() error { return own.Transaction(ctx, hooks.Schedule) }},
			{"publish", 4, func() error {
				return own.Transaction(ctx, func(tx *gorm.DB) error { return webhook.Publish(own, tx, "x", 1, 1) })
			}},
			{"old deliveries", 999, func() error {
				return databasetest.ErrorOf(hooks.DeleteBefore(ctx, now.Add(-2*size*time.Second)))
			}},
			{"old rows", 999, func() error {
				keep := erasure.Retention{Readings: 10 * 24 * time.Hour, Audits: time.Hour, Trail: 40 * 24 * time.Hour}
				return erasure.Prune(ctx, own, keep, now.Add(time.Minute))
			}},
			{"search", 2, func() error { return lastOf(search(ctx, "firma a", company.Position{})) }},
			{"next page", 2, func() error {
				return lastOf(search(ctx, "", company.Position{Key: "firma 7", ID: 7}))
			}},
			{"chart", 2, func() error {
				return lastOf(statistics.Read[struct{}](ctx, own, 1, provider.SocialPages))
			}},
			{"past audits", 2, func() error {
				return lastOf(audit.New(own, nil, nil, nil, metrics.New(nil)).History(ctx, "firma-1", 0, 9))
			}},
			{"trail of a company", 1, func() error {
				return databasetest.ErrorOf(trail.Find(ctx, own, trail.Search{CompanyID: 1, Limit: 9}))
			}},
			{"newest trail", 1, func() error {
				return databasetest.ErrorOf(trail.Find(ctx, own, trail.Search{Limit: 9}))
			}},
			{"connections of a company", 1, func() error { return databasetest.ErrorOf(connections.List(ctx, 1)) }},
		} {
			statements = nil
			if err := call.run(); err != nil {
				t.Fatalf("%s: %v", call.name, err)
			}
			if n := len(statements); n == 0 || n > call.most {
				t.Errorf("%s: %d statements, want 1 to %d: %q", call.name, n, call.most, statements)
			}
			for _, statement := range statements {
				verb, _, _ := strings.Cut(statement, " ")
				if !slices.Contains([]string{"SELECT", "UPDATE", "DELETE", "WITH"}, verb) {
					continue // the plan of an INSERT names the checks of foreign keys, which are seldom run
				}
				// gorm prints the zero time in a form that PostgreSQL does not read.
				statement = strings.ReplaceAll(statement, "'0000-00-00 00:00:00'", "'0001-01-01 00:00:00'")
				for _, step := range db.Query(t, "EXPLAIN "+statement) {
					_, table, _ := strings.Cut(step, "Seq Scan on ")
					if table, _, _ = strings.Cut(table, " "); slices.Contains(large, table) {
						t.Errorf("%s reads all of %s: %s", call.name, table, statement)
					}
				}
			}
		}
	})
}

// TestOldRowsAreDeletedInBatches checks that what has piled up is deleted by statements of
// a bounded number of rows.
func TestOldRowsAreDeletedInBatches(t *testing.T) {
	const rows = 2*database.DeleteBatch + 1
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.Fill(t) // adds one row to each table
		ok(t, db.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
			for i := range rows - 1 {
				hash, at := []byte(fmt.Sprintf("%032d", i)), database.Instant(databasetest.Time)
				for into, values := range map[string][]any{
					"sessions (id_hash, oauth_state, created_at, last_seen_at)": {hash, "", at, at},
					"password_links (token_hash, user_id, expires_at)":          {hash, 1, at},
					"login_networks (user_id, network, seen_at)":                {1, string(hash), at},
					"limit_entries (kind, subject, used_at)":                    {"audit", string(hash), at},
					"webhook_deliveries (webhook_id, event_id, type, at, data, state, attempts, result, status, " +
						"created_at)": {1, string(hash), "", at, "{}", "parked", 0, "", 0, at},
				} {
					if err := tx.Exec("INSERT INTO "+into+" VALUES ?", values).Error; err != nil {
						return err
					}
				}
			}
			return nil
		}))
		a := apptest.New(t, apptest.On(db.URL))
		a.Clock.Pass(10 * 365 * 24 * time.Hour)
		later, deletions := a.Clock.Now(), 0
		ok(t, databasetest.Observe(a.DB, func(statement string) {
			if strings.HasPrefix(statement, "DELETE") {
				deletions++
			}
		}))
		for name, run := range map[string]func() (int64, error){
			"sessions":        func() (int64, error) { return a.Sessions.Sweep(t.Context()) },
			"uses of limits":  func() (int64, error) { return limit.New(a.DB).DeleteBefore(t.Context(), later) },
			"deliveries":      func() (int64, error) { return a.Webhooks.DeleteBefore(t.Context(), later) },
			"links, networks": func() (int64, error) { return 2 * rows, a.Users.Sweep(t.Context()) },
		} {
			deletions = 0
			n, err := run()
			ok(t, err)
			tables := n / rows // from which run deletes
			if n%rows != 0 {
				t.Errorf("%s: %d rows were deleted, want a multiple of %d", name, n, rows)
			}
			if int64(deletions) < 3*tables {
				t.Errorf("%s: %d rows in %d statements, want at least %d", name, n, deletions, 3*tables)
			}
		}
	})
}

func lastOf[A, B any](_ A, _ B, err error) error { return err }
