package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// results is the folder with the results: a file of tab-separated values for each table.
const results = "results"

// table contains the results of one test.
type table struct {
	t      *testing.T
	name   string
	header []string
	rows   [][]string
}

// newTable creates a table, which is printed when the test ends, and with BENCH_WRITE=1
// written to its file. Without BENCH=1 the test is skipped.
func newTable(t *testing.T, name string, header ...string) *table {
	t.Helper()
	if os.Getenv("BENCH") != "1" {
		t.Skip("measures for minutes; BENCH=1 runs it")
	}
	b := &table{t: t, name: name, header: header}
	t.Cleanup(func() {
		text := b.text()
		t.Logf("%s\n%s", name, text)
		if t.Failed() || t.Skipped() || os.Getenv("BENCH_WRITE") != "1" {
			return
		}
		if err := os.WriteFile(filepath.Join(results, name+".tsv"), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	})
	return b
}

// row adds a line.
func (b *table) row(cells ...any) {
	line := make([]string, len(cells))
	for i, c := range cells {
		line[i] = fmt.Sprint(c)
	}
	if len(line) != len(b.header) {
		b.t.Errorf("table %s: %d cells, %d columns", b.name, len(line), len(b.header))
	}
	b.rows = append(b.rows, line)
}

func (b *table) text() string {
	var text strings.Builder
	for _, row := range append([][]string{b.header}, b.rows...) {
		text.WriteString(strings.Join(row, "\t") + "\n")
	}
	return text.String()
}

// ratio adds the line of one rival, with the quartiles of the rounds. wanted is the minimum
// of the ratio.
func (b *table) ratio(what string, result result, r ratio, wanted float64) {
	spread := fmt.Sprintf("%.2f (%.2f to %.2f)", r.Median, r.Low, r.High)
	b.row(what, r.Name, fmt.Sprintf("%.0f", result.First), fmt.Sprintf("%.0f", r.Other), spread,
		fmt.Sprintf("≥ %.2f", wanted), verdict(r.Median >= wanted))
}

// verdict returns whether a target was met, as text for the tables.
func verdict(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

// The measured server has one processor, and everything else the other one.
const (
	serverCPU = 0
	othersCPU = 1
)

// start runs a program on one processor until the test ends.
func start(t *testing.T, cpu int, folder string, env []string, program string, args ...string) {
	t.Helper()
	all := append([]string{"-c", strconv.Itoa(cpu), harness.Installed(t, program)}, args...)
	p := harness.Start(t, program, folder, env, harness.Installed(t, "taskset"), all...)
	t.Cleanup(func() { _ = p.Stop(syscall.SIGTERM) }) // so that it stops its child processes
}

// rate returns a rival that measures the requests per second of a server.
func rate(t *testing.T, name, url string, header ...string) rival {
	t.Helper()
	return measured(t, name, wrkLoad{URL: url, Header: header, Connections: 16, Time: time.Second, CPU: othersCPU})
}

// measured returns a rival that measures the responses per second to a load.
func measured(t *testing.T, name string, load wrkLoad) rival {
	t.Helper()
	return rival{Name: name, Measure: func() float64 {
		report, err := runWrk(t.Context(), load)
		if err != nil || report.Wrong > 0 {
			t.Fatalf("%s: %d wrong answers, %v", name, report.Wrong, err)
		}
		return report.PerSecond
	}}
}

// brief contains the limits for measurements of a second.
var brief = limits{Least: 7, Most: 11, Steady: 0.04}

// TestMachine records the machine of the run and the versions of its programs.
func TestMachine(t *testing.T) {
	table := newTable(t, "machine", "what", "")
	table.row("date", time.Now().UTC().Format(time.DateOnly))
	table.row("commit", output(t, `^[0-9a-f]{7,}`, "git", "rev-parse", "--short", "HEAD"))
	table.row("processor", first(`model name\s*:\s*(.+)`, harness.ReadFile(t, "/proc/cpuinfo")))
	table.row("processors", runtime.NumCPU())
	table.row("Go", strings.TrimPrefix(runtime.Version(), "go"))
	table.row("Traefik", output(t, `Version:\s*(\S+)`, harness.Built(t, "gateway"), "version"))
	for _, program := range [][]string{
		{"nginx", "-v"}, {"wrk", "-v"}, {"redis-server", "--version"},
	} {
		table.row(program[0], output(t, `[0-9]+\.[0-9]+(?:\.[0-9]+)?`, harness.Installed(t, program[0]), program[1:]...))
	}
	table.row("PostgreSQL", first(`[0-9]+`, harness.Installed(t, "initdb")))
}

// output returns the match, or its group, in the output of a program.
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
