package prove

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestPostgresRestartsInATransaction stops the server while a transaction locks a connection
// whose token is being refreshed at a slow provider.
func TestPostgresRestartsInATransaction(t *testing.T) {
	measured := report(t, "PostgreSQL restarts in a transaction: a documented failure, and the connection works afterwards")
	for name, signal := range map[string]syscall.Signal{"fast": syscall.SIGINT, "immediate": syscall.SIGQUIT, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			server := harness.StartPostgres(t)
			s := harness.New(t, harness.Options{Directories: 1, Database: server.NewDatabase(t)})
			s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 60}`) // so that every use refreshes
			v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
			v.Connect(t, harness.SearchProfile, "anna")
			s.Sandbox.Fault(t, "search", `{"kind":"slow","delay_ms":800,"match":"/token"}`)
			asked := s.Sandbox.Count(t, "search", "token_requests", "refresh_token")
			answered := make(chan harness.Answer, 1)
			go func() { answered <- v.Post(t, discover, nil) }()
			<-time.After(300 * time.Millisecond) // the provider takes longer
			_ = server.Stop(signal)
			server.Start(t)
			if a := <-answered; a.Status != http.StatusInternalServerError && a.Status != http.StatusServiceUnavailable || leaked(a.Body) != "" {
				t.Errorf("the answer: %d %s", a.Status, a.Body)
			}
			if now := s.Sandbox.Count(t, "search", "token_requests", "refresh_token"); now == asked {
				t.Error("the token was not being refreshed")
			}
			s.Sandbox.Fault(t, "search", "")
			<-time.After(staleConnection)
			if a := v.Post(t, discover, nil); a.Status != http.StatusOK {
				t.Errorf("afterwards: %d %s", a.Status, a.Body)
			}
		})
	}
	measured("3 ways to stop it")
}
