package compose

import (
	"net/http"
	"slices"
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
	a, err := v.Try(t.Context(), http.MethodGet, path, nil)
	return err == nil && a.Status == http.StatusOK
}

// sourceRequests counts what reached the aggregator of the sandbox.
func sourceRequests(t *testing.T) int {
	t.Helper()
	return len(harness.Sandbox{Control: setting(t, "COMPOSE_SANDBOX_URL")}.Requests(t, "aggregator"))
}
