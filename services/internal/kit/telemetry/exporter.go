package telemetry

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// answerLimit bounds what is read of a collector's answer, in bytes.
const answerLimit = 64 << 10

// exporter sends spans to a collector, and bounds the time that a batch may take.
type exporter struct {
	sdk.SpanExporter
	timeout time.Duration
}

// newExporter makes an exporter with the given User-Agent, whose requests go through
// next. A busy collector is asked again within the timeout of a batch. Redirects are
// not followed, since the headers may hold a key for the configured address only.
func newExporter(ctx context.Context, t target, agent string, next http.RoundTripper) (*exporter, error) {
	otlp, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL((&url.URL{Scheme: t.address.Scheme, Host: t.address.Host}).String()),
		otlptracehttp.WithHTTPClient(&http.Client{
			Transport:     &sender{address: t.address, agent: agent, next: next},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: time.Second, MaxInterval: t.timeout, MaxElapsedTime: t.timeout,
		}),
		otlptracehttp.WithMaxResponseSize(answerLimit))
	if err != nil {
		return nil, fmt.Errorf("exporter of traces: %w", err)
	}
	return &exporter{otlp, t.timeout}, nil
}

// ExportSpans implements sdk.SpanExporter.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	return e.SpanExporter.ExportSpans(ctx, spans)
}

// sender sends requests to the complete address of the collector. The exporter knows
// only its scheme and host, because it writes the address into its errors, and path,
// query and password may be secret.
type sender struct {
	address *url.URL
	agent   string
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper. It replaces the body of an answer that
// refuses the spans with its status: the exporter writes the body into its error, and
// the body may repeat a key of the request.
func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL = s.address
	r.Header.Set("User-Agent", s.agent)
	if user := s.address.User; user != nil && r.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
	}
	resp, err := s.next.RoundTrip(r)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	_ = resp.Body.Close() // of no interest
	resp.Body = io.NopCloser(strings.NewReader(resp.Status))
	return resp, nil
}
