package prove

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
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

// TestKeysAreRotatedUnderTraffic follows the documented steps with two replicas.
func TestKeysAreRotatedUnderTraffic(t *testing.T) {
	measured := report(t, "Encryption and session keys are changed under traffic, with two replicas: no request fails, no session ends")
	s := harness.New(t, harness.Options{Directories: 2, Postgres: true, DirectoryEnv: []string{"DIRECTORY_DRAIN_DELAY=5s"}})
	companies := newCompanyClients(t, s, 3)
	oldEncryption, oldSession := setting(t, s, "DIRECTORY_ENCRYPTION_KEYS"), setting(t, s, "DIRECTORY_SESSION_KEYS")
	newEncryption, newSession := harness.NewKey(), harness.NewKey()
	// Both requests need the session, and the second the stored credential.
	requests := []struct{ method, path string }{{http.MethodGet, "/api/oauth/status"}, {http.MethodPost, discover}}
	traffic := harness.StartTraffic(t, 20*time.Millisecond, func(n int) error {
		r := requests[n/len(companies)%len(requests)]
		return harness.CheckOK(companies[n%len(companies)].visitor.Try(t.Context(), r.method, r.path, nil))
	})
	for _, order := range []string{"%[1]s,%[2]s", "%[2]s,%[1]s"} {
		restart(t, s, fmt.Sprintf(order, oldEncryption, newEncryption), fmt.Sprintf(order, oldSession, newSession))
	}
	s.Directories[0].Run(t, "keys", "rotate")
	restart(t, s, newEncryption, newSession+","+oldSession)
	answered := traffic.StopWithoutFailure(t)
	_, failures := traffic.Stop()
	measured("%d requests during 6 restarts and the rotation, %d failed", answered+len(failures), len(failures))
	if answered < 100 {
		t.Errorf("only %d requests were answered", answered)
	}
	allSealedWith(t, harness.OpenDatabase(t, s.Database), newEncryption)
}

// setting returns the value of a setting of the replicas.
func setting(t *testing.T, s *harness.Stack, name string) string {
	t.Helper()
	for _, line := range s.Directories[0].Env {
		if value, found := strings.CutPrefix(line, name+"="); found {
			return value
		}
	}
	t.Fatalf("%s is not set", name)
	return ""
}

// restart gives the replicas new keys, one replica after the other, each when the
// gateway sends requests to the one before.
func restart(t *testing.T, s *harness.Stack, encryption, session string) {
	t.Helper()
	for _, d := range s.Directories {
		d.Env = append(d.Env, "DIRECTORY_ENCRYPTION_KEYS="+encryption, "DIRECTORY_SESSION_KEYS="+session) // the last one counts
		d.Terminate(t)
		d.Start(t)
		harness.Eventually(t, "the gateway sends requests to the new process", func() bool {
			return strings.Contains(d.Log.String(), `"msg":"request"`)
		})
	}
}

// allSealedWith requires that all secrets are encrypted with this key (id:base64).
func allSealedWith(t *testing.T, db *sql.DB, key string) {
	t.Helper()
	id, _, _ := strings.Cut(key, ":")
	query := `SELECT count(*), coalesce(sum(CASE WHEN sealed LIKE '` + id + `:%' THEN 0 ELSE 1 END), 0) FROM (
		SELECT access_token AS sealed FROM oauth_tokens UNION ALL SELECT refresh_token FROM oauth_tokens
		UNION ALL SELECT metadata_json->>'user_access_token' FROM oauth_tokens
		UNION ALL SELECT access_token FROM social_media_configs UNION ALL SELECT data FROM sessions) secrets WHERE sealed <> ''`
	var all, others int
	if err := db.QueryRowContext(t.Context(), query).Scan(&all, &others); err != nil {
		t.Fatal(err)
	}
	if all < 10 || others > 0 {
		t.Errorf("%d of %d secrets are encrypted with another key", others, all)
	}
}
