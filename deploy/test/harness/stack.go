package harness

import (
	"path/filepath"
	"strings"
	"testing"
)

// Stack is a running backend.
type Stack struct {
	Gateway     string // base address of the public entry point
	Proxy       *Service
	Sandbox     Sandbox
	Redis       *Redis // nil without Redis
	Hardware    []*Service
	Directories []*Service
}

// Options of a stack.
type Options struct {
	Replicas int // of the hardware service; one unless asked for
	Redis    bool
	Env      []string // further settings of the hardware service

	Directories  int      // replicas of the directory service; none unless asked for
	Database     string   // URL; an SQLite file if empty
	Postgres     bool     // uses a new database of TEST_DATABASE_URL instead
	DirectoryEnv []string // further settings of the directory service

	GatewayEnv []string // further settings of the gateway

	Collector string // base address to which everything sends its traces; empty: no traces

	// Through puts something between a service and what it asks: it is given the
	// name (redis, benchmark, aggregator, search, social, places) and the host:port,
	// and returns the host:port to ask instead.
	Through func(name, address string) string
}

// through is the host:port that a service has to use for an upstream at a base address.
func (o *Options) through(name, base string) string {
	address := strings.TrimPrefix(base, "http://")
	if o.Through == nil {
		return address
	}
	return o.Through(name, address)
}

// tracing are the settings that make a service send its traces.
func (o *Options) tracing() []string {
	if o.Collector == "" {
		return nil
	}
	return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + o.Collector, "OTEL_BSP_SCHEDULE_DELAY=100"}
}

// New starts sandbox, replicas and gateway until the test ends.
func New(t *testing.T, o Options) *Stack {
	t.Helper()
	gateway := &Service{Addr: FreeAddr(t), AdminAddr: FreeAddr(t), Folder: Path(t, "gateway"), program: "gateway", ready: "/ping"}
	s := &Stack{Gateway: gateway.URL(), Proxy: gateway}
	s.Sandbox = StartSandbox(t, s.Gateway)
	if o.Redis {
		s.Redis = StartRedis(t)
	}
	s.startHardware(t, o)
	s.startDirectories(t, o)
	s.startGateway(t, o)
	return s
}

// startGateway runs the gateway with the repository's own configuration; only
// its addresses differ.
func (s *Stack) startGateway(t *testing.T, o Options) {
	t.Helper()
	g := s.Proxy
	static := ReadFile(t, filepath.Join(g.Folder, "traefik.yml"))
	if o.Collector != "" {
		static += "\n" + strings.ReplaceAll(ReadFile(t, filepath.Join(g.Folder, "tracing.yml")), "http://127.0.0.1:4318", o.Collector)
	}
	config := filepath.Join(t.TempDir(), "traefik.yml")
	WriteFile(t, config, GatewayAt(static, g.Addr, g.AdminAddr))
	g.args = []string{"--configFile=" + config}
	g.Env = append([]string{"GATEWAY_HARDWARE_SERVERS=" + servers(s.Hardware), "GATEWAY_DIRECTORY_SERVERS=" + servers(s.Directories)}, o.GatewayEnv...)
	g.Start(t)
	s.AwaitGateway(t)
}

// GatewayAt is the gateway's install configuration at other addresses, each host:port.
func GatewayAt(static, web, internal string) string {
	return strings.NewReplacer(`":8080"`, `"`+web+`"`, `"127.0.0.1:9080"`, `"`+internal+`"`).Replace(static)
}

// AwaitGateway waits until the gateway reaches the services.
func (s *Stack) AwaitGateway(t *testing.T) {
	t.Helper()
	Healthy(t, s.Gateway+"/api/benchmark/usb?limit=1")
	if len(s.Directories) > 0 {
		Healthy(t, s.Gateway+"/api/bizprofile/audit/health")
	}
}

func servers(services []*Service) string {
	var list []string
	for _, s := range services {
		list = append(list, s.Server())
	}
	return strings.Join(list, ",")
}
