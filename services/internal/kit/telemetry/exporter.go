package telemetry

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"backend.example/services/internal/kit/retry"
)

// exporter sends spans to a collector as OTLP over HTTP, encoded as JSON. The
// encodings of Protocol Buffers would link gRPC, and double the size of a service.
//
// https://opentelemetry.io/docs/specs/otlp/#otlphttp
type exporter struct {
	target target
	client *http.Client
}

// newExporter sends in the name of agent. Redirects are not followed: the headers
// may hold a key, which is for the configured address alone.
func newExporter(t target, agent string) *exporter {
	t.header.Set("User-Agent", agent)
	t.header.Set("Content-Type", "application/json")
	if t.gzip {
		t.header.Set("Content-Encoding", "gzip")
	}
	return &exporter{target: t, client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// busyError is the answer of a collector that may be asked again.
type busyError struct {
	status int
	after  time.Duration // 0: the collector does not say
}

// Error implements error.
func (b *busyError) Error() string { return fmt.Sprintf("the collector answered %d", b.status) }

// ExportSpans implements sdk.SpanExporter. A collector that is busy is asked again,
// for as long as the timeout of a batch allows. Errors tell neither the address nor
// the headers.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	content, err := e.pack(spans)
	if err != nil {
		return fmt.Errorf("spans not encoded: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, e.target.timeout)
	defer cancel()
	again := retry.Policy{FirstPause: time.Second, Passing: isBusy}
	return again.Do(ctx, func(ctx context.Context) error { return e.send(ctx, content) })
}

func isBusy(err error) (pause time.Duration, ok bool) {
	var busy *busyError
	if !errors.As(err, &busy) {
		return 0, false
	}
	return busy.after, true
}

// Shutdown implements sdk.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

func (e *exporter) pack(spans []sdk.ReadOnlySpan) ([]byte, error) {
	var packed bytes.Buffer
	var out io.WriteCloser = nopCloser{&packed}
	if e.target.gzip {
		out = gzip.NewWriter(&packed)
	}
	err := errors.Join(json.NewEncoder(out).Encode(encode(spans)), out.Close())
	return packed.Bytes(), err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// send makes one attempt.
func (e *exporter) send(ctx context.Context, content []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.target.address, bytes.NewReader(content))
	if err != nil {
		return errors.New("spans not sent: not an address")
	}
	request.Header = e.target.header
	answer, err := e.client.Do(request)
	if err != nil {
		var told *url.Error
		if errors.As(err, &told) {
			err = told.Err // without the address
		}
		return fmt.Errorf("spans not sent: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // read as far as it matters
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &busyError{answer.StatusCode, retry.After(answer.Header, time.Now())}
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("spans not taken: the collector answered %d", answer.StatusCode)
	}
	return partialSuccess(answer.Body)
}

// answerLimit bounds what is read of an answer, in bytes.
const answerLimit = 64 << 10

// partialSuccess reads what the collector has to say of spans that it took. An
// answer that is not what the protocol says is of no interest.
func partialSuccess(body io.Reader) error {
	var answer struct {
		PartialSuccess struct {
			RejectedSpans json.Number
			ErrorMessage  string
		}
	}
	content, err := io.ReadAll(io.LimitReader(body, answerLimit))
	if err != nil || json.Unmarshal(content, &answer) != nil {
		return nil
	}
	if partial := answer.PartialSuccess; partial.RejectedSpans != "" && partial.RejectedSpans != "0" || partial.ErrorMessage != "" {
		return fmt.Errorf("the collector refused %s spans: %.200q", cmp.Or(partial.RejectedSpans, "0"), partial.ErrorMessage)
	}
	return nil
}
