package stack

import (
	"os/exec"
	"testing"
)

// Redis is a server of a test's own; it keeps nothing on disk.
type Redis struct {
	*Process
	Addr string // host:port
	args []string
	bin  string
}

// StartRedis runs one, with further arguments of redis-server, until the test ends.
func StartRedis(t *testing.T, args ...string) *Redis {
	t.Helper()
	return startRedis(t, append([]string{"--save", "", "--appendonly", "no"}, args...))
}

// Start runs the server, for the first time or again and empty, until it listens.
func (r *Redis) Start(t *testing.T) {
	t.Helper()
	r.Process = Start(t, "redis", t.TempDir(), nil, r.bin, r.args...)
	Eventually(t, "Redis listens", Dials(r.Addr))
}

// StartSentinel runs a sentinel with a configuration of its own, which it rewrites.
func StartSentinel(t *testing.T, config string) *Redis {
	t.Helper()
	return startRedis(t, []string{config, "--sentinel"})
}

func startRedis(t *testing.T, args []string) *Redis {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		Unavailable(t, "redis-server is not installed")
	}
	port := FreePort(t)
	r := &Redis{Addr: "127.0.0.1:" + port, bin: bin, args: append(args, "--bind", "127.0.0.1", "--port", port)}
	r.Start(t)
	return r
}
