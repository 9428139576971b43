package prove

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/stack"
)

// TestClockJumps moves every stored time, which looks to the services as if their
// clock, or that of Redis, had jumped the other way. Times that a process keeps to
// itself are not moved: Go measures them with the monotonic clock, which does not jump.
func TestClockJumps(t *testing.T) {
	measured := figures(t, "Clock jumps of 13 hours, both ways: sessions end cleanly or live, logins, connections and look-ups go on, nobody is shut out")
	server := stack.StartPostgres(t)
	jumps := map[string]struct {
		shift    string // of what is stored
		redis    time.Duration
		sessions int // status of a request with a session from before
	}{
		"forward": {"- interval '13 hours'", -13 * time.Hour, http.StatusUnauthorized},
		"back":    {"+ interval '13 hours'", 13 * time.Hour, http.StatusOK},
	}
	for name, jump := range jumps {
		t.Run(name, func(t *testing.T) {
			database := server.NewDatabase(t)
			s := stack.New(t, stack.Options{Directories: 1, Redis: true, Database: server.URL(server.Addr, database)})
			v := stack.NewVisitor(t, s.Gateway)
			v.Login(t, "biuro@demo.example")
			v.Connect(t, searchPair, "anna")
			stack.Get(t, s.Gateway, "/api/prices/ceneo?q=karta+przed")
			other := stack.NewVisitor(t, s.Gateway)
			useUp(t, other, "kierownik@demo.example")
			shift := func(columns string) string {
				var sets []string
				for column := range strings.FieldsSeq(columns) {
					sets = append(sets, fmt.Sprintf("%[1]s = %[1]s %[2]s", column, jump.shift))
				}
				return strings.Join(sets, ", ")
			}
			execute(t, server.Open(t, database), "UPDATE sessions SET "+shift("created_at last_seen_at"),
				"UPDATE oauth_tokens SET "+shift("expires_at created_at updated_at"), "UPDATE limit_entries SET "+shift("used_at"))
			now := time.Now().Add(jump.redis).UnixMicro()
			redis(t, s.Redis.Addr, fmt.Sprintf("HSET hw:throttle:{ceneo} last %d next %d", now, now))

			if a := v.Get(t, "/api/auth/me"); a.Status != jump.sessions {
				t.Errorf("a session from before: %d %s", a.Status, a.Body)
			}
			v.Login(t, "biuro@demo.example")
			other.Login(t, "kierownik@demo.example")          // whose tries of before are of no account
			s.Sandbox.Do(t, "search", "expire-access-tokens") // by the provider's clock, which did not jump
			if a := v.Post(t, "/api/oauth/provider_search/discover-locations", nil); a.Status != http.StatusOK {
				t.Errorf("a credential from before: %d %s", a.Status, a.Body)
			}
			if a := stack.Get(t, s.Gateway, "/api/prices/ceneo?q=karta+po"); a.Status != http.StatusOK {
				t.Errorf("a look-up: %d %s", a.Status, a.Body)
			}
		})
	}
	measured("2 jumps, seen by both services")
}

// useUp tries to log in until the account's limit is reached.
func useUp(t *testing.T, v *stack.Visitor, email string) {
	t.Helper()
	for range 11 {
		a := v.Post(t, "/api/auth/login", map[string]string{"email": email, "password": "zgaduj-zgadula"})
		if a.Status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("the limit of an account was not reached")
}

// redis sends a command in the form for people at a terminal; an error fails.
func redis(t *testing.T, address, command string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "%s\r\n", command); err != nil {
		t.Fatal(err)
	}
	if answer, err := bufio.NewReader(conn).ReadString('\n'); err != nil || strings.HasPrefix(answer, "-") {
		t.Fatalf("%s: %q, %v", command, answer, err)
	}
}
