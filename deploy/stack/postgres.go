package stack

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver pgx
)

// NewDatabase makes an empty database at the server of TEST_DATABASE_URL until the
// test ends, and returns its URL.
func NewDatabase(t *testing.T) string {
	t.Helper()
	given := os.Getenv("TEST_DATABASE_URL")
	if given == "" {
		Unavailable(t, "TEST_DATABASE_URL is not set; make test sets it")
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

// Postgres is a server of a test's own, which the test may kill.
type Postgres struct {
	*Process
	Addr   string // host:port
	folder string
	bin    string
	as     *syscall.SysProcAttr // the server refuses to run as root
}

// StartPostgres makes a cluster and runs its server until the test ends. What is
// committed survives a kill, as with the settings of production.
func StartPostgres(t *testing.T) *Postgres {
	t.Helper()
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian's place; the pattern is good
		if len(found) == 0 {
			Unavailable(t, "initdb of PostgreSQL is not installed")
		}
		initdb = found[len(found)-1]
	}
	folder, err := os.MkdirTemp("", "postgres") // short enough for a socket, and not below a folder of root's
	if err != nil {
		t.Fatal(err)
	}
	p := &Postgres{Addr: "127.0.0.1:" + FreePort(t), folder: folder, bin: filepath.Join(filepath.Dir(initdb), "postgres"), as: &syscall.SysProcAttr{}}
	p.leaveRoot(t)
	make := exec.CommandContext(t.Context(), initdb, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D", p.data()) // #nosec G204 -- found above
	make.SysProcAttr, make.Dir = p.as, folder
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // after the server, which is started later
	p.Start(t)
	return p
}

func (p *Postgres) data() string { return filepath.Join(p.folder, "data") }

// leaveRoot makes the user postgres the owner of the folder and of the server.
func (p *Postgres) leaveRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		Unavailable(t, "there is no user postgres, and PostgreSQL does not run as root")
	}
	uid, _ := strconv.Atoi(owner.Uid) // numbers on every Unix
	gid, _ := strconv.Atoi(owner.Gid)
	if err := os.Chown(p.folder, uid, gid); err != nil {
		t.Fatal(err)
	}
	p.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} // #nosec G115 -- ids of a user
}

// URL is the address of a database at host:port, which may be what stands before
// the server.
func (p *Postgres) URL(address, database string) string {
	return "postgres://postgres@" + address + "/" + database + "?sslmode=disable"
}

// NewDatabase makes an empty database and returns its name.
func (p *Postgres) NewDatabase(t *testing.T) string {
	t.Helper()
	name := "directory_" + strings.ToLower(rand.Text()[:10])
	if _, err := p.Open(t, "postgres").ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return name
}

// Start runs the server, for the first time or again, until it answers.
func (p *Postgres) Start(t *testing.T) {
	t.Helper()
	_, port, _ := strings.Cut(p.Addr, ":")
	// fsync guards against a machine that stops, not a process: it is off.
	command := exec.Command(p.bin, "-D", p.data(), "-k", p.folder, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off") // #nosec G204 -- found above
	command.SysProcAttr = p.as
	p.Process = run(t, "postgres", p.folder, nil, command)
	db := p.Open(t, "postgres")
	Eventually(t, "PostgreSQL answers", func(ctx context.Context) bool { return db.PingContext(ctx) == nil })
}

// Set changes a setting of the server that needs no restart.
func (p *Postgres) Set(t *testing.T, name, value string) {
	t.Helper()
	db := p.Open(t, "postgres")
	for _, statement := range []string{"ALTER SYSTEM SET " + name + " = '" + value + "'", "SELECT pg_reload_conf()"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Open connects to a database until the test ends.
func (p *Postgres) Open(t *testing.T, database string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", p.URL(p.Addr, database))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
