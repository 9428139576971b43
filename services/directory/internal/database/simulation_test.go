//go:build !race

package database_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
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

// size is how many companies there are in TestSize; the full size takes minutes.
const size, fullSize = 20_000, 100_000

// growing are the tables that grow with time, with the rows that a company adds in a day: a
// reading of each of two services, a seventh of an audit, a line of the trail for a renewed
// token and, for the tenth with a webhook, a seventh of a delivery. kept is for how many days.
var growing = []struct {
	table     string
	day, kept float64
}{
	{"social_statistics_history", 2, 730}, {"profile_audits", 1.0 / 7, 730}, {"audit_trail", 1, 730},
	{"webhook_deliveries", 1.0 / 70, 14},
}

// fill inserts rows like those of a service in use: of each company the oldest first. The
// last connections are due, and some are paused; most of what is dated is recent.
func fill(t *testing.T, db databasetest.Database, companies int) {
	t.Helper()
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
}

// TestSize checks, with many companies and ten times as many readings, that no query of scans,
// pauses, budgets, webhooks, retention, searches and charts reads a table from end to end, and
// logs how much the tables of 100,000 companies grow. SIMULATION_COMPANIES is their number.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a large database")
	}
	companies, err := strconv.Atoi(cmp.Or(os.Getenv("SIMULATION_COMPANIES"), strconv.Itoa(size)))
	ok(t, err)
	onPostgres(t, func(t *testing.T, db databasetest.Database) {
		fill(t, db, companies)
		for _, g := range growing {
			var rows, table, indexes float64
			ok(
				t, db.DB.Read(t.Context()).
					Raw("SELECT COUNT(*), pg_table_size(?::regclass), pg_indexes_size(?::regclass) FROM "+g.table,
						g.table, g.table).Row().Scan(&rows, &table, &indexes),
			)
			t.Logf("%s: %.0f rows a day, %.0f bytes a row and %.0f of indexes, %.1f GB a year, %.1f GB kept", g.table,
				g.day*fullSize, table/rows, indexes/rows, g.day*fullSize*365*(table+indexes)/rows/1e9,
				g.day*fullSize*g.kept*(table+indexes)/rows/1e9)
		}
		db.CheckPlans(t, func(db *database.DB) []databasetest.Call {
			return callsAtSize(t.Context(), db, time.Duration(companies))
		})
	})
}

func callsAtSize(ctx context.Context, db *database.DB, size time.Duration) []databasetest.Call {
	connections, companies := &connection.Store{DB: db}, company.New(db)
	now := time.Now()
	silent := slog.New(slog.DiscardHandler)
	scans := scan.New(scan.Options{DB: db, Workers: 1, Log: silent})
	hooks := webhook.New(
		webhook.Options{DB: db, Transport: refuse{}},
	)
	incidents := incident.New(db, silent)
	of := incident.Subject{Provider: provider.Search, Service: provider.SearchProfile, Kind: incident.Token}
	return []databasetest.Call{
		{Name: "schedule", Max: 100, Run: func() error { return scans.Schedule(ctx, 24*time.Hour) }},
		{
			Name: "backlog", Max: 3,
			Run: func() error { return databasetest.ErrorOf(scans.Backlog(ctx, now.Add(-24*time.Hour+time.Minute))) },
		},
		{Name: "pauses", Max: 1, Run: func() error { return databasetest.ErrorOf(scans.Pauses(ctx)) }},
		{
			Name: "lift", Max: 6,
			Run: func() error { return databasetest.ErrorOf(scans.Lift(ctx, trail.Entry{}, provider.Search)) },
		},
		{
			Name: "turns", Max: 2,
			Run: func() error { return databasetest.ErrorOf(db.Clock().Next(ctx, "budget", time.Second, 1)) },
		},
		{
			Name: "refused", Max: 9,
			Run: func() error { return databasetest.ErrorOf(incidents.Refused(ctx, of, 1, "detail")) },
		},
		{
			Name: "marked", Max: 1,
			Run: func() error { return databasetest.ErrorOf(incidents.Marked(ctx, provider.Search)) },
		},
		{Name: "succeeded", Max: 9, Run: func() error { return incidents.Succeeded(ctx, of, func() {}) }},
		{Name: "broken", Max: 1, Run: func() error { return databasetest.ErrorOf(connections.CountBroken(ctx)) }},
		{Name: "waiting", Max: 1, Run: func() error { return databasetest.ErrorOf(hooks.Waiting(ctx)) }},
		{Name: "receivers", Max: 9999, Run: func() error { return db.Transaction(ctx, hooks.Schedule) }},
		{Name: "publish", Max: 4, Run: func() error {
			return db.Transaction(ctx, func(tx *gorm.DB) error { return webhook.Publish(db, tx, "x", 1, 1) })
		}},
		{
			Name: "old deliveries", Max: 999,
			Run: func() error {
				return databasetest.ErrorOf(hooks.DeleteBefore(ctx, now.Add(-2*size*time.Second)))
			},
		},
		{Name: "old rows", Max: 999, Run: func() error {
			keep := erasure.Retention{Readings: 10 * 24 * time.Hour, Audits: time.Hour, Trail: 40 * 24 * time.Hour}
			return erasure.Prune(ctx, db, keep, now.Add(time.Minute))
		}},
		{
			Name: "search", Max: 2,
			Run: func() error { return lastOf(companies.Search(ctx, "firma a", company.Position{})) },
		},
		{
			Name: "next page", Max: 2,
			Run: func() error { return lastOf(companies.Search(ctx, "", company.Position{Key: "firma 7", ID: 7})) },
		},
		{
			Name: "chart", Max: 2,
			Run: func() error { return lastOf(statistics.Read[struct{}](ctx, db, 1, provider.SocialPages)) },
		},
		{
			Name: "past audits", Max: 2,
			Run: func() error {
				return lastOf(audit.New(db, nil, nil, nil, metrics.New(nil)).History(ctx, "firma-1", 0, 9))
			},
		},
		{
			Name: "trail of a company", Max: 1,
			Run: func() error {
				return databasetest.ErrorOf(trail.Find(ctx, db,
					trail.Search{CompanyID: 1, Limit: 9}))
			},
		},
		{
			Name: "newest trail", Max: 1,
			Run: func() error { return databasetest.ErrorOf(trail.Find(ctx, db, trail.Search{Limit: 9})) },
		},
		{Name: "connections of a company", Max: 1,
			Run: func() error { return databasetest.ErrorOf(connections.List(ctx, 1)) }},
	}
}

// refuse is receivers that refuse each request.
type refuse struct{}

// RoundTrip implements http.RoundTripper.
func (refuse) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }

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
					"sessions (id_hash, data, version, created_at, last_seen_at)": {hash, "", 0, at, at},
					"password_links (token_hash, user_id, expires_at)":            {hash, 1, at},
					"login_networks (user_id, network, seen_at)":                  {1, string(hash), at},
					"limit_entries (kind, subject, used_at)":                      {"audit", string(hash), at},
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
			if n%rows != 0 || int64(deletions) < n/rows*3 {
				t.Errorf("%s: %d rows in %d statements, want 3 for %d rows", name, n, deletions, rows)
			}
		}
	})
}

func lastOf[A, B any](_ A, _ B, err error) error { return err }
