package harness

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

// NewDatabase creates an empty database on the server of TEST_DATABASE_URL until the test
// ends, and returns its URL.
func NewDatabase(t *testing.T) string {
	t.Helper()
	server := os.Getenv("TEST_DATABASE_URL")
	if server == "" {
		Unavailable(t, "TEST_DATABASE_URL is not set; make test sets it")
	}
	address, name := newDatabase(t, server)
	t.Cleanup(func() {
		db, err := sql.Open("pgx", server)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		// #nosec G701 -- a made-up name
		if _, err := db.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return address
}

// newDatabase creates an empty database on a server and returns its URL and name.
func newDatabase(t *testing.T, server string) (address, name string) {
	t.Helper()
	name = "directory_" + strings.ToLower(rand.Text()[:10])
	Execute(t, OpenDatabase(t, server), "CREATE DATABASE "+name)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal("the server's address is not a URL")
	}
	u.Path = "/" + name
	return u.String(), name
}

// OpenDatabase connects to the database of a URL until the test ends.
func OpenDatabase(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Execute runs statements, which have to succeed.
func Execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Postgres is a server that belongs to one test, which may kill it.
type Postgres struct {
	*Process
	Addr   string // host:port
	folder string
	as     *syscall.SysProcAttr // the server refuses to run as root
}

// StartPostgres creates a cluster and runs its server until the test ends. Committed data
// survives a kill, as with the settings of production.
func StartPostgres(t *testing.T) *Postgres {
	t.Helper()
	p := NewPostgres(t)
	p.Init(t)
	p.Start(t)
	return p
}

// NewPostgres returns a server without data.
func NewPostgres(t *testing.T) *Postgres {
	t.Helper()
	folder, err := os.MkdirTemp("", "postgres") // short enough for a socket, and not below a folder of root
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // after the server, which is started later
	p := &Postgres{Addr: FreeAddr(t), folder: folder, as: &syscall.SysProcAttr{}}
	if os.Getuid() == 0 {
		p.leaveRoot(t)
	}
	return p
}

// leaveRoot makes the user postgres the owner of the folder and of the server.
func (p *Postgres) leaveRoot(t *testing.T) {
	t.Helper()
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

// Init creates the data of a server that has none.
func (p *Postgres) Init(t *testing.T) {
	t.Helper()
	p.Bash(
		t, Installed(t, "initdb")+` --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync -D "$DATA"`,
	)
}

// Bash runs commands as the server's user in its folder. DATA is the folder of its data.
func (p *Postgres) Bash(t *testing.T, commands string, env ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-euc", commands) // #nosec G204 -- commands of the tests
	tools := filepath.Dir(Installed(t, "postgres"))
	command.Env = append([]string{"PATH=" + tools + ":" + os.Getenv("PATH"), "DATA=" + p.Data()}, env...)
	command.SysProcAttr, command.Dir = p.as, p.folder
	Run(t, command)
}

// Data is the folder of the server's data. The server may write to the parent folder too.
func (p *Postgres) Data() string { return filepath.Join(p.folder, "data") }

// URL leads to the database postgres of the server.
func (p *Postgres) URL() string { return "postgres://postgres@" + p.Addr + "/postgres?sslmode=disable" }

// NewDatabase creates an empty database and returns its URL.
func (p *Postgres) NewDatabase(t *testing.T) string {
	t.Helper()
	address, _ := newDatabase(t, p.URL())
	return address
}

// Start runs the server, for the first time or again, until it accepts connections.
func (p *Postgres) Start(t *testing.T, env ...string) {
	t.Helper()
	// fsync protects against a machine that stops, not against a killed process.
	// #nosec G204 -- found above
	command := exec.Command(Installed(t, "postgres"), "-D", p.Data(), "-k", p.folder, "-p", Port(p.Addr), "-c",
		"listen_addresses=127.0.0.1", "-c", "fsync=off")
	command.SysProcAttr = p.as
	p.Process = start(t, "postgres", p.folder, env, command)
	db := OpenDatabase(t, p.URL())
	Eventually(t, "PostgreSQL accepts connections", func() bool { return db.PingContext(t.Context()) == nil })
}

// Set changes a setting of the server that needs no restart.
func (p *Postgres) Set(t *testing.T, name, value string) {
	t.Helper()
	Execute(t, OpenDatabase(t, p.URL()), "ALTER SYSTEM SET "+name+" = '"+value+"'", "SELECT pg_reload_conf()")
}

// Redis is a server that belongs to one test and stores nothing on disk.
type Redis struct {
	*Process
	Addr string // host:port
	args []string
}

// StartRedis runs a server with additional arguments of redis-server until the test ends.
func StartRedis(t *testing.T, args ...string) *Redis {
	t.Helper()
	r := &Redis{Addr: FreeAddr(t)}
	r.args = append(args, "--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--port", Port(r.Addr))
	r.Restart(t)
	return r
}

// Restart runs the server again after Kill, at the same address and empty.
func (r *Redis) Restart(t *testing.T) {
	t.Helper()
	r.Process = Start(t, "redis", t.TempDir(), nil, Installed(t, "redis-server"), r.args...)
	AwaitListener(t, r.Addr)
}
