package bench

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/stack"
)

// town is a directory service on a database of its own: companies, each with a user,
// a session, a connection and an audit.
type town struct {
	service  *stack.Service
	db       *sql.DB
	name     string // of the database
	address  string // its URL
	visitor  *stack.Visitor
	cookie   string // of the visitor, who is logged in
	citizens int
}

// firstCitizen is the id of the first company, user, connection and audit; the
// demonstration data have those below.
const firstCitizen = 1001

// newTown starts one of that size on a server. settings are PostgreSQL's, -c name=value,
// for the service's connections.
func newTown(t *testing.T, s *stack.Stack, server *stack.Postgres, size int, settings ...string) *town {
	t.Helper()
	c := &town{citizens: size, name: server.NewDatabase(t)}
	c.address = server.URL(server.Addr, c.name)
	c.db = server.Open(t, c.name)
	service := *s.Directories[0]
	service.Addr, service.AdminPort = "127.0.0.1:"+stack.FreePort(t), stack.FreePort(t)
	service.Env = append(slices.Clone(service.Env),
		"DIRECTORY_ADDR="+service.Addr, "DIRECTORY_ADMIN_ADDR=127.0.0.1:"+service.AdminPort, "DIRECTORY_SCAN_INTERVAL=0")
	c.service = &service
	c.configure(settings...)
	service.Run(t, "seed")
	service.Start(t)
	c.login(t)
	c.settle(t)
	return c
}

// configure is for the next start.
func (c *town) configure(settings ...string) {
	address := c.address
	if len(settings) > 0 {
		address += "&options=" + strings.ReplaceAll(url.QueryEscape("-c "+strings.Join(settings, " -c ")), "+", "%20")
	}
	c.service.Env = append(c.service.Env, "DIRECTORY_DATABASE_URL="+address)
}

// resident is who is logged in.
const resident = "biuro@demo.example"

func (c *town) login(t *testing.T) {
	t.Helper()
	c.visitor = stack.NewVisitor(t, c.service.URL())
	c.visitor.Login(t, resident)
	base, err := url.Parse(c.service.URL())
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range c.visitor.HTTP.Jar.Cookies(base) {
		c.cookie = "Cookie: " + cookie.Name + "=" + cookie.Value
	}
}

// settle fills the tables with copies of a company, its user, its audit and a
// connection, whose tokens are none.
func (c *town) settle(t *testing.T) {
	t.Helper()
	if a := c.visitor.Post(t, "/api/bizprofile/audit", map[string]any{"company_id": 1, "fetch_external": false}); a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
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
		{"users", "email = '" + resident + "'", map[string]string{"id": "n", "company_id": "n", "email": "'u' || n || '@demo.example'"}},
		{"sessions", "true", map[string]string{"id_hash": "sha256(n::text::bytea)", "user_id": "n"}},
		{"oauth_tokens", "company_id = 1", map[string]string{"id": "n", "company_id": "n", "user_id": "n", "provider_user_id": "'p' || n"}},
		{"profile_audits", "company_id = 1", map[string]string{"id": "n", "company_id": "n", "triggered_by": "n"}},
	} {
		run(c.copying(t, copies.table, copies.where, copies.columns))
	}
	run("ANALYZE")
}

// copying is the statement that copies one row of a table.
func (c *town) copying(t *testing.T, table, where string, columns map[string]string) string {
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
		table, strings.Join(names, ", "), strings.Join(list, ", "), table, where, firstCitizen, firstCitizen+c.citizens-1)
}

// moveTo makes the one who is logged in the company's.
func (c *town) moveTo(t *testing.T, company int) {
	t.Helper()
	if _, err := c.db.ExecContext(t.Context(), "UPDATE users SET company_id = $1 WHERE email = $2", company, resident); err != nil {
		t.Fatal(err)
	}
}

// read is what a documented read asks of a company.
type read struct {
	name string
	path func(company int) string
}

// reads are the documented ones that look something up.
var reads = []read{
	{"state of the connections", func(int) string { return "/api/oauth/status" }},
	{"audit by id", func(company int) string { return fmt.Sprintf("/api/bizprofile/audit?company_id=%d", company) }},
	{"audit by slug", func(company int) string { return fmt.Sprintf("/api/bizprofile/audit/firma-%d", company) }},
}

// others are the rest of them.
var others = []read{
	{"history of the audits", func(company int) string { return fmt.Sprintf("/api/bizprofile/audit/firma-%d/history", company) }},
	{"user", func(int) string { return "/api/auth/me" }},
}

// ask sends a read about a company.
func (c *town) ask(t *testing.T, r read, company int) {
	t.Helper()
	c.moveTo(t, company)
	if a := c.visitor.Get(t, r.path(company)); a.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", r.name, a.Status, a.Body)
	}
}
