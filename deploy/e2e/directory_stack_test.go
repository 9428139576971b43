package e2e

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver pgx
)

// directory is a replica of the directory service.
type directory struct {
	process   *process
	addr      string // host:port
	adminPort string
	env       []string
	folder    string
}

func (d *directory) url() string { return "http://" + d.addr }

// startDirectories seeds a database and starts the replicas that answer from it.
func (s *stack) startDirectories(t *testing.T, o options) {
	t.Helper()
	if o.directories == 0 {
		return
	}
	folder := t.TempDir()
	if o.database == "" {
		o.database = "sqlite:" + filepath.Join(folder, "directory.db")
	}
	env := []string{
		"DIRECTORY_DATABASE_URL=" + o.database, "DIRECTORY_PUBLIC_URL=" + s.gateway,
		"DIRECTORY_SESSION_KEYS=" + newKey(), "DIRECTORY_ENCRYPTION_KEYS=" + newKey(),
		"PROVIDER_SEARCH_CLIENT_ID=" + clientID, "PROVIDER_SEARCH_CLIENT_SECRET=" + clientSecret, "PROVIDER_SEARCH_BASE_URL=" + s.sandbox.search,
		"PROVIDER_SOCIAL_CLIENT_ID=" + clientID, "PROVIDER_SOCIAL_CLIENT_SECRET=" + clientSecret, "PROVIDER_SOCIAL_BASE_URL=" + s.sandbox.social,
		"PLACES_API_KEY=" + placesKey, "PLACES_BASE_URL=" + s.sandbox.places,
	}
	seed := exec.CommandContext(t.Context(), built(t, "directory"), "seed")
	seed.Env, seed.Dir = env, folder
	if out, err := seed.CombinedOutput(); err != nil {
		t.Fatalf("seed: %v\n%s", err, out)
	}
	for range o.directories {
		d := &directory{addr: "127.0.0.1:" + freePort(t), adminPort: freePort(t), folder: folder}
		d.env = append([]string{"DIRECTORY_ADDR=" + d.addr, "DIRECTORY_ADMIN_ADDR=127.0.0.1:" + d.adminPort}, env...)
		d.start(t)
		s.directories = append(s.directories, d)
	}
}

// start runs the replica, for the first time or again, until it is ready.
func (d *directory) start(t *testing.T) {
	t.Helper()
	d.process = start(t, "directory", d.folder, d.env, built(t, "directory"))
	healthy(t, "http://127.0.0.1:"+d.adminPort+"/readyz")
}

// newKey makes a key as `directory keys generate` does.
func newKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return "e2e:" + base64.StdEncoding.EncodeToString(key)
}

// newDatabase makes an empty PostgreSQL database until the test ends.
func newDatabase(t *testing.T) string {
	t.Helper()
	given := os.Getenv("TEST_DATABASE_URL")
	if given == "" {
		unavailable(t, "TEST_DATABASE_URL is not set; make test sets it")
	}
	address, err := url.Parse(given)
	if err != nil {
		t.Fatal("TEST_DATABASE_URL is not a URL")
	}
	server, err := sql.Open("pgx", given)
	if err != nil {
		t.Fatal(err)
	}
	name := "directory_e2e_" + strings.ToLower(rand.Text()[:10])
	if _, err := server.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := server.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		_ = server.Close()
	})
	address.Path = "/" + name
	return address.String()
}
