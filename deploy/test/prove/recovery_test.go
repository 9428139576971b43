package prove

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/deploy/test/harness"
)

// TestRedisFailover kills the master of a Redis with a sentinel. Cached answers go on, and
// the replicas share their cache again after the failover.
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

// TestMigrationsAtOnce migrates one empty database with several processes at once, one of
// which is killed.
func TestMigrationsAtOnce(t *testing.T) {
	measured := report(t, "Migrations of several processes at once, some of them killed: one schema, applied once")
	const rounds, processes = 5, 6
	for range rounds {
		for _, database := range []string{"sqlite:" + filepath.Join(t.TempDir(), "directory.db"), harness.NewDatabase(t)} {
			env := []string{"DIRECTORY_DATABASE_URL=" + database, "DIRECTORY_SESSION_KEYS=" + harness.NewKey(), "DIRECTORY_ENCRYPTION_KEYS=" + harness.NewKey()}
			var wg sync.WaitGroup
			for i := range processes {
				p := harness.Start(t, "migrate", t.TempDir(), env, harness.Built(t, "directory"), "migrate", "up")
				wg.Go(func() {
					if i == 0 {
						p.Kill()
					} else if err := p.Wait(); err != nil {
						t.Errorf("migrate up: %v\n%s", err, p.Log.String())
					}
				})
			}
			wg.Wait()
			status := harness.Start(t, "migrate", t.TempDir(), env, harness.Built(t, "directory"), "migrate", "status")
			if err := status.Wait(); err != nil || strings.Contains(status.Log.String(), " no\n") {
				t.Errorf("status: %v\n%s", err, status.Log.String())
			}
		}
	}
	measured("%d times %d processes on each database", rounds, processes)
}

// TestClockJumps moves every stored time, which has the same effect as a jump of the
// services' clock, or of Redis's, in the other direction. Times within a process are not
// moved, because Go uses the monotonic clock for them.
func TestClockJumps(t *testing.T) {
	measured := report(t, "Clock jumps of 13 hours, both ways: sessions end cleanly or live, logins, connections and look-ups go on, no account is locked")
	for _, jump := range []struct {
		name     string
		shift    string        // of the times in the database
		redis    time.Duration // of the times in Redis
		sessions int           // status of a request with an earlier session
	}{
		{name: "forward", shift: "- interval '13 hours'", redis: -13 * time.Hour, sessions: http.StatusUnauthorized},
		{name: "back", shift: "+ interval '13 hours'", redis: 13 * time.Hour, sessions: http.StatusOK},
	} {
		t.Run(jump.name, func(t *testing.T) {
			s := harness.New(t, harness.Options{Directories: 1, Redis: true, Postgres: true})
			v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
			v.Connect(t, harness.SearchProfile, "anna")
			harness.Get(t, s.Gateway, "/api/prices/ceneo?q=karta+przed")
			other := harness.NewVisitor(t, s.Gateway)
			useUp(t, other, "kierownik@demo.example")
			shift := func(columns string) string {
				var sets []string
				for column := range strings.FieldsSeq(columns) {
					sets = append(sets, fmt.Sprintf("%[1]s = %[1]s %[2]s", column, jump.shift))
				}
				return strings.Join(sets, ", ")
			}
			harness.Execute(t, harness.OpenDatabase(t, s.Database), "UPDATE sessions SET "+shift("created_at last_seen_at"),
				"UPDATE oauth_tokens SET "+shift("expires_at created_at updated_at"), "UPDATE limit_entries SET "+shift("used_at"))
			now := time.Now().Add(jump.redis).UnixMicro()
			store := redis.NewClient(&redis.Options{Addr: s.Redis.Addr})
			defer store.Close()
			if err := store.HSet(t.Context(), "hw:throttle:{ceneo}", "last", now, "next", now).Err(); err != nil {
				t.Fatal(err)
			}

			if a := v.Get(t, "/api/auth/me"); a.Status != jump.sessions {
				t.Errorf("an earlier session: %d %s", a.Status, a.Body)
			}
			v.Login(t, "biuro@demo.example")
			other.Login(t, "kierownik@demo.example")          // earlier attempts no longer count
			s.Sandbox.Do(t, "search", "expire-access-tokens") // by the provider's clock, which did not jump
			if a := v.Post(t, discover, nil); a.Status != http.StatusOK {
				t.Errorf("an earlier token: %d %s", a.Status, a.Body)
			}
			if a := harness.Get(t, s.Gateway, "/api/prices/ceneo?q=karta+po"); a.Status != http.StatusOK {
				t.Errorf("a look-up: %d %s", a.Status, a.Body)
			}
		})
	}
	measured("2 jumps, seen by both services")
}

// useUp sends wrong passwords until the account's limit is reached.
func useUp(t *testing.T, v *harness.Visitor, email string) {
	t.Helper()
	for range 11 {
		a := v.Post(t, "/api/auth/login", map[string]string{"email": email, "password": "zgaduj-zgadula"})
		if a.Status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("the limit of an account was not reached")
}
