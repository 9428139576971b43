package e2e

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestNoSecretInTheClear uses everything, with failures, then looks for every
// secret that was issued in the logs, the answers and the database.
func TestNoSecretInTheClear(t *testing.T) {
	needsOwnPrograms(t)
	for name, database := range map[string]func(*testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgresql": harness.NewDatabase,
	} {
		t.Run(name, func(t *testing.T) {
			o := harness.Options{Directories: 1, Database: database(t)}
			s := own(t, o)
			v := harness.NewVisitor(t, s.Gateway)
			heard := &recorder{next: v.HTTP.Transport}
			v.HTTP.Transport = heard
			useEverything(t, s, v)

			secrets := s.Sandbox.Issued(t)
			if len(secrets) < 8 {
				t.Fatalf("only %d secrets were issued", len(secrets))
			}
			secrets[harness.ClientSecret], secrets[harness.PlacesKey], secrets[harness.DemoPassword] = "client secret", "places key", "password"
			for _, cookie := range v.Cookies(t) {
				secrets[cookie.Value] = "session cookie"
			}
			kept := map[string][]byte{"log": []byte(s.Directories[0].Log.String()), "answers": []byte(heard.text.String())}
			if o.Database == "" {
				files(t, s.Directories[0].Folder, kept)
			} else {
				kept["database"] = dump(t, o.Database)
			}
			for where, text := range kept {
				for secret, kind := range secrets {
					if bytes.Contains(text, []byte(secret)) {
						t.Errorf("%s holds a %s in the clear", where, kind)
					}
				}
			}
		})
	}
}

// useEverything connects all pairs, uses them, and lets each provider fail.
func useEverything(t *testing.T, s *harness.Stack, v *harness.Visitor) {
	t.Helper()
	v.Login(t, "biuro@demo.example")
	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	of := map[string]any{"company_id": 1}
	pages := harness.PostAs[struct{ Pages []struct{ ID string } }](t, v, "/api/oauth/provider_social/discover-pages", of).Pages
	harness.OK(t, v.Post(t, "/api/oauth/provider_social/select-page", map[string]any{"company_id": 1, "page_id": pages[0].ID}))
	everything := func() {
		v.Post(t, discover, nil)
		v.Post(t, "/api/oauth/provider_social/discover-pages", of)
		v.Post(t, "/api/oauth/provider_social/sync-facebook", of)
		v.Post(t, "/api/oauth/provider_social/sync-instagram", of)
		v.Post(t, "/api/bizprofile/audit", map[string]any{"company_id": 1, "force_refresh": true})
	}
	for _, fault := range []string{`{"kind":"down"}`, `{"kind":"garbage"}`, ""} {
		for _, site := range []string{"search", "social", "places"} {
			s.Sandbox.Fault(t, site, fault)
		}
		if fault != "" {
			everything()
		}
	}
	s.Sandbox.Do(t, "search", "expire-access-tokens")
	s.Sandbox.Do(t, "social", "expire-tokens")
	everything()
	harness.OK(t, v.Post(t, "/api/oauth/disconnect/"+harness.SocialPages, nil))
}

// recorder keeps every answer of the services, headers other than cookies included.
type recorder struct {
	next http.RoundTripper
	text harness.Buffer
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil || !strings.HasPrefix(request.URL.Path, "/api/") {
		return response, err
	}
	headers := response.Header.Clone()
	headers.Del("Set-Cookie")
	fmt.Fprintln(&r.text, headers)
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(response.Body, &r.text), response.Body}
	return response, nil
}

// files adds every file of a folder to kept, except those with the keys.
func files(t *testing.T, folder string, kept map[string][]byte) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		kept[entry.Name()], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(kept["directory.db"]) == 0 {
		t.Fatal("no database file")
	}
}

// dump returns every row of every table as text.
func dump(t *testing.T, database string) []byte {
	t.Helper()
	db := harness.OpenDatabase(t, database)
	db.SetMaxOpenConns(1)
	harness.Execute(t, db, "SET bytea_output = 'escape'") // which leaves readable bytes as they are
	var tables string
	list := "SELECT string_agg(quote_ident(tablename), ',') FROM pg_tables WHERE schemaname = 'public'"
	if err := db.QueryRowContext(t.Context(), list).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for table := range strings.SplitSeq(tables, ",") {
		var rows string
		if err := db.QueryRowContext(t.Context(), "SELECT coalesce(string_agg(r::text, E'\n'), '') FROM "+table+" r").Scan(&rows); err != nil {
			t.Fatal(err)
		}
		all.WriteString(rows)
	}
	if !bytes.Contains(all.Bytes(), []byte("piekarnia-kowalski")) {
		t.Fatal("the dump lacks what was seeded")
	}
	return all.Bytes()
}
