package source

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

const gpuFile = "/resources/download/csv/GPU_UserBenchmarks.csv"

func openBenchmark(t *testing.T) (*stubSite, *Benchmark) {
	t.Helper()
	s := newStubSite(t)
	s.on(gpuFile, text(200, string(ranking(plainLine))))
	o, _ := options(t, s.URL)
	return s, NewBenchmark(BenchmarkOptions{
		BaseURL: o.BaseURL, UserAgent: agent, Timeout: 10 * time.Second, Transport: o.Transport, Now: time.Now,
	})
}

func TestRowsReadsTheFileOfTheFamily(t *testing.T) {
	s, b := openBenchmark(t)
	rows, err := b.Rows(t.Context(), "gpu")
	if err != nil || len(rows) != 1 || rows[0].Model != "RTX 4070" {
		t.Errorf("%v, %v", rows, err)
	}
	if s.headers[0].Get("User-Agent") != agent || len(s.asked) != 1 {
		t.Errorf("asked %q with %v", s.asked, s.headers)
	}
	s.on("/moved.csv", text(200, string(ranking(plainLine))))
	s.on(gpuFile, redirect("/moved.csv"))
	if rows, err := b.Rows(t.Context(), "gpu"); err != nil || len(rows) != 1 {
		t.Errorf("after a redirect: %v, %v", rows, err)
	}
}

func TestBenchmarkDomain(t *testing.T) {
	u, err := url.Parse("https://www.userbenchmark.com")
	if err != nil {
		t.Fatal(err)
	}
	if got := NewBenchmark(BenchmarkOptions{BaseURL: u}).Domain(); got != "userbenchmark.com" {
		t.Errorf("%q", got)
	}
}

func TestRowsClassifiesWhatTheSiteAnswers(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("left the site") }))
	defer stranger.Close()
	file := string(ranking(plainLine))
	tests := map[string]struct {
		answer http.HandlerFunc
		code   string
	}{
		"forbidden":         {text(403, file), hardware.CodeBlocked},
		"too many requests": {withRetryAfter(429, "120"), hardware.CodeBlocked},
		"unavailable":       {text(503, ""), hardware.CodeBlocked},
		"challenge":         {text(200, "<html><title>Just a moment...</title>"), hardware.CodeBlocked},
		"verification":      {text(200, "<html><title>Human Verification</title>"), hardware.CodeBlocked},
		"captcha redirect":  {redirect("/page/captcha?x=1"), hardware.CodeBlocked},
		"another page":      {text(200, "<html><title>Home</title>"), hardware.CodeChanged},
		"another header":    {text(200, strings.Replace(file, "Rank", "Place", 1)), hardware.CodeChanged},
		"another family":    {text(200, strings.Replace(file, "GPU,", "CPU,", 1)), hardware.CodeChanged},
		"half a file":       {text(200, file[:len(file)-10]), hardware.CodeChanged},
		"too large":         {flushed(file + strings.Repeat("x", DefaultMaxBody)), hardware.CodeChanged},
		"cut off":           {withHeader("Content-Length", "100000", file), hardware.CodeUnavailable},
		"partial content":   {text(206, file), hardware.CodeUnavailable},
		"not found":         {text(404, ""), hardware.CodeUnavailable},
		"failed":            {text(500, ""), hardware.CodeUnavailable},
		"another host":      {redirect(stranger.URL), hardware.CodeChanged},
		"redirect loop":     {redirect(gpuFile), hardware.CodeChanged},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, b := openBenchmark(t)
			s.on(gpuFile, tt.answer)
			rows, err := b.Rows(t.Context(), "gpu")
			wantCode(t, err, tt.code)
			if rows != nil {
				t.Errorf("rows %v beside an error", rows)
			}
			if e := fault.From(err); name == "too many requests" && e.RetryAfter != 2*time.Minute {
				t.Errorf("after %v", e.RetryAfter)
			}
		})
	}
}

func withRetryAfter(status int, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", value)
		w.WriteHeader(status)
	}
}

func TestRowsTellsASlowSourceFromAnImpatientCaller(t *testing.T) {
	base, err := url.Parse("https://www.userbenchmark.com")
	if err != nil {
		t.Fatal(err)
	}
	b := NewBenchmark(BenchmarkOptions{BaseURL: base, Timeout: 10 * time.Second, Transport: slowSource{time.Hour}, Now: time.Now})
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		_, err := b.Rows(t.Context(), "gpu")
		wantCode(t, err, hardware.CodeSlow)
		if took := time.Since(started); took != 10*time.Second {
			t.Errorf("took %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.Rows(ctx, "gpu"); !errors.Is(err, context.DeadlineExceeded) || fault.Is(err, hardware.CodeSlow) {
			t.Errorf("error %v", err)
		}
	})
}

func TestRowsReportsASourceThatIsNotThere(t *testing.T) {
	s, b := openBenchmark(t)
	s.Close()
	_, err := b.Rows(t.Context(), "gpu")
	wantCode(t, err, hardware.CodeUnavailable)
}
