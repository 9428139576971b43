package bench

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// The requests for cached responses.
const (
	pricePath   = "/api/prices/ceneo?q=rtx+4070+super&category=gpu"
	rankingPath = "/api/benchmark/gpu"
)

var hits = []struct{ what, path string }{
	{what: "price", path: pricePath},
	{what: "ranking of 200 rows", path: rankingPath},
}

var hitColumns = []string{"what", "rival", "ours, answers/s", "the other, answers/s", "ratio", "wanted", ""}

// startHardware runs replicas of the service on one processor, and Redis and the sources on
// the other one.
func startHardware(t *testing.T, cpu, replicas int) *harness.Stack {
	t.Helper()
	s := harness.New(t, harness.Options{Redis: true, Replicas: replicas})
	s.Proxy.Terminate(t)
	for _, service := range s.Hardware {
		service.Terminate(t)
		onProcessor(t, service, cpu)
	}
	return s
}

// onProcessor starts a service on one processor. Its log goes to a file, so that no program
// has to read it.
func onProcessor(t *testing.T, service *harness.Service, cpu int) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "service.log")
	service.Within(t, "sh", "-c", `exec taskset -c "$0" "$@" 2>`+log, strconv.Itoa(cpu))
}

// TestHits compares cached responses of the service with those of possible substitutes.
func TestHits(t *testing.T) {
	table := newTable(t, "hits", hitColumns...)
	s := startHardware(t, serverCPU, 2)
	service := s.Hardware[0]
	rivals := []struct {
		name, base string
		wanted     float64
	}{
		{name: "nginx with proxy_cache", base: nginxCache(t, service.URL()), wanted: 1},
		{name: "plain net/http handler", base: startPlainHandler(t, serverCPU, service.URL(), ""), wanted: 0.8},
		{name: "handler that asks Redis", base: startPlainHandler(t, serverCPU, service.URL(), s.Redis.Addr), wanted: 2},
	}
	for _, hit := range hits {
		list := []rival{rate(t, "service", service.URL()+hit.path)}
		for _, r := range rivals {
			requireSame(t, service.URL()+hit.path, r.base+hit.path)
			list = append(list, rate(t, r.name, r.base+hit.path))
		}
		result := compare(brief, list...)
		for i, ratio := range result.Ratios {
			table.ratio(hit.what, result, ratio, rivals[i].wanted)
		}
	}
	result := compare(brief, rate(t, "service", service.URL()+pricePath), smallCache(t, s, s.Hardware[1]))
	table.ratio("price", result, result.Ratios[0], 2)
	for _, hit := range hits {
		condition := "If-None-Match: " + fetch(t, service.URL()+hit.path).Header.Get("ETag")
		result := compare(brief,
			rate(t, "service", service.URL()+hit.path, condition), rate(t, "itself with 200", service.URL()+hit.path))
		table.ratio(hit.what+", 304", result, result.Ratios[0], 1)
	}
}

// smallCache returns a replica that reads nearly every price from Redis, because its own
// cache is small.
func smallCache(t *testing.T, s *harness.Stack, replica *harness.Service) rival {
	t.Helper()
	c := newPriceCache(t, s)
	c.fill(t, 50_000)
	replica.Terminate(t)
	replica.Env = append(replica.Env, "HARDWARE_CACHE_MAX_BYTES=1048576")
	onProcessor(t, replica, serverCPU)
	load := wrkLoad{URL: replica.URL(), Script: c.script(t), Connections: 16, Time: time.Second, CPU: othersCPU}
	return measured(t, "itself, asking Redis each time", load)
}

// requireSame requires that a rival responds with the service's body and its headers.
func requireSame(t *testing.T, original, other string) {
	t.Helper()
	a, b := fetch(t, original), fetch(t, other)
	again := fetch(t, other)
	if b.Status != http.StatusOK || !bytes.Equal(a.Body, b.Body) {
		t.Fatalf("%s answers %d with %d bytes, not the %d bytes of the original", other, b.Status, len(b.Body), len(a.Body))
	}
	for _, name := range []string{"ETag", "Content-Type", "Content-Length"} {
		if a.Header.Get(name) != b.Header.Get(name) {
			t.Fatalf("%s: %s %q, not %q", other, name, b.Header.Get(name), a.Header.Get(name))
		}
	}
	if id := "X-Request-Id"; b.Header.Get(id) != again.Header.Get(id) {
		t.Fatalf("%s sends a second request to the original", other)
	}
}

// fetch sends a request like wrk, without Accept-Encoding.
func fetch(t *testing.T, url string) harness.Answer {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	a, err := harness.Send(t.Context(), client, http.MethodGet, url, nil)
	if err = harness.CheckOK(a, err); err != nil {
		t.Fatal(err)
	}
	return a
}

// startNginx runs nginx on one processor with an http block, in which %s is the address, and
// returns its base address.
func startNginx(t *testing.T, cpu int, http string) string {
	t.Helper()
	addr, folder := harness.FreeAddr(t), t.TempDir()
	config := fmt.Sprintf(`
daemon off;
%s
worker_processes 1;
pid nginx.pid;
error_log stderr;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  client_body_temp_path body;
  proxy_temp_path temp;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  %s
}`, asUser(), fmt.Sprintf(http, addr))
	path := filepath.Join(folder, "nginx.conf")
	harness.WriteFile(t, path, config)
	start(t, cpu, folder, nil, "nginx", "-c", path, "-p", folder, "-e", "stderr")
	harness.AwaitListener(t, addr)
	return "http://" + addr
}

// asUser lets the worker read the folder of the test, which may belong to root.
func asUser() string {
	if os.Getuid() == 0 {
		return "user root;"
	}
	return ""
}

// nginxCache runs nginx as a cache of the server at base.
func nginxCache(t *testing.T, base string) string {
	t.Helper()
	return startNginx(t, serverCPU, `
  proxy_cache_path cache keys_zone=answers:1m max_size=64m inactive=1h;
  open_file_cache max=100 inactive=1h;
  open_file_cache_valid 1h;
  server {
    listen %s;
    location / {
      proxy_pass `+base+`;
      proxy_cache answers;
    }
  }`)
}
