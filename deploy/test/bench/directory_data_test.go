package bench

import (
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// directory is a service on a database of its own: companies, each with a user, a
// session, a connection and an audit.
type directory struct {
	service   *harness.Service
	db        *sql.DB
	address   string // of the database
	visitor   *harness.Visitor
	cookie    string // of the visitor, who is logged in
	companies int
}

// firstCompany is the id of the first company, user, connection and audit; the
// demonstration data have those below.
const firstCompany = 1001

// newDirectory starts one with so many companies on a server. settings are PostgreSQL's,
// name=value, for the connections of the service.
func newDirectory(t *testing.T, s *harness.Stack, server *harness.Postgres, size int, settings ...string) *directory {
	t.Helper()
	service := *s.Directories[0]
	service.Addr, service.AdminAddr = harness.FreeAddr(t), harness.FreeAddr(t)
	service.Env = append(slices.Clone(service.Env),
		"DIRECTORY_ADDR="+service.Addr, "DIRECTORY_ADMIN_ADDR="+service.AdminAddr, "DIRECTORY_SCAN_INTERVAL=0")
	c := &directory{service: &service, companies: size, address: server.NewDatabase(t)}
	c.db = harness.OpenDatabase(t, c.address)
	c.configure(settings...)
	service.Run(t, "seed")
	service.Start(t)
	c.visitor = harness.LoggedIn(t, service.URL(), user)
	c.cookie = "Cookie: " + c.visitor.CookieHeader(t)
	c.populate(t)
	return c
}

// name of the database.
func (c *directory) name() string {
	u, _ := url.Parse(c.address) // made by the server
	return u.Path[1:]
}

// configure sets the database, with settings of its connections, for the next start.
func (c *directory) configure(settings ...string) {
	address := c.address
	if len(settings) > 0 {
		address += "&options=" + strings.ReplaceAll(url.QueryEscape("-c "+strings.Join(settings, " -c ")), "+", "%20")
	}
	c.service.Env = append(c.service.Env, "DIRECTORY_DATABASE_URL="+address)
}

// user is the one who is logged in.
const user = "biuro@demo.example"

// populate fills the tables with copies of a company, its user, its audit and a
// connection without tokens.
func (c *directory) populate(t *testing.T) {
	t.Helper()
	harness.OK(t, c.visitor.Post(t, "/api/bizprofile/audit", map[string]any{"company_id": 1, "fetch_external": false}))
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	run := func(statement string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("SET session_replication_role = replica") // foreign keys are not checked: they hold
	run(`INSERT INTO oauth_tokens (company_id, user_id, provider, service, access_token, refresh_token, scopes, account_id, account_name,
			expires_at, is_active, provider_user_id, reconnect_reason, metadata_json, created_at, updated_at)
		VALUES (1, 2, 'provider_search', 'search_profile', '', '', 'https://www.googleapis.com/auth/business.manage', 'locations/1',
			'Piekarnia', now() + interval '1 year', true, 'p', '', '{}', now(), now())`)
	for _, copies := range []struct {
		table, where string
		columns      map[string]string // those in which the copies differ; n is the number of the copy
	}{
		{"companies", "id = 1", map[string]string{"id": "n", "slug": "'firma-' || n", "name": "'Firma ' || n"}},
		{"users", "email = '" + user + "'", map[string]string{"id": "n", "company_id": "n", "email": "'u' || n || '@demo.example'"}},
		{"sessions", "true", map[string]string{"id_hash": "sha256(n::text::bytea)", "user_id": "n"}},
		{"oauth_tokens", "company_id = 1", map[string]string{"id": "n", "company_id": "n", "user_id": "n", "provider_user_id": "'p' || n"}},
		{"profile_audits", "company_id = 1", map[string]string{"id": "n", "company_id": "n", "triggered_by": "n"}},
	} {
		run(c.copyStatement(t, copies.table, copies.where, copies.columns))
	}
	run("ANALYZE")
}

// copyStatement copies one row of a table as often as there are companies.
func (c *directory) copyStatement(t *testing.T, table, where string, columns map[string]string) string {
	t.Helper()
	rows, err := c.db.QueryContext(t.Context(), "SELECT column_name FROM information_schema.columns WHERE table_name = $1", table)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	values := maps.Clone(columns)
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if _, differs := values[name]; !differs {
			values[name] = "original." + name
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(values))
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = values[name]
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM (SELECT * FROM %s WHERE %s LIMIT 1) original, generate_series(%d, %d) n",
		table, strings.Join(names, ", "), strings.Join(list, ", "), table, where, firstCompany, firstCompany+c.companies-1)
}

// assignUser makes the one who is logged in a user of the company.
func (c *directory) assignUser(t *testing.T, company int) {
	t.Helper()
	harness.Execute(t, c.db, fmt.Sprintf("UPDATE users SET company_id = %d WHERE email = '%s'", company, user))
}

// read is what a documented read asks of a company.
type read struct {
	name  string
	least float64 // part of pgbench's rate that the service has to reach
	path  func(company int) string
}

// reads are the documented ones that look something up.
var reads = []read{
	{"state of the connections", 0.45, func(int) string { return "/api/oauth/status" }},
	{"audit by id", 0.40, func(company int) string { return fmt.Sprintf("/api/bizprofile/audit?company_id=%d", company) }},
	{"audit by slug", 0.40, func(company int) string { return fmt.Sprintf("/api/bizprofile/audit/firma-%d", company) }},
	{"history of the audits", 0.40, func(company int) string { return fmt.Sprintf("/api/bizprofile/audit/firma-%d/history", company) }},
}

// readUser is the other one.
var readUser = read{name: "user", path: func(int) string { return "/api/auth/me" }}

// ask sends a read about a company.
func (c *directory) ask(t *testing.T, r read, company int) {
	t.Helper()
	c.assignUser(t, company)
	harness.OK(t, c.visitor.Get(t, r.path(company)))
}
