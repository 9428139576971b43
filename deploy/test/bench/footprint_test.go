package bench

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/deploy/test/harness"
)

// priceCache is a Redis full of prices for the replicas.
type priceCache struct {
	redis *redis.Client
	site  string // host and port of the aggregator
	entry []byte // of a query, as the service has stored it
	keys  int    // number of copies
}

// newPriceCache looks up one price. The other queries mean the same product.
func newPriceCache(t *testing.T, s *harness.Stack) *priceCache {
	t.Helper()
	c := &priceCache{redis: redis.NewClient(&redis.Options{Addr: s.Redis.Addr}), site: strings.TrimPrefix(s.Sandbox.Aggregator, "http://")}
	t.Cleanup(func() { _ = c.redis.Close() })
	ask(t, s.Hardware[0], "rtx 4070 super")
	var err error
	if c.entry, err = c.redis.Get(t.Context(), c.key("rtx 4070 super")).Bytes(); err != nil {
		t.Fatalf("the price looked up is not where the services keep it: %v", err)
	}
	return c
}

// key returns the key of a query in Redis.
func (c *priceCache) key(query string) string {
	sum := sha256.Sum256([]byte("price:" + c.site + ":2::" + query))
	return "hw:{" + base64.RawURLEncoding.EncodeToString(sum[:16]) + "}:answer"
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
