package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
)

// faulty starts a backend for a test that kills or freezes its programs and takes longer than
// seconds. Such tests begin with TestFaults and run with `make test-faults` only.
func faulty(t *testing.T, o harness.Options) *harness.Stack {
	t.Helper()
	if os.Getenv("E2E_FAULTS") != "1" {
		t.Skip("make test-faults runs it")
	}
	return own(t, o)
}

// TestFaultsLoseNoWrite kills and freezes the programs one after the other while people log
// in. Every session whose login was acknowledged has to be valid afterwards.
func TestFaultsLoseNoWrite(t *testing.T) {
	server := harness.StartPostgres(t)
	s := faulty(t, harness.Options{
		Directories: 2, Replicas: 2, Redis: true, Database: server.NewDatabase(t),
		Env: []string{"GATEWAY_TRUSTED_PROXIES=127.0.0.1/32"},
	})
	faults := []struct {
		name       string
		begin, end func()
	}{
		{"directory killed", s.Directories[0].Kill, func() { s.Directories[0].Start(t) }},
		{"directory frozen", s.Directories[1].Freeze, s.Directories[1].Thaw},
		{"PostgreSQL killed", server.Kill, func() { server.Start(t) }},
		{"PostgreSQL frozen", server.Freeze, server.Thaw},
		{"gateway killed", s.Proxy.Kill, func() { s.Proxy.Start(t) }},
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			var mu sync.Mutex
			var acknowledged []*harness.Visitor
			logins := harness.StartTraffic(t, 100*time.Millisecond, func(n int) error {
				v := harness.NewVisitor(s.Gateway)
				v.HTTP.Transport = harness.ClientNumber(n)
				body := map[string]string{"email": "biuro@demo.example", "password": harness.DemoPassword}
				if err := harness.CheckOK(v.Try(t.Context(), http.MethodPost, "/api/auth/login", body)); err != nil {
					return fmt.Errorf("login: %w", err)
				}
				mu.Lock()
				defer mu.Unlock()
				acknowledged = append(acknowledged, v)
				return nil
			})
			logins.AwaitAnswers(t, 10)
			fault.begin()
			time.Sleep(5 * time.Second)
			fault.end()
			logins.AwaitAnswers(t, 10) // it has recovered
			_, failures := logins.Stop()
			t.Logf("%d logins acknowledged, %d failed", len(acknowledged), len(failures))
			for _, v := range acknowledged {
				harness.OK(t, v.Get(t, "/api/auth/me"))
			}
		})
	}
}

// TestFaultsPostgresRestarts stops the server in a transaction, while a token is refreshed
// at a slow provider.
func TestFaultsPostgresRestarts(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"fast": syscall.SIGINT, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			server := harness.StartPostgres(t)
			s := faulty(t, harness.Options{Directories: 1, Database: server.NewDatabase(t)})
			v := expiring(t, s)
			s.Sandbox.Fault(t, "search", `{"kind":"slow","delay_ms":800,"match":"/token"}`)
			before := s.Sandbox.Refreshes(t)
			var answer harness.Answer
			answered := make(chan error, 1)
			go func() {
				var err error
				answer, err = v.Try(t.Context(), http.MethodPost, discover, nil)
				answered <- err
			}()
			harness.Eventually(t, "the token is refreshed", func() bool { return s.Sandbox.Refreshes(t) > before })
			_ = server.Stop(signal)
			server.Start(t)
			if err := <-answered; err != nil {
				t.Fatalf("during the restart: %v", err)
			}
			// The service may have waited for the server, or give up with a documented failure.
			contracttest.New(contracts.Directory()).Check(t, answer)
			allowed := []int{http.StatusOK, http.StatusInternalServerError, http.StatusServiceUnavailable}
			if !slices.Contains(allowed, answer.Status) {
				t.Errorf("during the restart: got %d %s, want a status of %v", answer.Status, answer.Body, allowed)
			}
			s.Sandbox.Fault(t, "search", "")
			harness.Eventually(t, "the connection works", func() bool {
				return v.Post(t, discover, nil).Status == http.StatusOK
			})
		})
	}
}

// TestFaultsFloodOfLogins sends wrong passwords on 600 connections from one IPv6 /48, each of
// another /64. An owner who logs in from elsewhere waits less than 2 s.
func TestFaultsFloodOfLogins(t *testing.T) {
	s := faulty(t, harness.Options{
		Directories: 1,
		Env:         []string{"DIRECTORY_RATE=20", "GATEWAY_CLIENT_RATE=100", "GATEWAY_TRUSTED_PROXIES=127.0.0.1/32"},
	})
	var answered atomic.Int64
	for i := range 600 {
		go func() {
			attacker := harness.NewVisitor(s.Gateway)
			attacker.HTTP.Transport = harness.From(fmt.Sprintf("2001:db8:0:%x::1", i))
			for n := 0; t.Context().Err() == nil; n++ {
				email := fmt.Sprintf("attacker%d.%d@demo.example", i, n)
				_, _ = attacker.Try(t.Context(), http.MethodPost, "/api/auth/login",
					map[string]string{"email": email, "password": "wrong-password-1"})
				answered.Add(1)
			}
		}()
	}
	harness.Eventually(t, "the flood is under way", func() bool { return answered.Load() > 1000 })
	for range 5 {
		owner := harness.NewVisitor(s.Gateway)
		owner.HTTP.Transport = harness.From("203.0.113.7")
		begun := time.Now()
		owner.Login(t, "biuro@demo.example")
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("a login during the flood took %s, want at most 2s", took)
		}
	}
}

// TestRestoreToAPointInTime loses a PostgreSQL server and restores it elsewhere from a base
// backup and its archive with the commands of deploy/README.md: as it was at the end, and as
// it was before a company was erased.
func TestRestoreToAPointInTime(t *testing.T) {
	needsOwnPrograms(t)
	primary := harness.NewPostgres(t)
	primary.Bash(t, harness.InitDB)
	kept, readme := filepath.Dir(primary.Data), harness.Path("deploy", "README.md")
	settings := harness.ReadFile(t, harness.Path("deploy", "postgres", "archive.conf"))
	env := []string{"ARCHIVE=" + filepath.Join(kept, "archive"), "BACKUP=" + filepath.Join(kept, "backup"),
		"PRIMARY=" + primary.URL(), "SETTINGS=" + settings}
	primary.Bash(t, `mkdir "$ARCHIVE" && printf '%s' "$SETTINGS" >>"$DATA/postgresql.conf"`, env...)
	primary.Start(t, env...)
	database := primary.NewDatabase(t)
	s := harness.New(t, harness.Options{
		Directories: 1, Database: database,
		Env: []string{"DIRECTORY_ERASURE_LOG=" + filepath.Join(t.TempDir(), "erased.jsonl")},
	})
	primary.Bash(t, harness.Commands(t, readme, `pg_basebackup`), env...)

	v := harness.NewVisitor(s.Gateway).Login(t, "biuro@demo.example")
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
		server.Bash(t, harness.Commands(t, readme, `cp -a "$BACKUP"`), append(env, "UNTIL="+until)...)
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
			t.Errorf("until %q: the encrypted secrets cannot be read: keys rotate says %s", until, out)
		}
		connections := v.At(directory.URL()).Connections(t)
		if !connections[harness.SearchProfile].Connected {
			t.Errorf("until %q: the connection is lost", until)
		}
		if later := connections[harness.SearchAnalytics].Connected; later != (until == "") {
			t.Errorf("until %q: the later connection is there: %t, want %t", until, later, until == "")
		}
		if out := directory.Run(t, "company", "list"); strings.Contains(out, "warsztat-nowak") {
			t.Errorf("until %q: an erased company is back:\n%s", until, out)
		}
	}
}
