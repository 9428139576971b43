package bench

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// directory is a service with its own database of companies, each with a user, a session, a
// connection and an audit.
type directory struct {
	service   *harness.Service
	db        *sql.DB
	address   string // of the database
	visitor   *harness.Visitor
	cookie    string // of the visitor, who is logged in
	companies int
}

// firstCompany is the id of the first company, user, connection and audit. The demonstration
// data have lower ids.
const firstCompany = 1001

// newDirectory starts a service with size companies on a server. The settings of PostgreSQL
// (name=value) apply to the connections of the service.
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

// name returns the name of the database.
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

// user is the account that is logged in.
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
	run("SET session_replication_role = replica") // skips the check of foreign keys, which are valid
	run(`INSERT INTO oauth_tokens (company_id, user_id, provider, service, access_token, refresh_token, scopes, account_id, account_name,
			expires_at, is_active, provider_user_id, reconnect_reason, metadata_json, created_at, updated_at)
		VALUES (1, 2, 'provider_search', 'search_profile', '', '', 'https://www.googleapis.com/auth/business.manage', 'locations/1',
			'Piekarnia', now() + interval '1 year', true, 'p', '', '{}', now(), now())`)
	for _, copies := range []struct {
		table, where string
		columns      map[string]string // columns that differ; n is the number of the copy
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

// copyStatement returns a statement that copies one row of a table for each company.
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

// assignUser makes the logged-in account a user of the company.
func (c *directory) assignUser(t *testing.T, company int) {
	t.Helper()
	harness.Execute(t, c.db, fmt.Sprintf("UPDATE users SET company_id = %d WHERE email = '%s'", company, user))
}

// read is a documented read of a company.
type read struct {
	name  string
	least float64 // minimum share of pgbench's rate
	path  func(company int) string
}

// reads are the documented reads with a look-up.
var reads = []read{
	{"state of the connections", 0.45, func(int) string { return "/api/oauth/status" }},
	{"audit by id", 0.40, func(company int) string { return fmt.Sprintf("/api/bizprofile/audit?company_id=%d", company) }},
	{"audit by slug", 0.40, func(company int) string { return fmt.Sprintf("/api/bizprofile/audit/firma-%d", company) }},
	{"history of the audits", 0.40, func(company int) string { return fmt.Sprintf("/api/bizprofile/audit/firma-%d/history", company) }},
}

// readUser is the other documented read.
var readUser = read{name: "user", path: func(int) string { return "/api/auth/me" }}

// ask sends a read about a company.
func (c *directory) ask(t *testing.T, r read, company int) {
	t.Helper()
	c.assignUser(t, company)
	harness.OK(t, c.visitor.Get(t, r.path(company)))
}

// clients is the number of concurrent requests to the service and to PostgreSQL.
const clients = 8

// TestReads compares the service with pgbench, which sends the statements of the same read to
// the same server and ignores the rows. All programs share all processors.
func TestReads(t *testing.T) {
	table := newTable(t, "reads", "what", "rival", "service, answers/s", "rival, reads/s", "ratio", "wanted", "")
	server := harness.StartPostgres(t)
	c := newDirectory(t, harness.New(t, harness.Options{Directories: 1}), server, small, "log_statement=all")
	company := firstCompany + small/2
	c.assignUser(t, company)
	for _, r := range reads {
		c.ask(t, r, company) // fills the service's cache
	}
	awaitLog(t, server, c.db)
	scripts := make([]script, len(reads))
	for i, r := range reads {
		begin := len(server.Log.String())
		c.ask(t, r, company)
		harness.Eventually(t, "the statements are in the log", func() bool {
			scripts[i] = recordedScript(server.Log.String()[begin:])
			return len(scripts[i].statements) == 2
		})
	}
	c.service.Terminate(t)
	c.configure()
	c.service.Start(t)
	for i, r := range reads {
		result := compare(limits{Least: 5, Most: 9, Steady: 0.06}, c.rate(t, r.path(company)), scripts[i].rival(t, c.address))
		table.ratio(r.name, result, result.Ratios[0], r.least)
	}
}

// awaitLog waits until the server's log has what has been executed so far.
func awaitLog(t *testing.T, server *harness.Postgres, db *sql.DB) {
	t.Helper()
	marker := rand.Text()
	harness.Execute(t, db, "DO $$ BEGIN RAISE LOG '"+marker+"'; END $$")
	harness.Eventually(t, "the log is complete", func() bool { return strings.Contains(server.Log.String(), marker) })
}

// rate returns the service as a rival that is read at a path by the logged-in account.
func (c *directory) rate(t *testing.T, path string) rival {
	t.Helper()
	load := wrkLoad{URL: c.service.URL() + path, Header: []string{c.cookie}, Connections: clients, Time: time.Second, CPU: -1}
	return measured(t, "service", load)
}

// script contains the statements of a read.
type script struct {
	statements []string          // with the variables of pgbench
	values     map[string]string // of the variables
}

var (
	sent      = regexp.MustCompile(`LOG:  execute [^:]*: (SELECT .*(?:\n\t.*)*)\n.*DETAIL:  parameters: (.*)\n`)
	numbered  = regexp.MustCompile(`\$(\d+)`)
	parameter = regexp.MustCompile(`\$(\d+) = '((?:[^']|'')*)'`)
)

// recordedScript extracts the script from the server's log of one read.
func recordedScript(log string) script {
	s := script{values: map[string]string{}}
	for i, found := range sent.FindAllStringSubmatch(log, -1) {
		name := fmt.Sprintf("s%dp", i)
		s.statements = append(s.statements, numbered.ReplaceAllString(found[1], ":"+name+"$1")+";")
		for _, value := range parameter.FindAllStringSubmatch(found[2], -1) {
			s.values[name+value[1]] = strings.ReplaceAll(value[2], "''", "'")
		}
	}
	return s
}

var transactions = regexp.MustCompile(`tps = ([0-9.]+) `)

// rival returns pgbench with the script.
func (s script) rival(t *testing.T, address string) rival {
	t.Helper()
	file := filepath.Join(t.TempDir(), "read.sql")
	harness.WriteFile(t, file, strings.Join(s.statements, "\n"))
	args := []string{"-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-T", "1", "-f", file}
	for name, value := range s.values {
		args = append(args, "-D", name+"="+value)
	}
	program := harness.Installed(t, "pgbench")
	return rival{Name: "pgbench, the same statements", Measure: func() float64 {
		out, err := exec.CommandContext(t.Context(), program, append(args, address)...).CombinedOutput() // #nosec G204 -- arguments of the benchmarks
		found := transactions.FindSubmatch(out)
		if err != nil || found == nil {
			t.Fatalf("pgbench: %v\n%s", err, out)
		}
		tps, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return tps
	}}
}

const (
	// loginClients is the number of clients that log in without a pause.
	loginClients = 50
	// leastDuring is the minimum share of a read's rate.
	leastDuring = 0.25
)

// TestFlood reads during logins with right and wrong passwords.
func TestFlood(t *testing.T) {
	table := newTable(t, "flood", "what", "alone", "during the flood", "ratio", "wanted", "")
	c := newDirectory(t, harness.New(t, harness.Options{Directories: 1}), harness.StartPostgres(t), small)
	company := firstCompany + small/2
	c.assignUser(t, company)
	for _, r := range []read{reads[0], reads[2]} {
		alone := c.rate(t, r.path(company))
		during := rival{Name: "during", Measure: func() float64 {
			defer c.flood(t)()
			return alone.Measure()
		}}
		result := compare(limits{Least: 3, Most: 3}, during, alone)
		ratio := result.Ratios[0]
		table.row(r.name+", answers/s", fmt.Sprintf("%.0f", ratio.Other), fmt.Sprintf("%.0f", result.First), fmt.Sprintf("%.2f", ratio.Median),
			fmt.Sprintf("≥ %.2f", leastDuring), verdict(ratio.Median >= leastDuring))
	}
}

// flood logs in from different addresses to different accounts, so that only the processor
// limits the logins. The returned function ends it and waits for the pending logins.
func (c *directory) flood(t *testing.T) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var attempts atomic.Int64
	var wg sync.WaitGroup
	for range loginClients {
		wg.Go(func() {
			for ctx.Err() == nil {
				c.login(t, attempts.Add(1))
			}
		})
	}
	return func() {
		cancel()
		wg.Wait()
	}
}

// login sends the nth login. Every second one has a wrong password.
func (c *directory) login(t *testing.T, n int64) {
	t.Helper()
	body := map[string]string{"email": fmt.Sprintf("u%d@demo.example", firstCompany+n%small), "password": harness.DemoPassword}
	if n%2 == 0 {
		body["password"] = "nie-to-haslo-wcale"
	}
	client := &http.Client{Transport: harness.From(fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))}
	a, err := harness.Send(t.Context(), client, http.MethodPost, c.service.URL()+"/api/auth/login", body)
	if err != nil || a.Status != http.StatusOK && a.Status != http.StatusUnauthorized && a.Status != http.StatusTooManyRequests {
		t.Errorf("login %d: %d, %v", n, a.Status, err)
	}
}
