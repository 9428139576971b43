package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

// TestLayers follows one answer from the source through every layer to its end.
func TestLayers(t *testing.T) {
	for _, path := range []string{rankingOf, priceOf + "q=RTX+4070"} {
		w := newWorld()
		one, two := w.newReplica(t), w.newReplica(t)
		requireStatus(t, one.get(path), "hardware; fwd=miss; stored; ttl=86400")
		w.now = w.now.Add(time.Hour)
		requireStatus(t, one.get(path), "hardware; hit; ttl=82800; detail=local")
		requireStatus(t, two.get(path), "hardware; hit; ttl=82800; detail=shared")
		requireStatus(t, two.get(path), "hardware; hit; ttl=82800; detail=local")
		if w.shop.asked+w.site.asked != 1 {
			t.Errorf("%s: %d look-ups", path, w.shop.asked+w.site.asked)
		}
		w.now = w.now.Add(23 * time.Hour)
		requireStatus(t, one.get(path), "hardware; fwd=miss; stored; ttl=86400")
	}
}

func requireStatus(t *testing.T, answer *httptest.ResponseRecorder, want string) {
	t.Helper()
	if got := answer.Header().Get("Cache-Status"); answer.Code != 200 || got != want {
		t.Errorf("answer %d, Cache-Status %q, want %q", answer.Code, got, want)
	}
}

func TestAnswerOfAnotherReplica(t *testing.T) {
	w := newWorld()
	r := w.newReplica(t)
	w.matches.Holder = func(key string) {
		found := &lookup.Answer[prices.Match]{Value: prices.Match{Price: price(card(), now).Value}, Lifetime: success(now)}
		r.prices.Matches.Deliver(key, lookup.Outcome[prices.Match]{Answer: found})
	}
	requireStatus(t, r.get(priceOf+"q=abc"), "hardware; fwd=miss; collapsed; ttl=86400")
	requireStatus(t, r.get(priceOf+"q=ABC"), "hardware; hit; ttl=86400; detail=local")
	w.matches.Holder = func(key string) { r.prices.Matches.Deliver(key, lookup.Outcome[prices.Match]{Fault: throttled()}) }
	requireFailure(t, r.get(priceOf+"q=def"), 503, "throttle_queue_full")
	if w.shop.asked > 0 {
		t.Errorf("%d look-ups of our own", w.shop.asked)
	}
}

func TestRankingFallsBack(t *testing.T) {
	w := newWorld()
	r := w.newReplica(t)
	w.site.err = lookup.Unreachable(errSecret)
	for step, want := range []int{2, 500} { // the shipped snapshot, then the last good copy
		answer := r.get("/api/benchmark/gpu?limit=500")
		requireStatus(t, answer, "hardware; fwd=miss; detail=local-fallback")
		b := read(t, answer)
		if b.Source != "local-fallback" || b.Count != want || answer.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("step %d: source %s, count %d, headers %v", step, b.Source, b.Count, answer.Header())
		}
		requireNoLeak(t, answer)
		w.lastGood["gpu"], w.now = ranking(500, now.AddDate(0, 0, -3)), w.now.Add(time.Minute)
	}
	w.site.err = nil
	requireStatus(t, r.get(rankingOf), "hardware; fwd=miss; stored; ttl=86400")
}

func TestNothingMatchedIsNotKept(t *testing.T) {
	w := newWorld()
	w.shop.finding = prices.Finding{ProductURL: "https://www.ceneo.pl/;szukaj-abc"}
	r := w.newReplica(t)
	for range 2 {
		answer := r.get(priceOf + "q=abc")
		requireStatus(t, answer, "hardware; fwd=miss")
		if b := read(t, answer); b.Note == "" || answer.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("note %q, headers %v", b.Note, answer.Header())
		}
	}
	if w.shop.asked != 2 || len(w.prices.Kept) > 0 {
		t.Errorf("%d look-ups, %d kept", w.shop.asked, len(w.prices.Kept))
	}
}

// TestClientLeaves: nothing is written, and the look-up goes on for the others.
func TestClientLeaves(t *testing.T) {
	w := newWorld()
	settled := make(chan lookup.Outcome[prices.Price], 1)
	w.prices.Settled = func(o lookup.Outcome[prices.Price]) { settled <- o }
	reached, open := make(chan struct{}), make(chan struct{})
	w.shop.before = func() { close(reached); <-open }
	r := w.newReplica(t)

	ctx, leave := context.WithCancel(t.Context())
	recorder, done := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(done)
		r.ServeHTTP(recorder, httptest.NewRequestWithContext(ctx, http.MethodGet, priceOf+"q=abc", nil))
	}()
	<-reached
	leave()
	<-done
	if recorder.Body.Len() > 0 || r.log.Len() > 0 {
		t.Errorf("written %q, logged %q", recorder.Body, r.log)
	}
	if got := statuses(t, r.service); !strings.Contains(got, "499") {
		t.Errorf("statuses in the metrics: %s", got)
	}
	close(open)
	<-settled
	requireStatus(t, r.get(priceOf+"q=abc"), "hardware; hit; ttl=86400; detail=local")
	if w.shop.asked != 1 {
		t.Errorf("%d look-ups", w.shop.asked)
	}
}

// statuses lists the label values of the requests counted so far.
func statuses(t *testing.T, s service) string {
	t.Helper()
	families, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "status" {
					found = append(found, label.GetValue())
				}
			}
		}
	}
	return strings.Join(found, " ")
}
