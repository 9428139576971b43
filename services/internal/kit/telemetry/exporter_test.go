package telemetry

import (
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
)

var _ sdk.SpanExporter = (*exporter)(nil)

// scripted returns one response after another, repeating the last one, and records the
// times. Without responses it waits for the end of the request.
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

// export sends one span to an address with secrets through next.
func export(t *testing.T, next http.RoundTripper) error {
	t.Helper()
	setEnviron(t)
	address, err := url.Parse("https://" + secret + ":" + secret + "@collector/" + secret + "?key=" + secret)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExporter(t.Context(), target{address: address, timeout: batchTime}, "demo", next)
	if err != nil {
		t.Fatal(err)
	}
	return e.ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "work"}}.Snapshots())
}

// answer returns a response with at most one header, given as name and value.
func answer(status int, body string, header ...string) http.Response {
	resp := http.Response{
		StatusCode: status, Status: http.StatusText(status),
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
	}
	if len(header) == 2 {
		resp.Header.Set(header[0], header[1])
	}
	return resp
}

// Errors contain neither the address nor the collector's response, which may repeat a key.
func TestExportRetriesWithinBatchTimeout(t *testing.T) {
	taken, refused := answer(200, ""), answer(400, secret)
	tests := []struct {
		name    string
		answers []http.Response // the last one again and again; none: the collector does not answer
		came    []float64       // seconds at which each attempt comes at the earliest
		ends    float64         // seconds after which the export has ended
		problem string
	}{
		{"taken", []http.Response{taken}, []float64{0}, 0, ""},
		{"refused", []http.Response{refused}, []float64{0}, 0, "Bad Request"},
		{"redirected", []http.Response{answer(307, "", "Location", "http://elsewhere/")}, []float64{0}, 0,
			"Temporary Redirect"},
		{"busy, says when", []http.Response{answer(503, "", "Retry-After", "3"), taken}, []float64{0, 3}, 3, ""},
		{"busy for too long", []http.Response{answer(503, "", "Retry-After", "11")}, []float64{0}, 0,
			"Service Unavailable"},
		{
			"busy, does not say when", []http.Response{answer(429, ""), answer(502, ""), answer(504, ""), refused},
			[]float64{0, 0.5, 1.25, 2.375}, 7.125, "Bad Request",
		},
		{"stays busy", []http.Response{answer(429, "", "Retry-After", "4")}, []float64{0, 4, 8}, 10,
			"Too Many Requests"},
		{"does not answer", nil, []float64{0}, 10, "deadline exceeded"},
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
				inTime := func(at time.Duration, earliest float64) bool { return at.Seconds() >= earliest }
				if !slices.EqualFunc(s.came, test.came, inTime) {
					t.Errorf("asked at %v, want %v", s.came, test.came)
				}
				if took := time.Since(s.began).Seconds(); took > test.ends {
					t.Errorf("took %v s, want %v at most", took, test.ends)
				}
			})
		})
	}
}
