package testkit

import (
	"strings"
	"testing"

	"backend.example/services/internal/kit/fault"
)

// WantFault ends the test unless err is a fault with that code or, for the zero code, nil. Neither the error, which is
// logged, nor its message for people may contain a secret.
func WantFault(t testing.TB, err error, code fault.Code, secrets ...string) *fault.Error {
	t.Helper()
	if err == nil && code == (fault.Code{}) {
		return &fault.Error{}
	}
	if err == nil || !fault.Is(err, code) {
		t.Fatalf("err = %v, want %q", err, code)
	}
	f := fault.From(err)
	for _, secret := range secrets {
		if strings.Contains(err.Error()+f.Message, secret) {
			t.Errorf("secret in the error %q or in the message %q", err, f.Message)
		}
	}
	return f
}
