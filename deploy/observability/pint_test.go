package observability

import (
	"os/exec"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestLint has pint look for what promtool accepts and is wrong all the same, such as a
// summary that names a label which the query does not keep. pint.hcl adds what we ask
// of every rule.
func TestLint(t *testing.T) {
	lint := exec.Command(harness.Built(t, "lint/pint"), "--offline", "--no-color", "--log-level=error", "--config=pint.hcl", // #nosec G204 -- a tool of the tests
		"lint", "--min-severity=info", "--fail-on=info", "alerts.yml", "objectives.yml")
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("pint: %v\n%s", err, out)
	}
}
