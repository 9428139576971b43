package bench

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

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
		{"nginx", "-v"}, {"wrk", "-v"}, {"redis-server", "--version"}, {"postgres", "--version"},
	} {
		table.row(program[0], output(t, `[0-9]+\.[0-9]+(?:\.[0-9]+)?`, harness.Installed(t, program[0]), program[1:]...))
	}
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

// priceCache is a Redis full of prices for the replicas.
type priceCache struct {
	redis *redis.Client
	entry []byte // of a query, as the service has stored it
	keys  int    // number of copies

	// Of the services' keys: what stands before a query, and behind its hash.
	before, behind string
}

// newPriceCache looks up one price. The other queries mean the same product.
func newPriceCache(t *testing.T, s *harness.Stack) *priceCache {
	t.Helper()
	c := &priceCache{redis: redis.NewClient(&redis.Options{Addr: s.Redis.Addr})}
	t.Cleanup(func() { _ = c.redis.Close() })
	const query = "rtx 4070 super"
	ask(t, s.Hardware[0], query)
	kept, err := c.redis.Keys(t.Context(), "hw:{*}:answer:*").Result() // with those of warming
	if err != nil || len(kept) == 0 {
		t.Fatalf("the services keep %q, %v", kept, err)
	}
	_, c.behind, _ = strings.Cut(kept[0], "}")
	for version := range 100 { // of the matching
		c.before = fmt.Sprintf("price:%s:%d::", strings.TrimPrefix(s.Sandbox.Aggregator, "http://"), version)
		if !slices.Contains(kept, c.key(query)) {
			continue
		}
		if c.entry, err = c.redis.Get(t.Context(), c.key(query)).Bytes(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Fatalf("none of %q is the key of %q", kept, query)
	return nil
}

// key returns the key of a query in Redis.
func (c *priceCache) key(query string) string {
	sum := sha256.Sum256([]byte(c.before + query))
	return "hw:{" + base64.RawURLEncoding.EncodeToString(sum[:16]) + "}" + c.behind
}

// fill adds copies up to a number of keys.
func (c *priceCache) fill(t *testing.T, keys int) {
	t.Helper()
	for c.keys < keys {
		batch := c.redis.Pipeline()
		for range min(1000, keys-c.keys) {
			batch.Set(t.Context(), c.key("part "+strconv.Itoa(c.keys)), c.entry, time.Hour)
			c.keys++
		}
		if _, err := batch.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// script writes a script of wrk that requests random keys.
func (c *priceCache) script(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "read.lua")
	text := fmt.Sprintf("math.randomseed(%d)\nrequest = function() return wrk.format(nil, '/api/prices/ceneo?q=part+' .. math.random(0, %d)) end\n",
		time.Now().UnixNano()%math.MaxInt32, c.keys-1) // a new seed each time, so that the keys differ from cached ones
	harness.WriteFile(t, path, text)
	return path
}

// The bounds of a service.
const (
	startBound  = 300 * time.Millisecond
	idleBound   = 35 << 20
	loadedBound = 100 << 20
)

// TestFootprint measures the start of both services, and their memory idle and under load.
func TestFootprint(t *testing.T) {
	table := newTable(t, "footprint", "what", "hardware", "directory", "wanted", "")
	s := harness.New(t, harness.Options{Redis: true, Directories: 1})
	hardware, directory := s.Hardware[0], s.Directories[0]
	c := newPriceCache(t, s)

	h, d := starts(t, hardware), starts(t, directory)
	table.row("from exec to ready, median of 9 starts", short(h), short(d), "below 300 ms", verdict(max(h, d) < startBound))
	idleHardware, idleDirectory := idle(t, hardware), idle(t, directory)
	table.row("memory, idle", megabytes(idleHardware), megabytes(idleDirectory), "below 35 MB", verdict(max(idleHardware, idleDirectory) < idleBound))

	c.fill(t, 10_000)
	measured(t, "prices", wrkLoad{URL: hardware.URL(), Script: c.script(t), Connections: 16, Time: 10 * time.Second, CPU: -1}).Measure()
	visitor := harness.LoggedIn(t, directory.URL(), user)
	harness.OK(t, visitor.Post(t, "/api/bizprofile/audit", map[string]any{"company_id": 1, "fetch_external": false}))
	measured(t, "audits", wrkLoad{URL: directory.URL() + "/api/bizprofile/audit?company_id=1", Connections: 16, Time: 5 * time.Second, CPU: -1}).Measure()
	fullHardware, fullDirectory := hardware.Memory(t, "VmHWM"), directory.Memory(t, "VmHWM")
	table.row("memory at most, under full load", megabytes(fullHardware), megabytes(fullDirectory), "below 100 MB", verdict(max(fullHardware, fullDirectory) < loadedBound))
}

// starts returns the median time from exec to the first 200 of /readyz.
func starts(t *testing.T, s *harness.Service) time.Duration {
	t.Helper()
	var times []float64
	for range 9 {
		times = append(times, float64(restart(t, s)))
	}
	return time.Duration(quantile(times, 0.5))
}

// restart restarts the service and returns the time from exec until it was ready.
func restart(t *testing.T, s *harness.Service) time.Duration {
	t.Helper()
	s.Terminate(t)
	program := s.Program(t)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	begun := time.Now()
	s.Process = harness.Start(t, filepath.Base(program), s.Folder, s.Env, program)
	for time.Since(begun) < harness.Patience {
		if harness.CheckOK(harness.Send(t.Context(), client, http.MethodGet, s.AdminURL()+"/readyz", nil)) == nil {
			return time.Since(begun)
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s is not ready", program)
	return 0
}

// idle returns the maximum of memory within two seconds after a health check.
func idle(t *testing.T, s *harness.Service) (most int) {
	t.Helper()
	harness.Healthy(t, s.AdminURL()+"/healthz")
	for range 20 {
		most = max(most, s.Memory(t, "VmRSS"))
		time.Sleep(100 * time.Millisecond)
	}
	return most
}

func megabytes(bytes int) string   { return fmt.Sprintf("%.0f MB", float64(bytes)/(1<<20)) }
func short(d time.Duration) string { return d.Round(time.Millisecond).String() }
