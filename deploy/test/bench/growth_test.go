package bench

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/deploy/test/harness"
)

// TestGrowth reads random cached prices with growing numbers of keys and replicas. All share
// the processors with Redis and wrk, so the processor time of a response is the figure that
// shows the effect of another machine.
func TestGrowth(t *testing.T) {
	table := newTable(t, "growth", "cached prices", "replicas", "answered by the replica's own copy", "answers/s",
		"median, 99%", "processor time of a replica an answer", "of Redis", "memory of Redis a price")
	s := harness.New(t, harness.Options{Replicas: 4, Redis: true})
	c := newPriceCache(t, s)
	for _, keys := range []int{100, 10_000, 1_000_000} {
		c.fill(t, keys)
		for _, replica := range s.Hardware {
			c.warm(t, replica, min(keys, 10_000))
		}
		for _, replicas := range []int{1, 2, 4} {
			var rounds [3]reading
			for i := range rounds {
				rounds[i] = c.load(t, s.Hardware[:replicas], 2*time.Second)
			}
			middle := func(of func(reading) float64) float64 {
				return quantile([]float64{of(rounds[0]), of(rounds[1]), of(rounds[2])}, 0.5)
			}
			table.row(keys, replicas,
				fmt.Sprintf("%.0f%%", 100*middle(func(r reading) float64 { return r.local })),
				fmt.Sprintf("%.0f", middle(func(r reading) float64 { return r.perSecond })),
				fmt.Sprintf("%.1f, %.1f ms", 1e3*middle(func(r reading) float64 { return r.p50.Seconds() }), 1e3*middle(func(r reading) float64 { return r.p99.Seconds() })),
				fmt.Sprintf("%.0f µs", 1e6*middle(func(r reading) float64 { return r.service })),
				fmt.Sprintf("%.1f µs", 1e6*middle(func(r reading) float64 { return r.redis })),
				fmt.Sprintf("%.1f kB", c.perKey/1e3))
		}
	}
}

// priceCache is a Redis full of prices for the replicas.
type priceCache struct {
	redis  *redis.Client
	entry  []byte  // of a query, as the service has stored it
	keys   int     // number of copies
	empty  float64 // bytes that Redis used without them
	perKey float64 // bytes of each
}

// newPriceCache looks up one price. The other queries mean the same product.
func newPriceCache(t *testing.T, s *harness.Stack) *priceCache {
	t.Helper()
	c := &priceCache{redis: redis.NewClient(&redis.Options{Addr: s.Redis.Addr})}
	t.Cleanup(func() { _ = c.redis.Close() })
	ask(t, s.Hardware[0], "rtx 4070 super")
	var err error
	if c.entry, err = c.redis.Get(t.Context(), redisKey("rtx 4070 super")).Bytes(); err != nil {
		t.Fatalf("the price looked up is not where the services keep it: %v", err)
	}
	c.empty = c.info(t, "memory", "used_memory")
	return c
}

// redisKey returns the key of a query in Redis, for the aggregator on loopback.
func redisKey(query string) string {
	sum := sha256.Sum256([]byte("price:127.0.0.1::" + query))
	return "hw:{" + base64.RawURLEncoding.EncodeToString(sum[:16]) + "}:answer"
}

// query returns the query of copy i.
func query(i int) string { return "part " + strconv.Itoa(i) }

// fill adds copies up to a number of keys.
func (c *priceCache) fill(t *testing.T, keys int) {
	t.Helper()
	for c.keys < keys {
		batch := c.redis.Pipeline()
		for range min(1000, keys-c.keys) {
			batch.Set(t.Context(), redisKey(query(c.keys)), c.entry, time.Hour)
			c.keys++
		}
		if _, err := batch.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.perKey = (c.info(t, "memory", "used_memory") - c.empty) / float64(c.keys)
}

// warm requests each of the first keys from a replica. All have to be cached.
func (c *priceCache) warm(t *testing.T, replica *harness.Service, keys int) {
	t.Helper()
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := worker; i < keys; i += 16 {
				if status := ask(t, replica, query(i)).Header.Get("Cache-Status"); !strings.Contains(status, "; hit") {
					t.Errorf("%s is not kept: %s", query(i), status)
					return
				}
			}
		})
	}
	all.Wait()
}

// reading is the result of a load. Times are in seconds per response.
type reading struct {
	local, perSecond, service, redis float64
	p50, p99                         time.Duration // of the slowest replica
}

// load reads random keys from the replicas at once, with 16 connections in all.
func (c *priceCache) load(t *testing.T, replicas []*harness.Service, d time.Duration) reading {
	t.Helper()
	script := c.script(t)
	before := c.count(t, replicas)
	reports := make([]wrkReport, len(replicas))
	var all sync.WaitGroup
	for i, replica := range replicas {
		all.Go(func() {
			var err error
			reports[i], err = runWrk(t.Context(), wrkLoad{URL: replica.URL(), Script: script, Connections: 16 / len(replicas), Time: d, CPU: -1})
			if err != nil || reports[i].Wrong > 0 {
				t.Errorf("%d wrong answers, %v", reports[i].Wrong, err)
			}
		})
	}
	all.Wait()
	after := c.count(t, replicas)
	answers := after.answers - before.answers
	r := reading{
		local: (after.local - before.local) / answers, service: (after.service - before.service) / answers, redis: (after.redis - before.redis) / answers,
	}
	for _, report := range reports {
		r.perSecond += report.PerSecond
		r.p50, r.p99 = max(r.p50, report.P50), max(r.p99, report.P99)
	}
	return r
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

// counters contains price responses, those from the replicas' own copies, and processor time
// in seconds.
type counters struct{ answers, local, service, redis float64 }

func (c *priceCache) count(t *testing.T, replicas []*harness.Service) (n counters) {
	t.Helper()
	for _, replica := range replicas {
		for line := range strings.Lines(replica.Metrics(t)) {
			name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				continue // a comment
			}
			switch {
			case name == "process_cpu_seconds_total":
				n.service += value
			case strings.HasPrefix(name, "hardware_answers_total{") && strings.Contains(name, `"price"`):
				n.answers += value
				if strings.Contains(name, `"local"`) {
					n.local += value
				}
			}
		}
	}
	n.redis = c.info(t, "cpu", "used_cpu_user") + c.info(t, "cpu", "used_cpu_sys")
	return n
}

// info returns a figure of Redis's INFO.
func (c *priceCache) info(t *testing.T, section, name string) float64 {
	t.Helper()
	text, err := c.redis.Info(t.Context(), section).Result()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if text, found := strings.CutPrefix(strings.TrimSpace(line), name+":"); found {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("INFO of Redis has no %s", name)
	return math.NaN()
}
