package prove

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestRedisFailover kills the master of a Redis with a sentinel: cached answers go
// on, and soon the replicas share again.
func TestRedisFailover(t *testing.T) {
	measured := report(t, "Redis failover (sentinel): no answer fails, cached prices stay, the replicas share again")
	master := harness.StartRedis(t)
	host, port, _ := strings.Cut(master.Addr, ":")
	replica := harness.StartRedis(t, "--replicaof", host, port)
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	text := "sentinel monitor main " + host + " " + port + " 1\nsentinel down-after-milliseconds main 500\nsentinel failover-timeout main 2000\n"
	harness.WriteFile(t, config, text)
	sentinel := harness.StartSentinel(t, config)
	harness.Eventually(t, "the replica follows", func() bool {
		return strings.Contains(replica.Log.String(), "MASTER <-> REPLICA sync: Finished with success") &&
			strings.Contains(sentinel.Log.String(), "+slave")
	})
	s := harness.New(t, harness.Options{Replicas: 2, Env: []string{
		"HARDWARE_REDIS_URL=redis-sentinel://" + sentinel.Addr + "?master_name=main", "HARDWARE_PRICE_INTERVAL=20ms", "HARDWARE_MAX_REPLICAS=2",
	}})
	const known = "/api/prices/ceneo?q=karta+znana"
	before := harness.Get(t, s.Hardware[0].URL(), known)
	master.Kill()
	begun := time.Now()
	for range 20 {
		for _, h := range s.Hardware {
			if a := harness.Get(t, h.URL(), known); a.Status != http.StatusOK || string(a.Body) != string(before.Body) {
				t.Fatalf("a known price: %d %s", a.Status, a.Body)
			}
		}
	}
	if a := harness.Get(t, s.Gateway, "/api/prices/ceneo?q=karta+nowa"); a.Status != http.StatusOK {
		t.Errorf("a new price: %d %s", a.Status, a.Body)
	}
	awaitSharedCache(t, s)
	measured("shared again after %s", time.Since(begun).Round(100*time.Millisecond))
}

// TestPostgresRestartsInATransaction stops the server while it holds the row of a
// connection whose credential is being refreshed at a slow provider.
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
			<-time.After(300 * time.Millisecond) // the provider thinks for longer
			_ = server.Stop(signal)
			server.Start(t)
			if a := <-answered; a.Status != http.StatusInternalServerError && a.Status != http.StatusServiceUnavailable || leaked(a.Body) != "" {
				t.Errorf("the answer: %d %s", a.Status, a.Body)
			}
			if now := s.Sandbox.Count(t, "search", "token_requests", "refresh_token"); now == asked {
				t.Error("the credential was not being refreshed")
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
