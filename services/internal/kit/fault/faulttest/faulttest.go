// Package faulttest checks the codes that a package publishes.
package faulttest

import (
	"testing"

	"backend.example/services/internal/kit/fault"
)

// Published checks that a code has its published name and kind, and a message. Metrics, addresses of pages and the
// statuses of responses depend on name and kind.
func Published(t testing.TB, code fault.Code, kind fault.Kind, name string) {
	t.Helper()
	f := code.Fault()
	if f.Code != name {
		t.Errorf("code %q, want %q", f.Code, name)
	}
	if f.Kind != kind {
		t.Errorf("%s is of kind %d, want %d", name, f.Kind, kind)
	}
	if f.Message == "" {
		t.Errorf("%s has no message", name)
	}
}
