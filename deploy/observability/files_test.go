package observability

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"backend.example/deploy/test/harness"
)

// rule is an alert or a recording rule.
type rule struct {
	Alert, Record, Expr, For string
	Labels, Annotations      map[string]string
}

// rules returns the rules of alerts.yml and objectives.yml.
func rules(t *testing.T) (all []rule) {
	t.Helper()
	for _, name := range []string{"alerts.yml", "objectives.yml"} {
		var file struct {
			Groups []struct {
				Name, Interval string
				Rules          []rule
			}
		}
		if err := yaml.UnmarshalStrict([]byte(harness.ReadFile(t, name)), &file); err != nil || len(file.Groups) == 0 {
			t.Fatalf("%s: %d groups, %v", name, len(file.Groups), err)
		}
		for _, group := range file.Groups {
			all = append(all, group.Rules...)
		}
	}
	return all
}

// cases returns the alerts that fire in a test of promtool, and those that do not in one.
func cases(t *testing.T) (firing, quiet map[string]bool) {
	t.Helper()
	firing, quiet = map[string]bool{}, map[string]bool{}
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
	return firing, quiet
}

// TestEveryAlertIsExplainedAndTested requires a runbook of at most ten lines above each alert,
// and tests of promtool in which it fires and does not fire.
func TestEveryAlertIsExplainedAndTested(t *testing.T) {
	files := harness.ReadFile(t, "alerts.yml") + harness.ReadFile(t, "objectives.yml")
	firing, quiet := cases(t)
	for _, rule := range rules(t) {
		if rule.Record != "" {
			continue
		}
		if !regexp.MustCompile(`# Runbook: \S.*\n( *#.*\n){0,9} *- alert: ` + rule.Alert + "\n").MatchString(files) {
			t.Errorf("%s has no runbook above it", rule.Alert)
		}
		if !firing[rule.Alert] || !quiet[rule.Alert] {
			t.Errorf("%s: a case of firing %t, of not firing %t; it needs both", rule.Alert, firing[rule.Alert],
				quiet[rule.Alert])
		}
	}
}

// dashboard is a file of Grafana.
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

// dashboards returns all dashboards.
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
	if err := yaml.Unmarshal([]byte(harness.ReadFile(t, "grafana/provisioning/datasources/prometheus.yml")),
		&source); err != nil || len(source.Datasources) != 1 {
		t.Fatal(source, err)
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
			if panel.Type != "row" && (len(panel.Targets) == 0 || panel.Datasource.UID != source.Datasources[0].UID) {
				t.Errorf("%s/%s: %d queries of %q", board.UID, panel.Title, len(panel.Targets), panel.Datasource.UID)
			}
			for _, target := range panel.Targets {
				if target.RefID == "" || target.Expr == "" || target.Datasource != panel.Datasource {
					t.Errorf("%s/%s: query %+v", board.UID, panel.Title, target)
				}
			}
		}
	}
	if want := []string{"directory", "gateway", "hardware"}; !slices.Equal(uids, want) {
		t.Errorf("dashboards %v, want %v", uids, want)
	}
}

var (
	quoted   = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
	ranges   = regexp.MustCompile(`\[[^\]]*\]`)
	labels   = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*\{([^}]*)\}`)
	matcher  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)`)
	word     = regexp.MustCompile(`\b[a-zA-Z_:][a-zA-Z0-9_:]*\b\s*\(?`)
)

// operators are the keywords of PromQL that are neither functions nor metrics.
var operators = []string{"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "Inf", "NaN"}

// series returns the metrics of a PromQL expression with the labels in their selectors.
func series(expr string) map[string][]string {
	expr = quoted.ReplaceAllString(expr, `""`)
	expr = labels.ReplaceAllString(ranges.ReplaceAllString(expr, ""), "")
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

func TestSeries(t *testing.T) {
	for expr, want := range map[string]map[string][]string{
		`up == 0`: {"up": {""}},
		`sum by (le, route) (rate(a_bucket{method="GET", route!~"x{y}"}[5m]))`: {
			"a_bucket": {"method", "route"},
		},
		`sum(rate(a_total{code=~"5.."}[$__rate_interval])) / sum without (x) (rate(b_total[1h])) > 1`: {
			"a_total": {"code"}, "b_total": {""},
		},
		`time() - max(t_seconds) > 2 * 86400 and on (job) c_total offset 5m > 1e3`: {
			"t_seconds": {""}, "c_total": {""},
		},
		`label_replace(s_up, "backend", "$1", "service", "(a|b)(-[0-9]+)?@.*")`: {"s_up": {""}},
		`{__name__="up"}`: {"": {"__name__"}},
	} {
		if got := series(expr); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %v, want %v", expr, got, want)
		}
	}
}
