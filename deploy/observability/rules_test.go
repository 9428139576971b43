// Package observability contains the scrape configuration and the alert rules of Prometheus,
// and the dashboards of Grafana.
//
// The tests run the programs of bin/, check the rules and the dashboards against their
// metrics, and follow a trace through them.
package observability

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"backend.example/deploy/test/harness"
)

type rule struct {
	Alert, Record, Expr, For string
	Labels, Annotations      map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	for _, name := range []string{"alerts.yml", "objectives.yml"} {
		var file struct {
			Groups []struct {
				Name, Interval string
				Rules          []rule
			}
		}
		if err := yaml.UnmarshalStrict([]byte(harness.ReadFile(t, name)), &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(file.Groups) == 0 {
			t.Fatalf("%s has no groups", name)
		}
		for _, group := range file.Groups {
			all = append(all, group.Rules...)
		}
	}
	return all
}

// TestEveryAlertIsExplainedAndTested requires a runbook of at most ten lines above each alert, and
// cases for promtool in which it fires and in which it does not.
func TestEveryAlertIsExplainedAndTested(t *testing.T) {
	files := harness.ReadFile(t, "alerts.yml") + harness.ReadFile(t, "objectives.yml")
	firing, quiet := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"alerts_test.yml", "objectives_test.yml"} {
		var file struct {
			Tests []struct {
				Cases []struct {
					Alert    string `json:"alertname"`
					Expected []any  `json:"exp_alerts"`
				} `json:"alert_rule_test"`
			}
		}
		if err := yaml.Unmarshal([]byte(harness.ReadFile(t, name)), &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, test := range file.Tests {
			for _, c := range test.Cases {
				if len(c.Expected) > 0 {
					firing[c.Alert] = true
				} else {
					quiet[c.Alert] = true
				}
			}
		}
	}
	for _, rule := range rules(t) {
		if rule.Record != "" {
			continue
		}
		if !regexp.MustCompile(`# Runbook: \S.*\n( *#.*\n){0,9} *- alert: ` + rule.Alert + "\n").MatchString(files) {
			t.Errorf("%s has no runbook above it", rule.Alert)
		}
		if !firing[rule.Alert] {
			t.Errorf("%s has no case in which it fires", rule.Alert)
		}
		if !quiet[rule.Alert] {
			t.Errorf("%s has no case in which it does not fire", rule.Alert)
		}
	}
}

type dashboard struct {
	UID, Title string
	Panels     []struct {
		ID         int
		Type       string
		Title      string
		Datasource struct{ UID string }
		Targets    []struct {
			RefID, Expr string
			Datasource  struct{ UID string }
		}
	}
}

func dashboards(t *testing.T) (all []dashboard) {
	t.Helper()
	paths, err := filepath.Glob("grafana/dashboards/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		var board dashboard
		if err := json.Unmarshal([]byte(harness.ReadFile(t, path)), &board); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if filepath.Base(path) != board.UID+".json" || board.Title == "" {
			t.Errorf("%s has the uid %q and the title %q", path, board.UID, board.Title)
		}
		all = append(all, board)
	}
	return all
}

// TestDashboards requires a dashboard for each program. Its panels have to use the provisioned
// data source.
func TestDashboards(t *testing.T) {
	var source struct{ Datasources []struct{ UID string } }
	file := harness.ReadFile(t, "grafana/provisioning/datasources/prometheus.yml")
	if err := yaml.Unmarshal([]byte(file), &source); err != nil {
		t.Fatal(err)
	}
	if len(source.Datasources) != 1 {
		t.Fatalf("the data sources are %+v, want one", source.Datasources)
	}
	var uids []string
	for _, board := range dashboards(t) {
		uids = append(uids, board.UID)
		ids := map[int]bool{}
		for _, panel := range board.Panels {
			if ids[panel.ID] {
				t.Errorf("%s has two panels %d", board.UID, panel.ID)
			}
			ids[panel.ID] = true
			if panel.Type == "row" { // a heading
				continue
			}
			if len(panel.Targets) == 0 {
				t.Errorf("%s/%s has no query", board.UID, panel.Title)
			}
			if got, want := panel.Datasource.UID, source.Datasources[0].UID; got != want {
				t.Errorf("%s/%s has the data source %q, want %q", board.UID, panel.Title, got, want)
			}
			for _, target := range panel.Targets {
				if target.RefID == "" || target.Expr == "" {
					t.Errorf("%s/%s has a query without id or expression: %+v", board.UID, panel.Title, target)
				}
				if target.Datasource != panel.Datasource {
					t.Errorf("%s/%s has a query of another data source: %+v", board.UID, panel.Title, target)
				}
			}
		}
	}
	if want := []string{"directory", "gateway", "hardware"}; !slices.Equal(uids, want) {
		t.Errorf("dashboards %v, want %v", uids, want)
	}
}

// startAll starts the programs, and returns the admin URLs of directory, hardware and gateway.
func startAll(t *testing.T) []string {
	t.Helper()
	backend := harness.New(t, harness.Options{Directories: 1})
	return []string{backend.Directories[0].AdminURL(), backend.Hardware[0].AdminURL(), backend.Proxy.AdminURL()}
}

// TestEveryMetricExists requires that the programs show every metric of the alerts and dashboards from
// their start: a metric that appears with the first failure would hide that failure.
func TestEveryMetricExists(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	quoted := regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
	ranges := regexp.MustCompile(`\[[^\]]*\]`)
	grouping := regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	selector := regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*\{([^}]*)\}`)
	matcher := regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)`)
	word := regexp.MustCompile(`\b[a-zA-Z_:][a-zA-Z0-9_:]*\b\s*\(?`)
	operators := []string{"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "Inf", "NaN"}
	// series returns the metrics of an expression, with the labels by which it selects them.
	series := func(expr string) map[string][]string {
		expr = quoted.ReplaceAllString(expr, `""`)
		expr = grouping.ReplaceAllString(ranges.ReplaceAllString(expr, ""), "")
		found := map[string][]string{}
		for _, match := range selector.FindAllStringSubmatch(expr, -1) {
			found[match[1]] = nil
			for _, label := range matcher.FindAllStringSubmatch(match[2], -1) {
				found[match[1]] = append(found[match[1]], label[1])
			}
		}
		for _, name := range word.FindAllString(selector.ReplaceAllString(expr, ""), -1) {
			name, function := strings.CutSuffix(name, "(")
			if name = strings.TrimSpace(name); !function && !slices.Contains(operators, name) {
				found[name] = append(found[name], "")
			}
		}
		return found
	}

	sample := regexp.MustCompile(`(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$`)
	all := map[string][]string{ // the labels of each metric; Prometheus adds job and instance
		"up": {"job", "instance"}, "directory_backup_timestamp_seconds": nil, // of deploy/docker/backup.yml
		"node_filesystem_avail_bytes": {"fstype"}, "node_filesystem_size_bytes": {"fstype"},
		"traefik_tls_certs_not_after": nil, // shown with TLS alone
	}
	for _, admin := range startAll(t) {
		for _, line := range sample.FindAllStringSubmatch(harness.Text(t, admin+"/metrics"), -1) {
			all[line[1]] = append(all[line[1]], "job", "instance")
			for _, label := range matcher.FindAllStringSubmatch(quoted.ReplaceAllString(line[2], `""`), -1) {
				all[line[1]] = append(all[line[1]], label[1])
			}
		}
	}
	for _, rule := range rules(t) {
		if rule.Record != "" {
			all[rule.Record] = []string{"slo"} // every recorded series has this label
		}
	}
	require := func(where, expr string) {
		t.Helper()
		for name, labels := range series(expr) {
			known, ok := all[name]
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
	for _, rule := range rules(t) {
		require("the rule "+rule.Alert+rule.Record, rule.Expr)
	}
	for _, board := range dashboards(t) {
		for _, panel := range board.Panels {
			for _, target := range panel.Targets {
				require("the panel "+board.UID+"/"+panel.Title, target.Expr)
			}
		}
	}
}

func TestMetricsFollowConventions(t *testing.T) {
	promtool := promtool(t)
	for _, admin := range startAll(t)[:2] { // the third is Traefik's
		cmd := exec.Command(promtool, "check", "metrics") // #nosec G204 -- a tool of the tests
		cmd.Stdin = strings.NewReader(harness.Text(t, admin+"/metrics"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool check metrics: %v\n%s", err, out)
		}
	}
}

func TestPromtoolAcceptsTheRules(t *testing.T) {
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

// TestPintAcceptsTheRules looks for mistakes that promtool accepts, such as a summary with a label
// that the query drops. pint.hcl contains additional requirements.
func TestPintAcceptsTheRules(t *testing.T) {
	// #nosec G204 -- a tool of the tests
	lint := exec.Command(harness.Built(t, "lint/pint"),
		"--offline", "--no-color", "--log-level=error", "--config=pint.hcl",
		"lint", "--min-severity=info", "--fail-on=info", "alerts.yml", "objectives.yml")
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("pint: %v\n%s", err, out)
	}
}
