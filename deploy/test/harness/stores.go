package harness

import (
	"crypto/rand"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver pgx
)

// OpenDatabase connects to a database until the test ends.
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
	Addr string // host:port
	Data string // the folder of its data; the server may write to the parent folder too

	// runAs is the command that runs another one as the server's user: the server refuses to run as root.
	runAs []string
}

// StartPostgres creates a cluster and runs its server until the test ends. Committed data survives a kill.
func StartPostgres(t *testing.T) *Postgres {
	t.Helper()
	p := NewPostgres(t)
	p.Bash(t, InitDB)
	p.Start(t)
	return p
}

// InitDB is the command that creates the data of a server.
const InitDB = `initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync -D "$DATA"`

// NewPostgres returns a server without data. Run by root, it belongs to the user postgres.
func NewPostgres(t *testing.T) *Postgres {
	t.Helper()
	// t.TempDir would be too long for the path of a socket, and below a folder that only root may enter.
	folder, err := os.MkdirTemp("", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // runs when the server, which is started later, has ended
	p := &Postgres{Addr: FreeAddr(), Data: filepath.Join(folder, "data"), runAs: []string{"env"}}
	if os.Getuid() == 0 {
		p.runAs = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}
		Installed(t, "postgres") // the user postgres comes with the program
		// #nosec G204 -- the folder of a test
		Run(t, exec.CommandContext(t.Context(), "chown", "postgres:postgres", folder))
	}
	return p
}

// Bash runs commands as the server's user in its folder, with DATA as the folder of its data.
func (p *Postgres) Bash(t *testing.T, commands string, env ...string) {
	t.Helper()
	arguments := append(p.runAs[1:], "bash", "-euc", commands)
	command := exec.CommandContext(t.Context(), p.runAs[0], arguments...) // #nosec G204 -- commands of the tests
	tools := filepath.Dir(Installed(t, "postgres"))
	command.Env = append([]string{"PATH=" + tools + ":" + os.Getenv("PATH"), "DATA=" + p.Data}, env...)
	command.Dir = filepath.Dir(p.Data)
	Run(t, command)
}

// URL leads to the database postgres of the server.
func (p *Postgres) URL() string { return "postgres://postgres@" + p.Addr + "/postgres?sslmode=disable" }

// NewDatabase creates an empty database and returns its URL.
func (p *Postgres) NewDatabase(t *testing.T) string {
	t.Helper()
	name := "directory_" + strings.ToLower(rand.Text()[:10])
	Execute(t, OpenDatabase(t, p.URL()), "CREATE DATABASE "+name)
	return strings.Replace(p.URL(), "/postgres?", "/"+name+"?", 1)
}

// Start runs the server, for the first time or again, until it accepts connections.
func (p *Postgres) Start(t *testing.T, env ...string) {
	t.Helper()
	// fsync protects against a machine that stops, not against a killed process.
	arguments := append(p.runAs[1:], Installed(t, "postgres"), "-D", p.Data, "-k", filepath.Dir(p.Data),
		"-p", Port(p.Addr), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off")
	p.Process = Start(t, filepath.Dir(p.Data), env, p.runAs[0], arguments...)
	db := OpenDatabase(t, p.URL())
	Eventually(t, "PostgreSQL accepts connections", func() bool { return db.PingContext(t.Context()) == nil })
}

// Redis is a server that belongs to one test and stores nothing on disk.
type Redis struct {
	*Process
	Addr string // host:port
}

// Start runs the server, for the first time or again, empty.
func (r *Redis) Start(t *testing.T) {
	t.Helper()
	r.Process = Start(t, t.TempDir(), nil, Installed(t, "redis-server"), "--save", "", "--appendonly", "no",
		"--bind", "127.0.0.1", "--port", Port(r.Addr))
	Eventually(t, "Redis listens", func() bool { return Listens(r.Addr) })
}
