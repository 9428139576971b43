package observability

import (
	"os/exec"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestRules has promtool check the scrape configuration and the rules, and run
// their own tests.
func TestRules(t *testing.T) {
	promtool := promtool(t)
	for _, args := range [][]string{{"check", "config", "prometheus.yml"}, {"test", "rules", "alerts_test.yml", "objectives_test.yml"}} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil { // #nosec G204 -- a tool of the tests
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// promtool returns the path of the program that promtool.sh has put there.
func promtool(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("promtool is not fetched by short tests")
	}
	if out, err := exec.Command("./promtool.sh").CombinedOutput(); err != nil {
		harness.Unavailable(t, "no promtool: "+string(out))
	}
	return harness.Path(t, "bin", "promtool")
}
