package prove

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// commands returns the commands of deploy/README.md that begin with the given words.
func commands(t *testing.T, beginning string) string {
	t.Helper()
	return harness.Commands(t, harness.Path(t, "deploy", "README.md"), beginning)
}

// TestRestore kills a server under load and restores it on another one from its base backup
// and its archive with the commands of deploy/README.md: the last state, and the state before
// a company was erased.
func TestRestore(t *testing.T) {
	measured := report(t, "PostgreSQL is lost and restored on another server: at most 60 s are lost, secrets are readable, what was erased is erased again")
	t.Parallel()
	companies := number(t, "PROVE_COMPANIES", 100_000)
	primary := harness.StartPostgres(t)
	archive, backup := filepath.Join(filepath.Dir(primary.Data()), "archive"), filepath.Join(filepath.Dir(primary.Data()), "backup")
	settings := harness.ReadFile(t, harness.Path(t, "deploy", "postgres", "archive.conf"))
	primary.Bash(t, `mkdir "$ARCHIVE" && printf '%s' "$SETTINGS" >>"$DATA/postgresql.conf"`, "ARCHIVE="+archive, "SETTINGS="+settings)
	_ = primary.Stop(syscall.SIGINT)
	primary.Start(t, "ARCHIVE="+archive)
	database := primary.NewDatabase(t)
	s := harness.New(t, harness.Options{Directories: 1, Database: database, DirectoryEnv: []string{
		"DIRECTORY_ERASURE_LOG=" + filepath.Join(t.TempDir(), "erased.jsonl"),
	}})
	harness.LoggedIn(t, s.Gateway, "biuro@demo.example").Connect(t, harness.SearchProfile, "anna")
	harness.Execute(t, harness.OpenDatabase(t, database), fmt.Sprintf(
		`INSERT INTO companies SELECT (jsonb_populate_record(c, jsonb_build_object('id', 1000000 + n, 'slug', 'firma-' || n))).*
		FROM companies c, generate_series(1, %d) n WHERE c.id = (SELECT min(id) FROM companies)`, companies))
	primary.Bash(t, commands(t, `pg_basebackup -d "$PRIMARY" -D "$BACKUP"`), "PRIMARY="+primary.URL(), "BACKUP="+backup)

	confirmed := keepLoggingIn(t, s.Directories[0].URL())
	time.Sleep(time.Second)
	erased := time.Now()
	time.Sleep(time.Second)
	s.Directories[0].Run(t, "company", "delete", "firma-7", "--yes")
	time.Sleep(61*time.Second + rand.N(30*time.Second)) // at least one more segment is archived
	end := time.Now()
	primary.Kill()

	for _, until := range []time.Time{{}, erased} {
		begun := time.Now()
		service := restoredService(t, s, primary, database, archive, backup, until)
		took := time.Since(begun).Round(100 * time.Millisecond)
		if out := service.Run(t, "keys", "rotate"); !strings.Contains(out, "all secrets use the first key") {
			t.Errorf("keys rotate: %s", out)
		}
		if got := harness.NewVisitor(t, service.URL()).Get(t, "/api/bizprofile/audit/firma-7"); !strings.Contains(string(got.Body), "Nie znaleziono firmy") {
			t.Errorf("an erased company is back: %s", got.Body)
		}
		if until.IsZero() {
			all, unknown, since := confirmed.lost(t, service.URL(), end)
			measured("the last %s of %d logins in %s (%d); back after %s with %d companies",
				since.Round(100*time.Millisecond), all, end.Sub(erased).Round(time.Second), unknown, took, companies)
			if all < 100 || since > time.Minute {
				t.Errorf("%d of %d confirmed logins are lost, the first one %s before the end", unknown, all, since)
			}
		}
		service.Terminate(t)
	}
}

// restoredService runs the directory service on a new server with the backup and the archive
// of the lost one, at the given time or, if that is zero, at the latest one.
func restoredService(t *testing.T, s *harness.Stack, lost *harness.Postgres, database, archive, backup string, until time.Time) *harness.Service {
	t.Helper()
	server := harness.NewPostgres(t)
	env := []string{"BACKUP=" + backup, "ARCHIVE=" + archive}
	if !until.IsZero() {
		env = append(env, "UNTIL="+until.Format("2006-01-02 15:04:05.999999-07"))
	}
	server.Bash(t, commands(t, `cp -a "$BACKUP" "$DATA"`), env...)
	server.Start(t, "ARCHIVE="+archive)
	db := harness.OpenDatabase(t, server.URL())
	harness.EventuallyWithin(t, 5*time.Minute, "the server has replayed its archive", func() bool {
		var recovering bool
		return db.QueryRowContext(t.Context(), "SELECT pg_is_in_recovery()").Scan(&recovering) == nil && !recovering
	})
	d := s.Directories[0]
	d.Kill()
	d.Env = append(d.Env, "DIRECTORY_DATABASE_URL="+strings.ReplaceAll(database, lost.Addr, server.Addr)) // the last one counts
	d.Run(t, "erase", "replay")
	d.Start(t)
	return d
}

// logins contains confirmed sessions by the time of their confirmation.
type logins struct {
	mu sync.Mutex
	by map[time.Time]*harness.Visitor
}

// keepLoggingIn logs in a user every 100 ms until the test ends.
func keepLoggingIn(t *testing.T, service string) *logins {
	l := &logins{by: map[time.Time]*harness.Visitor{}}
	harness.StartTraffic(t, 100*time.Millisecond, func(n int) error {
		v := harness.NewVisitor(t, service)
		v.HTTP.Transport = harness.From(fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
		login := map[string]string{"email": "biuro@demo.example", "password": harness.DemoPassword}
		if err := harness.CheckOK(v.Try(t.Context(), http.MethodPost, "/api/auth/login", login)); err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.by[time.Now()] = v
		return nil
	})
	return l
}

// lost checks the sessions that were confirmed before end at a restored service. It returns
// their number, how many are unknown, and how long before end the first of these was
// confirmed.
func (l *logins) lost(t *testing.T, service string, end time.Time) (all, unknown int, since time.Duration) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, v := range l.by {
		if at.After(end) {
			continue
		}
		all++
		v.Base = service
		a, err := v.Try(t.Context(), http.MethodGet, "/api/auth/me", nil)
		switch {
		case err != nil:
			t.Fatal(err)
		case a.Status == http.StatusUnauthorized:
			unknown++
			since = max(since, end.Sub(at))
		}
	}
	return all, unknown, since
}
