package e2e

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// faulty starts a backend for a test that kills or freezes its programs for longer than
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
	s := faulty(t, harness.Options{Directories: 2, Replicas: 2, Redis: true, Database: server.NewDatabase(t)})
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
			logins := startLogins(t, s.Gateway)
			logins.AwaitAnswers(t, 10)
			fault.begin()
			time.Sleep(5 * time.Second)
			fault.end()
			logins.AwaitAnswers(t, 10) // it has recovered
			_, failures := logins.Stop()
			t.Logf("%d logins acknowledged, %d failed", len(logins.sessions), len(failures))
			for _, v := range logins.sessions {
				harness.OK(t, v.Get(t, "/api/auth/me"))
			}
		})
	}
}

// logins are people who log in all the time, each from another address.
type logins struct {
	*harness.Traffic
	mu       sync.Mutex
	sessions []*harness.Visitor // acknowledged
}

func startLogins(t *testing.T, base string) *logins {
	t.Helper()
	l := &logins{}
	transport := harness.ChangingAddresses()
	transport.DisableKeepAlives = true
	l.Traffic = harness.StartTraffic(t, 100*time.Millisecond, func(int) error {
		v := harness.NewVisitor(base)
		v.HTTP.Transport = transport
		body := map[string]string{"email": "biuro@demo.example", "password": harness.DemoPassword}
		a, err := v.Try(t.Context(), http.MethodPost, "/api/auth/login", body)
		if err := harness.CheckOK(a, err); err != nil {
			return fmt.Errorf("login: %w", err)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sessions = append(l.sessions, v)
		return nil
	})
	return l
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
			refreshes := func() int { return s.Sandbox.Count(t, "search", "token_requests", "refresh_token") }
			before := refreshes()
			answered := make(chan harness.Answer, 1)
			go func() { answered <- v.Post(t, discover, nil) }()
			harness.Eventually(t, "the token is refreshed", func() bool { return refreshes() > before })
			_ = server.Stop(signal)
			server.Start(t)
			// The service may have waited for the server, or give up with a documented failure.
			allowed := []int{http.StatusOK, http.StatusInternalServerError, http.StatusServiceUnavailable}
			if a := <-answered; !slices.Contains(allowed, a.Status) {
				t.Errorf("during the restart: %d %s", a.Status, a.Body)
			}
			s.Sandbox.Fault(t, "search", "")
			harness.Eventually(t, "the connection works", func() bool {
				return v.Post(t, discover, nil).Status == http.StatusOK
			})
		})
	}
}
