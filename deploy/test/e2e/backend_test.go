package e2e

import (
	"os"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// backend returns the base address of a backend to ask: the one of E2E_BASE_URL, else
// one of the test's own.
func backend(t *testing.T, o harness.Options) string {
	t.Helper()
	if url := os.Getenv("E2E_BASE_URL"); url != "" {
		return strings.TrimSuffix(url, "/")
	}
	return harness.New(t, o).Gateway
}

// own starts a backend whose programs the test may stop.
func own(t *testing.T, o harness.Options) *harness.Stack {
	t.Helper()
	needsOwnPrograms(t)
	return harness.New(t, o)
}

// needsOwnPrograms skips a test that stops or multiplies programs where they belong
// to somebody else.
func needsOwnPrograms(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs")
	}
	if os.Getenv("E2E_BASE_URL") != "" {
		t.Skip("the programs of E2E_BASE_URL are not ours to stop")
	}
}
