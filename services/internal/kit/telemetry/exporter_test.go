package telemetry

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

var _ sdk.SpanExporter = (*exporter)(nil)

// script answers one request after another, and notes when they came.
type script struct {
	answers []http.Response // what is not set is a 200 without a body
	began   time.Time
	came    []time.Duration
	err     error
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	s.came = append(s.came, time.Since(s.began))
	if s.err != nil {
		return nil, s.err
	}
	answer := s.answers[min(len(s.came), len(s.answers))-1]
	if answer.Body == nil {
		answer.Body = http.NoBody
	}
	return &answer, nil
}

func status503(after string) http.Response {
	return http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {after}}}
}

// batchTime is too short for a fourth pause, which is 4 s at least, and long enough
// for the three before, which are 7 s at most.
const batchTime = 7400 * time.Millisecond

func (s *script) export(t *testing.T) error {
	t.Helper()
	e := newExporter(target{address: "http://" + secret + ":" + secret + "@collector/?key=" + secret, header: http.Header{}, timeout: batchTime}, "demo")
	e.client.Transport, s.began = s, time.Now()
	return e.ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "work"}}.Snapshots())
}

// TestAttempts: a collector that is busy is asked again, within the time of a batch.
func TestAttempts(t *testing.T) {
	ok, refused := http.Response{StatusCode: http.StatusOK}, http.Response{StatusCode: http.StatusBadRequest}
	limited := http.Response{StatusCode: http.StatusTooManyRequests}
	tests := map[string]struct {
		answers []http.Response
		seconds []float64 // when each attempt comes at the earliest
		problem string
	}{
		"taken":             {[]http.Response{ok}, []float64{0}, ""},
		"refused":           {[]http.Response{refused}, []float64{0}, "answered 400"},
		"redirected":        {[]http.Response{{StatusCode: 307, Header: http.Header{"Location": {"http://elsewhere/"}}}}, []float64{0}, "answered 307"},
		"says when":         {[]http.Response{status503("3"), ok}, []float64{0, 3}, ""},
		"says when by date": {[]http.Response{status503("Sat, 01 Jan 2000 00:00:03 GMT"), ok}, []float64{0, 3}, ""},
		"says too late":     {[]http.Response{status503("11"), ok}, []float64{0}, "answered 503"},
		"says nonsense":     {[]http.Response{status503("-1"), refused}, []float64{0, 0.5}, "answered 400"},
		"does not say when": {[]http.Response{limited, limited, ok}, []float64{0, 0.5, 1.5}, ""},
		"stays busy":        {[]http.Response{limited}, []float64{0, 0.5, 1.5, 3.5}, "answered 429"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: test.answers}
				err := s.export(t)
				if (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
					t.Errorf("error %v, want %q", err, test.problem)
				}
				if !slices.EqualFunc(s.came, test.seconds, func(at time.Duration, earliest float64) bool { return at.Seconds() >= earliest && at <= batchTime }) {
					t.Errorf("asked at %v, want %v", s.came, test.seconds)
				}
			})
		})
	}
}

// TestErrorsHoldNoAddress: it may have a password or a key.
func TestErrorsHoldNoAddress(t *testing.T) {
	s := &script{err: errors.New("connection refused")}
	err := s.export(t)
	var address *url.Error
	if err == nil || !errors.Is(err, s.err) || errors.As(err, &address) || strings.Contains(err.Error(), secret) {
		t.Errorf("error %v", err)
	}
}

func TestPartialSuccess(t *testing.T) {
	for body, want := range map[string]string{
		``: "", `{}`: "", `{"partialSuccess":{}}`: "", `{"partialSuccess":{"rejectedSpans":"0"}}`: "", `<html>`: "",
		`{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`: `refused 2 spans: "too old"`,
		`{"partialSuccess":{"rejectedSpans":3}}`:                            `refused 3 spans`,
		`{"partialSuccess":{"errorMessage":"please\nupgrade"}}`:             `refused 0 spans: "please\nupgrade"`,
	} {
		s := &script{answers: []http.Response{{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}}}
		if err := s.export(t); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", body, err, want)
		}
	}
}

func TestRequestOfExporter(t *testing.T) {
	for _, packed := range []bool{false, true} {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.UserAgent() != "demo/v1" || r.Header.Get("Key") != secret {
				t.Errorf("%s with %v", r.Method, r.Header)
			}
			var in io.Reader = r.Body
			if r.Header.Get("Content-Encoding") == "gzip" {
				unpacked, err := gzip.NewReader(r.Body)
				if err != nil {
					t.Error(err)
					return
				}
				in = unpacked
			} else if packed {
				t.Error("not packed")
			}
			var got map[string]any
			if err := json.NewDecoder(in).Decode(&got); err != nil || got["resourceSpans"] == nil {
				t.Errorf("got %v, %v", got, err)
			}
		}))
		e := newExporter(target{address: server.URL, header: http.Header{"Key": {secret}}, timeout: time.Minute, gzip: packed}, "demo/v1")
		if err := e.ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "work"}}.Snapshots()); err != nil {
			t.Error(err)
		}
		if err := errors.Join(e.ExportSpans(t.Context(), nil), e.Shutdown(t.Context())); err != nil {
			t.Errorf("packed %t: %v", packed, err)
		}
		server.Close()
	}
}
