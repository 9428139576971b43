package harness

import (
	"crypto/rand"
	"encoding/base64"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Service is a program with a public address and an admin address.
type Service struct {
	*Process
	Addr      string   // host:port
	AdminAddr string   // host:port
	Env       []string // used by the next Start; of two settings of a name the last one counts
	Folder    string   // where it runs

	program string
	args    []string
	ready   string // path on the admin address that answers 200 once it serves
}

// URL is the base of the public address.
func (s *Service) URL() string { return "http://" + s.Addr }

// AdminURL is the base of the admin address.
func (s *Service) AdminURL() string { return "http://" + s.AdminAddr }

// Program is the path of the built program.
func (s *Service) Program(t *testing.T) string {
	t.Helper()
	return Built(t, s.program)
}

// Server is the service as the gateway's settings name it.
func (s *Service) Server() string { return s.Addr + "/" + port(s.AdminAddr) }

// Metrics are those of the service, in the text format of Prometheus.
func (s *Service) Metrics(t *testing.T) string {
	t.Helper()
	return Text(t, s.AdminURL()+"/metrics")
}

// Start runs the program, for the first time or again, until it is ready.
func (s *Service) Start(t *testing.T) {
	t.Helper()
	s.start(t, s.Program(t), s.args...)
}

// Within starts the program through another one, which is given the program and its
// arguments behind its own.
func (s *Service) Within(t *testing.T, wrapper string, args ...string) {
	t.Helper()
	s.start(t, Installed(t, wrapper), slices.Concat(args, []string{s.Program(t)}, s.args)...)
}

func (s *Service) start(t *testing.T, bin string, args ...string) {
	t.Helper()
	s.Process = Start(t, s.program, s.Folder, s.Env, bin, args...)
	Healthy(t, s.AdminURL()+s.ready)
}

// Run runs a command of the program with the service's settings and returns what
// it printed.
func (s *Service) Run(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), s.Program(t), args...) // #nosec G204 -- a program of ours
	command.Env, command.Dir = s.Env, s.Folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", s.program, args, err, out)
	}
	return string(out)
}

// newService gives a program addresses whose settings begin with prefix.
func newService(t *testing.T, program, prefix, folder string, env []string) *Service {
	t.Helper()
	s := &Service{Addr: FreeAddr(t), AdminAddr: FreeAddr(t), Folder: folder, program: program, ready: "/readyz"}
	s.Env = append([]string{prefix + "_ADDR=" + s.Addr, prefix + "_ADMIN_ADDR=" + s.AdminAddr}, env...)
	return s
}

// startHardware runs the replicas of the hardware service.
func (s *Stack) startHardware(t *testing.T, o Options) {
	t.Helper()
	env := []string{
		"HARDWARE_BENCHMARK_BASE_URL=http://" + o.through("benchmark", s.Sandbox.Benchmark),
		"HARDWARE_AGGREGATOR_BASE_URL=http://" + o.through("aggregator", s.Sandbox.Aggregator),
		"HARDWARE_TRUSTED_PROXIES=127.0.0.1/32",
	}
	if s.Redis != nil {
		env = append(env, "HARDWARE_REDIS_URL=redis://"+o.through("redis", s.Redis.Addr))
	}
	for range max(o.Replicas, 1) {
		folder := t.TempDir()
		h := newService(t, "hardware", "HARDWARE", folder, slices.Concat(env, []string{"HARDWARE_STATE_DIR=" + folder}, o.tracing(), o.Env))
		h.Start(t)
		s.Hardware = append(s.Hardware, h)
	}
}

// startDirectories seeds a database and starts the replicas that answer from it.
func (s *Stack) startDirectories(t *testing.T, o Options) {
	t.Helper()
	if o.Directories == 0 {
		return
	}
	folder := t.TempDir()
	switch {
	case o.Postgres:
		o.Database = NewDatabase(t)
	case o.Database == "":
		o.Database = "sqlite:" + filepath.Join(folder, "directory.db")
	}
	env := []string{
		"DIRECTORY_DATABASE_URL=" + o.Database, "DIRECTORY_PUBLIC_URL=" + s.Gateway,
		"DIRECTORY_SESSION_KEYS=" + NewKey(), "DIRECTORY_ENCRYPTION_KEYS=" + NewKey(),
		"DIRECTORY_SCAN_INTERVAL=0", // no test expects calls that it did not cause
		// Tests ask more often than one company may.
		"DIRECTORY_DISCOVER_LIMIT=1000000", "DIRECTORY_SYNC_LIMIT=1000000",
		"PROVIDER_SEARCH_CLIENT_ID=" + ClientID, "PROVIDER_SEARCH_CLIENT_SECRET=" + ClientSecret,
		"PROVIDER_SEARCH_BASE_URL=http://" + o.through("search", s.Sandbox.Search),
		"PROVIDER_SOCIAL_CLIENT_ID=" + ClientID, "PROVIDER_SOCIAL_CLIENT_SECRET=" + ClientSecret,
		"PROVIDER_SOCIAL_BASE_URL=http://" + o.through("social", s.Sandbox.Social),
		"PLACES_API_KEY=" + PlacesKey, "PLACES_BASE_URL=http://" + o.through("places", s.Sandbox.Places),
	}
	for range o.Directories {
		d := newService(t, "directory", "DIRECTORY", folder, slices.Concat(env, o.tracing(), o.DirectoryEnv))
		if len(s.Directories) == 0 {
			d.Run(t, "seed")
		}
		d.Start(t)
		s.Directories = append(s.Directories, d)
	}
}

// NewKey makes a key as `directory keys generate` does.
func NewKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return "k" + rand.Text()[:8] + ":" + base64.StdEncoding.EncodeToString(key)
}
