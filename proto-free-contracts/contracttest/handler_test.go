package contracttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// readAll passes a request on after its body was read, as a JSON handler does.
func readAll(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		next.ServeHTTP(w, r)
	})
}

func TestWrapPassesTheExchangeThrough(t *testing.T) {
	c := New([]byte(notes))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != note {
			t.Errorf("handler read %q, %v", body, err)
		}
		w.Header().Set("Location", "/here")
		w.WriteHeader(http.StatusPermanentRedirect)
		w.Header().Del("Location") // too late, it is on its way
		r.URL.Path = "/rewritten"
	})
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, "/notes/a", strings.NewReader(note))
	request.Header.Set("Content-Type", "application/json")
	c.Wrap(t, handler).ServeHTTP(recorder, request)
	if result := recorder.Result(); result.StatusCode != http.StatusPermanentRedirect || result.Header.Get("Location") != "/here" {
		t.Errorf("answer: %d %v", result.StatusCode, result.Header)
	}
}

func TestWrapTakesSilenceForOK(t *testing.T) {
	s := &spy{}
	silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	New([]byte(notes)).Wrap(s, silent).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/notes/a", nil))
	if len(s.reports) != 1 || !strings.Contains(s.reports[0], "→ 200") {
		t.Errorf("reports: %q", s.reports)
	}
}

func TestWrapLeavesOutWhatTheCallerGaveUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() })
	request := httptest.NewRequest(http.MethodGet, "/notes/a", nil).WithContext(ctx)
	New([]byte(notes)).Wrap(t, silent).ServeHTTP(httptest.NewRecorder(), request)
}

func TestWrapKeepsEarlyHintsApart(t *testing.T) {
	c := New([]byte(notes))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		answer{200, noteHeader, note}.ServeHTTP(w, r)
	})
	server := httptest.NewServer(c.Wrap(t, handler))
	defer server.Close()
	get(t, server.URL+"/notes/a")
}

func TestWrapReachesTheServersWriter(t *testing.T) {
	flushed := errors.New("not called")
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer{200, noteHeader, note}.ServeHTTP(w, r)
		flushed = http.NewResponseController(w).Flush()
	})
	recorder := httptest.NewRecorder()
	New([]byte(notes)).Wrap(t, handler).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/notes/a", nil))
	if flushed != nil || !recorder.Flushed {
		t.Errorf("flush: %v, recorder flushed: %t", flushed, recorder.Flushed)
	}
}

func TestOneCheckerServesManyGoroutines(t *testing.T) {
	c := New([]byte(notes))
	server := httptest.NewServer(c.Wrap(t, answer{200, noteHeader, note}))
	defer server.Close()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			get(t, server.URL+"/notes/a")
			c.Missing()
		})
	}
	group.Wait()
}

func get(t *testing.T, url string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != note {
		t.Errorf("body %q, %v", body, err)
	}
}
