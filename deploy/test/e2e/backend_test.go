package e2e

import (
	"os"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// backend returns the base address of the backend of E2E_BASE_URL, or of one that it
// starts for the test. Tests run in parallel: they wait more than they compute.
func backend(t *testing.T, o harness.Options) string {
	t.Helper()
	t.Parallel()
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

// needsOwnPrograms skips a test that stops or multiplies programs if E2E_BASE_URL names a
// running backend, and runs it in parallel with the others.
func needsOwnPrograms(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs")
	}
	if os.Getenv("E2E_BASE_URL") != "" {
		t.Skip("the programs of E2E_BASE_URL are not ours to stop")
	}
	t.Parallel()
}
