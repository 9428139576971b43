// Package harness starts the built programs as a backend for a test: sandbox, Redis, PostgreSQL, replicas of both
// services and the gateway, each on its own loopback addresses and stopped with the test. It also acts as the
// users' browsers, checks responses against the contracts, and waits for programs.
//
// It imports nothing of the services.
package harness

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Service is a program with a public address and an admin address.
type Service struct {
	*Process
	Addr      string   // host:port
	AdminAddr string   // host:port
	Env       []string // used by the next Start; the last value of a setting counts
	Folder    string   // the working directory

	command []string // the program and its arguments
	ready   string   // path on the admin address that responds with 200 when it serves
}

// newService gives a program its addresses, as settings that begin with a prefix.
func newService(t *testing.T, folder, program, prefix string, env ...string) *Service {
	t.Helper()
	s := &Service{Addr: FreeAddr(), AdminAddr: FreeAddr(), Folder: folder, ready: "/readyz",
		command: []string{Built(t, program)}}
	s.Env = append([]string{prefix + "_ADDR=" + s.Addr, prefix + "_ADMIN_ADDR=" + s.AdminAddr}, env...)
	return s
}

// URL is the base of the public address.
func (s *Service) URL() string { return "http://" + s.Addr }

// AdminURL is the base of the admin address.
func (s *Service) AdminURL() string { return "http://" + s.AdminAddr }

// Start runs the program, for the first time or again, until it is ready.
func (s *Service) Start(t *testing.T) {
	t.Helper()
	s.Process = Start(t, s.Folder, s.Env, s.command[0], s.command[1:]...)
	Healthy(t, s.AdminURL()+s.ready)
}

// Run returns what a command of the program prints with the service's settings.
func (s *Service) Run(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), s.command[0], args...) // #nosec G204 -- a built program
	command.Env, command.Dir = s.Env, s.Folder
	return Run(t, command)
}

// Stack is a running backend.
type Stack struct {
	Gateway     string   // base address of the public entry point
	Proxy       *Service // the gateway's program
	Sandbox     Sandbox
	Redis       *Redis // nil without Redis
	Hardware    []*Service
	Directories []*Service
	Database    string // URL of the directory service's database
}

// Options of a stack.
type Options struct {
	Replicas    int // of the hardware service; 1 by default
	Redis       bool
	Directories int      // replicas of the directory service; none by default
	Database    string   // of the directory service, as a URL; an SQLite file if empty
	Env         []string // additional settings of all programs
}

// New starts sandbox, replicas and gateway until the test ends.
func New(t *testing.T, o Options) *Stack {
	t.Helper()
	folder := t.TempDir()
	gateway := newService(t, folder, "gateway", "")
	s := &Stack{
		Gateway: gateway.URL(), Proxy: gateway, Sandbox: startSandbox(t, gateway.URL()),
		Database: cmp.Or(o.Database, "sqlite:"+filepath.Join(folder, "directory.db")),
	}
	env := s.settings()
	if o.Redis {
		s.Redis = &Redis{Addr: FreeAddr()}
		s.Redis.Start(t)
		env = append(env, "HARDWARE_REDIS_URL=redis://"+s.Redis.Addr)
	}
	env = append(env, o.Env...)
	for range max(o.Replicas, 1) {
		h := newService(t, folder, "hardware", "HARDWARE", append(env, "HARDWARE_STATE_DIR="+t.TempDir())...)
		h.Start(t)
		s.Hardware = append(s.Hardware, h)
	}
	for i := range o.Directories {
		d := newService(t, folder, "directory", "DIRECTORY", env...)
		if i == 0 {
			d.Run(t, "seed")
		}
		d.Start(t)
		s.Directories = append(s.Directories, d)
	}
	gateway.ready = "/ping"
	gateway.command = []string{Path("gateway", "start.sh"), gateway.command[0], filepath.Join(folder, "traefik.yml")}
	gateway.Env = append([]string{
		"GATEWAY_ADDR=" + gateway.Addr, "GATEWAY_INTERNAL_ADDR=" + gateway.AdminAddr, "GATEWAY_CLIENT_RATE=0",
		"GATEWAY_HARDWARE_SERVERS=" + servers(s.Hardware), "GATEWAY_DIRECTORY_SERVERS=" + servers(s.Directories),
	}, o.Env...)
	gateway.Start(t)
	Healthy(t, s.Gateway+"/api/benchmark/usb?limit=1")
	if o.Directories > 0 {
		Healthy(t, s.Gateway+"/api/bizprofile/audit/health")
	}
	return s
}

// settings returns the settings of both services, with limits high enough for the tests.
func (s *Stack) settings() []string {
	return []string{
		"HARDWARE_BENCHMARK_BASE_URL=" + s.Sandbox.Benchmark, "HARDWARE_AGGREGATOR_BASE_URL=" + s.Sandbox.Aggregator,
		"HARDWARE_TRUSTED_PROXIES=127.0.0.1/32", "HARDWARE_RATE=0",
		"HARDWARE_LIST_PAGES=0", // category lists would add requests to those that tests count
		"DIRECTORY_DATABASE_URL=" + s.Database, "DIRECTORY_PUBLIC_URL=" + s.Gateway,
		"DIRECTORY_SESSION_KEYS=" + newKey(), "DIRECTORY_ENCRYPTION_KEYS=" + newKey(),
		"DIRECTORY_SCAN_INTERVAL=0", // no test expects calls that it did not cause
		"DIRECTORY_RATE=0", "DIRECTORY_DISCOVER_LIMIT=1000000", "DIRECTORY_SYNC_LIMIT=1000000",
		"PROVIDER_SEARCH_PER_MINUTE=10000", "PROVIDER_SOCIAL_PER_MINUTE=10000",
		"PROVIDER_SEARCH_CLIENT_ID=" + clientID, "PROVIDER_SEARCH_CLIENT_SECRET=" + ClientSecret,
		"PROVIDER_SEARCH_BASE_URL=" + s.Sandbox.Search,
		"PROVIDER_SOCIAL_CLIENT_ID=" + clientID, "PROVIDER_SOCIAL_CLIENT_SECRET=" + ClientSecret,
		"PROVIDER_SOCIAL_BASE_URL=" + s.Sandbox.Social,
		"PLACES_API_KEY=" + PlacesKey, "PLACES_BASE_URL=" + s.Sandbox.Places,
		"OTEL_BSP_SCHEDULE_DELAY=100",
	}
}

func newKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return "k" + rand.Text()[:8] + ":" + base64.StdEncoding.EncodeToString(key)
}

func servers(services []*Service) string {
	var list []string
	for _, s := range services {
		list = append(list, s.Addr+"/"+Port(s.AdminAddr)) // as GATEWAY_*_SERVERS are written
	}
	return strings.Join(list, ",")
}

// MakeRun is the backend as `make run` starts it.
type MakeRun struct {
	*Process
	URL       string // of the gateway
	Hardware  string // base address of the hardware service, past the gateway
	Sandbox   Sandbox
	Addresses []string // of all programs
}

// StartMakeRun is RunAll until the test ends.
func StartMakeRun(t *testing.T, settings ...string) *MakeRun {
	t.Helper()
	r, err := RunAll(t.TempDir(), settings...)
	if errors.Is(err, os.ErrNotExist) {
		Unavailable(t, err.Error()+"; run make build")
	}
	if err != nil {
		t.Fatal(err)
	}
	r.until(t)
	t.Cleanup(func() { _ = r.Stop(syscall.SIGINT) }) // it stops its programs
	return r
}

// RunAll runs deploy/dev/run.sh on free ports with its state in a folder, until SIGINT. It returns when run.sh has
// printed the addresses or why it ends. The error is os.ErrNotExist if a program is not built.
func RunAll(folder string, settings ...string) (*MakeRun, error) {
	for _, program := range []string{"directory", "hardware", "sandbox", "gateway"} {
		if _, err := os.Stat(Path("bin", program)); err != nil {
			return nil, err
		}
	}
	gateway, addresses := FreeAddr(), map[string]string{}
	env := []string{"HOME=" + folder, "RUN_DIR=" + folder, "HTTP_PORT=" + Port(gateway)}
	for _, name := range []string{
		"GATEWAY_INTERNAL", "DIRECTORY", "DIRECTORY_ADMIN", "HARDWARE", "HARDWARE_ADMIN", "SANDBOX_CONTROL",
		"SANDBOX_BENCHMARK", "SANDBOX_AGGREGATOR", "SANDBOX_SEARCH", "SANDBOX_PLACES", "SANDBOX_SOCIAL",
	} {
		addresses[name] = FreeAddr()
		env = append(env, name+"_ADDR="+addresses[name])
	}
	process, err := launch(".", append(env, settings...), Path("deploy", "dev", "run.sh"), "--built")
	if err != nil {
		return nil, err
	}
	for begun := time.Now(); time.Since(begun) < 3*patience; time.Sleep(50 * time.Millisecond) {
		log := process.Log.String()
		if strings.Contains(log, "Ctrl-C stops everything") || strings.Contains(log, "run: ") {
			break
		}
	}
	return &MakeRun{
		Process: process, URL: "http://localhost:" + Port(gateway), Hardware: "http://" + addresses["HARDWARE"],
		Sandbox:   Sandbox{Control: "http://" + addresses["SANDBOX_CONTROL"]},
		Addresses: append(slices.Collect(maps.Values(addresses)), gateway),
	}, nil
}
