package userbenchmark

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/internal/kit/fault"
)

const gpuFile = "/resources/download/csv/GPU_UserBenchmarks.csv"

// site responds with a handler per path, and notes the requests.
type site struct {
	handlers map[string]http.HandlerFunc
	paths    []string
	accepted []string // the Accept header of each request
}

// RoundTrip implements http.RoundTripper.
func (s *site) RoundTrip(req *http.Request) (*http.Response, error) {
	s.paths, s.accepted = append(s.paths, req.URL.Path), append(s.accepted, req.Header.Get("Accept"))
	recorder := httptest.NewRecorder()
	if handler := s.handlers[req.URL.Path]; handler != nil {
		handler(recorder, req)
	} else {
		http.NotFound(recorder, req)
	}
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}

// open returns the Site whose GPU file is what respond writes.
func open(respond http.HandlerFunc) (*Site, *site) {
	s := &site{handlers: map[string]http.HandlerFunc{gpuFile: respond}}
	base := &url.URL{Scheme: "https", Host: "www.userbenchmark.com"}
	return New(fetch.Options{BaseURL: base, Timeout: time.Second, Transport: s, Now: time.Now}), s
}

func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = w.Write([]byte(body)) }
}

func TestRankingReadsTheFileOfTheFamily(t *testing.T) {
	b, s := open(text(200, ranking(append(slices.Repeat([]string{plainLine}, 99), "GPU")...)))
	for range 2 {
		r, dropped, err := b.Ranking(t.Context(), "gpu")
		if err != nil || r.Source != "userbenchmark.com" {
			t.Fatalf("%d rows of %q, %v", len(r.Rows), r.Source, err)
		}
		if dropped.Rows != 1 || dropped.First.Error() != "line 101: not 8 fields" {
			t.Errorf("dropped %+v", dropped)
		}
		if len(r.Rows) != 99 || r.Rows[0].Model != "RTX 4070" {
			t.Errorf("%d rows of %q, %v", len(r.Rows), r.Source, err)
		}
	}
	if want := []string{"/robots.txt", gpuFile, gpuFile}; !slices.Equal(s.paths, want) {
		t.Errorf("requested %q, want %q", s.paths, want)
	}
	if want := slices.Repeat([]string{"text/csv,*/*;q=0.5"}, 3); !slices.Equal(s.accepted, want) {
		t.Errorf("accepted %q, want %q", s.accepted, want)
	}
}

func TestRankingClassifiesResponses(t *testing.T) {
	file := ranking(plainLine)
	moved := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	for name, tt := range map[string]struct {
		respond http.HandlerFunc
		code    string // empty: a ranking
	}{
		"moved":            {moved("/moved.csv"), ""},
		"forbidden":        {text(403, file), fetch.CodeBlocked},
		"challenge":        {text(200, "<html><title>Just a moment...</title>"), fetch.CodeBlocked},
		"verification":     {text(200, "<html><title>Human Verification</title>"), fetch.CodeBlocked},
		"captcha redirect": {moved("/page/captcha?x=1"), fetch.CodeBlocked},
		"another page":     {text(200, "<html><title>Home</title>"), fetch.CodeChanged},
		"another header":   {text(200, strings.Replace(file, "Rank", "Place", 1)), fetch.CodeChanged},
		"another family":   {text(200, strings.Replace(file, "GPU,", "CPU,", 1)), fetch.CodeChanged},
		"half a file":      {text(200, file[:len(file)-10]), fetch.CodeChanged},
		"partial content":  {text(206, file), fetch.CodeUnavailable},
		"not found":        {text(404, ""), fetch.CodeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := open(tt.respond)
			s.handlers["/moved.csv"] = text(200, file)
			r, _, err := b.Ranking(t.Context(), "gpu")
			if tt.code == "" && (err != nil || len(r.Rows) != 1) {
				t.Fatalf("%d rows, %v, want %s", len(r.Rows), err, tt.code)
			}
			if tt.code != "" && (!fault.Is(err, tt.code) || r.Rows != nil) {
				t.Errorf("%d rows, %v, want %s", len(r.Rows), err, tt.code)
			}
		})
	}
}

func TestRankingObeysRobotsTxt(t *testing.T) {
	b, s := open(text(200, ranking(plainLine)))
	s.handlers["/robots.txt"] = text(200, "User-agent: *\nDisallow: /resources\n")
	if _, _, err := b.Ranking(t.Context(), "gpu"); !fault.Is(err, fetch.CodeDisallowed) || len(s.paths) != 1 {
		t.Errorf("%v after requesting %q", err, s.paths)
	}
}

func TestSnapshotIsShippedForEveryFamily(t *testing.T) {
	for _, name := range catalog.Families() {
		rows, asOf, err := Snapshot(catalog.Family(name))
		if err != nil || len(rows) == 0 {
			t.Fatalf("%s: %d rows as of %v, %v", name, len(rows), asOf, err)
		}
		if asOf.Year() < 2020 || asOf.After(time.Now()) {
			t.Errorf("%s: %d rows as of %v, %v", name, len(rows), asOf, err)
		}
		for i, row := range rows {
			if i > 0 && row.Rank < rows[i-1].Rank {
				t.Errorf("%s, row %d: rank %d after %d", name, i, row.Rank, rows[i-1].Rank)
			}
		}
	}
	if _, _, err := Snapshot("tpu"); err == nil {
		t.Error("a family without a file is no error")
	}
}

func TestSnapshotNeedsADateAndEveryRow(t *testing.T) {
	file := ranking(plainLine)
	rows, asOf, err := parseSnapshot("# as-of: 2026-06-01\n"+file, "gpu")
	if err != nil || len(rows) != 1 || asOf.Format(time.DateOnly) != "2026-06-01" {
		t.Errorf("%v, %v, %v", rows, asOf, err)
	}
	for name, body := range map[string]string{
		"no date":      file,
		"another date": "# as-of: 1 June 2026\n" + file,
		"no ranking":   "# as-of: 2026-06-01\n",
		"a broken row": "# as-of: 2026-06-01\n" + ranking(append(slices.Repeat([]string{plainLine}, 99), "GPU")...),
	} {
		if _, _, err := parseSnapshot(body, "gpu"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
