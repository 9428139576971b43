package databasetest

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
)

// Secret is an encrypted value of a row that this package has added.
type Secret struct {
	Text  string
	Place database.Place
	Query string // reads it as it is stored
}

// AddCompany inserts an active company, and returns its number.
func (d Database) AddCompany(t testing.TB, slug string) (id int64) {
	t.Helper()
	d.insert(t, "companies (name, slug, status, address, phone, website, hours, description, categories, services, "+
		"logo_url, cover_photo_url, place_id, created_at, updated_at)",
		"Firma", slug, "active", "", "", "", "", "", "[]", "[]", "", "", "", Time, Time)
	if err := d.DB.Read(t.Context()).Table("companies").Raw("SELECT id FROM companies WHERE slug = ?", slug).Row().
		Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// AddConnection inserts a company with a connection, and returns the connection's secrets.
// The account's name is Plain.
func (d Database) AddConnection(t testing.TB, slug string) (companyID int64, secrets []Secret) {
	t.Helper()
	id := d.AddCompany(t, slug)
	sealed := func(column, text, read string) string {
		place := database.PlaceOf("oauth_tokens", column, id, "provider_social", "social_pages")
		query := fmt.Sprintf("SELECT %s FROM oauth_tokens WHERE company_id = %d", read, id)
		secrets = append(secrets, Secret{text + slug, place, query})
		return d.DB.Seal(text+slug, place)
	}
	metadata := `{"user_access_token":"` + sealed("metadata_json.user_access_token", "plain-user-",
		"metadata_json ->> 'user_access_token'") +
		`","connected_at":"2026-03-29T00:30:15Z","denied":["social_photos"],"lost_choice":"plain-lost-choice"}`
	d.insert(t, "oauth_tokens (company_id, provider, service, access_token, refresh_token, scopes, account_id, "+
		"account_name, is_active, provider_user_id, reconnect_reason, metadata_json, created_at, updated_at)",
		id, "provider_social", "social_pages", sealed("access_token", "plain-access-", "access_token"),
		sealed("refresh_token", "plain-refresh-", "refresh_token"),
		"a b", "1", Plain, true, "person", "", metadata, Time, Time)
	return id, secrets
}

// Plain is a text that AddConnection does not encrypt.
const Plain = "plain-account-name"

// rows are those without a secret that Fill adds, at Time.
//
//go:embed fill.sql
var rows string

// Fill adds a row to every table of an empty database, and returns its secrets.
func (d Database) Fill(t testing.TB) []Secret {
	t.Helper()
	id, secrets := d.AddConnection(t, "filled")
	sealed := func(text, table, column string, row ...any) string {
		place := database.PlaceOf(table, column, row...)
		secrets = append(secrets, Secret{text, place, "SELECT " + column + " FROM " + table})
		return d.DB.Seal(text, place)
	}
	session, hook := []byte(strings.Repeat("s", 32)), "https://hook.example"
	d.insert(t, "users (company_id, email, name, password_hash, role, created_at, updated_at)", id,
		"filled@example.test", "", "plain-hash", 10, Time, Time)
	d.insert(t, "sessions (user_id, id_hash, oauth_state, created_at, last_seen_at)", 1, session,
		sealed("plain-session", "sessions", "oauth_state", session), Time, Time)
	d.insert(t, "password_links (user_id, token_hash, expires_at)", 1, []byte(strings.Repeat("l", 32)), Time)
	d.insert(t, "social_media_configs (platform, company_id, page_id, page_name, access_token, is_active, "+
		"debug_mode, updated_by, created_at, updated_at)",
		"social_pages", id, "1", "", sealed("plain-page", "social_media_configs", "access_token", "social_pages", id),
		true, false, 1, Time, Time)
	d.insert(t, "webhooks (company_id, url, secret, old_secret, disabled, created_at)",
		id, hook, sealed("plain-webhook", "webhooks", "secret", id, hook),
		sealed("plain-old-webhook", "webhooks", "old_secret", id, hook), "", Time)
	d.insert(t, "revocations (id, provider, secret, created_at)", "revocation", "provider_search",
		sealed("plain-grant", "revocations", "secret", "revocation"), Time)
	d.Exec(t, rows)
	return secrets
}

// insert adds a row to a table with the named columns.
func (d Database) insert(t testing.TB, table string, values ...any) {
	t.Helper()
	for i, value := range values {
		if at, ok := value.(time.Time); ok {
			values[i] = database.Instant(at)
		}
	}
	d.Exec(t, "INSERT INTO "+table+" VALUES (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
}

// Exec runs a statement.
func (d Database) Exec(t testing.TB, statement string, values ...any) {
	t.Helper()
	if err := d.DB.Write(t.Context()).Exec(statement, values...).Error; err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Dump returns the rows of all tables of ours. Both databases return the same text for the same
// value.
func (d Database) Dump(t testing.TB) map[string][]string {
	t.Helper()
	tables := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if d.Name == "postgres" {
		tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	}
	dump := map[string][]string{}
	for _, table := range d.Query(t, tables) {
		owner, _, _ := strings.Cut(table, "_")
		if !slices.Contains([]string{"goose", "river", "sqlite"}, owner) {
			dump[table] = d.Query(t, "SELECT * FROM "+table)
			slices.Sort(dump[table])
		}
	}
	return dump
}

// Query returns the rows of a query, each as its values with "|" between them.
func (d Database) Query(t testing.TB, statement string) (rows []string) {
	t.Helper()
	pool := d.Raw(t)
	defer func() { _ = pool.Close() }() // a test may have many queries
	found, err := pool.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	err = database.EachRow(found, func(values []any) error {
		texts := make([]string, len(values))
		for i, value := range values {
			switch v := value.(type) {
			case []byte:
				value = string(v)
			case time.Time:
				value = v.UTC()
			case bool:
				if value = 0; v {
					value = 1
				}
			}
			texts[i] = fmt.Sprint(value)
		}
		rows = append(rows, strings.Join(texts, "|"))
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return rows
}
