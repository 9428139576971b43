package testkit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal marks the test as failed, but lets it run on, if got is not want. what names the fact.
func Equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
