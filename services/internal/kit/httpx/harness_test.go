package httpx_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

const bodyLimit = 16

// service is an echo instance with its log and metrics.
type service struct {
	*echo.Echo
	log      *journal
	registry *prometheus.Registry
}

func newService() service { return newServiceWith(nil) }

// newServiceWith returns a service that writes error pages with errorPage.
func newServiceWith(errorPage func(http.ResponseWriter, *http.Request, int, *fault.Error) (bool, error)) service {
	log, registry := &journal{}, prometheus.NewRegistry()
	e := httpx.New(httpx.Options{
		Log: slog.New(slog.NewJSONHandler(log, nil)), Metrics: httpx.NewMetrics(registry, "demo"), BodyLimit: bodyLimit,
		ErrorBody: errorBody, ErrorPage: errorPage,
	})
	return service{Echo: e, log: log, registry: registry}
}

// failure is the JSON body of an error.
type failure struct {
	Error string `json:"error"`
	Code  string `json:"code"`
}

func errorBody(f *fault.Error) any { return failure{Error: f.Message, Code: f.Code} }

// fail adds a route that always fails with err.
func (s service) fail(path string, err error) {
	s.GET(path, func(echo.Context) error { return err })
}

func (s service) do(r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer
}

func (s service) get(path string) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequest(http.MethodGet, path, nil))
}

func decode(t *testing.T, answer *httptest.ResponseRecorder) failure {
	t.Helper()
	var b failure
	if err := json.Unmarshal(answer.Body.Bytes(), &b); err != nil {
		t.Fatalf("body %q: %v", answer.Body, err)
	}
	return b
}

// journal records the log, one JSON object in each line.
type journal struct {
	mu     sync.Mutex
	out    bytes.Buffer
	writes int
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writes++
	return j.out.Write(p)
}

func (j *journal) entries(t *testing.T) (all []map[string]any) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(j.out.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		all = append(all, entry)
	}
	return all
}
