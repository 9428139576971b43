package faults_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/faults"
)

const page = "the true answer of the site, long enough to be cut in two"

// truth is the site behind the faults; it tells which kind it has to play.
func truth() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault, on := faults.FromContext(r.Context()); on {
			w.Header().Set("X-Plays", string(fault.Kind))
		}
		w.Header().Set("X-Site", "true")
		_, _ = io.WriteString(w, page)
	})
}

// atOnce is a clock on which every delay is over.
func atOnce(time.Duration) <-chan time.Time {
	over := make(chan time.Time)
	close(over)
	return over
}

func serve(t *testing.T, board *faults.Board, after faults.After) string {
	t.Helper()
	server := httptest.NewServer(board.Inject("shop", after, truth()))
	t.Cleanup(server.Close)
	return server.URL
}

func mustSet(t *testing.T, board *faults.Board, fault faults.Fault) {
	t.Helper()
	if err := board.Set("shop", fault); err != nil {
		t.Fatal(err)
	}
}

// fetch follows no redirect and returns what could be read of the body.
func fetch(t *testing.T, target string) (*http.Response, string, error) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(target)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response, string(body), err
}

func TestWithoutAFaultTheSiteAnswers(t *testing.T) {
	_, body, err := fetch(t, serve(t, newBoard(), atOnce))
	if err != nil || body != page {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestDownCutsTheConnection(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Down})
	if response, _, err := fetch(t, serve(t, board, atOnce)); err == nil {
		t.Errorf("got status %d, want no answer", response.StatusCode)
	}
}

func TestAnswersOfTheFaults(t *testing.T) {
	cases := map[string]struct {
		fault  faults.Fault
		status int
		header map[string]string
		body   string // part of it
	}{
		"slow":           {faults.Fault{Kind: faults.Slow, DelayMS: 50}, 200, map[string]string{"X-Site": "true"}, page},
		"status":         {faults.Fault{Kind: faults.Status, Status: 503, RetryAfter: 7}, 503, map[string]string{"Retry-After": "7"}, "Błąd 503"},
		"no retry":       {faults.Fault{Kind: faults.Status, Status: 403}, 403, map[string]string{"Retry-After": ""}, "Błąd 403"},
		"redirect":       {faults.Fault{Kind: faults.Redirect, Location: "http://10.0.0.1/x;y"}, 302, map[string]string{"Location": "http://10.0.0.1/x;y"}, ""},
		"the site's own": {faults.Fault{Kind: play}, 200, map[string]string{"X-Plays": "play"}, page},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			board := newBoard()
			mustSet(t, board, c.fault)
			response, body, err := fetch(t, serve(t, board, atOnce))
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != c.status || !strings.Contains(body, c.body) {
				t.Errorf("got %d %q", response.StatusCode, body)
			}
			for key, want := range c.header {
				if got := response.Header.Get(key); got != want {
					t.Errorf("%s: got %q, want %q", key, got, want)
				}
			}
		})
	}
}

func TestTruncatedBreaksOffHalfWay(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Truncated})
	response, body, err := fetch(t, serve(t, board, atOnce))
	if response == nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got error %v, want an unexpected end", err)
	}
	if want := page[:len(page)/2]; body != want || response.Header.Get("X-Site") != "true" {
		t.Errorf("got %q, want %q with the site's header", body, want)
	}
}

func TestGarbageIsNoText(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Garbage})
	url := serve(t, board, atOnce)
	response, first, err := fetch(t, url)
	if err != nil || response.StatusCode != http.StatusOK || !bytes.ContainsRune([]byte(first), 0) {
		t.Fatalf("got %d bytes, %v", len(first), err)
	}
	if _, second, _ := fetch(t, url); first != second {
		t.Error("the garbage of two requests differs")
	}
}

func TestHugeOutlastsTheReader(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Huge})
	_, body, err := fetch(t, serve(t, board, atOnce))
	if err != nil || len(body) != 1<<20 || !strings.HasPrefix(body, page) {
		t.Errorf("got %d bytes, %v; want the whole mebibyte asked for, the true answer first", len(body), err)
	}
}

func TestHugeEndsWhenTheSandboxStops(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Huge})
	ctx, stop := context.WithCancel(context.Background())
	stop()
	request := httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx)
	wantAbort(t, func() { board.Inject("shop", atOnce, truth()).ServeHTTP(httptest.NewRecorder(), request) })
}

func TestSlowWaitsForTheDelay(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Slow, DelayMS: 1500})
	asked, over := make(chan time.Duration, 1), make(chan time.Time)
	handler := board.Inject("shop", func(delay time.Duration) <-chan time.Time {
		asked <- delay
		return over
	}, truth())
	recorder, done := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(done)
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
	}()
	if got := <-asked; got != 1500*time.Millisecond {
		t.Errorf("waits %s, want 1.5s", got)
	}
	select {
	case <-done:
		t.Fatal("answered before the delay was over")
	default:
	}
	close(over)
	<-done
	if recorder.Body.String() != page {
		t.Errorf("got %q", recorder.Body)
	}
}

func TestSlowEndsWhenTheClientLeaves(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Slow, DelayMS: 1500})
	ctx, leave := context.WithCancel(context.Background())
	never := func(time.Duration) <-chan time.Time {
		leave()
		return nil
	}
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx)
	wantAbort(t, func() { board.Inject("shop", never, truth()).ServeHTTP(recorder, request) })
	if recorder.Body.Len() > 0 {
		t.Errorf("answered %q to a client that is gone", recorder.Body)
	}
}

func wantAbort(t *testing.T, call func()) {
	t.Helper()
	defer func() {
		if got, ok := recover().(error); !ok || !errors.Is(got, http.ErrAbortHandler) {
			t.Errorf("recovered %v, want http.ErrAbortHandler", got)
		}
	}()
	call()
}

func TestTimesCountsDownAndClears(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Status, Status: 500, Times: 2})
	url := serve(t, board, atOnce)
	for request, want := range []struct{ status, left int }{{500, 1}, {500, 0}, {200, 0}} {
		response, _, err := fetch(t, url)
		if err != nil || response.StatusCode != want.status {
			t.Fatalf("request %d: got %v, %v; want %d", request, response, err, want.status)
		}
		left := 0
		if fault, _ := board.Get("shop"); fault != nil {
			left = fault.Times
		}
		if left != want.left {
			t.Errorf("request %d: %d left, want %d", request, left, want.left)
		}
	}
}

func TestMatchLimitsTheReach(t *testing.T) {
	cases := []struct {
		match, path string
		hit         bool
	}{
		{"", "/page", true},
		{"", "/robots.txt", false},
		{"/", "/robots.txt", true},
		{"/robots.txt", "/robots.txt", true},
		{"/robots.txt", "/page", false},
		{"/;szukaj-s%C5%82", "/;szukaj-s%C5%82owo", true},
		{"/;szukaj-", "/123456", false},
	}
	for _, c := range cases {
		board := newBoard()
		mustSet(t, board, faults.Fault{Kind: faults.Status, Status: 500, Match: c.match, Times: 5})
		recorder := httptest.NewRecorder()
		board.Inject("shop", atOnce, truth()).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, c.path, nil))
		if hit := recorder.Code == 500; hit != c.hit {
			t.Errorf("match %q, path %q: hit %t, want %t", c.match, c.path, hit, c.hit)
		}
		if fault, _ := board.Get("shop"); (fault.Times == 4) != c.hit {
			t.Errorf("match %q, path %q: %d times left", c.match, c.path, fault.Times)
		}
	}
}

func TestClearAndReplace(t *testing.T) {
	board := newBoard()
	mustSet(t, board, faults.Fault{Kind: faults.Down})
	mustSet(t, board, faults.Fault{Kind: faults.Garbage})
	if fault, _ := board.Get("shop"); fault.Kind != faults.Garbage {
		t.Errorf("got %s, want the second fault", fault.Kind)
	}
	if err := board.Clear("shop"); err != nil {
		t.Fatal(err)
	}
	if fault, _ := board.Get("shop"); fault != nil {
		t.Errorf("got %+v after clearing", fault)
	}
}
