package browser

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/stack"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 30 * time.Second

// site is everything, as `make run` starts it.
type site struct {
	url     string // of the gateway
	sandbox stack.Sandbox
}

// newSite runs deploy/dev/run.sh on free ports until the test ends, with further
// settings of the services.
func newSite(t *testing.T, settings ...string) site {
	t.Helper()
	for _, name := range []string{"directory", "hardware", "sandbox", "gateway"} {
		stack.Built(t, name)
	}
	port, control := stack.FreePort(t), stack.FreePort(t)
	env := append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "RUN_DIR=" + t.TempDir(), "HTTP_PORT=" + port,
		"GATEWAY_INTERNAL_ADDR=127.0.0.1:" + stack.FreePort(t), "SANDBOX_CONTROL_ADDR=127.0.0.1:" + control,
	}, settings...)
	for _, name := range []string{
		"DIRECTORY_ADDR", "DIRECTORY_ADMIN_ADDR", "HARDWARE_ADDR", "HARDWARE_ADMIN_ADDR",
		"SANDBOX_BENCHMARK_ADDR", "SANDBOX_AGGREGATOR_ADDR",
		"SANDBOX_SEARCH_ADDR", "SANDBOX_PLACES_ADDR", "SANDBOX_SOCIAL_ADDR",
	} {
		env = append(env, name+"=127.0.0.1:"+stack.FreePort(t))
	}
	runScript(t, env)
	return site{url: "http://localhost:" + port, sandbox: stack.Sandbox{Control: "http://127.0.0.1:" + control}}
}

// runScript starts the script and waits until it says that everything runs.
func runScript(t *testing.T, env []string) {
	t.Helper()
	var log stack.Buffer
	cmd := exec.Command(filepath.Join(stack.Root, "deploy", "dev", "run.sh"))
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended by itself
		<-ended
	})
	deadline := time.After(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(log.String(), "Ctrl-C stops everything") {
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err
			t.Fatalf("run.sh ended: %v\n%s", err, log.String())
		case <-deadline:
			t.Fatalf("run.sh is not ready within %s\n%s", patience, log.String())
		}
	}
}

// lookUp asks for the offers of a product, whatever the answer.
func (s site) lookUp(t *testing.T, query string) {
	t.Helper()
	if _, err := stack.Send(t.Context(), http.DefaultClient, http.MethodGet, s.url+"/api/prices/ceneo?q="+query, nil); err != nil {
		t.Error(err)
	}
}
