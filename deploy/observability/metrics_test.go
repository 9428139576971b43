package observability

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// shown maps each metric of the programs to the labels of its series.
type shown map[string][]string

// sample is a line of the Prometheus text format.
var sample = regexp.MustCompile(`(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$`)

// scrape adds the metrics at an admin address, with the labels that Prometheus adds.
func (s shown) scrape(t *testing.T, admin string) {
	t.Helper()
	for _, line := range sample.FindAllStringSubmatch(harness.Text(t, admin+"/metrics"), -1) {
		s[line[1]] = append(s[line[1]], "job", "instance")
		for _, label := range matcher.FindAllStringSubmatch(quoted.ReplaceAllString(line[2], `""`), -1) {
			s[line[1]] = append(s[line[1]], label[1])
		}
	}
}

// require fails for each metric and label of a query that no program has.
func (s shown) require(t *testing.T, where, expr string) {
	t.Helper()
	for name, labels := range series(expr) {
		known, ok := s[name]
		if !ok {
			t.Errorf("%s uses %q, which no program has", where, name)
			continue
		}
		for _, label := range labels {
			if label != "" && !slices.Contains(known, label) {
				t.Errorf("%s uses the label %q of %q, which has %v", where, label, name,
					slices.Compact(slices.Sorted(slices.Values(known))))
			}
		}
	}
}

// startAll runs the three programs, asks each for something through the gateway,
// and returns their admin addresses.
func startAll(t *testing.T) []string {
	t.Helper()
	backend := harness.New(t, harness.Options{Directories: 1})
	return []string{backend.Directories[0].AdminURL(), backend.Hardware[0].AdminURL(), backend.Proxy.AdminURL()}
}

// TestEveryMetricExists holds the alerts and the dashboards to what the programs
// show before anything has happened to them but one request.
func TestEveryMetricExists(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	all := shown{
		"up": {"job", "instance"}, "directory_backup_timestamp_seconds": nil, // of deploy/docker/backup.yml
		"node_filesystem_avail_bytes": {"fstype"}, "node_filesystem_size_bytes": {"fstype"},
		"traefik_tls_certs_not_after": nil, // shown with TLS alone
	}
	for _, admin := range startAll(t) {
		all.scrape(t, admin)
	}
	for _, rule := range rules(t) {
		if rule.Record != "" {
			all[rule.Record] = []string{"slo"} // by which all are
		}
	}
	for _, rule := range rules(t) {
		all.require(t, "the rule "+rule.Alert+rule.Record, rule.Expr)
	}
	for _, board := range dashboards(t) {
		for _, panel := range board.Panels {
			for _, target := range panel.Targets {
				all.require(t, "the panel "+board.UID+"/"+panel.Title, target.Expr)
			}
		}
	}
}

// TestConventions checks the names and the help of our own metrics with promtool.
func TestConventions(t *testing.T) {
	promtool := promtool(t)
	for _, admin := range startAll(t)[:2] { // the third is Traefik's
		cmd := exec.Command(promtool, "check", "metrics") // #nosec G204 -- a tool of the tests
		cmd.Stdin = strings.NewReader(harness.Text(t, admin+"/metrics"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool check metrics: %v\n%s", err, out)
		}
	}
}

// TestRules checks the scrape configuration and the rules with promtool, and runs their tests.
func TestRules(t *testing.T) {
	promtool := promtool(t)
	for _, args := range [][]string{
		{"check", "config", "prometheus.yml"}, {"test", "rules", "alerts_test.yml", "objectives_test.yml"},
	} {
		// #nosec G204 -- a tool of the tests
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// promtool returns the path of the program that promtool.sh installs.
func promtool(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("promtool is not fetched by short tests")
	}
	if out, err := exec.Command("./promtool.sh").CombinedOutput(); err != nil {
		harness.Unavailable(t, "no promtool: "+string(out))
	}
	return harness.Path("bin", "promtool")
}

// TestLint checks the rules with pint for mistakes that promtool accepts, such as a summary
// with a label that the query drops. pint.hcl contains additional requirements.
func TestLint(t *testing.T) {
	// #nosec G204 -- a tool of the tests
	lint := exec.Command(harness.Built(t, "lint/pint"), "--offline", "--no-color", "--log-level=error",
		"--config=pint.hcl",
		"lint", "--min-severity=info", "--fail-on=info", "alerts.yml", "objectives.yml")
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("pint: %v\n%s", err, out)
	}
}
