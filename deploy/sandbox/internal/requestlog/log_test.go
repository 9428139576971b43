package requestlog_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/requestlog"
)

// tick is a clock that moves by one nanosecond each time it is read.
func tick() func() time.Time {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.FixedZone("CET", 3600))
	return func() time.Time {
		now = now.Add(time.Nanosecond)
		return now
	}
}

func get(handler http.Handler, target string) {
	request := httptest.NewRequest(http.MethodGet, target, nil)
	request.Header.Set("User-Agent", "probe/1.0")
	handler.ServeHTTP(httptest.NewRecorder(), request)
}

func answer(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

func TestRecordKeepsWhatTheClientSent(t *testing.T) {
	log := requestlog.New(10, tick())
	get(log.Record("shop", answer(http.StatusTeapot)), "/;szukaj-s%C5%82uchawki+x?a=1")

	entries := log.Entries("")
	if len(entries) != 1 {
		t.Fatalf("got %d entries, want 1", len(entries))
	}
	arrived := time.Date(2026, 11, 21, 9, 0, 0, 1, time.UTC)
	want := requestlog.Entry{
		Seq: 1, Site: "shop", Method: "GET", Path: "/;szukaj-s%C5%82uchawki+x?a=1", UserAgent: "probe/1.0",
		ArrivedAt: arrived, ArrivedUnixNano: arrived.UnixNano(), Status: http.StatusTeapot, Finished: true,
	}
	if entries[0] != want {
		t.Errorf("got  %+v\nwant %+v", entries[0], want)
	}
}

func TestRecordNotesTheStatusOfEveryKindOfAnswer(t *testing.T) {
	cases := map[string]struct {
		handler http.HandlerFunc
		want    int
	}{
		"silent handler is 200": {func(http.ResponseWriter, *http.Request) {}, 200},
		"body alone is 200":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }, 200},
		"first status counts": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = w.Write([]byte("x"))
		}, 503},
		"cut connection is 0": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0},
		"cut after the header": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			panic(http.ErrAbortHandler)
		}, 200},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			log := requestlog.New(10, tick())
			func() {
				defer func() { _ = recover() }()
				get(log.Record("shop", c.handler), "/")
			}()
			entry := log.Entries("")[0]
			if entry.Status != c.want || !entry.Finished {
				t.Errorf("got status %d, finished %t; want %d, true", entry.Status, entry.Finished, c.want)
			}
		})
	}
}

func TestRecordLetsThePanicGoOn(t *testing.T) {
	defer func() {
		if got, ok := recover().(error); !ok || !errors.Is(got, http.ErrAbortHandler) {
			t.Errorf("recovered %v, want http.ErrAbortHandler", got)
		}
	}()
	log := requestlog.New(10, tick())
	get(log.Record("shop", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })), "/")
}

func TestARequestUnderWayIsSeen(t *testing.T) {
	log := requestlog.New(10, tick())
	get(log.Record("shop", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if entry := log.Entries("")[0]; entry.Finished || entry.Status != 0 {
			t.Errorf("during the request: finished %t, status %d", entry.Finished, entry.Status)
		}
	})), "/")
	if !log.Entries("")[0].Finished {
		t.Error("after the request it is not finished")
	}
}

func TestTheRingKeepsTheNewest(t *testing.T) {
	log := requestlog.New(3, tick())
	handler := log.Record("shop", answer(200))
	for _, path := range []string{"/1", "/2", "/3", "/4", "/5"} {
		get(handler, path)
	}
	var paths []string
	for _, entry := range log.Entries("") {
		paths = append(paths, entry.Path)
	}
	if got := strings.Join(paths, " "); got != "/3 /4 /5" {
		t.Errorf("kept %s, want /3 /4 /5", got)
	}
}

func TestEntriesOfOneSite(t *testing.T) {
	log := requestlog.New(10, tick())
	get(log.Record("shop", answer(200)), "/shop")
	get(log.Record("lab", answer(200)), "/lab")
	if got := log.Entries("lab"); len(got) != 1 || got[0].Path != "/lab" {
		t.Errorf("got %+v, want the one of lab", got)
	}
}

func TestClearForgetsButGoesOnCounting(t *testing.T) {
	log := requestlog.New(10, tick())
	handler := log.Record("shop", answer(200))
	get(handler, "/before")
	log.Clear()
	if got := log.Entries(""); len(got) != 0 {
		t.Fatalf("got %d entries after clearing", len(got))
	}
	get(handler, "/after")
	if got := log.Entries("")[0]; got.Seq != 2 {
		t.Errorf("got seq %d, want 2", got.Seq)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	log := requestlog.New(1, tick())
	get(log.Record("shop", answer(200)), "/"+strings.Repeat("a", 5000))
	if got := len(log.Entries("")[0].Path); got != 2048 {
		t.Errorf("kept %d bytes, want 2048", got)
	}
}
