package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestRestoreToAPointInTime loses a PostgreSQL server and restores it elsewhere from a base
// backup and its archive with the commands of deploy/README.md: as it was at the end, and as
// it was before a company was erased.
func TestRestoreToAPointInTime(t *testing.T) {
	needsOwnPrograms(t)
	primary := harness.NewPostgres(t)
	primary.Init(t)
	kept := filepath.Dir(primary.Data)
	settings := harness.ReadFile(t, harness.Path("deploy", "postgres", "archive.conf"))
	env := []string{"ARCHIVE=" + filepath.Join(kept, "archive"), "BACKUP=" + filepath.Join(kept, "backup"),
		"PRIMARY=" + primary.URL(), "SETTINGS=" + settings}
	primary.Bash(t, `mkdir "$ARCHIVE" && printf '%s' "$SETTINGS" >>"$DATA/postgresql.conf"`, env...)
	primary.Start(t, env...)
	database := primary.NewDatabase(t)
	s := harness.New(t, harness.Options{
		Directories: 1, Database: database,
		DirectoryEnv: []string{"DIRECTORY_ERASURE_LOG=" + filepath.Join(t.TempDir(), "erased.jsonl")},
	})
	primary.Bash(t, operations(t, `pg_basebackup`), env...)

	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	before := time.Now()
	directory := s.Directories[0]
	v.Connect(t, harness.SearchAnalytics, "anna")
	directory.Run(t, "company", "delete", "warsztat-nowak", "--yes")
	harness.Execute(t, harness.OpenDatabase(t, database), "SELECT pg_switch_wal()", "CHECKPOINT")
	directory.Kill()
	if err := primary.Stop(syscall.SIGINT); err != nil {
		t.Fatal(err) // the server stops when its archive is complete
	}

	for _, until := range []string{"", before.Format("2006-01-02 15:04:05.999999-07")} {
		server := harness.NewPostgres(t)
		primary.Bash(t, `rm -rf "$DATA"`, "DATA="+server.Data)
		server.Bash(t, operations(t, `cp -a "$BACKUP"`), append(env, "UNTIL="+until)...)
		server.Start(t, env...)
		db := harness.OpenDatabase(t, server.URL())
		harness.Eventually(t, "the archive is replayed", func() bool {
			var recovering bool
			err := db.QueryRowContext(t.Context(), "SELECT pg_is_in_recovery()").Scan(&recovering)
			return err == nil && !recovering
		})
		directory.Kill()
		directory.Env = append(directory.Env,
			"DIRECTORY_DATABASE_URL="+strings.Replace(database, primary.Addr, server.Addr, 1))
		directory.Run(t, "erase", "replay")
		directory.Start(t)
		if out := directory.Run(t, "keys", "rotate"); !strings.Contains(out, "all secrets use the first key") {
			t.Errorf("until %q: keys rotate: %s", until, out)
		}
		connections := v.At(directory.URL()).Connections(t)
		if !connections[harness.SearchProfile].Connected {
			t.Errorf("until %q: the connection is lost", until)
		}
		if later := connections[harness.SearchAnalytics].Connected; later != (until == "") {
			t.Errorf("until %q: the later connection is there: %t", until, later)
		}
		if out := directory.Run(t, "company", "list"); strings.Contains(out, "warsztat-nowak") {
			t.Errorf("until %q: an erased company is back:\n%s", until, out)
		}
	}
}

func operations(t *testing.T, beginning string) string {
	t.Helper()
	return harness.Commands(t, harness.Path("deploy", "README.md"), beginning)
}
