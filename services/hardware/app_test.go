package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"backend.example/services/hardware/internal/cache"
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/outbound"
)

// wired is a service put together as the program does it, without listening.
type wired struct {
	*app
	router func() http.Handler // makes it once
	waits  chan time.Duration  // how long each turn at the aggregator is away
}

func newWired(t *testing.T, environ []string) wired {
	t.Helper()
	cfg, err := loadConfig(environ)
	if err != nil {
		t.Fatal(err)
	}
	w := wired{waits: make(chan time.Duration, 100)}
	w.app, err = newApp(cfg, slog.New(slog.DiscardHandler), nil, func(d time.Duration) { w.waits <- d })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	w.router = sync.OnceValue(func() http.Handler { return w.handler() })
	return w
}

// get answers one request.
func (w wired) get(target string) *httptest.ResponseRecorder {
	return w.answer(httptest.NewRequest(http.MethodGet, target, nil))
}

// post answers a request with a body.
func (w wired) post(target, contentType, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	return w.answer(request)
}

func (w wired) answer(request *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.router().ServeHTTP(answer, request)
	return answer
}

// requireMetrics finds lines in the metrics.
func (w wired) requireMetrics(t *testing.T, lines ...string) {
	t.Helper()
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(w.registry, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range lines {
		if !strings.Contains(answer.Body.String(), "\n"+line+"\n") {
			t.Errorf("no metric %s", line)
		}
	}
}

func requireAnswer(t *testing.T, answer *httptest.ResponseRecorder, status int, content string) {
	t.Helper()
	if answer.Code != status || !strings.Contains(answer.Body.String(), content) {
		t.Errorf("answer %d %s, want %d with %q", answer.Code, answer.Body, status, content)
	}
}

// waitFor joins the queue for a turn, until ctx ends, and returns the time until it.
func (w wired) waitFor(ctx context.Context) time.Duration {
	go func() { _, _ = w.pacer.Turn(ctx, &lookup.Request{Caller: lookup.Caller{Begun: true}}) }()
	return <-w.waits
}

// TestAClientIsWhoTheTrustedProxiesName: an address, or 56 bits of an IPv6 address.
func TestAClientIsWhoTheTrustedProxiesName(t *testing.T) {
	for _, tt := range []struct{ trusted, forwarded, want string }{
		{"", "198.51.100.7", "192.0.2.1"},
		{"192.0.2.0/24", "198.51.100.7", "198.51.100.7"},
		{"192.0.2.0/24", "2001:db8:1:2:3:4:5:6", "2001:db8:1::/56"},
		{"192.0.2.0/24", "", "192.0.2.1"},
		{"10.0.0.0/8,192.0.2.1/32", "1.1.1.1, 198.51.100.7", "198.51.100.7"},
	} {
		w := newWired(t, []string{"HARDWARE_TRUSTED_PROXIES=" + tt.trusted})
		r := httptest.NewRequest(http.MethodGet, "/", nil) // from 192.0.2.1
		r.Header.Set("X-Forwarded-For", tt.forwarded)
		if got := w.callerOf()(r); got != (lookup.Caller{Client: tt.want}) {
			t.Errorf("with %q trusted, %q is the client %+v, want %q", tt.trusted, tt.forwarded, got, tt.want)
		}
	}
}

// TestNamesOfSourcesLeadToNoPrivateAddress: the guard of the connection is in place.
func TestNamesOfSourcesLeadToNoPrivateAddress(t *testing.T) {
	source := newFakeSource(t)
	o := newWired(t, source.environ(t)).fetchOptions(&url.URL{Scheme: "https", Host: "www.ceneo.pl"})
	if _, err := o.Transport.RoundTrip(httptest.NewRequest(http.MethodGet, source.URL, nil)); !errors.Is(err, outbound.ErrPrivateAddress) {
		t.Errorf("error %v", err)
	}
}

func withRedis(server *miniredis.Miniredis, more ...string) []string {
	return append(more, "HARDWARE_REDIS_URL=redis://"+server.Addr())
}

func TestProcessesShareTheTurnsAtTheAggregator(t *testing.T) {
	source, redis := newFakeSource(t), miniredis.RunT(t)
	one := newWired(t, source.environ(t, withRedis(redis, "HARDWARE_PRICE_INTERVAL=1h")...))
	two := newWired(t, source.environ(t, withRedis(redis, "HARDWARE_PRICE_INTERVAL=1h")...))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	first, second := one.waitFor(ctx), two.waitFor(ctx)
	if gap := second - first; gap < 59*time.Minute || gap > 61*time.Minute {
		t.Errorf("the turns of two processes are %v apart, want an hour", gap)
	}
}

// TestRateWithoutRedis: together the processes that may exist are no faster than one
// may be, so each keeps that many intervals between its own requests.
func TestRateWithoutRedis(t *testing.T) {
	source, redis := newFakeSource(t), miniredis.RunT(t)
	w := newWired(t, source.environ(t, withRedis(redis, "HARDWARE_PRICE_INTERVAL=1h", "HARDWARE_MAX_REPLICAS=7")...))
	redis.Close()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	first, second := w.waitFor(ctx), w.waitFor(ctx)
	if gap := second - first; gap < 7*time.Hour-time.Minute || gap > 7*time.Hour+time.Minute {
		t.Errorf("turns are %v apart, want 7 intervals of an hour", gap)
	}
}

// TestAPauseReachesWhoWaitsForItsTurn: a look-up that was let through before the
// pause began is refused when its turn comes.
func TestAPauseReachesWhoWaitsForItsTurn(t *testing.T) {
	source, redis := newFakeSource(t), miniredis.RunT(t)
	environ := func() []string { return source.environ(t, withRedis(redis, "HARDWARE_PRICE_INTERVAL=500ms")...) }
	one, two := newWired(t, environ()), newWired(t, environ())
	reached, open := make(chan struct{}), make(chan struct{})
	source.respond = func(w http.ResponseWriter, _ *http.Request) {
		close(reached)
		<-open
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	answers := make(chan *httptest.ResponseRecorder, 2)
	go func() { answers <- one.get("/api/prices/ceneo?q=rtx+4070+super") }()
	<-reached
	go func() { answers <- two.get("/api/prices/ceneo?q=xqz9+abc") }()
	for d := range two.waits {
		if d > 0 {
			break // it was let through, and waits
		}
	}
	close(open)
	requireAnswer(t, <-answers, http.StatusBadGateway, "source_blocked")
	requireAnswer(t, <-answers, http.StatusServiceUnavailable, "source_paused")
	if n := source.total(); n != 1 {
		t.Errorf("%d requests, want the refused one", n)
	}
}

// TestMissReadsTheLocalCacheOnce for each part of its answer, and once for its body: a price
// has the search and the offers.
func TestMissReadsTheLocalCacheOnce(t *testing.T) {
	for path, parts := range map[string]int64{"/api/benchmark/gpu": 1, "/api/prices/ceneo?q=rtx+4070+super": 2} {
		w := newWired(t, newFakeSource(t).environ(t))
		requireAnswer(t, w.get(path), http.StatusOK, "RTX")
		if n := w.local.Misses(); n != parts+1 {
			t.Errorf("%s: the local cache was read %d times, want %d", path, n, parts+1)
		}
	}
}

// Twenty replicas with a setting of ten are logged once, when the eleventh is seen.
func TestMoreReplicasThanAllowed(t *testing.T) {
	redis, source, log := miniredis.RunT(t), newFakeSource(t), new(strings.Builder)
	w := newWired(t, source.environ(t, withRedis(redis, "HARDWARE_MAX_REPLICAS=10")...))
	w.log = slog.New(slog.NewTextHandler(log, nil))
	seen := 0
	for n := range 20 {
		if seen = w.observe(t.Context(), fmt.Sprint(n), seen); seen != n+1 || (log.Len() > 0) != (n >= 10) {
			t.Errorf("%d replicas seen, want %d; logged %q", seen, n+1, log)
		}
	}
	if n := strings.Count(log.String(), "more replicas than HARDWARE_MAX_REPLICAS"); n != 1 || !strings.Contains(log.String(), "seen=11 allowed=10") {
		t.Errorf("logged %d times: %s", n, log)
	}
	redis.SetError("LOADING")
	if n := w.observe(t.Context(), "0", seen); n != 20 {
		t.Errorf("%d replicas seen while Redis is away, want those from before", n)
	}
}

func TestRedisGoesAndComesBack(t *testing.T) {
	redis, source, log := miniredis.RunT(t), newFakeSource(t), new(strings.Builder)
	w := newWired(t, source.environ(t, withRedis(redis)...))
	w.log = slog.New(slog.NewTextHandler(log, nil))
	for _, step := range []struct{ answers, logged string }{{"LOADING", "redis unavailable"}, {"", "redis available again"}} {
		redis.SetError(step.answers)
		_ = w.redis.Get(t.Context(), "key").Err()
		if !strings.Contains(log.String(), step.logged) {
			t.Errorf("logged %s, want %q", log, step.logged)
		}
	}
}

// TestLeadersOfEveryRanking: there are two rankings, in one of which a row cannot be read.
func TestLeadersOfEveryRanking(t *testing.T) {
	source, log := newFakeSource(t), new(strings.Builder)
	w := newWired(t, source.environ(t, "HARDWARE_WARM=1"))
	w.log = slog.New(slog.NewTextHandler(log, nil))
	w.rankings.Shipped = func(catalog.Family) ([]rankings.Row, time.Time, error) { return nil, time.Time{}, errors.New("none") }
	source.respond = func(rw http.ResponseWriter, r *http.Request) {
		files := map[string]string{"gpu": csvFile, "ram": longFile + "half a row\n"}
		family, _, _ := strings.Cut(strings.ToLower(path.Base(r.URL.Path)), "_")
		_, _ = io.WriteString(rw, cmp.Or(files[family], "another file\n"))
	}
	want := []catalog.Query{{Text: "Nvidia RTX 5090", Category: "gpu"}, {Text: "Kingston Fury", Category: "ram"}}
	if got := w.leaders(t.Context()); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, line := range []string{`msg="prices of a ranking not kept warm" family=cpu`, `msg="rows of a ranking left out" family=ram rows=1`} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("logged %s, want %s", log, line)
		}
	}
	w.requireMetrics(t, "hardware_ranking_rows_dropped_total 1")
}

// TestLastGoodRankingOfRedis serves a process with an empty state folder.
func TestLastGoodRankingOfRedis(t *testing.T) {
	source, redis := newFakeSource(t), miniredis.RunT(t)
	one, two := newWired(t, source.environ(t, withRedis(redis)...)), newWired(t, source.environ(t, withRedis(redis)...))
	requireAnswer(t, one.get("/api/benchmark/gpu"), http.StatusOK, `"source":"127.0.0.1"`)
	source.Close()
	for _, key := range redis.Keys() {
		if strings.Contains(key, ":answer:") {
			redis.Del(key)
		}
	}
	answer := two.get("/api/benchmark/gpu")
	requireAnswer(t, answer, http.StatusOK, `"source":"local-fallback"`)
	requireAnswer(t, answer, http.StatusOK, "VCG-1")
}

// TestSourcesOfOneHostShareNothing in Redis: their ports differ.
func TestSourcesOfOneHostShareNothing(t *testing.T) {
	redis := miniredis.RunT(t)
	for i := range 2 {
		source := newFakeSource(t)
		w := newWired(t, source.environ(t, withRedis(redis)...))
		for _, path := range []string{"/api/benchmark/gpu", "/api/prices/ceneo?q=rtx+4070+super"} {
			before := source.total()
			requireAnswer(t, w.get(path), http.StatusOK, "RTX")
			if source.total() == before {
				t.Errorf("installation %d has %s from the source of another", i+1, path)
			}
		}
	}
	if all := strings.Join(redis.Keys(), " "); strings.Count(all, "hw:lastgood:") != 2 {
		t.Errorf("keys %s, want a last good ranking of each", all)
	}
}

// TestFollowingLastsUntilTheDrainHasEnded: a process takes in what others look up, and
// still does so while it answers the last of its own requests.
func TestFollowingLastsUntilTheDrainHasEnded(t *testing.T) {
	source, redis := newFakeSource(t), miniredis.RunT(t)
	reached, open := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(open) })
	t.Cleanup(release)
	source.search = func() { close(reached); <-open }
	one := newWired(t, source.environ(t, withRedis(redis)...))
	two := newWired(t, source.environ(t, withRedis(redis, "HARDWARE_DRAIN_DELAY=1ms", "HARDWARE_DRAIN_TIMEOUT=50s")...))
	p := launch(t, func(ctx context.Context, log io.Writer) error {
		two.log = slog.New(slog.NewJSONHandler(log, nil))
		return two.serve(ctx)
	})
	const priced, ranked = "hw:outcomes:0:price:6", "hw:outcomes:0:ranking:6"
	eventually(t, "both kinds are followed", func() bool {
		followed := redis.PubSubNumSub(priced, ranked)
		return followed[priced] == 1 && followed[ranked] == 1
	})
	last := make(chan int)
	go func() {
		status, _ := httpGet(t, p.url+"/api/prices/ceneo?q=rtx+4070+super")
		last <- status
	}()
	<-reached
	p.stop()
	if entry := p.await(t, "draining"); entry["delay"] != 1e6 || entry["timeout"] != 50e9 {
		t.Errorf("drained with %v, want a delay of 1 ms and a timeout of 50 s", entry)
	}
	requireAnswer(t, one.get("/api/benchmark/gpu"), http.StatusOK, `"source":"127.0.0.1"`)
	eventually(t, "the ranking of another process has arrived", func() bool {
		_, kept := two.rankings.Layers.Kept(two.rankings.Key("gpu"))
		return kept
	})
	release()
	if status := <-last; status != http.StatusOK {
		t.Errorf("the last request is answered %d", status)
	}
	if err := <-p.done; err != nil {
		t.Errorf("ended with %v", err)
	}
	eventually(t, "nothing is followed any more", func() bool {
		followed := redis.PubSubNumSub(priced, ranked)
		return followed[priced] == 0 && followed[ranked] == 0
	})
	if _, kept := two.prices.Kept(catalog.Query{Text: "rtx 4070 super"}); !kept {
		t.Error("what the process looked up itself is not kept")
	}
}

// TestAListIsOneForAllReplicas: what came of a look-up that failed is known to the replica that
// the client asks next, which does not ask the source again.
func TestAListIsOneForAllReplicas(t *testing.T) {
	source, redis := newFakeSource(t), miniredis.RunT(t)
	source.respond = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "another page") }
	for n := range 2 {
		w := newWired(t, source.environ(t, withRedis(redis)...))
		eventually(t, "the look-up has failed", func() bool {
			answer := w.post("/api/prices/ceneo/quotes", "application/json", `{"items":[{"q":"rtx 4070 super"}]}`)
			return strings.Contains(answer.Body.String(), `"code":"source_changed"`)
		})
		if asked := source.total(); asked != 1 {
			t.Errorf("replica %d: the source was asked %d times, want once", n+1, asked)
		}
	}
}

// TestSuggestionsComeFromAllReplicas, as soon as a process has started.
func TestSuggestionsComeFromAllReplicas(t *testing.T) {
	source, redis := newFakeSource(t), miniredis.RunT(t)
	one, two := newWired(t, source.environ(t, withRedis(redis)...)), newWired(t, source.environ(t, withRedis(redis)...))
	asked := []prices.Asked{{Key: "offers:1", Name: "Karta graficzna Palit", Times: 1, At: time.Now()}}
	if _, err := cache.NewRedisAsked(one.redis, time.Hour).Merge(t.Context(), "gpu", asked, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	two.work(t.Context())
	eventually(t, "it is suggested", func() bool {
		return strings.Contains(two.get("/kreator/czesc?rodzaj=gpu").Body.String(), asked[0].Name)
	})
}

// TestSourcesSeeWhoAsks: the name of the software is in every request.
func TestSourcesSeeWhoAsks(t *testing.T) {
	const agent = "Shop/1.0 (+mailto:ops@shop.test)"
	source, agents := newFakeSource(t), make(chan string, 10)
	source.respond = func(w http.ResponseWriter, r *http.Request) {
		agents <- r.UserAgent()
		w.WriteHeader(http.StatusForbidden)
	}
	w := newWired(t, source.environ(t, "HARDWARE_USER_AGENT="+agent))
	requireAnswer(t, w.get("/api/benchmark/cpu"), http.StatusOK, `"source":"local-fallback"`)
	requireAnswer(t, w.get("/kreator/oferty?rodzaj=gpu&nazwa=rtx+4070+super"), http.StatusOK, "odmawia odpowiedzi")
	for range 2 {
		if got := <-agents; got != agent {
			t.Errorf("asked as %q, want %q", got, agent)
		}
	}
}

// TestAShortAddressLeadsToItsBuild in another replica, and without Redis after a restart.
func TestAShortAddressLeadsToItsBuild(t *testing.T) {
	source := newFakeSource(t)
	shared, alone := withRedis(miniredis.RunT(t)), source.environ(t)
	for name, environ := range map[string]func() []string{
		"Redis":   func() []string { return source.environ(t, shared...) },
		"restart": func() []string { return alone },
	} {
		answer := newWired(t, environ()).post("/kreator/z", "application/x-www-form-urlencoded", "gpu=rtx+4070+super")
		build, err := answer.Result().Location()
		if answer.Code != http.StatusSeeOther || err != nil {
			t.Fatalf("%s: %d %s, %v", name, answer.Code, answer.Body, err)
		}
		answer = newWired(t, environ()).get("/kreator/z/" + build.Query().Get("krotki"))
		if to := answer.Header().Get("Location"); answer.Code != http.StatusFound || to != "/kreator/zestaw?gpu=rtx+4070+super" {
			t.Errorf("%s: %d, leads to %q", name, answer.Code, to)
		}
	}
}

// eventually asks until ok, which another process decides.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); <-time.After(2 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal(fmt.Sprint("never came true: ", what))
		}
	}
}

// TestOtherOrigins requests a ranking twice, the second time with the tag of the first: every
// page may by default, and caches keep it for all. With a list, they keep it for each origin.
func TestOtherOrigins(t *testing.T) {
	const app = "http://localhost:3000"
	for setting, want := range map[string]map[string][2]string{ // by origin: the one that is allowed, and Vary
		"HARDWARE_ALLOWED_ORIGINS=":       {app: {"*", "Accept-Encoding"}, "": {"*", "Accept-Encoding"}},
		"HARDWARE_ALLOWED_ORIGINS=" + app: {app: {app, "Origin, Accept-Encoding"}, "": {"", "Origin, Accept-Encoding"}, "null": {"", "Origin, Accept-Encoding"}},
	} {
		w := newWired(t, newFakeSource(t).environ(t, setting))
		for origin, want := range want {
			for _, status := range []int{200, 304} {
				request := httptest.NewRequest(http.MethodGet, "/api/benchmark/gpu", nil)
				request.Header.Set("Origin", origin)
				if status == http.StatusNotModified {
					request.Header.Set("If-None-Match", "*")
				}
				answer := w.answer(request)
				got := [2]string{answer.Header().Get("Access-Control-Allow-Origin"), strings.Join(answer.Header()["Vary"], ", ")}
				if answer.Code != status || got != want {
					t.Errorf("%s from %q: %d %q, want %d %q", setting, origin, answer.Code, got, status, want)
				}
			}
		}
	}
}
