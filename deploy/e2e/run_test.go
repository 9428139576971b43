package e2e

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backend.example/deploy/stack"
)

// TestMakeRun does what `make run` does once everything is built, twice: each
// time Ctrl-C has to end every program.
func TestMakeRun(t *testing.T) {
	startsPrograms(t)
	for _, name := range []string{"directory", "hardware", "sandbox", "gateway"} {
		stack.Built(t, name)
	}
	script, err := filepath.Abs(filepath.Join(stack.Root, "deploy", "dev", "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	port, internal := stack.FreePort(t), stack.FreePort(t)
	addresses := map[string]string{"GATEWAY_INTERNAL_ADDR": "127.0.0.1:" + internal}
	for _, name := range []string{
		"DIRECTORY_ADDR", "DIRECTORY_ADMIN_ADDR", "HARDWARE_ADDR", "HARDWARE_ADMIN_ADDR",
		"SANDBOX_CONTROL_ADDR", "SANDBOX_BENCHMARK_ADDR", "SANDBOX_AGGREGATOR_ADDR",
		"SANDBOX_SEARCH_ADDR", "SANDBOX_PLACES_ADDR", "SANDBOX_SOCIAL_ADDR",
	} {
		addresses[name] = "127.0.0.1:" + stack.FreePort(t)
	}
	env := []string{"HTTP_PORT=" + port, "RUN_DIR=" + t.TempDir()}
	for name, address := range addresses {
		env = append(env, name+"="+address)
	}

	for range 2 {
		p := stack.Start(t, "run.sh", ".", env, script)
		stack.Eventually(t, "run.sh prints the addresses", func(context.Context) bool {
			return strings.Contains(p.Log.String(), "Ctrl-C stops everything")
		})
		url := "http://localhost:" + port
		if a := stack.Decode[ranking](t, stack.Get(t, url, "/api/benchmark/gpu?limit=3")); a.Count != 3 {
			t.Errorf("ranking: %+v", a)
		}
		if a := stack.Decode[price](t, stack.Get(t, url, "/api/prices/ceneo?q=rtx+4070+super")); len(a.Offers) == 0 {
			t.Errorf("price: %+v", a)
		}
		v := stack.NewVisitor(t, url)
		v.Login(t, "biuro@demo.example")
		v.Connect(t, "provider_search/search_profile", "anna")
		if err := p.Stop(syscall.SIGINT); !stack.ExitedCleanly(err) {
			t.Errorf("Ctrl-C: %v", err)
		}
		stack.Client().CloseIdleConnections()
		for name, address := range addresses {
			if stack.Dials(address)(t.Context()) {
				t.Errorf("something still listens on %s %s", name, address)
			}
		}
	}
}

func TestMakeRunSaysWhichPortIsTaken(t *testing.T) {
	startsPrograms(t)
	s := stack.StartSandbox(t, "http://127.0.0.1:1")
	script, err := filepath.Abs(filepath.Join(stack.Root, "deploy", "dev", "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	taken := strings.TrimPrefix(s.Control, "http://")
	p := stack.Start(t, "run.sh", ".", []string{"SANDBOX_CONTROL_ADDR=" + taken, "HTTP_PORT=" + stack.FreePort(t), "RUN_DIR=" + t.TempDir()}, script)
	stack.Eventually(t, "run.sh names the port", func(context.Context) bool {
		return strings.Contains(p.Log.String(), taken+" is taken")
	})
	if err := p.Stop(syscall.SIGTERM); stack.ExitedCleanly(err) {
		t.Error("run.sh ended well although a port was taken")
	}
}
