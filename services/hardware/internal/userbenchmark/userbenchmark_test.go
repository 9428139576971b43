package userbenchmark

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/internal/kit/fault"
)

// site is the benchmark site: what it responds, by path, and the paths and Accept headers of requests.
type site struct {
	http.ServeMux
	requests []string
}

// RoundTrip implements http.RoundTripper.
func (s *site) RoundTrip(req *http.Request) (*http.Response, error) {
	s.requests = append(s.requests, req.URL.Path+" "+req.Header.Get("Accept"))
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, req)
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}

// open returns the Site whose GPU file is what respond writes.
func open(respond http.HandlerFunc) (*Site, *site) {
	s := &site{}
	s.HandleFunc("/resources/download/csv/GPU_UserBenchmarks.csv", respond)
	base := &url.URL{Scheme: "https", Host: "www.userbenchmark.com"}
	return New(fetch.Options{BaseURL: base, Timeout: time.Second, Transport: s, Now: time.Now}), s
}

func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = w.Write([]byte(body)) }
}

func TestRankingReadsTheFileOfTheFamily(t *testing.T) {
	b, s := open(text(200, ranking(append(slices.Repeat([]string{plainLine}, 99), "GPU")...)))
	r, dropped, err := b.Ranking(t.Context(), "gpu")
	if err != nil || len(r.Rows) != 99 || r.Source != "userbenchmark.com" {
		t.Errorf("%d rows of %q, %v", len(r.Rows), r.Source, err)
	}
	if dropped.Rows != 1 || dropped.First.Error() != "line 101: not 8 fields" {
		t.Errorf("dropped %+v", dropped)
	}
	want := []string{"/robots.txt text/csv,*/*;q=0.5",
		"/resources/download/csv/GPU_UserBenchmarks.csv text/csv,*/*;q=0.5"}
	if diff := cmp.Diff(want, s.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestRankingClassifiesResponses(t *testing.T) {
	file := ranking(plainLine)
	moved := func(to string) http.Handler { return http.RedirectHandler(to, http.StatusFound) }
	for name, tt := range map[string]struct {
		respond http.Handler
		robots  string
		code    string // empty: a ranking
	}{
		"moved":            {moved("/moved.csv"), "", ""},
		"forbidden":        {text(403, file), "", fetch.CodeBlocked},
		"challenge":        {text(200, "<html><title>Just a moment...</title>"), "", fetch.CodeBlocked},
		"captcha redirect": {moved("/page/captcha?x=1"), "", fetch.CodeBlocked},
		"another page":     {text(200, "<html><title>Home</title>"), "", fetch.CodeChanged},
		"half a file":      {text(200, file[:len(file)-10]), "", fetch.CodeChanged},
		"partial content":  {text(206, file), "", fetch.CodeUnavailable},
		"not found":        {text(404, ""), "", fetch.CodeUnavailable},
		"robots.txt":       {text(200, file), "User-agent: *\nDisallow: /resources\n", fetch.CodeDisallowed},
	} {
		b, s := open(tt.respond.ServeHTTP)
		s.HandleFunc("/moved.csv", text(200, file))
		s.HandleFunc("/robots.txt", text(200, tt.robots))
		r, _, err := b.Ranking(t.Context(), "gpu")
		isRanking := err == nil && len(r.Rows) == 1
		if isRanking != (tt.code == "") || err != nil && !fault.Is(err, tt.code) {
			t.Errorf("%s: %d rows, %v, want %q", name, len(r.Rows), err, tt.code)
		}
	}
}

func TestSnapshotIsShippedForEveryFamily(t *testing.T) {
	for _, name := range catalog.Families() {
		rows, asOf, err := Snapshot(catalog.Family(name))
		if err != nil || len(rows) == 0 || asOf.Year() < 2020 || asOf.After(time.Now()) {
			t.Errorf("%s: %d rows as of %v, %v", name, len(rows), asOf, err)
		}
		if !slices.IsSortedFunc(rows, func(a, b Row) int { return a.Rank - b.Rank }) {
			t.Errorf("%s is not sorted", name)
		}
	}
}

func TestSnapshotNeedsADateAndEveryRow(t *testing.T) {
	const date = "# as-of: 2026-06-01\n"
	file := ranking(plainLine)
	for body, want := range map[string]bool{
		date + file:                     true,
		file:                            false,
		"# as-of: 1 June 2026\n" + file: false,
		date:                            false,
		date + ranking(append(slices.Repeat([]string{plainLine}, 99), "GPU")...): false,
	} {
		rows, asOf, err := parseSnapshot(body, "gpu")
		isRead := len(rows) == 1 && asOf.Format(time.DateOnly) == "2026-06-01"
		if (err == nil) != want || isRead != want {
			t.Errorf("%.60q: %d rows as of %v, %v", body, len(rows), asOf, err)
		}
	}
}
