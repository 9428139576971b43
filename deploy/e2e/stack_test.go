package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stack is a running backend.
type stack struct {
	gateway     string   // base address of the public entry point
	hardware    []string // base addresses of the replicas, past the gateway
	sandbox     sandbox
	redis       *process // nil without Redis
	redisURL    string
	replicas    []*process
	directories []*directory
}

// options of a stack.
type options struct {
	replicas int
	redis    bool
	env      []string // further settings of the hardware service

	directories int    // none unless asked for
	database    string // URL; empty: an SQLite file
}

// newStack starts sandbox, replicas and gateway until the test ends.
func newStack(t *testing.T, o options) *stack {
	t.Helper()
	s := &stack{gateway: "http://127.0.0.1:" + freePort(t)}
	s.sandbox = startSandbox(t, s.gateway)
	env := append([]string{
		"HARDWARE_BENCHMARK_BASE_URL=" + s.sandbox.benchmark,
		"HARDWARE_AGGREGATOR_BASE_URL=" + s.sandbox.aggregator,
	}, o.env...)
	if o.redis {
		s.startRedis(t, freePort(t))
		env = append(env, "HARDWARE_REDIS_URL="+s.redisURL)
	}
	var servers []string
	for range max(o.replicas, 1) {
		servers = append(servers, s.startHardware(t, env))
	}
	s.startDirectories(t, o)
	s.startGateway(t, servers)
	return s
}

// startHardware runs one replica and returns its "address/adminport".
func (s *stack) startHardware(t *testing.T, env []string) string {
	t.Helper()
	port, admin := freePort(t), freePort(t)
	p := start(t, "hardware", t.TempDir(), append([]string{
		"HARDWARE_ADDR=127.0.0.1:" + port, "HARDWARE_ADMIN_ADDR=127.0.0.1:" + admin, "HARDWARE_STATE_DIR=" + t.TempDir(),
	}, env...), built(t, "hardware"))
	healthy(t, "http://127.0.0.1:"+admin+"/readyz")
	s.replicas = append(s.replicas, p)
	s.hardware = append(s.hardware, "http://127.0.0.1:"+port)
	return "127.0.0.1:" + port + "/" + admin
}

// startRedis runs a Redis of the test's own on port.
func (s *stack) startRedis(t *testing.T, port string) {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		unavailable(t, "redis-server is not installed")
	}
	s.redis = start(t, "redis", t.TempDir(), nil, bin, "--port", port, "--save", "", "--appendonly", "no")
	s.redisURL = "redis://127.0.0.1:" + port
	eventually(t, "Redis listens", dials("127.0.0.1:"+port))
}

// startGateway runs the gateway with the repository's own configuration; only
// its ports differ.
func (s *stack) startGateway(t *testing.T, servers []string) {
	t.Helper()
	address, internal := strings.TrimPrefix(s.gateway, "http://"), freePort(t)
	static, err := os.ReadFile(filepath.Join(root, "gateway", "traefik.yml"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`":8080"`, `"`+address+`"`, `"127.0.0.1:9080"`, `"127.0.0.1:`+internal+`"`).Replace(string(static))
	config := filepath.Join(t.TempDir(), "traefik.yml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var directories []string
	for _, d := range s.directories {
		directories = append(directories, d.addr+"/"+d.adminPort)
	}
	env := []string{
		"GATEWAY_HARDWARE_SERVERS=" + strings.Join(servers, ","),
		"GATEWAY_DIRECTORY_SERVERS=" + strings.Join(directories, ","),
	}
	start(t, "gateway", filepath.Join(root, "gateway"), env, built(t, "gateway"), "--configFile="+config)
	healthy(t, s.gateway+"/api/benchmark/usb?limit=1")
	if len(s.directories) > 0 {
		healthy(t, s.gateway+"/api/bizprofile/audit/health")
	}
}
