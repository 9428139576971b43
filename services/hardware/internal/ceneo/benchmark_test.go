package ceneo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

const gpuFile = "/resources/download/csv/GPU_UserBenchmarks.csv"

func openBenchmark(t *testing.T) (*stubSite, *Benchmark) {
	t.Helper()
	s := newStubSite(t)
	s.on(gpuFile, text(200, ranking(plainLine)))
	o, _ := options(t, s.URL)
	return s, NewBenchmark(BenchmarkOptions{
		BaseURL: o.BaseURL, UserAgent: agent, Timeout: 10 * time.Second, Transport: o.Transport, Now: time.Now,
	})
}

func TestRankingReadsTheFileOfTheFamily(t *testing.T) {
	s, b := openBenchmark(t)
	a, err := b.Ranking(t.Context(), "gpu")
	if err != nil || len(a.Rows) != 1 || a.Rows[0].Model != "RTX 4070" {
		t.Errorf("%+v, %v", a, err)
	}
	if s.headers[0].Get("User-Agent") != agent || len(s.asked) != 1 {
		t.Errorf("asked %q with %v", s.asked, s.headers)
	}
	s.on("/moved.csv", text(200, ranking(plainLine)))
	s.on(gpuFile, redirect("/moved.csv"))
	if a, err := b.Ranking(t.Context(), "gpu"); err != nil || len(a.Rows) != 1 {
		t.Errorf("after a redirect: %v, %v", a, err)
	}
}

func TestRankingTellsWhichRowsItLeftOut(t *testing.T) {
	s, b := openBenchmark(t)
	var told []string
	b.dropped = func(f catalog.Family, d Dropped) { told = append(told, fmt.Sprint(f, " ", d.Rows, " ", d.First)) }
	s.on(gpuFile, text(200, ranking(append(slices.Repeat([]string{plainLine}, 99), "GPU")...)))
	if a, err := b.Ranking(t.Context(), "gpu"); err != nil || len(a.Rows) != 99 || !slices.Equal(told, []string{"gpu 1 line 101: not 8 fields"}) {
		t.Errorf("%d rows, told %q, %v", len(a.Rows), told, err)
	}
}

func TestSourceOfARankingIsTheDomain(t *testing.T) {
	b := NewBenchmark(BenchmarkOptions{BaseURL: mustParse(t, "https://www.userbenchmark.com"), Timeout: time.Second, Transport: fileSource(ranking(plainLine)), Now: time.Now})
	if a, err := b.Ranking(t.Context(), "gpu"); err != nil || a.Source != "userbenchmark.com" {
		t.Errorf("%+v, %v", a, err)
	}
}

// fileSource answers every request with a file.
type fileSource string

func (f fileSource) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(f)))}, nil
}

func TestRankingClassifiesWhatTheSiteAnswers(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("left the site") }))
	defer stranger.Close()
	file := ranking(plainLine)
	tests := map[string]struct {
		answer http.HandlerFunc
		code   string
	}{
		"forbidden":         {text(403, file), lookup.CodeBlocked},
		"too many requests": {withRetryAfter(429, "120"), lookup.CodeBlocked},
		"unavailable":       {text(503, ""), lookup.CodeUnavailable},
		"challenge in 503":  {text(503, "<html><title>Just a moment...</title>"), lookup.CodeBlocked},
		"challenge":         {text(200, "<html><title>Just a moment...</title>"), lookup.CodeBlocked},
		"verification":      {text(200, "<html><title>Human Verification</title>"), lookup.CodeBlocked},
		"captcha redirect":  {redirect("/page/captcha?x=1"), lookup.CodeBlocked},
		"another page":      {text(200, "<html><title>Home</title>"), lookup.CodeChanged},
		"another header":    {text(200, strings.Replace(file, "Rank", "Place", 1)), lookup.CodeChanged},
		"another family":    {text(200, strings.Replace(file, "GPU,", "CPU,", 1)), lookup.CodeChanged},
		"half a file":       {text(200, file[:len(file)-10]), lookup.CodeChanged},
		"too large":         {flushed(file + strings.Repeat("x", DefaultMaxBody)), lookup.CodeChanged},
		"cut off":           {withHeader("Content-Length", "100000", file), lookup.CodeUnavailable},
		"partial content":   {text(206, file), lookup.CodeUnavailable},
		"not found":         {text(404, ""), lookup.CodeUnavailable},
		"failed":            {text(500, ""), lookup.CodeUnavailable},
		"another host":      {redirect(stranger.URL), lookup.CodeChanged},
		"redirect loop":     {redirect(gpuFile), lookup.CodeChanged},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, b := openBenchmark(t)
			s.on(gpuFile, tt.answer)
			a, err := b.Ranking(t.Context(), "gpu")
			wantCode(t, err, tt.code)
			if len(a.Rows) > 0 {
				t.Errorf("%d rows beside an error", len(a.Rows))
			}
			if e := fault.From(err); name == "too many requests" && e.RetryAfter != 2*time.Minute {
				t.Errorf("after %v", e.RetryAfter)
			}
		})
	}
}

func TestRankingTellsASlowSourceFromAnImpatientCaller(t *testing.T) {
	b := NewBenchmark(BenchmarkOptions{BaseURL: mustParse(t, "https://www.userbenchmark.com"), Timeout: 10 * time.Second, Transport: slowSource{time.Hour}, Now: time.Now})
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		_, err := b.Ranking(t.Context(), "gpu")
		wantCode(t, err, lookup.CodeSlow)
		if took := time.Since(started); took != 10*time.Second {
			t.Errorf("took %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.Ranking(ctx, "gpu"); !errors.Is(err, context.DeadlineExceeded) || fault.Is(err, lookup.CodeSlow) {
			t.Errorf("error %v", err)
		}
	})
}

func TestRankingReportsASourceThatIsNotThere(t *testing.T) {
	s, b := openBenchmark(t)
	s.Close()
	_, err := b.Ranking(t.Context(), "gpu")
	wantCode(t, err, lookup.CodeUnavailable)
}
