package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/app"
	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
	"backend.example/services/internal/kit/testkit"
)

func command(t *testing.T, environ []string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	environ = append([]string{"HARDWARE_STATE_DIR=" + t.TempDir()}, environ...)
	program := app.NewProgram(build.New("", "", ""), environ, strings.NewReader(""), &out, io.Discard)
	err := program.Run(t.Context(), args)
	return out.String(), err
}

func TestHelp(t *testing.T) {
	root := app.NewProgram(build.New("", "", ""), nil, nil, io.Discard, io.Discard).Root()
	clitest.Help(t, root, func(args ...string) (string, error) { return command(t, nil, args...) })
}

func TestCommands(t *testing.T) {
	a := apptest.New(t)
	list := filepath.Join(t.TempDir(), "build.txt")
	if err := os.WriteFile(list, []byte("# my build\ncpu: Ryzen 7 7800X3D\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args   []string
		status int
		want   string // in what is printed, or in the error
	}{
		{[]string{"benchmark", "GPU", "--limit", "3"}, 0, "source: userbenchmark.com"},
		{[]string{"price", "ryzen", "7", "7800x3d", "--category", "cpu"}, 0, "PRICE (PLN)"},
		{[]string{"price", "brakwyniku", "9"}, cli.StatusNotFound, "nothing matched"},
		{[]string{"quote", "--file", list}, 0, "(the cheapest of 1)"},
		{[]string{"quote"}, cli.StatusUsage, "0 parts: want 1 to 20"},
		{[]string{"price", "ab"}, cli.StatusUsage, "at least 3 characters"},
		{[]string{"benchmark", "psu"}, cli.StatusUsage, `family "psu": want one of cpu, gpu, ssd, hdd, ram, usb`},
		{[]string{"forget", "ryzen"}, 1, "without HARDWARE_REDIS_URL"},
		{[]string{"srve"}, cli.StatusUsage, "did you mean serve?"},
	}
	for _, test := range tests {
		out, err := command(t, a.Environ, test.args...)
		if err != nil {
			out += err.Error()
		}
		if cli.Status(err) != test.status || !strings.Contains(out, test.want) {
			t.Errorf("%v: status %d, %q; want %d, %q", test.args, cli.Status(err), out, test.status, test.want)
		}
	}
}

func TestCommandsAsJSON(t *testing.T) {
	a := apptest.New(t)
	for _, args := range [][]string{
		{"benchmark", "gpu", "--json"}, {"price", "Ryzen 7 7800X3D", "--json"}, {"quote", "Ryzen 7 7800X3D", "--json"},
	} {
		out, err := command(t, a.Environ, args...)
		if err != nil || !json.Valid([]byte(out)) {
			t.Errorf("%v: %v, printed %s", args, err, out)
		}
	}
}

func TestForgetCommand(t *testing.T) {
	environ := append(apptest.New(t).Environ, "HARDWARE_REDIS_URL=unix://"+redistest.Start(t).Socket)
	if _, err := command(t, environ, "forget", "Ryzen 7 7800X3D"); cli.Status(err) != cli.StatusNotFound {
		t.Errorf("what was never looked up: %v", err)
	}
	if _, err := command(t, environ, "price", "Ryzen 7 7800X3D"); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, environ, "forget", "Ryzen 7 7800X3D"); err != nil || !strings.Contains(out, "forgotten") {
		t.Errorf("%v, printed %q", err, out)
	}
}

func TestServe(t *testing.T) {
	a := apptest.New(t)
	log := &testkit.Log{}
	environ := append(a.Environ, "HARDWARE_STATE_DIR="+t.TempDir())
	environ = append(environ, "HARDWARE_ADDR=127.0.0.1:0", "HARDWARE_ADMIN_ADDR=127.0.0.1:0")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- app.NewProgram(build.New("", "", ""), environ, nil, io.Discard, log).Run(ctx, []string{"serve"})
	}()
	var serving []map[string]any
	for deadline := time.Now().Add(10 * time.Second); len(serving) == 0; time.Sleep(time.Millisecond) {
		if serving = log.Records("serving"); time.Now().After(deadline) {
			t.Fatalf("the program does not serve: %s", log)
		}
	}
	public, admin := fmt.Sprint("http://", serving[0]["addr"]), fmt.Sprint("http://", serving[0]["admin_addr"])
	for _, url := range []string{public + "/api/benchmark/gpu", admin + "/readyz", admin + "/metrics"} {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", url, response.Status)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestDoctorFindsProblems(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	reached, away := "http://"+listener.Addr().String(), "http://127.0.0.1:1"
	redis := redistest.Start(t)
	for name, test := range map[string]struct {
		environ []string
		want    map[string]string
	}{
		"all well": {
			[]string{"HARDWARE_BENCHMARK_BASE_URL=" + reached, "HARDWARE_AGGREGATOR_BASE_URL=" + reached},
			map[string]string{"settings": "ok", "folder": "ok", "contact": "off", "redis": "off",
				"benchmark site": "ok",
				"price site":     "ok"},
		},
		"no network, no Redis, no folder": {
			[]string{"HARDWARE_BENCHMARK_BASE_URL=" + away, "HARDWARE_AGGREGATOR_BASE_URL=" + away,
				"HARDWARE_REDIS_URL=redis://127.0.0.1:1", "HARDWARE_STATE_DIR=/dev/null/no"},
			map[string]string{"settings": "ok", "folder": "problem", "contact": "off", "redis": "problem",
				"benchmark site": "problem",
				"price site":     "problem"},
		},
		"a Redis with another password": {
			[]string{"HARDWARE_BENCHMARK_BASE_URL=" + reached, "HARDWARE_AGGREGATOR_BASE_URL=" + reached,
				"HARDWARE_REDIS_URL=unix://user:wrong@" + redis.Socket},
			map[string]string{"settings": "ok", "folder": "ok", "contact": "off", "redis": "problem",
				"benchmark site": "ok",
				"price site":     "ok"},
		},
		"a wrong setting": {[]string{"HARDWARE_RATE=-1"}, map[string]string{"settings": "problem"}},
	} {
		out, err := command(t, test.environ, "doctor", "--json")
		var findings []struct{ Check, State string }
		if err := json.Unmarshal([]byte(out), &findings); err != nil {
			t.Fatalf("%s: %v in %q", name, err, out)
		}
		got, failed := map[string]string{}, false
		for _, f := range findings {
			got[f.Check] = f.State
			failed = failed || f.State == "problem"
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if (err != nil) != failed {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
}
