package observability

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"backend.example/deploy/test/harness"
)

// rule is an alert, or what is recorded for one.
type rule struct {
	Alert, Record, Expr, For string
	Labels, Annotations      map[string]string
}

// rules reads alerts.yml and objectives.yml.
func rules(t *testing.T) (all []rule) {
	t.Helper()
	for _, name := range []string{"alerts.yml", "objectives.yml"} {
		var file struct {
			Groups []struct {
				Name  string
				Rules []rule
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

// cases reads the tests of promtool: the alerts that fire in one, and those that do not.
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

// TestEveryAlertIsExplainedAndTested: what it means and what to do is in the README, and
// the tests of promtool have a case in which it fires and one in which it does not.
func TestEveryAlertIsExplainedAndTested(t *testing.T) {
	readme := harness.ReadFile(t, "README.md")
	firing, quiet := cases(t)
	for _, rule := range rules(t) {
		if rule.Record != "" {
			continue
		}
		if !strings.Contains(readme, "\n### "+rule.Alert+"\n") {
			t.Errorf("%s is not in the README", rule.Alert)
		}
		if !firing[rule.Alert] || !quiet[rule.Alert] {
			t.Errorf("%s: a case of firing %t, of not firing %t; it needs both", rule.Alert, firing[rule.Alert], quiet[rule.Alert])
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

// dashboards reads all of them.
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

// TestDashboards: one for each part, whose panels ask the data source that is
// provisioned.
func TestDashboards(t *testing.T) {
	var source struct{ Datasources []struct{ UID string } }
	if err := yaml.Unmarshal([]byte(harness.ReadFile(t, "grafana/provisioning/datasources/prometheus.yml")), &source); err != nil || len(source.Datasources) != 1 {
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
