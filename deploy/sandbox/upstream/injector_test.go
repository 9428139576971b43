package upstream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"backend.example/deploy/sandbox/upstream"
)

const (
	page  = "the true answer of the site"
	coded = upstream.Kind("coded") // a kind of the site's own
)

// newFake returns a site that tells in a header which fault it has to act out.
func newFake() *upstream.Fake {
	return upstream.New(upstream.Site{
		Name: "shop", Spared: []string{"/robots.txt"}, Faults: []upstream.FaultKind{{Kind: coded, Coded: true}},
		Toggles: upstream.NewToggles(upstream.Toggle{Name: "closed", Off: false}),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if fault, on := upstream.FaultFrom(r.Context()); on {
				w.Header().Set("X-Fault", string(fault.Kind))
			}
			_, _ = io.WriteString(w, page)
		}),
		Actions: []upstream.Action{{Name: "close", Do: func(options io.Reader) (any, error) {
			var wanted struct{ For string }
			return wanted, upstream.ReadOptions(options, &wanted)
		}}},
	})
}

func get(handler http.Handler, path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	return recorder
}

func TestDownCutsTheConnection(t *testing.T) {
	fake := newFake()
	fake.SetFault(upstream.Fault{Kind: upstream.Down})
	server := httptest.NewServer(fake)
	defer server.Close()
	if response, err := http.Get(server.URL); err == nil {
		t.Errorf("got status %d, want no answer", response.StatusCode)
	}
	if requests := fake.Requests(); len(requests) != 1 || requests[0].Status != 0 || !requests[0].Finished {
		t.Errorf("logged %+v", requests)
	}
}

func TestAnswersOfTheFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault  upstream.Fault
		status int
		header map[string]string
		body   string // part of it
	}{
		"slow":           {upstream.Fault{Kind: upstream.Slow, DelayMS: 1}, 200, nil, page},
		"status":         {upstream.Fault{Kind: upstream.Status, Status: 503, RetryAfter: 7}, 503, map[string]string{"Retry-After": "7"}, "Błąd 503"},
		"no retry":       {upstream.Fault{Kind: upstream.Status, Status: 403}, 403, map[string]string{"Retry-After": ""}, "Błąd 403"},
		"the site's own": {upstream.Fault{Kind: coded, Code: 1}, 200, map[string]string{"X-Fault": "coded"}, page},
		"garbage":        {upstream.Fault{Kind: upstream.Garbage}, 200, nil, "\x00"},
	} {
		fake := newFake()
		fake.SetFault(c.fault)
		answer := get(fake, "/")
		if answer.Code != c.status || !bytes.Contains(answer.Body.Bytes(), []byte(c.body)) {
			t.Errorf("%s: got %d %.100q", name, answer.Code, answer.Body)
		}
		for key, want := range c.header {
			if got := answer.Header().Get(key); got != want {
				t.Errorf("%s: %s is %q, want %q", name, key, got, want)
			}
		}
		fake.ClearFault()
		if answer := get(fake, "/"); answer.Body.String() != page {
			t.Errorf("%s: after clearing %q", name, answer.Body)
		}
	}
}

func TestSlowWaitsForTheDelay(t *testing.T) {
	fake := newFake()
	fake.SetFault(upstream.Fault{Kind: upstream.Slow, DelayMS: 1500})
	asked, over := make(chan time.Duration, 1), make(chan time.Time)
	handler := fake.Injector.Wrap(fake.Handler, func(delay time.Duration) <-chan time.Time {
		asked <- delay
		return over
	})
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- get(handler, "/") }()
	if got := <-asked; got != 1500*time.Millisecond {
		t.Errorf("waits %s, want 1.5s", got)
	}
	select {
	case <-done:
		t.Fatal("answered before the delay was over")
	default:
	}
	close(over)
	if answer := <-done; answer.Body.String() != page {
		t.Errorf("got %q", answer.Body)
	}
}

func TestSlowEndsWhenTheClientLeaves(t *testing.T) {
	fake := newFake()
	fake.SetFault(upstream.Fault{Kind: upstream.Slow, DelayMS: 1500})
	ctx, leave := context.WithCancel(t.Context())
	handler := fake.Injector.Wrap(fake.Handler, func(time.Duration) <-chan time.Time {
		leave()
		return nil
	})
	defer func() {
		if got, ok := recover().(error); !ok || !errors.Is(got, http.ErrAbortHandler) {
			t.Errorf("recovered %v, want http.ErrAbortHandler", got)
		}
	}()
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
}

func TestTimesCountsDownAndClears(t *testing.T) {
	fake := newFake()
	fake.SetFault(upstream.Fault{Kind: upstream.Status, Status: 500, Times: 2})
	for request, want := range []struct{ status, left int }{{500, 1}, {500, 0}, {200, 0}} {
		status, left := get(fake, "/").Code, 0
		if fault := fake.Injector.Fault(); fault != nil {
			left = fault.Times
		}
		if status != want.status || left != want.left {
			t.Errorf("request %d: status %d, %d left, want %+v", request, status, left, want)
		}
	}
}

func TestMatchLimitsTheReach(t *testing.T) {
	for _, c := range []struct {
		match, path string
		hit         bool
	}{
		{"", "/page", true},
		{"", "/robots.txt", false},
		{"/", "/robots.txt", true},
		{"/robots.txt", "/page", false},
		{"/;szukaj-s%C5%82", "/;szukaj-s%C5%82owo", true},
		{"/;szukaj-", "/123456", false},
	} {
		fake := newFake()
		fake.SetFault(upstream.Fault{Kind: upstream.Status, Status: 500, Match: c.match, Times: 5})
		if hit := get(fake, c.path).Code == 500; hit != c.hit {
			t.Errorf("match %q, path %q: hit %t, want %t", c.match, c.path, hit, c.hit)
		}
		if left := fake.Injector.Fault().Times; (left == 4) != c.hit {
			t.Errorf("match %q, path %q: %d times left", c.match, c.path, left)
		}
	}
}

func TestMistakesInATestPanic(t *testing.T) {
	fake := newFake()
	for name, mistake := range map[string]func(){
		"unknown fault":  func() { fake.SetFault(upstream.Fault{Kind: "earthquake"}) },
		"unknown toggle": func() { fake.SetToggle("open", true) },
		"wrong value":    func() { fake.SetToggle("closed", "yes") },
		"unknown action": func() { fake.Do("open", "") },
		"wrong options":  func() { fake.Do("close", `{"until":1}`) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			mistake()
		}()
	}
	fake.SetToggle("closed", true)
	fake.Do("close", `{"for":"good"}`)
	if !fake.Toggles.On("closed") {
		t.Error("the toggle is not on")
	}
}
