package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// answerLimit limits a collector's response, in bytes.
const answerLimit = 64 << 10

// exporter limits the time for each batch of spans.
type exporter struct {
	sdk.SpanExporter
	timeout time.Duration
}

// newExporter returns an exporter that sends requests through next. Requests to a busy collector are retried
// within the timeout of a batch. Redirects are not followed, because the headers may contain a key for the
// configured address.
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

// sender adds the path, query and password of the collector, which may be secret. The exporter only knows scheme
// and host, because its errors contain the address.
type sender struct {
	address *url.URL
	agent   string
	next    http.RoundTripper
}

// RoundTrip replaces the body of an error by the status: the exporter's error would contain the body, which may
// repeat a key of the request.
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
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(strings.NewReader(resp.Status))
	return resp, nil
}

type target struct {
	address *url.URL // may contain a password
	timeout time.Duration
}

// readTarget returns the target if tracing is on. SDKs send to localhost by default; here tracing is only on with
// an endpoint or with OTEL_TRACES_EXPORTER=otlp.
//
// The exporter and the SDK read the other variables themselves, and log invalid values. Those that may contain a
// secret are therefore checked here.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func readTarget() (t target, on bool, err error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return t, false, nil
	}
	_, endpoint := option("ENDPOINT")
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); {
	case exporter == "none", exporter == "" && endpoint == "":
		return t, false, nil
	case exporter != "" && exporter != "otlp":
		return t, false, errors.New("OTEL_TRACES_EXPORTER: otlp and none are known")
	}
	t, err = readOptions()
	return t, err == nil, err
}

// option returns a setting and its variable. The variable for traces takes precedence.
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/
func option(name string) (variable, value string) {
	for _, prefix := range []string{"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"} {
		variable = prefix + name
		if value = strings.TrimSpace(os.Getenv(variable)); value != "" {
			break
		}
	}
	return variable, value
}

func readOptions() (t target, err error) {
	protocols, compressions := []string{"", "http/protobuf", "http/json"}, []string{"", "none", "gzip"}
	if variable, value := option("PROTOCOL"); !slices.Contains(protocols, value) {
		return t, errors.New(variable + ": http/protobuf and http/json are known")
	}
	if variable, value := option("COMPRESSION"); !slices.Contains(compressions, value) {
		return t, errors.New(variable + ": gzip and none are known")
	}
	if variable, value := option("HEADERS"); !areHeaders(value) {
		return t, errors.New(variable + ": not a list of name=value")
	}
	t.timeout = 10 * time.Second
	if variable, value := option("TIMEOUT"); value != "" {
		ms, err := strconv.ParseInt(value, 10, 32)
		if err != nil || ms <= 0 {
			return t, errors.New(variable + ": not a number of milliseconds from 1 to 2147483647")
		}
		t.timeout = time.Duration(ms) * time.Millisecond
	}
	t.address, err = readAddress()
	return t, err
}

// readAddress returns the endpoint of traces. If only that of all signals is set, it adds the path of traces.
func readAddress() (*url.URL, error) {
	variable, endpoint := option("ENDPOINT")
	if endpoint == "" {
		endpoint = "http://localhost:4318"
	}
	u, err := url.Parse(endpoint)
	isHTTP := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	if !isHTTP || u.Host == "" {
		return nil, errors.New(variable + ": not an http(s) address")
	}
	if variable == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u.Path = path.Join("/", u.Path, "v1", "traces")
	}
	return u, nil
}

// nameChars are the characters of header names (RFC 9110, section 5.6.2).
const nameChars = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// areHeaders reports whether list is name=value,… with percent-encoded values.
func areHeaders(list string) bool {
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		isName := name != "" && strings.Trim(name, nameChars) == ""
		if !found || !isName {
			return false
		}
		value, err := url.PathUnescape(value)
		if err != nil || strings.ContainsFunc(value, unicode.IsControl) {
			return false
		}
	}
	return true
}
