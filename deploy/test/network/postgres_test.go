//go:build linux

package network

import (
	"path/filepath"
	"testing"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

const postgresPort = 5432

// postgres is a server and the folder of its data.
type postgres struct {
	*machine
	files *harness.Postgres
}

func (f *fleet) newPostgres(t *testing.T, h *netns.Host) *postgres {
	t.Helper()
	files := harness.NewPostgres(t)
	p := &postgres{files: files, machine: &machine{Host: h, folder: filepath.Dir(files.Data())}}
	// A namespace is root's to enter, and PostgreSQL refuses to run as root.
	p.command = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", harness.Installed(t, "postgres"),
		"-D", files.Data(), "-k", p.folder, "-c", "listen_addresses=" + h.IP.String(), "-c", "fsync=off",
		"-c", "wal_sender_timeout=5s", "-c", "wal_receiver_timeout=5s"}
	p.ready = func(t *testing.T) {
		t.Helper()
		db := harness.OpenDatabase(t, p.url("postgres"))
		harness.Eventually(t, h.Name+" answers", func() bool { return db.PingContext(t.Context()) == nil })
	}
	return p
}

func (p *postgres) url(database string) string {
	return "postgres://postgres@" + p.At(postgresPort) + "/" + database + "?sslmode=disable&connect_timeout=5"
}

// startPostgres runs a primary, whose commits its standby confirms.
func (f *fleet) startPostgres(t *testing.T) {
	t.Helper()
	primary, standby := f.newPostgres(t, f.net.Host(t, "postgres-1")), f.newPostgres(t, f.net.Host(t, "postgres-2"))
	f.postgres, f.database = []*postgres{primary, standby}, "directory"
	primary.files.Init(t)
	primary.files.Bash(t, `printf 'host %s postgres 198.18.0.0/16 trust\n' all replication >>"$DATA/pg_hba.conf"`)
	primary.start(t)
	harness.Execute(t, harness.OpenDatabase(t, primary.url("postgres")), "CREATE DATABASE "+f.database)
	f.follow(t)
}

// follow makes the second server the standby of the first one.
func (f *fleet) follow(t *testing.T) {
	t.Helper()
	primary, standby := f.postgres[0], f.postgres[1]
	standby.files.Bash(t, `rm -rf "$DATA"; pg_basebackup -d "$PRIMARY" -D "$DATA" -c fast -R`, "PRIMARY="+primary.url("postgres"))
	standby.start(t)
	harness.Execute(t, harness.OpenDatabase(t, primary.url("postgres")),
		"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	f.awaitPostgres(t)
}

// awaitPostgres waits until the standby confirms what the primary commits.
func (f *fleet) awaitPostgres(t *testing.T) {
	t.Helper()
	db := harness.OpenDatabase(t, f.postgres[0].url("postgres"))
	harness.EventuallyWithin(t, healing, "the standby confirms commits", func() bool {
		var n int
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')").Scan(&n)
		return err == nil && n == 1
	})
}

// promote makes the standby the primary. The old one must not come back as it was.
func (f *fleet) promote(t *testing.T) {
	t.Helper()
	f.postgres[1].files.Bash(t, `pg_ctl promote -D "$DATA"`)
	f.postgres[0], f.postgres[1] = f.postgres[1], f.postgres[0]
}

// demote makes the old primary, which was promoted over, the standby of the new one.
func (f *fleet) demote(t *testing.T) {
	t.Helper()
	f.postgres[1].Kill()
	f.net.Heal()
	f.follow(t)
}

// databaseURL names both servers; whichever of them takes writes is used.
func (f *fleet) databaseURL(database string) string {
	return "postgres://postgres@" + f.postgres[0].At(postgresPort) + "," + f.postgres[1].At(postgresPort) + "/" + database +
		"?sslmode=disable&connect_timeout=2&target_session_attrs=read-write"
}
