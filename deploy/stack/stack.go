package stack

import (
	"os"
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
	Database     string   // URL; empty: an SQLite file
	DirectoryEnv []string // further settings of the directory service

	GatewayEnv []string // further settings of the gateway

	Collector string // base address to which everything sends its traces; empty: no traces

	// Through puts something between a service and what it asks: it is given the
	// name (redis, benchmark, aggregator, search, social, places) and the host:port,
	// and returns the host:port to ask instead.
	Through func(name, address string) string
}

// through is the host:port at which a service finds what stands at a base address.
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
	port, internal := FreePort(t), FreePort(t)
	s := &Stack{Gateway: "http://127.0.0.1:" + port}
	s.Sandbox = StartSandbox(t, s.Gateway)
	if o.Redis {
		s.Redis = StartRedis(t)
	}
	s.startHardware(t, o)
	s.startDirectories(t, o)
	s.startGateway(t, port, internal, o)
	return s
}

// startGateway runs the gateway with the repository's own configuration; only
// its ports differ.
func (s *Stack) startGateway(t *testing.T, port, internal string, o Options) {
	t.Helper()
	folder := filepath.Join(Root, "gateway")
	static := file(t, folder, "traefik.yml")
	if o.Collector != "" {
		static += "\n" + strings.ReplaceAll(file(t, folder, "tracing.yml"), "http://127.0.0.1:4318", o.Collector)
	}
	text := strings.NewReplacer(`":8080"`, `"127.0.0.1:`+port+`"`, `"127.0.0.1:9080"`, `"127.0.0.1:`+internal+`"`).Replace(static)
	config := filepath.Join(t.TempDir(), "traefik.yml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Proxy = &Service{
		Addr: "127.0.0.1:" + port, AdminPort: internal, Folder: folder, program: "gateway", ready: "/ping",
		args: []string{"--configFile=" + config},
		Env:  append([]string{"GATEWAY_HARDWARE_SERVERS=" + servers(s.Hardware), "GATEWAY_DIRECTORY_SERVERS=" + servers(s.Directories)}, o.GatewayEnv...),
	}
	s.Proxy.Start(t)
	s.AwaitGateway(t)
}

// AwaitGateway waits until the gateway reaches the services.
func (s *Stack) AwaitGateway(t *testing.T) {
	t.Helper()
	Healthy(t, s.Gateway+"/api/benchmark/usb?limit=1")
	if len(s.Directories) > 0 {
		Healthy(t, s.Gateway+"/api/bizprofile/audit/health")
	}
}

func file(t *testing.T, folder, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name)) // #nosec G304 -- of this repository
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func servers(services []*Service) string {
	var list []string
	for _, s := range services {
		list = append(list, s.server())
	}
	return strings.Join(list, ",")
}
