package bench

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/bench/pair"
	"backend.example/deploy/test/bench/wrk"
	"backend.example/deploy/test/harness"
)

// The server that is measured has one processor to itself, and everything else the
// other one: what is measured is what a server does with a whole processor.
const (
	serverCPU = 0
	othersCPU = 1
)

// start runs a program on one processor until the test ends.
func start(t *testing.T, cpu int, folder string, env []string, program string, args ...string) {
	t.Helper()
	all := append([]string{"-c", strconv.Itoa(cpu), harness.Installed(t, program)}, args...)
	p := harness.Start(t, program, folder, env, harness.Installed(t, "taskset"), all...)
	t.Cleanup(func() { _ = p.Stop(syscall.SIGTERM) }) // some have children, which they take with them
}

// rate is the rival that answers at url: how many requests a second it answers.
func rate(t *testing.T, name, url string, header ...string) pair.Rival {
	t.Helper()
	return measured(t, name, wrk.Load{URL: url, Header: header, Connections: 16, Time: time.Second, CPU: othersCPU})
}

// measured is the rival that answers a load.
func measured(t *testing.T, name string, load wrk.Load) pair.Rival {
	t.Helper()
	return pair.Rival{Name: name, Measure: func() float64 {
		report, err := wrk.Run(t.Context(), load)
		if err != nil {
			t.Fatal(err)
		}
		if report.Wrong > 0 {
			t.Fatalf("%s: %d wrong answers", name, report.Wrong)
		}
		return report.PerSecond
	}}
}

// brief is for rivals whose measurement takes a second.
var brief = pair.Limits{Least: 7, Most: 11, Steady: 0.04}
