package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/trail"
)

// What is of Anna, or of her account at a provider, and what is of her company.
var (
	ofAnna    = []string{"marker-anna@firma.example", "Marker-Anna", "marker-account-name", "marker-person-id", "marker-access"}
	ofCompany = []string{"Marker-Company", "marker-company-slug", "marker-street", "marker-page-name", "marker-caption", "marker-page-id"}
)

// erasing is a directory with two companies of one provider, where Anna has connected
// one, on one of the databases.
type erasing struct {
	databasetest.Database
	settings []string
	revoked  int
	log      bytes.Buffer
}

func newErasing(t *testing.T, db databasetest.Database) *erasing {
	t.Helper()
	e := &erasing{Database: db}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		e.revoked++
		fmt.Fprint(w, `{"success":true}`)
	}))
	t.Cleanup(provider.Close)
	e.settings = settingsOf(t, db.URL, "DIRECTORY_ERASURE_LOG="+filepath.Join(t.TempDir(), "erased.jsonl"), "PROVIDER_SEARCH_BASE_URL="+provider.URL)
	e.run(t, "company add Marker-Company --slug marker-company-slug --address marker-street", "company add Other --slug other",
		"user add marker-anna@firma.example --name Marker-Anna --company marker-company-slug --password "+password,
		"user add ewa@firma.example --company marker-company-slug --password "+password)
	e.fill(t, directorytest.NewStore(db.DB))
	return e
}

// fill adds what has no command: Anna's session and connection, and what is read and written with it.
func (e *erasing) fill(t *testing.T, s *directorytest.Store) {
	t.Helper()
	ctx, audits := t.Context(), audit.New(s.DB, nil, nil, time.Now, nil, nil)
	ok(t, s.Sessions().Insert(ctx, account.Session{IDHash: hashOf("session"), UserID: new(int64(1)), Values: []byte("values")}))
	ok(t, s.Record(ctx, trail.Entry{CompanyID: 1, Action: "select_page", Detail: "marker-page-id"}))
	c := connection.Connection{
		CompanyID: 1, UserID: 1, Pair: provider.ProfilePair,
		AccessToken: "marker-access", RefreshToken: "refresh", AccountID: "accounts/marker-person-id", AccountName: "marker-account-name",
		ProviderUserID: "marker-person-id",
	}
	ok(t, s.Connections.Save(ctx, &c, nil, directorytest.Entry(c, "connect")))
	reading := history.Reading[social.PageData]{CompanyID: 1, Service: provider.SocialPages, Data: &social.PageData{PageData: meta.PageData{Name: "marker-page-name"}}}
	ok(t, history.Save(ctx, s.DB, reading))
	ok(t, audits.SaveProfile(ctx, 1, &audit.Profile{Business: google.Business{Description: "marker-caption"}}))
	ok(t, audits.Save(ctx, &audit.Audit{CompanyID: 1, Category: "poor", TriggeredBy: new(int64(1))}))
}

// run runs command lines that have to succeed, and returns what the last one printed.
func (e *erasing) run(t *testing.T, lines ...string) (printed string) {
	t.Helper()
	for _, line := range lines {
		var out bytes.Buffer
		if err := newProgram(e.settings, strings.NewReader(""), &out, &e.log).Run(t.Context(), strings.Fields(line)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		printed = out.String()
	}
	return printed
}

// content is all that could be found: the rows or the files, and what was logged.
func (e *erasing) content(t *testing.T) string {
	t.Helper()
	path, embedded := strings.CutPrefix(e.URL, "sqlite:")
	if !embedded {
		return e.log.String() + fmt.Sprint(e.Dump(t))
	}
	content := e.log.String()
	files, err := filepath.Glob(path + "*")
	ok(t, err)
	for _, file := range slices.DeleteFunc(files, func(name string) bool { return name == path+".locks" }) {
		content += string(readFile(t, file))
	}
	return content
}

func (e *erasing) requireMarkers(t *testing.T, want bool, markers []string) {
	t.Helper()
	content := e.content(t)
	for _, marker := range markers {
		if encrypted := want && marker == "marker-access"; !encrypted && strings.Contains(content, marker) != want {
			t.Errorf("%s is found: %t", marker, !want)
		}
	}
}

// TestUserDelete: while another process has the database open, no byte of the person is
// left, and what is of the company stays.
func TestUserDelete(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		e, s, ctx := newErasing(t, db), directorytest.NewStore(db.DB), t.Context()
		e.requireMarkers(t, true, append(ofAnna, ofCompany...))
		if out := e.run(t, "user delete MARKER-anna@firma.example --yes"); out != "user 1 deleted\n" {
			t.Errorf("printed %q", out)
		}
		e.requireMarkers(t, false, ofAnna)
		e.requireMarkers(t, true, ofCompany)
		if _, err := s.Sessions().Find(ctx, hashOf("session")); err == nil {
			t.Error("the session goes on")
		}
		c, err := s.Connections.Find(ctx, 1, provider.ProfilePair)
		if err != nil || c.Active || c.AccessToken != "" || c.RefreshToken != "" || c.UserID != 0 || c.ReconnectReason == "" {
			t.Errorf("connection %+v, %v", c, err)
		}
		_, audit, err := audit.New(s.DB, nil, nil, time.Now, nil, nil).Latest(ctx, audit.CompanyRef{ID: new(int64(1))})
		if err != nil || audit.TriggeredBy == nil || *audit.TriggeredBy != 1 {
			t.Errorf("audit %+v, %v", audit, err)
		}
		lines, err := s.Trail(ctx, trail.Search{Limit: 4})
		ok(t, err)
		var actions []string
		for _, line := range lines {
			actions = append(actions, line.Action)
			if line.UserID != nil || !strings.HasPrefix(line.Actor, "command line") {
				t.Errorf("%s: by %v %q", line.Action, line.UserID, line.Actor)
			}
		}
		if want := []string{"user delete", "revoke", "erase", "user disable"}; !slices.Equal(actions, want) || e.revoked != 1 {
			t.Errorf("trail %q, want %q; %d grants withdrawn, want 1", actions, want, e.revoked)
		}
	})
}

func TestCompanyDelete(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		e := newErasing(t, db)
		if out := e.run(t, "company delete marker-company-slug --yes"); out != "company 1 deleted\n" {
			t.Errorf("printed %q", out)
		}
		e.requireMarkers(t, false, append(ofCompany, "marker-person-id", "marker-account-name"))
		if list := e.run(t, "company list"); strings.Count(list, "\n") != 2 {
			t.Errorf("companies left: %s", list)
		}
		users := e.run(t, "user list")
		if !strings.Contains(users, "ewa@firma.example") || strings.Count(users, "  -        active\n") != 2 {
			t.Errorf("users left: %s", users)
		}
		if e.revoked != 1 {
			t.Errorf("%d grants withdrawn, want 1", e.revoked)
		}
	})
}

// TestEraseReplay: a backup that was made before erasures is restored; what was erased
// goes once more, what got its number since then does not.
func TestEraseReplay(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		e := newErasing(t, db)
		restore := e.backUp(t)
		e.run(t, "user add late@firma.example --password "+password, // after the backup
			"user delete marker-anna@firma.example --yes", "user delete late@firma.example --yes", "company delete marker-company-slug --yes")
		restore()
		e.requireMarkers(t, true, append(ofAnna, ofCompany...))
		e.run(t, "user add new@firma.example --password "+password) // has the number of the late one
		for _, want := range []string{"2 erased again\n", "0 erased again\n"} {
			if out := e.run(t, "erase replay"); out != want {
				t.Errorf("printed %q, want %q", out, want)
			}
		}
		e.requireMarkers(t, false, append(ofAnna, ofCompany...))
		if users := e.run(t, "user list"); !strings.Contains(users, "ewa@") || !strings.Contains(users, "new@") {
			t.Errorf("users left: %s", users)
		}
	})
}

// backUp returns a function that restores the database as it was.
func (e *erasing) backUp(t *testing.T) (restore func()) {
	t.Helper()
	if e.Name == "sqlite" {
		file := filepath.Join(t.TempDir(), "backup.db")
		e.run(t, "backup "+file)
		return func() {
			e.URL = "sqlite:" + file
			e.settings = append(e.settings, "DIRECTORY_DATABASE_URL="+e.URL)
		}
	}
	dump, err := exec.CommandContext(t.Context(), "pg_dump", "--clean", "--if-exists", e.URL).Output() // #nosec G204 -- the database of the test
	if err != nil {
		t.Skipf("no pg_dump: %v", err)
	}
	return func() {
		cmd := exec.CommandContext(t.Context(), "psql", "--quiet", "--set", "ON_ERROR_STOP=1", e.URL) // #nosec G204 -- as above
		cmd.Stdin = bytes.NewReader(dump)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("psql: %v: %s", err, out)
		}
	}
}

// TestErasingNeedsALog: with PostgreSQL, whose backups are elsewhere, the log has no default.
func TestErasingNeedsALog(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		if db.Name != "postgres" {
			return
		}
		settings := settingsOf(t, db.URL)
		requireLines(t, settings, "user add anna@firma.example --password "+password, "company add Firma --slug firma")
		const want = "erasing needs DIRECTORY_ERASURE_LOG"
		requireRefused(t, settings, 1, map[string]string{"user delete anna@firma.example --yes": want, "company delete firma --yes": want, "erase replay": want})
		if users := require(t, settings, "user", "list"); !strings.Contains(users, "anna@") {
			t.Error("the user is gone")
		}
	})
}

// TestCompanyExport: one JSON object with a list for each section, which the README
// names.
func TestCompanyExport(t *testing.T) {
	readme := string(readFile(t, "../../README.md"))
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		out := newErasing(t, db).run(t, "company export marker-company-slug")
		var document map[string][]map[string]any
		ok(t, json.Unmarshal([]byte(out), &document))
		if len(document) != len(erasure.Sections()) {
			t.Errorf("%d sections", len(document))
		}
		for _, section := range erasure.Sections() {
			if document[section] == nil || !strings.Contains(readme, "`"+section+"`") {
				t.Errorf("no section %s, or not in the README", section)
			}
		}
		if len(document["users"]) != 2 || document["users"][0]["role"] != "MEMBER" || len(document["webhooks"]) != 0 ||
			document["company"][0]["name"] != "Marker-Company" || document["connections"][0]["is_active"] != true {
			t.Errorf("exported %s", out)
		}
		if data, ok := document["profile"][0]["data"].(map[string]any); !ok || data["description"] != "marker-caption" {
			t.Errorf("profile %v", document["profile"])
		}
		requireAbsent(t, out, "marker-access", "refresh", "argon2", "test:")
	})
}
