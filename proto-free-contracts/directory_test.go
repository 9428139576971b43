package contracts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contracts "backend.example/proto-free-contracts"
)

func directory(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := parse(contracts.Directory())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestDirectoryAnswers fixes what clients rely on: the statuses of each operation,
// and which operations need a login.
func TestDirectoryAnswers(t *testing.T) {
	want := map[string]string{
		"POST /api/auth/login":                               "200 400 401 403 413 429 500",
		"POST /api/auth/logout":                              "200 403 500",
		"GET /api/auth/me":                                   "login 200 401 500",
		"HEAD /api/auth/me":                                  "login 200 default",
		"POST /api/oauth/connect/{provider}/{service}":       "login 200 400 401 403 500 503",
		"GET /api/oauth/callback/{provider}":                 "login 302",
		"GET /api/oauth/status":                              "login 200 401 500",
		"HEAD /api/oauth/status":                             "login 200 default",
		"POST /api/oauth/disconnect/{provider}/{service}":    "login 200 401 403 404 500",
		"POST /api/oauth/provider_search/discover-locations": "login 200 401 403 404 429 500 503",
		"POST /api/oauth/provider_search/select-location":    "login 200 400 401 403 404 413 500 503",
		"POST /api/oauth/provider_social/discover-pages":     "login 200 400 401 403 404 413 429 500",
		"POST /api/oauth/provider_social/select-page":        "login 200 400 401 403 404 413 500",
		"POST /api/oauth/provider_social/sync-facebook":      "login 200 400 401 403 413 429 500",
		"POST /api/oauth/provider_search/sync-analytics":     "login 200 400 401 403 413 429 500",
		"POST /api/oauth/provider_social/sync-instagram":     "login 200 400 401 403 413 429 500",
		"POST /api/oauth/provider_social/deauthorize":        "200 400 413 429 500 503",
		"POST /api/oauth/provider_social/data-deletion":      "200 400 413 429 500 503",
		"GET /api/bizprofile/audit/health":                   "200 503",
		"HEAD /api/bizprofile/audit/health":                  "200 default",
		"GET /api/bizprofile/audit":                          "200 304 400 404 500 503",
		"HEAD /api/bizprofile/audit":                         "200 304 default",
		"POST /api/bizprofile/audit":                         "login 200 400 401 403 404 413 429 500 503",
		"GET /api/bizprofile/audit/{slug}":                   "200 304 404 500 503",
		"HEAD /api/bizprofile/audit/{slug}":                  "200 304 default",
		"GET /api/bizprofile/audit/{slug}/history":           "200 304 400 404 500 503",
		"HEAD /api/bizprofile/audit/{slug}/history":          "200 304 default",
	}
	have := map[string]string{}
	for path, item := range directory(t).Paths.Map() {
		for method, operation := range item.Operations() {
			answers := slices.Sorted(maps.Keys(operation.Responses.Map()))
			if operation.Security != nil {
				answers = slices.Insert(answers, 0, "login")
			}
			have[method+" "+path] = strings.Join(answers, " ")
		}
	}
	for name := range have {
		if have[name] != want[name] {
			t.Errorf("%s: %q, want %q", name, have[name], want[name])
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d operations, want %d", len(have), len(want))
	}
}

// TestDirectoryFields fixes the fields of the resources that clients read and send.
func TestDirectoryFields(t *testing.T) {
	audit := "id audit_date completeness_score score_category fields_status recommendations"
	figures := "photo_count review_count average_rating"
	company := "success company_id company_name company_slug"
	want := map[string]string{
		"Error":            "success error",
		"CompanyError":     "success error | company_id company_name",
		"SyncFailure":      "success error | data message code",
		"Done":             "success message",
		"Me":               "success user company permissions",
		"User":             "id email name role",
		"Company":          "id name slug",
		"Permissions":      "can_edit_company can_access_admin_panel can_moderate_forum",
		"ConnectResponse":  "success auth_url",
		"StatusResponse":   "success services",
		"Services":         " | provider_search/search_profile provider_search/search_analytics provider_social/social_pages provider_social/social_photos",
		"ServiceStatus":    "name description connected account_id account_name expires_at is_expired needs_reconnect reason data_access_expires_at",
		"LoginRequest":     "email password",
		"CompanyRequest":   "company_id",
		"AuditRequest":     " | company_id slug save fetch_external force_refresh",
		"PagesResponse":    "success pages complete",
		"Page":             "id name category fan_count selectable reason",
		"ChosenPage":       "id name category",
		"PageSyncResult":   "success data message code",
		"PhotoSyncResult":  "success data message code",
		"PageData":         "fan_count followers_count name category link metrics unavailable synced_at metrics_state metrics_reason metrics_kept_from",
		"PhotoData":        "profile media engagement insights unavailable synced_at metrics_state metrics_reason metrics_kept_from",
		"Engagement":       "likes comments rate",
		"Healthy":          "status service version available",
		"Unhealthy":        "status service available error",
		"FieldsStatus":     "name address phone website hours categories photos description services reviews",
		"FieldStatus":      "status value score max_score recommendation",
		"Recommendation":   "field priority points text",
		"AuditResponse":    company + " audit",
		"HistoryResponse":  company + " audits next_before",
		"PastAudit":        "id audit_date completeness_score score_category " + figures + " audit_source audit_version coverage",
		"ShortAudit":       audit + " " + figures,
		"AuditRunResponse": "success message company_id company_name company_slug audit_version triggered_by triggered_at saved audit | google_fetch",
		"Fetch":            "success steps data error",
		"FetchStep":        "step status message",
		"Audit": audit + " has_name has_address has_phone has_website has_hours has_categories has_photos has_description" +
			" has_services has_reviews " + figures + " place_id audit_source audit_version coverage signals",
		"AuditRun": "completeness_score score_category fields_status recommendations photo_count logo_present" +
			" cover_photo_present review_count average_rating place_id coverage signals",
		"SelectPageRequest":      "company_id page_id",
		"SignedRequest":          "signed_request",
		"DataDeletion":           "url confirmation_code",
		"SelectPageResponse":     "success message page sync",
		"SelectLocationRequest":  "location_name",
		"SelectLocationResponse": "success message location",
		"LocationsResponse":      "success locations complete unread_accounts",
		"ShortAuditResponse":     company + " audit",
	}
	schemas := directory(t).Components.Schemas
	for name, fields := range want {
		if schemas[name] == nil {
			t.Errorf("no schema %s", name)
			continue
		}
		have := strings.Join(schemas[name].Value.Required, " ")
		if optional := optionalOf(schemas[name].Value); len(optional) > 0 {
			have += " | " + strings.Join(optional, " ")
		}
		if have != fields {
			t.Errorf("%s: %q, want %q", name, have, fields)
		}
	}
}

// TestDirectoryFailures requires success false and a text in every failure, and
// nothing but audits to be kept by caches.
func TestDirectoryFailures(t *testing.T) {
	for name, ref := range directory(t).Components.Responses {
		headers := ref.Value.Headers
		if !slices.Contains([]string{"Options", "NotModified", "CurrentHeadersOnly"}, name) && headers["Cache-Control"].Value.Schema.Value.Const != "no-store" {
			t.Errorf("%s may be kept", name)
		}
		for _, media := range ref.Value.Content {
			schema := media.Schema.Value
			if schema.Properties["success"].Value.Const != false || !slices.Contains(schema.Required, "error") {
				t.Errorf("%s: not {success: false, error}", name)
			}
		}
		if strings.HasPrefix(name, "TooMany") && !headers["Retry-After"].Value.Required {
			t.Errorf("%s does not say when to come back", name)
		}
	}
}
