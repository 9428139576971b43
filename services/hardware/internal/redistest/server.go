// Package redistest gives a test its own redis-server. If the program is not installed, the test is skipped, or
// fails if REQUIRE_SERVICES=1.
package redistest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const program = "redis-server"

// Server is a Redis on a socket in a temporary folder.
type Server struct {
	Socket string
	args   []string
	cmd    *exec.Cmd
}

// Start runs a server until the test ends. args are further settings, such as "--cluster-enabled", "yes".
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("a Redis is not started by short tests")
	}
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("REQUIRE_SERVICES") == "1" {
			t.Fatalf("%s is not installed, and REQUIRE_SERVICES=1", program)
		}
		t.Skipf("%s is not installed", program)
	}
	dir, err := os.MkdirTemp("", "redis") // t.TempDir may be too long for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Socket: filepath.Join(dir, "socket")}
	s.args = []string{"--port", "0", "--unixsocket", s.Socket, "--dir", dir, "--save", "", "--appendonly", "no"}
	s.args = append(s.args, args...)
	s.Restart(t)
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(dir)
	})
	return s
}

// Kill ends the server at once. All data are lost.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// Restart runs the server again after Kill, at the same address and empty.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(program, s.args...) // #nosec G204 -- the arguments are those of a test
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if conn, err := net.Dial("unix", s.Socket); err == nil {
			_ = conn.Close()
			return
		}
	}
	t.Fatalf("%s does not serve %s", program, s.Socket)
}

// Client returns a client of a new server.
func Client(t testing.TB) *redis.Client {
	t.Helper()
	return Start(t).Client(t)
}

// Client returns a new client that does not retry.
func (s *Server) Client(t testing.TB) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{
		Network: "unix", Addr: s.Socket, MaxRetries: -1, DialerRetries: 1,
		// After as many failed dials as its pool is large, a client tries again only every second.
		PoolSize:    100_000,
		DialTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Age makes keys that expire older by d.
func Age(t testing.TB, client *redis.Client, d time.Duration) {
	t.Helper()
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if left := client.PTTL(t.Context(), key).Val(); left > 0 {
			client.PExpire(t.Context(), key, left-d)
		}
	}
}
