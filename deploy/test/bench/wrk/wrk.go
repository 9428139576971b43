// Package wrk runs the load generator wrk and parses its report.
package wrk

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// Load is a load from one thread. Each connection sends its next request after the response.
type Load struct {
	URL         string
	Script      string   // Lua file that creates the requests; optional
	Header      []string // "Name: value"
	Connections int
	Time        time.Duration // whole seconds
	CPU         int           // the processor of wrk; any if negative
}

// Report is the result of a load.
type Report struct {
	PerSecond float64
	P50, P99  time.Duration
	Wrong     int // responses outside 2xx and 3xx, and failed connections
}

// Run applies a load for l.Time.
func Run(ctx context.Context, l Load) (Report, error) {
	args := []string{"wrk", "-t1", "-c" + strconv.Itoa(l.Connections), "-d" + l.Time.String(), "--latency"}
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
		return Report{}, fmt.Errorf("wrk %s: %w\n%s", l.URL, err, out)
	}
	return parse(out)
}

var (
	rate    = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	latency = regexp.MustCompile(`\s(50|99)%\s+([0-9.]+)(us|ms|s|m) ?\n`)
	status  = regexp.MustCompile(`Non-2xx or 3xx responses: ([0-9]+)`)
	sockets = regexp.MustCompile(`Socket errors: connect ([0-9]+), read ([0-9]+), write ([0-9]+), timeout ([0-9]+)`)
)

// parse parses the report of wrk.
func parse(out []byte) (Report, error) {
	var r Report
	found := rate.FindSubmatch(out)
	times := latency.FindAllSubmatch(out, -1)
	if found == nil || len(times) != 2 {
		return r, fmt.Errorf("not a report of wrk:\n%s", out)
	}
	var err error
	if r.PerSecond, err = strconv.ParseFloat(string(found[1]), 64); err != nil {
		return r, err
	}
	for i, to := range []*time.Duration{&r.P50, &r.P99} {
		if *to, err = time.ParseDuration(string(bytes.Join(times[i][2:], nil))); err != nil {
			return r, err
		}
	}
	for _, line := range [][][]byte{status.FindSubmatch(out), sockets.FindSubmatch(out)} {
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
