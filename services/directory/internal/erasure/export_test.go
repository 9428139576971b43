package erasure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
)

// leftOut are the columns of tables with a company that an export does not contain, each with
// the reason: a secret, or for the work of the service only.
var leftOut = map[string]string{
	"oauth_tokens.access_token": "secret", "oauth_tokens.refresh_token": "secret",
	"oauth_tokens.metadata_json": "holds a secret",
	"oauth_tokens.told_broken":   "inner", "oauth_tokens.scanned_at": "inner",
	"users.password_hash": "secret", "social_media_configs.id": "inner", "social_media_configs.access_token": "secret",
	"social_statistics_history.id": "inner", "webhooks.secret": "secret", "webhooks.old_secret": "secret",
	"webhooks.old_until":            "inner",
	"webhooks.failing_since":        "inner",
	"webhook_deliveries.id":         "inner",
	"webhook_deliveries.created_at": "inner", "audit_trail.id": "inner",
}

// sectionOf is the section of each exported table.
var sectionOf = map[string]string{
	"companies": "company", "users": "users", "oauth_tokens": "connections",
	"social_media_configs": "page_configurations",
	"social_statistics":    "readings", "social_statistics_history": "past_readings", "performance_days": "performance",
	"metric_days":      "figures",
	"company_profiles": "profile",
	"profile_audits":   "audits", "webhooks": "webhooks", "webhook_deliveries": "webhook_deliveries",
	"audit_trail": "trail",
}

// TestExportIsComplete checks that every table that has a company is in the export, with
// every column that is not left out on purpose, and that the exports of both databases are
// equal and without the secrets.
func TestExportIsComplete(t *testing.T) {
	exports := map[string][]string{}
	columns := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}.Query(t,
		`SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'company_id')`)
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := db.DB, t.Context()
		absent := []string{"plain-hash", "other-company", "test:"}
		for _, secret := range db.Fill(t) {
			absent = append(absent, secret.Text)
		}
		db.AddConnection(t, "other-company")
		var sections, rows []string
		exported := map[string]bool{}
		err := erasure.Export(ctx, s, 1, func(row erasure.Row) error {
			if !slices.Contains(sections, row.Section) {
				sections = append(sections, row.Section)
			}
			for i, name := range row.Names {
				exported[row.Section+"."+name] = true
				value := row.Values[i]
				if at, ok := value.(time.Time); ok {
					value = at.UTC()
				}
				rows = append(rows, fmt.Sprintf("%s %s %T %v", row.Section, name, value, value))
			}
			return nil
		})
		apptest.WantCode(t, err, none)
		exports[db.Name] = rows
		all := strings.Join(rows, "\n")
		for _, text := range absent {
			if strings.Contains(all, text) {
				t.Errorf("%q is exported", text)
			}
		}
		for _, text := range []string{
			databasetest.Plain, "connected_at string 2026-03-29T00:30:15Z", `denied erasure.Document ["social_photos"]`,
			"lost_choice string plain-lost-choice",
		} {
			if !strings.Contains(all, text) {
				t.Errorf("%q is not exported", text)
			}
		}
		if diff := cmp.Diff(erasure.Sections(), sections); diff != "" {
			t.Errorf("sections (-want +got):\n%s", diff)
		}
		for _, column := range columns {
			table, name, _ := strings.Cut(column, "|")
			derived := table == "profile_audits" && strings.HasPrefix(name, "has_") // as fields_status
			known := derived || name == "company_id" || leftOut[table+"."+name] != ""
			if !known && !exported[sectionOf[table]+"."+name] {
				t.Errorf("%s.%s is neither exported nor left out", table, name)
			}
		}
		apptest.WantCode(t, erasure.Export(ctx, s, 99, nil), company.CodeNotFound)
	})
	if len(columns) < 80 {
		t.Errorf("only %d columns were checked, want those of all tables", len(columns))
	}
	if len(exports) == 2 { // short tests have no PostgreSQL
		if diff := cmp.Diff(exports["sqlite"], exports["postgres"]); diff != "" {
			t.Errorf("the exports differ (-sqlite +postgres):\n%s", diff)
		}
	}
}

func TestExportIsOfOneMoment(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		id := db.AddCompany(t, "a")
		add := func(location, day string) {
			t.Helper()
			statement := fmt.Sprintf("INSERT INTO performance_days VALUES (%d, '%s', '%s', 1, 2, 3, 4, 5, 6, 7, 8, 9)",
				id, location, day)
			if _, err := db.Raw(t).Exec(statement); err != nil {
				t.Error(err)
			}
		}
		add("locations/2", "2026-01-01")
		add("locations/1", "2026-01-02")
		var days []string
		err := erasure.Export(t.Context(), db.DB, id, func(row erasure.Row) error {
			switch row.Section {
			case "company":
				add("locations/1", "2026-01-03")
			case "performance":
				days = append(days, fmt.Sprint(row.Values[0]))
			}
			return nil
		})
		apptest.WantCode(t, err, none)
		if diff := cmp.Diff([]string{"2026-01-01", "2026-01-02"}, days); diff != "" {
			t.Errorf("days (-want +got):\n%s", diff)
		}
	})
}
