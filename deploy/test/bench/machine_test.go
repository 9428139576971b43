package bench

import (
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestMachine notes the machine of the run and the versions of its programs.
func TestMachine(t *testing.T) {
	table := newTable(t, "machine", "what", "")
	table.row("date", time.Now().UTC().Format(time.DateOnly))
	table.row("commit", output(t, `^[0-9a-f]{7,}`, "git", "rev-parse", "--short", "HEAD"))
	table.row("processor", first(`model name\s*:\s*(.+)`, harness.ReadFile(t, "/proc/cpuinfo")))
	table.row("processors", runtime.NumCPU())
	table.row("memory", first(`MemTotal:\s*(.+)`, harness.ReadFile(t, "/proc/meminfo")))
	table.row("kernel", output(t, `.+`, "uname", "-sr"))
	table.row("Go", strings.TrimPrefix(runtime.Version(), "go"))
	table.row("Traefik", output(t, `Version:\s*(\S+)`, harness.Built(t, "gateway"), "version"))
	for _, program := range [][]string{
		{"nginx", "-v"}, {"varnishd", "-V"}, {"wrk", "-v"}, {"redis-server", "--version"},
	} {
		table.row(program[0], output(t, `[0-9]+\.[0-9]+(?:\.[0-9]+)?`, harness.Installed(t, program[0]), program[1:]...))
	}
	table.row("PostgreSQL", first(`[0-9]+`, harness.Installed(t, "initdb")))
}

// output is what matches, or the group in it, in what a program prints.
func output(t *testing.T, pattern, program string, args ...string) string {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), program, args...).CombinedOutput() // #nosec G204 -- some end with 1 after their version
	return first(pattern, string(out))
}

func first(pattern, text string) string {
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		return "unknown"
	}
	return strings.TrimSpace(found[min(1, len(found)-1)])
}
