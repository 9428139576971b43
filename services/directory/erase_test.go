package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/storetest"
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
	storetest.Database
	settings []string
	revoked  int
	log      bytes.Buffer
}

func newErasing(t *testing.T, db storetest.Database) *erasing {
	t.Helper()
	e := &erasing{Database: db}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		e.revoked++
		fmt.Fprint(w, `{"success":true}`)
	}))
	t.Cleanup(provider.Close)
	e.settings = settingsOf(t, db, "DIRECTORY_ERASURE_LOG="+filepath.Join(t.TempDir(), "erased.jsonl"), "PROVIDER_SEARCH_BASE_URL="+provider.URL)
	e.run(t, "company", "add", "Marker-Company", "--slug", "marker-company-slug", "--address", "marker-street")
	e.run(t, "company", "add", "Other", "--slug", "other")
	e.run(t, "user", "add", "marker-anna@firma.example", "--name", "Marker-Anna", "--company", "marker-company-slug", "--password", password)
	e.run(t, "user", "add", "ewa@firma.example", "--company", "marker-company-slug", "--password", password)
	inStore(t, e.settings, e.fill)
	return e
}

func (e *erasing) fill(ctx context.Context, s *storetest.Store) error {
	hash := sha256.Sum256([]byte("session"))
	if err := s.Sessions().Insert(ctx, account.Session{IDHash: hash[:], UserID: new(int64(1)), Values: []byte("values")}); err != nil {
		return err
	}
	c := connection.Connection{
		CompanyID: 1, UserID: 1, Pair: provider.Pair{Provider: provider.Search, Service: provider.SearchProfile},
		AccessToken: "marker-access", RefreshToken: "refresh", AccountID: "accounts/marker-person-id", AccountName: "marker-account-name",
		ProviderUserID: "marker-person-id",
	}
	entry := trail.Entry{CompanyID: 1, UserID: new(int64(1)), Action: "connect", Pair: c.Pair}
	if err := s.Record(ctx, trail.Entry{CompanyID: 1, Action: "select_page", Detail: "marker-page-id"}); err != nil {
		return err
	}
	if err := s.Save(ctx, &c, nil, entry); err != nil {
		return err
	}
	reading := history.Reading[social.PageData]{CompanyID: 1, Service: provider.SocialPages, Data: &social.PageData{PageData: meta.PageData{Name: "marker-page-name"}}}
	if err := history.Save(ctx, s.DB, reading); err != nil {
		return err
	}
	if err := audit.New(audit.Options{DB: s.DB}).SaveProfile(ctx, 1, &audit.Profile{Business: google.Business{Description: "marker-caption"}}); err != nil {
		return err
	}
	return audit.New(audit.Options{DB: s.DB}).Save(ctx, &audit.Audit{CompanyID: 1, Category: "poor", TriggeredBy: new(int64(1))})
}

func (e *erasing) run(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := newProgram(e.settings, strings.NewReader(""), &out, &e.log)
	if err := p.Run(t.Context(), args); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// bytes are all that could be found: a dump, the files, and what was logged.
func (e *erasing) bytes(t *testing.T) (content []byte) {
	t.Helper()
	content = append(content, e.log.Bytes()...)
	path, embedded := strings.CutPrefix(e.URL, "sqlite:")
	if !embedded {
		dump, err := exec.Command("pg_dump", "--inserts", e.URL).Output() // #nosec G204 -- the database of the test
		if err != nil {
			t.Skipf("no pg_dump: %v", err)
		}
		return append(content, dump...)
	}
	files, _ := filepath.Glob(path + "*")
	for _, file := range files {
		if file != path+".locks" {
			content = append(content, readFile(t, file)...)
		}
	}
	return content
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func (e *erasing) requireMarkers(t *testing.T, want bool, markers []string) {
	t.Helper()
	content := e.bytes(t)
	for _, marker := range markers {
		if encrypted := want && marker == "marker-access"; !encrypted && bytes.Contains(content, []byte(marker)) != want {
			t.Errorf("%s is found: %t", marker, !want)
		}
	}
}

// TestUserDelete: while another process has the database open, no byte of the person is
// left, and what is of the company stays.
func TestUserDelete(t *testing.T) {
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		e := newErasing(t, db)
		inStore(t, e.settings, func(ctx context.Context, s *storetest.Store) error {
			e.requireMarkers(t, true, append(ofAnna, ofCompany...))
			if out := e.run(t, "user", "delete", "MARKER-anna@firma.example", "--yes"); out != "user 1 deleted\n" {
				t.Errorf("printed %q", out)
			}
			e.requireMarkers(t, false, ofAnna)
			e.requireMarkers(t, true, ofCompany)
			hash := sha256.Sum256([]byte("session"))
			if _, err := s.Sessions().Find(ctx, hash[:]); err == nil {
				t.Error("the session goes on")
			}
			c, err := s.Find(ctx, 1, provider.Pair{Provider: provider.Search, Service: provider.SearchProfile})
			if err != nil || c.Active || c.AccessToken != "" || c.RefreshToken != "" || c.UserID != 0 || c.ReconnectReason == "" {
				t.Errorf("connection %+v, %v", c, err)
			}
			_, audit, err := audit.New(audit.Options{DB: s.DB}).Latest(ctx, audit.CompanyRef{ID: new(int64(1))})
			if err != nil || audit.TriggeredBy == nil || *audit.TriggeredBy != 1 {
				t.Errorf("audit %+v, %v", audit, err)
			}
			e.requireTrail(ctx, t, s, "user delete", "revoke", "erase", "user disable", "connect", "select_page", "user add", "user add")
			return nil
		})
		if e.revoked != 1 {
			t.Errorf("%d grants withdrawn, want 1", e.revoked)
		}
	})
}

func (e *erasing) requireTrail(ctx context.Context, t *testing.T, s *storetest.Store, want ...string) {
	t.Helper()
	lines, err := s.Trail(ctx, trail.Search{Limit: 8})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range lines {
		got = append(got, line.Action)
		byUser := line.Action == "connect" || line.Action == "select_page"
		if !byUser && (line.UserID != nil || !strings.HasPrefix(line.Actor, "command line")) {
			t.Errorf("%s: by %v %q", line.Action, line.UserID, line.Actor)
		}
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("trail %q, want %q", got, want)
	}
}

func TestCompanyDelete(t *testing.T) {
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		e := newErasing(t, db)
		if out := e.run(t, "company", "delete", "marker-company-slug", "--yes"); out != "company 1 deleted\n" {
			t.Errorf("printed %q", out)
		}
		e.requireMarkers(t, false, append(ofCompany, "marker-person-id", "marker-account-name"))
		if list := e.run(t, "company", "list"); strings.Count(list, "\n") != 2 {
			t.Errorf("companies left: %s", list)
		}
		users := e.run(t, "user", "list")
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
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		e := newErasing(t, db)
		path, embedded := strings.CutPrefix(db.URL, "sqlite:")
		var restore func()
		if embedded {
			backup := readFile(t, path)
			restore = func() { writeFile(t, path, backup) }
		} else {
			backup := dump(t, db.URL)
			restore = func() { restoreDump(t, db.URL, backup) }
		}
		e.run(t, "user", "add", "late@firma.example", "--password", password) // after the backup
		for _, line := range []string{"user delete marker-anna@firma.example", "user delete late@firma.example", "company delete marker-company-slug"} {
			e.run(t, append(strings.Fields(line), "--yes")...)
		}
		restore()
		e.requireMarkers(t, true, append(ofAnna, ofCompany...))
		e.run(t, "user", "add", "new@firma.example", "--password", password) // has the number of the late one
		for _, want := range []string{"2 erased again\n", "0 erased again\n"} {
			if out := e.run(t, "erase", "replay"); out != want {
				t.Errorf("printed %q, want %q", out, want)
			}
		}
		e.requireMarkers(t, false, append(ofAnna, ofCompany...))
		if users := e.run(t, "user", "list"); !strings.Contains(users, "ewa@") || !strings.Contains(users, "new@") {
			t.Errorf("users left: %s", users)
		}
	})
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func dump(t *testing.T, url string) []byte {
	t.Helper()
	content, err := exec.Command("pg_dump", "--clean", "--if-exists", url).Output() // #nosec G204 -- the database of the test
	if err != nil {
		t.Skipf("no pg_dump: %v", err)
	}
	return content
}

func restoreDump(t *testing.T, url string, content []byte) {
	t.Helper()
	cmd := exec.Command("psql", "--quiet", "--set", "ON_ERROR_STOP=1", url) // #nosec G204 -- as above
	cmd.Stdin = bytes.NewReader(content)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v: %s", err, out)
	}
}

func TestEraseRefused(t *testing.T) {
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		settings := settingsOf(t, db)
		require(t, settings, "user", "add", "anna@firma.example", "--password", password)
		require(t, settings, "company", "add", "Firma", "--slug", "firma")
		for line, want := range map[string]string{
			"user delete anna@firma.example":      "repeat it with --yes",
			"user delete jan@firma.example --yes": "there is no such user",
			"company delete firma":                "repeat it with --yes",
			"company delete nowa --yes":           "there is no such company",
		} {
			out, err := command(t, settings, strings.Fields(line)...)
			refused(t, line, out, err, want)
		}
		if db.Name == "postgres" {
			for _, line := range []string{"user delete anna@firma.example --yes", "company delete firma --yes", "erase replay"} {
				out, err := command(t, settings, strings.Fields(line)...)
				refused(t, line, out, err, "erasing needs DIRECTORY_ERASURE_LOG")
			}
		}
		if users := require(t, settings, "user", "list"); !strings.Contains(users, "anna@") {
			t.Error("the user is gone")
		}
	})
}
