package compose

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// newVisitor returns a browser without cookies.
func newVisitor(t *testing.T) *harness.Visitor {
	t.Helper()
	return harness.NewVisitor(t, setting(t, "COMPOSE_BASE_URL"))
}

// loggedIn returns a user of the demonstration data.
func loggedIn(t *testing.T) *harness.Visitor {
	t.Helper()
	return harness.LoggedIn(t, setting(t, "COMPOSE_BASE_URL"), "kierownik@demo.example")
}

// get asks for a path and wants one of the statuses.
func get(t *testing.T, v *harness.Visitor, path string, statuses ...int) harness.Answer {
	t.Helper()
	a, err := v.Try(t.Context(), http.MethodGet, path, nil)
	if err != nil || !slices.Contains(statuses, a.Status) {
		t.Fatalf("%s: %d, %v, want %v\n%.300s", path, a.Status, err, statuses, a.Body)
	}
	return a
}

// answers reports whether a path is answered 200.
func answers(t *testing.T, v *harness.Visitor, path string) bool {
	t.Helper()
	return harness.CheckOK(v.Try(t.Context(), http.MethodGet, path, nil)) == nil
}

// unavailable requires the answer that the other service makes for one that is gone.
func unavailable(t *testing.T, v *harness.Visitor, status int, path, accept, want string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	a, err := harness.Do(v.HTTP, request)
	if err != nil || a.Status != status || a.Header.Get("Retry-After") != "5" || !strings.Contains(string(a.Body), want) {
		t.Errorf("%s: %v, %d %v, want %d\n%s", path, err, a.Status, a.Header, status, a.Body)
	}
}

// sourceRequests returns the requests that reached the aggregator of the sandbox.
func sourceRequests(t *testing.T) []harness.Arrival {
	t.Helper()
	return harness.Sandbox{Control: setting(t, "COMPOSE_SANDBOX_URL")}.Requests(t, "aggregator")
}
