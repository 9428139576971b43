package e2e

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMakeRun does what `make run` does once everything is built, twice: each
// time Ctrl-C has to end every program.
func TestMakeRun(t *testing.T) {
	for _, name := range []string{"directory", "hardware", "sandbox", "gateway"} {
		built(t, name)
	}
	script, err := filepath.Abs(filepath.Join(root, "deploy", "dev", "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	port, internal := freePort(t), freePort(t)
	addresses := map[string]string{"GATEWAY_INTERNAL_ADDR": "127.0.0.1:" + internal}
	for _, name := range []string{
		"DIRECTORY_ADDR", "DIRECTORY_ADMIN_ADDR", "HARDWARE_ADDR", "HARDWARE_ADMIN_ADDR",
		"SANDBOX_CONTROL_ADDR", "SANDBOX_BENCHMARK_ADDR", "SANDBOX_AGGREGATOR_ADDR",
		"SANDBOX_SEARCH_ADDR", "SANDBOX_PLACES_ADDR", "SANDBOX_SOCIAL_ADDR",
	} {
		addresses[name] = "127.0.0.1:" + freePort(t)
	}
	env := []string{"HTTP_PORT=" + port, "RUN_DIR=" + t.TempDir()}
	for name, address := range addresses {
		env = append(env, name+"="+address)
	}

	for range 2 {
		p := start(t, "run.sh", ".", env, script)
		eventually(t, "run.sh prints the addresses", func(context.Context) bool {
			return strings.Contains(p.log.String(), "Ctrl-C stops everything")
		})
		url := "http://localhost:" + port
		if a := decode[ranking](t, get(t, url, "/api/benchmark/gpu?limit=3")); a.Count != 3 {
			t.Errorf("ranking: %+v", a)
		}
		if a := decode[price](t, get(t, url, "/api/prices/ceneo?q=rtx+4070+super")); len(a.Offers) == 0 {
			t.Errorf("price: %+v", a)
		}
		v := newVisitor(t, url)
		v.login(t, "biuro@demo.example")
		v.connect(t, "provider_search/search_profile", "anna")
		if err := p.stop(syscall.SIGINT); !exitedCleanly(err) {
			t.Errorf("Ctrl-C: %v", err)
		}
		client.CloseIdleConnections()
		for name, address := range addresses {
			if dials(address)(t.Context()) {
				t.Errorf("something still listens on %s %s", name, address)
			}
		}
	}
}

func TestMakeRunSaysWhichPortIsTaken(t *testing.T) {
	s := startSandbox(t, "http://127.0.0.1:1")
	script, err := filepath.Abs(filepath.Join(root, "deploy", "dev", "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	taken := strings.TrimPrefix(s.control, "http://")
	p := start(t, "run.sh", ".", []string{"SANDBOX_CONTROL_ADDR=" + taken, "HTTP_PORT=" + freePort(t), "RUN_DIR=" + t.TempDir()}, script)
	eventually(t, "run.sh names the port", func(context.Context) bool {
		return strings.Contains(p.log.String(), taken+" is taken")
	})
	if err := p.stop(syscall.SIGTERM); exitedCleanly(err) {
		t.Error("run.sh ended well although a port was taken")
	}
}
