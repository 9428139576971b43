package prove

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/deploy/test/harness"
)

// TestClockJumps moves every stored time, which looks to the services as if their
// clock, or that of Redis, had jumped the other way. Times within a process are not
// moved: Go measures them with the monotonic clock, which does not jump.
func TestClockJumps(t *testing.T) {
	measured := report(t, "Clock jumps of 13 hours, both ways: sessions end cleanly or live, logins, connections and look-ups go on, nobody is shut out")
	for _, jump := range []struct {
		name     string
		shift    string        // of the times in the database
		redis    time.Duration // of the times in Redis
		sessions int           // status of a request with a session from before
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
				t.Errorf("a session from before: %d %s", a.Status, a.Body)
			}
			v.Login(t, "biuro@demo.example")
			other.Login(t, "kierownik@demo.example")          // whose tries of before are of no account
			s.Sandbox.Do(t, "search", "expire-access-tokens") // by the provider's clock, which did not jump
			if a := v.Post(t, discover, nil); a.Status != http.StatusOK {
				t.Errorf("a credential from before: %d %s", a.Status, a.Body)
			}
			if a := harness.Get(t, s.Gateway, "/api/prices/ceneo?q=karta+po"); a.Status != http.StatusOK {
				t.Errorf("a look-up: %d %s", a.Status, a.Body)
			}
		})
	}
	measured("2 jumps, seen by both services")
}

// useUp tries to log in until the account's limit is reached.
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
