//go:build linux

package network

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

func TestMain(m *testing.M) { os.Exit(netns.Main(m)) }

const (
	// site is the public address of the backend, which the clients take to a gateway.
	site = "http://backend.test"
	// interval is the least time between two requests to the aggregator.
	interval = 250 * time.Millisecond
	replicas = 3
)

// machine is a host with the program that runs there.
type machine struct {
	*netns.Host
	*harness.Process
	folder  string
	env     []string
	command []string
	ready   func(t *testing.T)
}

// start runs the program, for the first time or again, until it is ready.
func (m *machine) start(t *testing.T) {
	t.Helper()
	command := m.Command(m.command...)
	m.Process = harness.Start(t, m.Name, m.folder, m.env, harness.Installed(t, command[0]), command[1:]...)
	m.ready(t)
}

// run runs a command of the program to its end.
func (m *machine) run(t *testing.T, args ...string) string {
	t.Helper()
	line := m.Command(slices.Concat(m.command, args)...)
	command := exec.CommandContext(t.Context(), line[0], line[1:]...) // #nosec G204 -- a program of ours
	command.Env, command.Dir = append(m.env, "PATH="+os.Getenv("PATH")), m.folder
	return harness.Run(t, command)
}

// fleet is a backend whose parts only a network joins.
type fleet struct {
	t           *testing.T // as long as which the machines run
	net         *netns.Network
	self        *netns.Host
	sandbox     harness.Sandbox
	gateways    []*machine
	hardware    []*machine
	directories []*machine
	sentinels   []*machine
	redis       []*machine
	postgres    []*postgres // the primary first
	database    string      // its name
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t}
	f.net, f.self = netns.New(t)
	f.startSandbox(t)
	f.startRedis(t)
	f.startPostgres(t)
	// The gateways have to be known to the services, and the other way round.
	gateways := []*netns.Host{f.net.Host(t, "gateway-1"), f.net.Host(t, "gateway-2")}
	proxies := fmt.Sprintf("%s/32,%s/32", gateways[0].IP, gateways[1].IP)
	directory := harness.DirectoryEnv(f.databaseURL(f.database), site, f.sandbox)
	for i := range replicas {
		f.hardware = append(f.hardware, f.service(t, "hardware", i, "HARDWARE_REDIS_URL="+f.redisURL(), "HARDWARE_TRUSTED_PROXIES="+proxies,
			"HARDWARE_BENCHMARK_BASE_URL="+f.sandbox.Benchmark, "HARDWARE_AGGREGATOR_BASE_URL="+f.sandbox.Aggregator,
			"HARDWARE_PRICE_INTERVAL="+interval.String(), "HARDWARE_PRICE_MAX_WAIT=2s", fmt.Sprintf("HARDWARE_MAX_REPLICAS=%d", replicas)))
		f.directories = append(f.directories, f.service(t, "directory", i, append(slices.Clip(directory), "DIRECTORY_TRUSTED_PROXIES="+proxies)...))
	}
	f.directories[0].run(t, "seed")
	for _, m := range slices.Concat(f.hardware, f.directories) {
		m.start(t)
	}
	for _, h := range gateways {
		f.gateways = append(f.gateways, f.gateway(t, h))
	}
	return f
}

func (f *fleet) startSandbox(t *testing.T) {
	t.Helper()
	h := f.net.Host(t, "world")
	m := &machine{Host: h, folder: t.TempDir(), command: []string{harness.Built(t, "sandbox")}}
	f.sandbox, m.env = harness.NewSandbox(site, func(i int) string { return h.At(uint16(9090 + i)) }) // #nosec G115 -- small
	m.env = append(m.env, "SANDBOX_ALLOW_REMOTE=true")
	m.ready = func(t *testing.T) { t.Helper(); harness.Healthy(t, f.sandbox.Control+"/healthz") }
	m.start(t)
}

// service is a replica of a service, which has not been started.
func (f *fleet) service(t *testing.T, program string, i int, env ...string) *machine {
	t.Helper()
	h := f.net.Host(t, fmt.Sprintf("%s-%d", program, i+1))
	folder, prefix := t.TempDir(), strings.ToUpper(program)
	return &machine{
		Host: h, folder: folder, command: []string{harness.Built(t, program)},
		env:   append([]string{prefix + "_ADDR=" + h.At(8080), prefix + "_ADMIN_ADDR=" + h.At(9080)}, env...),
		ready: func(t *testing.T) { t.Helper(); harness.Healthy(t, "http://"+h.At(9080)+"/readyz") },
	}
}

// gateway starts one with the repository's own configuration, but for its addresses.
func (f *fleet) gateway(t *testing.T, h *netns.Host) *machine {
	t.Helper()
	folder := harness.Path(t, "gateway")
	static := harness.GatewayAt(harness.ReadFile(t, filepath.Join(folder, "traefik.yml")), h.At(8080), h.At(9080))
	config := filepath.Join(t.TempDir(), "traefik.yml")
	harness.WriteFile(t, config, static)
	m := &machine{
		Host: h, folder: folder, command: []string{harness.Built(t, "gateway"), "--configFile=" + config},
		env: []string{"GATEWAY_HARDWARE_SERVERS=" + servers(f.hardware), "GATEWAY_DIRECTORY_SERVERS=" + servers(f.directories)},
		ready: func(t *testing.T) {
			t.Helper()
			harness.Healthy(t, "http://"+h.At(8080)+"/api/benchmark/usb?limit=1")
			harness.Healthy(t, "http://"+h.At(8080)+"/api/bizprofile/audit/health")
		},
	}
	m.start(t)
	return m
}

func servers(machines []*machine) string {
	var list []string
	for _, m := range machines {
		list = append(list, m.At(8080)+"/9080")
	}
	return strings.Join(list, ",")
}
