package httpapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/internal/kit/httpx"
)

// checker sees every exchange of these tests. The run fails when an answer that
// the contract documents never occurs in them.
var checker = contracttest.New(contracts.Hardware())

func TestMain(m *testing.M) { os.Exit(checker.Run(m.Run)) }

// now is the moment at which the tests take place.
var now = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func at(moment time.Time) func() time.Time { return func() time.Time { return moment } }

// service is the API on echo as the program builds it.
type service struct {
	http.Handler // checked against the contract
	echo         *echo.Echo
	log          *bytes.Buffer
	registry     *prometheus.Registry
}

func newService(t testing.TB, api *httpapi.API) service {
	t.Helper()
	s := service{log: &bytes.Buffer{}, registry: prometheus.NewRegistry()}
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	s.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(s.registry, "hardware"), BodyLimit: httpapi.BodyLimit, ErrorBody: api.Render,
	})
	api.Register(s.echo)
	s.Handler = checker.Wrap(t, s.echo)
	return s
}

// do sends one request; headers are pairs of name and value.
func (s service) do(method, target string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Add(pair[0], pair[1])
	}
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, request)
	return recorder
}

func (s service) get(target string, headers ...string) *httptest.ResponseRecorder {
	return s.do(http.MethodGet, target, headers...)
}

// body decodes an answer of any kind; what is not in it stays zero.
type body struct {
	Source, Family, Query string
	Count                 int
	Rows                  []struct{ Type, Model string }
	ProductName, Note     string
	Error, Code           string
	Allowed               []string
}

func read(t *testing.T, answer *httptest.ResponseRecorder) (b body) {
	t.Helper()
	if err := json.Unmarshal(answer.Body.Bytes(), &b); err != nil {
		t.Fatalf("body %q: %v", answer.Body, err)
	}
	return b
}

// requireFailure holds an answer to a status and a code, and to what every
// failure has in common.
func requireFailure(t *testing.T, answer *httptest.ResponseRecorder, status int, code string) body {
	t.Helper()
	b := read(t, answer)
	if answer.Code != status || b.Code != code {
		t.Errorf("answer %d %s, want %d %s", answer.Code, answer.Body, status, code)
	}
	if got := answer.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q of a failure", got)
	}
	for _, name := range []string{"ETag", "Cache-Status"} {
		if got := answer.Header().Get(name); got != "" {
			t.Errorf("%s %q of a failure", name, got)
		}
	}
	return b
}
