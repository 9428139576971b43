package provider_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"backend.example/services/directory/internal/directory"
)

// memory carries requests to a handler without a network, so that the pauses
// between tries take no time under [quickly].
type memory struct{ handler http.HandlerFunc }

func (m memory) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	received := httptest.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), req.Body)
	received.Header = req.Header
	recorder := httptest.NewRecorder()
	m.handler(recorder, received)
	return recorder.Result(), nil
}

// tries is how often a call is made that ends in that fault.
func tries(code string) int {
	if code == directory.CodeTemporary {
		return 3
	}
	return 1
}

// quickly runs a subtest in which time passes at once.
func quickly(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}
