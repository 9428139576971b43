package erasure

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
)

// Row is a row of an export: its section, and its values in the order of their
// names. A value is a string, a number, a bool, a time, a Document or nil.
type Row struct {
	Section string
	Names   []string
	Values  []any
}

// Document is JSON.
type Document string

// exported is a section of an export: what a table contains about a company. Columns are separated
// by spaces. One that ends in * holds JSON, in ? a boolean; column.member is a member of a JSON column.
// Columns that are not named are not exported: secrets, and what the service keeps for its own work.
type exported struct {
	section, table string
	key            string // the column with the company's number
	columns        string // the first one orders the rows
}

var exportSections = []exported{
	{"company", "companies", "id", "id name slug status address phone website hours description categories* " +
		"services* logo_url " +
		"cover_photo_url place_id created_at updated_at"},
	{"users", "users", "company_id", "id email name role created_at updated_at disabled_at silent? month_mailed"},
	{"connections", "oauth_tokens", "company_id", "id user_id provider service scopes account_id account_name " +
		"expires_at is_active? " +
		"provider_user_id reconnect_reason created_at updated_at metadata_json.connected_at metadata_json.denied* " +
		"metadata_json.lost_choice " +
		"metadata_json.account_address metadata_json.place_id " +
		"metadata_json.user_expires_at metadata_json.data_access_expires_at"},
	{"page_configurations", "social_media_configs", "company_id",
		"platform page_id page_name is_active? debug_mode? updated_by created_at updated_at"},
	{"readings", "social_statistics", "company_id", "service account_id followers data* synced_at"},
	{"past_readings", "social_statistics_history", "company_id", "service account_id followers synced_at"},
	{"performance", "performance_days", "company_id", "day account_id search_desktop search_mobile maps_desktop " +
		"maps_mobile calls directions website messages bookings"},
	{"figures", "metric_days", "company_id", "day service account_id metric value"},
	{"profile", "company_profiles", "company_id", "source place_id data* fetched_at"},
	{"audits", "profile_audits", "company_id", "id audit_date data_at completeness_score score_category " +
		"fields_status* recommendations* " +
		"photo_count review_count average_rating place_id audit_source audit_version logo_present? " +
		"cover_photo_present? triggered_by signals* holidays* location sources*"},
	{"webhooks", "webhooks", "company_id", "id url disabled created_at"},
	{"webhook_deliveries", "webhook_deliveries", "company_id",
		"webhook_id event_id type at data* state attempts result status duration_ms attempted_at"},
	{"trail", "audit_trail", "company_id", "at user_id actor about_user_id action provider service detail request_id"},
}

// Sections names the sections in their order.
func Sections() (sections []string) {
	for _, e := range exportSections {
		sections = append(sections, e.section)
	}
	return sections
}

// Export calls each with all that is kept of a company, without secrets, as it is at one
// moment, section by section. The fault is company_not_found.
func Export(ctx context.Context, db *database.DB, companyID int64, each func(Row) error) error {
	if _, err := company.New(db).ByID(ctx, companyID); err != nil {
		return err
	}
	err := db.Snapshot(ctx, func(tx *gorm.DB) error {
		for _, section := range exportSections {
			if err := section.read(tx, companyID, each); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (e exported) read(tx *gorm.DB, companyID int64, each func(Row) error) error {
	marked := strings.Fields(e.columns)
	names, values := make([]string, len(marked)), make([]string, len(marked))
	for i, column := range marked {
		names[i] = strings.TrimRight(column, "*?")
		values[i] = names[i]
		if document, member, inJSON := strings.Cut(names[i], "."); inJSON {
			names[i], values[i] = member, document+" ->> '"+member+"'"
		}
	}
	// The statement is made of the names above.
	statement := fmt.Sprintf("SELECT %s FROM %s WHERE %s = ? ORDER BY %s", strings.Join(values, ", "), e.table, e.key,
		names[0])
	rows, err := tx.Raw(statement, companyID).Rows()
	if err != nil {
		return err
	}
	return database.EachRow(rows, func(values []any) error {
		for i, column := range marked {
			values[i] = exportedValue(column, values[i])
		}
		return each(Row{Section: e.section, Names: names, Values: values})
	})
}

func exportedValue(column string, value any) any {
	if bytes, ok := value.([]byte); ok {
		value = string(bytes)
	}
	switch number, isNumber := value.(int64); {
	case strings.HasSuffix(column, "?") && isNumber:
		return number != 0
	case strings.HasSuffix(column, "*") && value != nil:
		return Document(fmt.Sprint(value))
	case column == "role" && isNumber:
		return account.Role(number).String()
	}
	return value
}
