package telemetry

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

var _ sdk.SpanExporter = (*exporter)(nil)

// scripted answers one request after another, the last one again and again, and
// notes when they came. Without answers it waits until the request is given up.
type scripted struct {
	answers []http.Response
	began   time.Time
	came    []time.Duration
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	s.came = append(s.came, time.Since(s.began))
	if len(s.answers) == 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	answer := s.answers[min(len(s.came), len(s.answers))-1]
	if answer.Body == nil {
		answer.Body = http.NoBody
	}
	return &answer, nil
}

const batchTime = 10 * time.Second

// export sends one span to an address full of secrets, by way of next.
func export(t *testing.T, next http.RoundTripper) error {
	t.Helper()
	setEnviron(t)
	address, err := url.Parse("http://" + secret + ":" + secret + "@collector/" + secret + "?key=" + secret)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExporter(t.Context(), target{address: address, timeout: batchTime}, "demo", next)
	if err != nil {
		t.Fatal(err)
	}
	return e.ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "work"}}.Snapshots())
}

func answer(status int, body string, header ...string) http.Response {
	resp := http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

// TestAttempts: a collector that is busy is asked again within the time of a batch,
// and never for longer. The error of the exporter holds neither the address nor what
// the collector answered, which may quote a key.
func TestAttempts(t *testing.T) {
	tests := []struct {
		name    string
		answers []http.Response
		came    []float64 // seconds at which each attempt comes at the earliest
		ends    float64   // seconds after which the export has ended
		problem string
	}{
		{name: "taken", answers: []http.Response{answer(200, "")}, came: []float64{0}},
		{name: "refused", answers: []http.Response{answer(400, secret)}, came: []float64{0}, problem: "Bad Request"},
		{
			name: "redirected", answers: []http.Response{answer(307, "", "Location", "http://elsewhere/")},
			came: []float64{0}, problem: "Temporary Redirect",
		},
		{name: "says when", answers: []http.Response{answer(503, "", "Retry-After", "3"), answer(200, "")}, came: []float64{0, 3}, ends: 3},
		{
			name: "says a time after the batch's", answers: []http.Response{answer(503, "", "Retry-After", "11")},
			came: []float64{0}, problem: "Service Unavailable",
		},
		{name: "does not say when", answers: []http.Response{answer(429, ""), answer(502, ""), answer(504, ""), answer(400, "")}, came: []float64{0, 0.5, 1.25, 2.375}, ends: 7, problem: "Bad Request"},
		{name: "stays busy", answers: []http.Response{answer(429, "", "Retry-After", "4")}, came: []float64{0, 4, 8}, ends: 10, problem: "Too Many Requests"},
		{name: "never answers", came: []float64{0}, ends: 10, problem: "deadline exceeded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{answers: test.answers, began: time.Now()}
				err := export(t, s)
				if (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
					t.Errorf("error %v, want %q", err, test.problem)
				}
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("error %v holds the secret", err)
				}
				if !slices.EqualFunc(s.came, test.came, func(at time.Duration, earliest float64) bool { return at.Seconds() >= earliest }) {
					t.Errorf("asked at %v, want %v", s.came, test.came)
				}
				if took := time.Since(s.began).Seconds(); took > test.ends {
					t.Errorf("took %v s, want %v at most", took, test.ends)
				}
			})
		})
	}
}

func TestErrorOfTheNetwork(t *testing.T) {
	cause := errors.New("connection refused")
	if err := export(t, failing{cause}); !errors.Is(err, cause) || strings.Contains(err.Error(), secret) {
		t.Errorf("error %v", err)
	}
}

// TestPartialSuccess: spans that the collector took and then dropped are not lost
// without a word.
func TestPartialSuccess(t *testing.T) {
	encoded, err := proto.Marshal(&collectorv1.ExportTraceServiceResponse{
		PartialSuccess: &collectorv1.ExportTracePartialSuccess{RejectedSpans: 2, ErrorMessage: "too old"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ contentType, body, problem string }{
		"all taken":     {"application/json", `{"partialSuccess":{}}`, ""},
		"JSON":          {"application/json", `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`, "too old (2 spans rejected)"},
		"protobuf":      {"application/x-protobuf", string(encoded), "too old (2 spans rejected)"},
		"something":     {"text/html", `<html>`, ""},
		"without bound": {"text/html", strings.Repeat("x", answerLimit+1), "too large"},
	} {
		err := export(t, &scripted{answers: []http.Response{answer(200, test.body, "Content-Type", test.contentType)}})
		if (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: error %v, want %q", name, err, test.problem)
		}
	}
}

// TestRequests: what the collector is sent, as the variables say.
func TestRequests(t *testing.T) {
	const spans = "OTEL_EXPORTER_OTLP_"
	for _, test := range []struct {
		name, environ string
		path          string
		header        map[string]string
	}{
		{
			name: "by default", path: "/v1/traces",
			header: map[string]string{"Content-Type": "application/x-protobuf", "User-Agent": "demo/v1.4.0", "Content-Encoding": "", "Authorization": ""},
		},
		{name: "as JSON", environ: spans + "PROTOCOL=http/json", path: "/v1/traces", header: map[string]string{"Content-Type": "application/json"}},
		{name: "packed", environ: spans + "COMPRESSION=gzip", path: "/v1/traces", header: map[string]string{"Content-Encoding": "gzip"}},
		{
			name: "the variables for traces first", environ: spans + "TRACES_ENDPOINT=URL/in " + spans + "COMPRESSION=gzip " + spans + "TRACES_COMPRESSION=none",
			path: "/in", header: map[string]string{"Content-Encoding": ""},
		},
		{name: "with a key in the address", environ: spans + "ENDPOINT=URL/otlp/?a=b", path: "/otlp/v1/traces?a=b"},
		{
			name: "with headers", environ: spans + "HEADERS=key=other " + spans + "TRACES_HEADERS=a=b,key=Basic%20eA==,", path: "/v1/traces",
			header: map[string]string{"A": "b", "Key": "Basic eA=="},
		},
		{name: "with a password", environ: spans + "ENDPOINT=USER", path: "/v1/traces", header: map[string]string{"Authorization": "Basic dTpw"}},
		{
			name: "with a password and the header for it", environ: spans + "ENDPOINT=USER " + spans + "HEADERS=Authorization=Bearer%20x", path: "/v1/traces",
			header: map[string]string{"Authorization": "Bearer x"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCollector(t)
			environ := strings.NewReplacer("URL", c.URL, "USER", strings.Replace(c.URL, "//", "//u:p@", 1)).Replace(test.environ)
			logged := traceOnce(t, append([]string{spans + "ENDPOINT=" + c.URL}, strings.Fields(environ)...)...)
			if c.request == nil {
				t.Fatalf("nothing was sent: %s", logged)
			}
			if got := c.request.URL.String(); got != test.path || c.request.Method != http.MethodPost {
				t.Errorf("%s %s, want POST %s", c.request.Method, got, test.path)
			}
			for name, want := range test.header {
				if got := c.request.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if !strings.Contains(c.received(), "last work") {
				t.Errorf("sent %q", c.received())
			}
		})
	}
}
