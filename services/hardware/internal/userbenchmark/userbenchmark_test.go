package userbenchmark

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/metrics"
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
	gate := &fetch.Gate{Store: &fetch.MemoryStore{}, Failures: 100, Metrics: metrics.New(prometheus.NewRegistry()),
		Log: slog.New(slog.DiscardHandler)}
	return New(fetch.Options{BaseURL: base, Timeout: time.Second, Transport: s, Now: time.Now, Gate: gate}), s
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
		"forbidden":        {text(403, file), "", fetch.Blocked.Name},
		"challenge":        {text(200, "<html><title>Just a moment...</title>"), "", fetch.Blocked.Name},
		"captcha redirect": {moved("/page/captcha?x=1"), "", fetch.Blocked.Name},
		"another page":     {text(200, "<html><title>Home</title>"), "", fetch.Changed.Name},
		"half a file":      {text(200, file[:len(file)-10]), "", fetch.Changed.Name},
		"partial content":  {text(206, file), "", fetch.Unreachable.Name},
		"not found":        {text(404, ""), "", fetch.Unreachable.Name},
		"robots.txt":       {text(200, file), "User-agent: *\nDisallow: /resources\n", fetch.Disallowed.Name},
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
		if err != nil || len(rows) == 0 {
			t.Errorf("%s: %d rows, %v, want some", name, len(rows), err)
		}
		if asOf.Year() < 2020 || asOf.After(time.Now()) {
			t.Errorf("%s: as of %v, want a time since 2020", name, asOf)
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

func ranking(lines ...string) string {
	return csvHeader + "\n" + strings.Join(lines, "\n") + "\n"
}

const plainLine = "GPU,GV-N4070,Gigabyte,RTX 4070,7,150.5,1234,https://gpu.userbenchmark.com/SpeedTest/1/X"

func TestParseRankingReadsRows(t *testing.T) {
	rows, _, err := ParseRanking(ranking(
		"GPU,\u200eROG-STRIX-RTX3090-O24G , Asus ,  RTX 3090\u00a0,8,0,0,http://gpu.userbenchmark.com/SpeedTest/10408/",
		`GPU,,,Travelstar 7K1000 2.5" 1TB²,9,0.004,1,https://hdd.userbenchmark.com/a "b"`,
	), "gpu")
	want := []Row{
		{Type: "GPU", PartNumber: "ROG-STRIX-RTX3090-O24G", Brand: "Asus", Model: "RTX 3090", Rank: 8,
			URL: "http://gpu.userbenchmark.com/SpeedTest/10408/"},
		{Type: "GPU", Model: `Travelstar 7K1000 2.5" 1TB²`, Rank: 9, Benchmark: 0.004, Samples: 1,
			URL: `https://hdd.userbenchmark.com/a "b"`},
	}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestParseRankingRefusesOtherFiles(t *testing.T) {
	for body, problem := range map[string]string{
		"": "not the header",
		strings.Replace(ranking(plainLine), "Benchmark", "Score", 1): "not the header",
		csvHeader:       "no rows",
		ranking("", ""): "no rows",
		ranking(plainLine, plainLine)[:len(csvHeader)+len(plainLine)+40]: "not complete",
		strings.TrimSuffix(ranking(plainLine), "\n"):                     "not complete",
		ranking(plainLine, "C"+plainLine[1:]):                            `1 of 2 rows cannot be read, line 3: type`,
	} {
		if rows, _, err := ParseRanking(body, "gpu"); rows != nil || !strings.Contains(fmt.Sprint(err), problem) {
			t.Errorf("%q: %d rows, %v; want %q", body, len(rows), err, problem)
		}
	}
}

func TestParseRankingRefusesBadFields(t *testing.T) {
	for _, tt := range []struct{ old, new, problem string }{
		{",1234,", ",", "not 8 fields"}, {",1234,", ",1234,5,", "not 8 fields"}, {"/X", "/X,", "not 8 fields"},
		{",7,", ",7.5,", "rank: "}, {",7,", ",0,", "rank: 0 is below 1"}, {",7,", ",,", "rank: "},
		{"150.5", "NaN", "benchmark: "}, {"150.5", "+Inf", "benchmark: "}, {"150.5", "-1", "benchmark: "},
		{"150.5", "150%", "benchmark: "},
		{"1234", "-1", "samples: -1 is below 0"}, {"1234", "12.5", "samples: "},
		{"https://gpu.userbenchmark.com/SpeedTest/1/X", "", "not a web address"},
		{"https:", "javascript:", "not a web address"},
	} {
		_, dropped, _ := ParseRanking(ranking(plainLine, strings.Replace(plainLine, tt.old, tt.new, 1)), "gpu")
		if !strings.Contains(fmt.Sprint(dropped.First), tt.problem) {
			t.Errorf("%q for %q: %v, want %q", tt.new, tt.old, dropped.First, tt.problem)
		}
	}
}

func TestParseRankingDropsBrokenRows(t *testing.T) {
	long := slices.Repeat([]string{plainLine}, 198)
	broken := slices.Concat(long[:1], []string{"GPU,?"}, long[1:], []string{"GPU"})
	windows := strings.NewReplacer("\n", "\r\n")
	for name, tt := range map[string]struct {
		file          string
		rows, dropped int
	}{
		"blank lines":               {ranking(plainLine, "", plainLine, ""), 2, 0},
		"all of it":                 {"\ufeff" + windows.Replace(ranking(append(broken, "")...)), 198, 2},
		"more than one row of many": {ranking(append(broken, "GPU")...), 0, 3},
	} {
		rows, dropped, err := ParseRanking(tt.file, "gpu")
		if len(rows) != tt.rows || dropped.Rows != tt.dropped || (err == nil) != (tt.rows > 0) {
			t.Fatalf("%s: %d rows, %d dropped, %v", name, len(rows), dropped.Rows, err)
		}
		if tt.dropped > 0 && dropped.First.Error() != "line 3: not 8 fields" {
			t.Errorf("%s: %v", name, dropped.First)
		}
	}
}
