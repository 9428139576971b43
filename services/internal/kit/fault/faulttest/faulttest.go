// Package faulttest checks the codes that a package publishes.
package faulttest

import (
	"testing"

	"backend.example/services/internal/kit/fault"
)

// Published checks that a code has its published kind and name, and a message. Metrics,
// addresses of pages and the statuses of responses depend on the two.
func Published(t testing.TB, code fault.Code, kind fault.Kind, name string) {
	t.Helper()
	if f := code.Fault(); f.Code != name || f.Kind != kind || f.Message == "" {
		t.Errorf("%s is of kind %d, want %s of kind %d", f.Code, f.Kind, name, kind)
	}
}
