// Package redistest gives a test its own redis-server. If the program is not installed, the test is skipped, or
// fails if REQUIRE_SERVICES=1.
package redistest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	output <-chan string // all output, sent when the server has ended
}

// Start runs a server until the test ends. args are further settings, such as "--cluster-enabled", "yes".
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("a Redis is not started by short tests")
	}
	if _, err := exec.LookPath(program); err != nil {
		skip(t, program+" is not installed")
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
	<-s.output
	_ = s.cmd.Wait()
}

// Restart runs the server again after Kill, at the same address and empty.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(program, s.args...) // #nosec G204 -- the arguments are those of a test
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, output := make(chan struct{}), make(chan string, 1)
	s.output = output
	go readOutput(bufio.NewScanner(stdout), ready, output)
	select {
	case <-ready:
	case text := <-output:
		t.Fatalf("%s ended:\n%s", program, text)
	}
}

func readOutput(lines *bufio.Scanner, ready chan<- struct{}, output chan<- string) {
	var all strings.Builder
	announced := false
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if !announced && strings.Contains(lines.Text(), "eady to accept connections") {
			announced = true
			close(ready)
		}
	}
	output <- all.String()
	close(output)
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

func skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatalf("no Redis, and REQUIRE_SERVICES=1: %s", why)
	}
	t.Skipf("no Redis: %s", why)
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
