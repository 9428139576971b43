package stack

import (
	"strings"
	"syscall"
	"testing"
)

// MakeRun is the backend as `make run` starts it.
type MakeRun struct {
	*Process
	URL       string // of the gateway
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
	gateway, control := FreeAddr(t), FreeAddr(t)
	r := &MakeRun{
		URL: "http://localhost:" + port(gateway), Sandbox: Sandbox{Control: "http://" + control}, Addresses: []string{gateway, control},
	}
	env := append([]string{"RUN_DIR=" + t.TempDir(), "HTTP_PORT=" + port(gateway), "SANDBOX_CONTROL_ADDR=" + control}, settings...)
	for _, name := range []string{
		"GATEWAY_INTERNAL_ADDR", "DIRECTORY_ADDR", "DIRECTORY_ADMIN_ADDR", "HARDWARE_ADDR", "HARDWARE_ADMIN_ADDR",
		"SANDBOX_BENCHMARK_ADDR", "SANDBOX_AGGREGATOR_ADDR", "SANDBOX_SEARCH_ADDR", "SANDBOX_PLACES_ADDR", "SANDBOX_SOCIAL_ADDR",
	} {
		addr := FreeAddr(t)
		env, r.Addresses = append(env, name+"="+addr), append(r.Addresses, addr)
	}
	r.Process = Start(t, "run.sh", ".", env, Path(t, "deploy", "dev", "run.sh"))
	t.Cleanup(func() { _ = r.Stop(syscall.SIGINT) }) // which ends what it has started
	Eventually(t, "run.sh prints the addresses", func() bool {
		return strings.Contains(r.Log.String(), "Ctrl-C stops everything")
	})
	return r
}
