package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

// leftOut are the columns of tables with a company that an export does not contain, and
// why.
var leftOut = map[string]string{
	"oauth_tokens.access_token": "secret", "oauth_tokens.refresh_token": "secret", "oauth_tokens.metadata_json": "holds a secret",
	"oauth_tokens.told_broken": "inner", "oauth_tokens.renewal_scanned_at": "inner", "oauth_tokens.renewal_stopped_until": "inner",
	"oauth_tokens.sync_scanned_at": "inner", "oauth_tokens.sync_stopped_until": "inner",
	"users.password_hash": "secret", "social_media_configs.id": "inner", "social_media_configs.access_token": "secret",
	"social_statistics_history.id": "inner", "webhooks.secret": "secret", "webhooks.old_secret": "secret", "webhooks.old_until": "inner",
	"webhook_deliveries.id": "inner", "webhook_deliveries.next_at": "inner", "webhook_deliveries.created_at": "inner", "audit_trail.id": "inner",
}

// sectionOf is the section of each exported table.
var sectionOf = map[string]string{
	"companies": "company", "users": "users", "oauth_tokens": "connections", "social_media_configs": "page_configurations",
	"social_statistics": "readings", "social_statistics_history": "past_readings", "company_profiles": "profile",
	"profile_audits": "audits", "webhooks": "webhooks", "webhook_deliveries": "webhook_deliveries", "audit_trail": "trail",
}

// TestExportIsComplete checks that every table that has a company is in the export, with
// every column that is not left out on purpose, and that the exports of both databases are
// equal and without the secrets.
func TestExportIsComplete(t *testing.T) {
	exports := map[string][]string{}
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := fill(t, s)
		storetest.AddConnection(t, s, "other-company", profile)
		var sections, rows []string
		told := map[string]bool{}
		ok(t, erasure.Export(ctx, s, c.CompanyID, func(row erasure.Row) error {
			if !slices.Contains(sections, row.Section) {
				sections = append(sections, row.Section)
			}
			for i, name := range row.Names {
				told[row.Section+"."+name] = true
				if !strings.HasSuffix(name, "_at") && name != "at" && name != "audit_date" && name != "data" && name != "event_id" { // differ between two runs
					rows = append(rows, fmt.Sprintf("%s %s %T %v", row.Section, name, row.Values[i], row.Values[i]))
				}
			}
			return nil
		}))
		exports[db.Name] = rows
		all := strings.Join(rows, "\n")
		for _, absent := range append(secrets, "other-company", "test:") {
			if strings.Contains(all, absent) {
				t.Errorf("%s is told", absent)
			}
		}
		if !strings.Contains(all, marker) {
			t.Error("the search would not find a thing")
		}
		requireEqual(t, "sections", erasure.Sections(), sections)
		for name, table := range readSchema(t, db) {
			if slices.ContainsFunc(table.Columns, func(column string) bool { return strings.HasPrefix(column, "company_id ") }) {
				requireTold(t, name, table.Columns, told)
			}
		}
		wantFault(t, erasure.Export(ctx, s, 99, nil), fault.NotFound, "company_not_found")
	})
	if len(exports) == 2 { // short tests have no PostgreSQL
		requireEqual(t, "-sqlite +postgres", exports["sqlite"], exports["postgres"])
	}
}

func requireTold(t *testing.T, table string, columns []string, told map[string]bool) {
	t.Helper()
	section := sectionOf[table]
	for _, column := range columns {
		column, _, _ := strings.Cut(column, " ")
		derived := table == "profile_audits" && strings.HasPrefix(column, "has_") // as fields_status
		if column != "company_id" && !derived && !told[section+"."+column] && leftOut[table+"."+column] == "" {
			t.Errorf("%s.%s is neither told nor left out", table, column)
		}
	}
}
