package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
)

// asProgram is the variable with which this binary is the program.
const asProgram = "RUN_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The program puts its name in front of an error, and ends with the status of the error.
func TestProgram(t *testing.T) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], "srve")
	cmd.Env = append(os.Environ(), asProgram+"=1", "GOCOVERDIR="+t.TempDir()) // which go test -cover wants
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	want := "hardware: unknown command \"srve\" for \"hardware\"; did you mean serve?\n"
	if stderr.String() != want || stdout.Len() > 0 || cmd.ProcessState.ExitCode() != cli.StatusUsage {
		t.Errorf("ended with %v, printed %q and the error %q, want %q", err, &stdout, &stderr, want)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"serve", "--help"}, {"price", "-h"}, {"--version"}} {
		out, err := command(t, nil, args...)
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		want := "Usage:\n  hardware"
		if slices.Contains(args, "--version") {
			want = "hardware version dev (commit "
		}
		if !strings.Contains(out, want) {
			t.Errorf("%v printed %q", args, out)
		}
	}
	if out, err := command(t, nil, "quote", "--help"); err != nil || !strings.Contains(out, "20 are the most") {
		t.Errorf("the help of quote does not say what a part is: %q, %v", out, err)
	}
	clitest.Help(t, newProgram(nil, nil, io.Discard, io.Discard).Root(), func(args ...string) (string, error) { return command(t, nil, args...) })
}

func TestCommandLinesRefused(t *testing.T) {
	source := newFakeSource(t)
	tests := []struct{ line, want string }{
		{"srve", `unknown command "srve" for "hardware"; did you mean serve?`},
		{"help srve", `unknown command "srve" for "hardware"`},
		{"completion cmd", `shell "cmd": want one of bash, zsh, fish`},
		{"serve now", `"now" is one argument too many; usage: hardware serve`},
		{"--port 80", "unknown flag: --port"},
		{"healthcheck now", `"now" is one argument too many; usage: hardware healthcheck`},
		{"benchmark", "FAMILY missing; usage: hardware benchmark FAMILY [flags]"},
		{"benchmark cpu gpu", `"gpu" is one argument too many`},
		{"benchmark psu", `family "psu": want one of cpu, gpu, ssd, hdd, ram, usb`},
		{"benchmark gpu --limit 0", "--limit 0: want 1 to 500"},
		{"benchmark gpu --limit -1", "--limit -1: want 1 to 500"},
		{"benchmark gpu --limit x", `--limit "x": want a whole number`},
		{"benchmark gpu --limit 99999999999999999999", `--limit "99999999999999999999": want a whole number`},
		{"price", "QUERY… missing; usage: hardware price QUERY… [flags]"},
		{"price ab", "3 to 200 characters"},
		{"price +++", "with a letter or a digit"},
		{"price abc --category ssd", `--category "ssd": want one of cpu, gpu, ram, storage, motherboard, psu, cooling, case`},
		{"price abc --limit 3", "unknown flag: --limit; hardware price --help lists the flags"},
		{"quote", "0 parts: want 1 to 20, as arguments or with --file"},
		{"quote abc ab", `"ab": a query has 3`},
		{"forget ab", `"ab": a query has 3`},
		{"quote gpu:ab", `"ab": a query has 3`},
		{"quote" + strings.Repeat(" abc", 21), "21 parts: want 1 to 20"},
		{"quote" + strings.Repeat(" abc", 19) + " ab", `"ab": a query has 3`}, // 20 are not too many
	}
	for _, test := range tests {
		out, err := command(t, source.environ(t), strings.Fields(test.line)...)
		if err == nil || !strings.Contains(err.Error(), test.want) || out != "" {
			t.Errorf("%s: printed %q, error %v, want %q", test.line, out, err, test.want)
		}
		if status := cli.Status(err); status != cli.StatusUsage {
			t.Errorf("%s: exit status %d", test.line, status)
		}
	}
	if len(source.asked) > 0 {
		t.Errorf("the source was asked for %v", source.asked)
	}
}

func TestBadSettingsStopEveryCommand(t *testing.T) {
	for _, line := range []string{"", "serve", "healthcheck", "benchmark gpu", "price abc", "quote abc"} {
		_, err := command(t, []string{"HARDWARE_ADR=:80"}, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), "HARDWARE_ADR is not a setting; did you mean HARDWARE_ADDR?") {
			t.Errorf("%q: %v", line, err)
		}
		if line == "healthcheck" { // which needs no Redis
			continue
		}
		_, err = command(t, []string{"HARDWARE_REDIS_URL=http://redis"}, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), "HARDWARE_REDIS_URL: not an address of Redis") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestStartLogNamesTheBuild: on the first line, whatever happens next.
func TestStartLogNamesTheBuild(t *testing.T) {
	source := newFakeSource(t)
	_, err := command(t, source.environ(t, "HARDWARE_ADDR="+strings.TrimPrefix(source.URL, "http://")))
	if want := `"msg":"starting","build":{"version":"dev","commit":"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("logged %v, want %s", err, want)
	}
}

// TestREADMENamesEveryCommand: README.md has the list that the program itself prints.
func TestREADMENamesEveryCommand(t *testing.T) {
	clitest.README(t, newProgram(nil, nil, io.Discard, io.Discard).Root())
}

// TestMemoryOfTheDefaultCache fits the container of the deployments.
func TestMemoryOfTheDefaultCache(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	start(t, newFakeSource(t).environ(t)).end(t)
	if got := debug.SetMemoryLimit(-1); got != 200<<20 || debug.SetGCPercent(100) != garbagePercent {
		t.Errorf("the limit is %d bytes, want 200 MiB, with %d%%", got, garbagePercent)
	}
}
