package harness

import "testing"

// Redis is a server of a test's own; it keeps nothing on disk.
type Redis struct {
	*Process
	Addr string // host:port
	args []string
}

// StartRedis runs one, with further arguments of redis-server, until the test ends.
func StartRedis(t *testing.T, args ...string) *Redis {
	t.Helper()
	return startRedis(t, append([]string{"--save", "", "--appendonly", "no"}, args...))
}

// StartSentinel runs a sentinel with a configuration of its own, which it rewrites.
func StartSentinel(t *testing.T, config string) *Redis {
	t.Helper()
	return startRedis(t, []string{config, "--sentinel"})
}

func startRedis(t *testing.T, args []string) *Redis {
	t.Helper()
	r := &Redis{Addr: FreeAddr(t)}
	r.args = append(args, "--bind", "127.0.0.1", "--port", port(r.Addr))
	r.Start(t)
	return r
}

// Start runs the server, for the first time or again and empty, until it listens.
func (r *Redis) Start(t *testing.T) {
	t.Helper()
	r.Process = Start(t, "redis", t.TempDir(), nil, Installed(t, "redis-server"), r.args...)
	AwaitListener(t, r.Addr)
}
