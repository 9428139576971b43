package harness

import (
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// MakeRun is the backend as `make run` starts it.
type MakeRun struct {
	*Process
	URL       string // of the gateway
	Hardware  string // base address of the hardware service, past the gateway
	Sandbox   Sandbox
	Addresses []string // on which it listens, by the settings of run.sh
}

// StartMakeRun runs deploy/dev/run.sh on free ports until the test ends, with further
// settings of the services, and returns once everything answers.
func StartMakeRun(t *testing.T, settings ...string) *MakeRun {
	t.Helper()
	for _, program := range []string{"directory", "hardware", "sandbox", "gateway"} {
		Built(t, program)
	}
	gateway, addresses := FreeAddr(t), RunAddresses(t)
	r := &MakeRun{
		URL: "http://localhost:" + port(gateway), Hardware: "http://" + addresses["HARDWARE_ADDR"],
		Sandbox:   Sandbox{Control: "http://" + addresses["SANDBOX_CONTROL_ADDR"]},
		Addresses: append(slices.Collect(maps.Values(addresses)), gateway),
	}
	env := append([]string{"RUN_DIR=" + t.TempDir(), "HTTP_PORT=" + port(gateway)}, settings...)
	for name, addr := range addresses {
		env = append(env, name+"="+addr)
	}
	r.Process = Start(t, "run.sh", ".", env, Path(t, "deploy", "dev", "run.sh"), "--built")
	t.Cleanup(func() { _ = r.Stop(syscall.SIGINT) }) // which ends what it has started
	Eventually(t, "run.sh prints the addresses", func() bool {
		return strings.Contains(r.Log.String(), "Ctrl-C stops everything")
	})
	return r
}

// RunAddresses gives each program of run.sh a free address, by the name of its setting.
// The gateway's public port has a setting of its own, HTTP_PORT.
func RunAddresses(t *testing.T) map[string]string {
	t.Helper()
	addresses := map[string]string{}
	for _, name := range []string{
		"GATEWAY_INTERNAL_ADDR", "DIRECTORY_ADDR", "DIRECTORY_ADMIN_ADDR", "HARDWARE_ADDR", "HARDWARE_ADMIN_ADDR", "SANDBOX_CONTROL_ADDR",
		"SANDBOX_BENCHMARK_ADDR", "SANDBOX_AGGREGATOR_ADDR", "SANDBOX_SEARCH_ADDR", "SANDBOX_PLACES_ADDR", "SANDBOX_SOCIAL_ADDR",
	} {
		addresses[name] = FreeAddr(t)
	}
	return addresses
}
