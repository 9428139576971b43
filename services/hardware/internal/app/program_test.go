package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/app"
	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
	"backend.example/services/internal/kit/testkit"
)

// command runs one command line with the settings of a service.
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

// TestServe runs the program from its start to the end of its context.
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
	addresses := servingAt(t, log)
	for _, url := range []string{
		"http://" + addresses.Addr + "/api/benchmark/gpu", "http://" + addresses.Admin + "/readyz",
		"http://" + addresses.Admin + "/metrics",
	} {
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

type addresses struct {
	Msg, Addr string
	Admin     string `json:"admin_addr"`
}

// servingAt waits for the log line that the program writes once it answers.
func servingAt(t *testing.T, log *testkit.Log) addresses {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		for line := range strings.Lines(log.String()) {
			var a addresses
			if err := json.Unmarshal([]byte(line), &a); err == nil && a.Msg == "serving" {
				return a
			}
		}
	}
	t.Fatalf("the program does not serve: %s", log)
	return addresses{}
}
