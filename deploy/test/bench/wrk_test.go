package bench

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// wrkLoad is a load from one thread. Each connection sends its next request after the response.
type wrkLoad struct {
	URL         string
	Script      string   // Lua file that creates the requests; optional
	Header      []string // "Name: value"
	Connections int
	Time        time.Duration // whole seconds
	CPU         int           // the processor of wrk; any if negative
}

// wrkReport is the result of a load.
type wrkReport struct {
	PerSecond float64
	Wrong     int // responses outside 2xx and 3xx, and failed connections
}

// runWrk applies a load for l.Time.
func runWrk(ctx context.Context, l wrkLoad) (wrkReport, error) {
	args := []string{"wrk", "-t1", "-c" + strconv.Itoa(l.Connections), "-d" + l.Time.String()}
	if l.CPU >= 0 {
		args = append([]string{"taskset", "-c", strconv.Itoa(l.CPU)}, args...)
	}
	for _, h := range l.Header {
		args = append(args, "-H", h)
	}
	if l.Script != "" {
		args = append(args, "-s", l.Script)
	}
	out, err := exec.CommandContext(ctx, args[0], append(args[1:], l.URL)...).CombinedOutput() // #nosec G204 -- arguments of the benchmarks
	if err != nil {
		return wrkReport{}, fmt.Errorf("wrk %s: %w\n%s", l.URL, err, out)
	}
	return parseWrk(out)
}

var (
	perSecond    = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	badStatus    = regexp.MustCompile(`Non-2xx or 3xx responses: ([0-9]+)`)
	socketErrors = regexp.MustCompile(`Socket errors: connect ([0-9]+), read ([0-9]+), write ([0-9]+), timeout ([0-9]+)`)
)

// parseWrk parses the report of wrk.
func parseWrk(out []byte) (wrkReport, error) {
	var r wrkReport
	found := perSecond.FindSubmatch(out)
	if found == nil {
		return r, fmt.Errorf("not a report of wrk:\n%s", out)
	}
	var err error
	if r.PerSecond, err = strconv.ParseFloat(string(found[1]), 64); err != nil {
		return r, err
	}
	for _, line := range [][][]byte{badStatus.FindSubmatch(out), socketErrors.FindSubmatch(out)} {
		for _, count := range line[min(1, len(line)):] {
			n, err := strconv.Atoi(string(count))
			if err != nil {
				return r, err
			}
			r.Wrong += n
		}
	}
	return r, nil
}

const wrkOutput = `Running 2s test @ http://127.0.0.1:1/
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.07ms  530.46us   9.01ms   87.52%
    Req/Sec    15.27k     1.01k   17.56k    70.00%
  30398 requests in 2.00s, 43.11MB read
  Socket errors: connect 0, read 3, write 0, timeout 1
  Non-2xx or 3xx responses: 12
Requests/sec:  15190.21
Transfer/sec:     21.54MB
`

func TestParseWrk(t *testing.T) {
	got, err := parseWrk([]byte(wrkOutput))
	want := wrkReport{PerSecond: 15190.21, Wrong: 16}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestParseWrkRefusesOtherOutput(t *testing.T) {
	for _, text := range []string{"", "unable to connect to 127.0.0.1:1 Connection refused\n", wrkOutput[:300]} {
		if r, err := parseWrk([]byte(text)); err == nil {
			t.Errorf("%q is parsed as %+v", text, r)
		}
	}
}
