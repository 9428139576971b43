package main

import (
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// TestReplicasShareRedis runs two replicas, then takes Redis away from them.
func TestReplicasShareRedis(t *testing.T) {
	const query = "/api/prices/ceneo?q=rtx+4070+super"
	source, redis := newFakeSource(t), miniredis.RunT(t)
	environ := func() []string { return source.environ(t, "HARDWARE_REDIS_URL=redis://"+redis.Addr()) }
	one, two := start(t, environ()), start(t, environ())
	for _, p := range []*process{one, two} {
		if status, content := httpGet(t, p.url+query); status != 200 {
			t.Errorf("%d %s", status, content)
		}
	}
	if asked := source.count("/Karty_graficzne;szukaj-rtx+4070+super"); asked != 1 {
		t.Errorf("the aggregator was asked %d times", asked)
	}
	for _, p := range []*process{one, two} {
		requireMetric(t, p, "hardware_redis_up 1")
	}
	redis.Close()
	if status, content := httpGet(t, two.url+query); status != 200 {
		t.Errorf("a kept answer without Redis: %d %s", status, content)
	}
	if status, content := httpGet(t, two.url+"/api/benchmark/gpu"); status != 200 || !strings.Contains(content, `"source":"127.0.0.1"`) {
		t.Errorf("a new look-up without Redis: %d %s", status, content)
	}
	requireMetric(t, two, "hardware_redis_up 0")
	if status, content := httpGet(t, "http://"+two.admin+"/readyz"); status != 200 {
		t.Errorf("not ready without Redis: %d %s", status, content)
	}
	for _, p := range []*process{one, two} {
		p.stop()
		if err := <-p.done; err != nil {
			t.Errorf("ended with %v", err)
		}
	}
}
