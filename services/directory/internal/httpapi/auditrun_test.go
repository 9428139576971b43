package httpapi_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

const textTooManyAudits = "Wykorzystano limit audytów na godzinę. Spróbuj ponownie później."

func TestRunAudit(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		a := b.post(runAudit, `{"slug":"piekarnia"}`).want(200).wantAt("Audyt profilu firmy został zakończony.", "message")
		a.wantAt("anna@poczta.example", "triggered_by").wantAt("2026-11-21T12:00:00Z", "triggered_at").wantAt(true, "saved")
		a.wantAt(float64(w.Company.ID), "company_id").wantAt("1.0", "audit_version").wantAt(true, "audit", "logo_present")
		a.wantAt(false, "google_fetch", "success").wantAt(nil, "google_fetch", "data") // the defaults: fetched and saved
		b.get("/api/bizprofile/audit/piekarnia").want(200).wantAt(a.at("audit", "completeness_score"), "audit", "completeness_score")
		body := `{"company_id":"` + jsonID(w.Company) + `","slug":"nie-ma","save":null,"fetch_external":null,"force_refresh":null}`
		b.post(runAudit, body).want(200).wantAt(true, "saved").wantAt(false, "google_fetch", "success")
	})
}

func jsonID(c company.Company) string { return of(c)[len(`{"company_id":`) : len(of(c))-1] }

func TestRunAuditWithoutSaving(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		a := b.post(runAudit, `{"slug":"piekarnia","save":false,"fetch_external":false}`).want(200).wantAt(false, "saved")
		if a.at("google_fetch") != nil {
			t.Errorf("nothing was fetched: %s", a.Body)
		}
		b.get("/api/bizprofile/audit/piekarnia").wantError(404, textNoAudit)
	})
}

// TestRunAuditFetches: external data of the last 24 hours is used again unless it
// is to be refreshed; a source that fails fails nothing.
func TestRunAuditFetches(t *testing.T) {
	step := func(a answer, i int) string {
		steps, _ := a.want(200).at("google_fetch", "steps").([]any)
		last, _ := steps[i].(map[string]any)
		return last["step"].(string) + " " + last["status"].(string)
	}
	withService(t, func(t *testing.T, w *world) {
		b, chosen := w.loggedInAs(w.Anna), `{"slug":"piekarnia"}`
		w.connect(profilePair, func(c *connection.Connection) { c.AccountID = "locations/1" })
		tests := []struct {
			body, step string
			wait       time.Duration
			err        error
		}{
			{chosen, "business_profile ok", 0, nil},
			{chosen, "business_profile reused", time.Minute, nil},
			{`{"slug":"piekarnia","force_refresh":true}`, "business_profile ok", 0, nil},
			{`{"slug":"piekarnia","force_refresh":true}`, "business_profile failed", 0, provider.Temporary(errSecret)},
		}
		for _, test := range tests {
			w.pass(test.wait)
			w.Search.Err = test.err
			a := b.post(runAudit, test.body)
			if got := step(a, 0); got != test.step {
				t.Errorf("%s: %s, want %s", test.body, got, test.step)
			}
			a.wantAt(test.err == nil, "google_fetch", "success")
			requireNoLeak(t, a)
		}
		b.get("/api/bizprofile/audit?slug=piekarnia").wantAt("business_profile", "audit", "audit_source").wantAt("place-1", "audit", "place_id")
	})
}

// TestRunAuditRefused keeps the order: body, company, right to edit, data.
func TestRunAuditRefused(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		archived := w.AddCompany("dawna", func(c *company.Company) { c.Status = "archived" })
		guest, admin := w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company)), w.loggedInAs(w.AddUser("ala", account.Admin, nil))
		for body, text := range map[string]string{
			`{}`: textNoName, `{"slug":""}`: textNoName, `{"slug":null,"company_id":null}`: textNoName,
			`{"slug":1}`: textInvalid("slug"), `{"slug":["piekarnia"]}`: textInvalid("slug"), `{"company_id":"x"}`: textInvalid("company_id"),
			`{"slug":"piekarnia","save":"true"}`:      textInvalid("save"),
			`{"slug":"piekarnia","fetch_external":1}`: textInvalid("fetch_external"), `{"slug":"piekarnia","force_refresh":[]}`: textInvalid("force_refresh"),
		} {
			guest.post(runAudit, body).wantErrorOnly(400, text)
		}
		for _, body := range []string{`{"slug":"nie-ma"}`, `{"slug":"dawna"}`, of(archived), `{"company_id":999}`, `{"slug":"a\u0000"}`, `{"slug":"health"}`} {
			guest.post(runAudit, body).wantErrorOnly(404, textUnknown)
			admin.post(runAudit, body).wantErrorOnly(404, textUnknown)
		}
		guest.post(runAudit, of(w.Company)).wantErrorOnly(403, textNotAllowed)
		admin.post(runAudit, of(w.Company)).want(200)
		w.AddCompany("pusta", func(c *company.Company) { *c = company.Company{Slug: c.Slug, Status: c.Status} })
		admin.post(runAudit, `{"slug":"pusta"}`).wantErrorOnly(400, "Brak danych profilu firmy do audytu.")
	})
}

// TestAuditLimit: 20 in any hour, for each user. A refused request costs none.
func TestAuditLimit(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, guest := w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company))
		w.Place.Err = provider.Gone(errSecret)
		w.Place.Configured = true
		w.wire()
		for range 21 {
			b.post(runAudit, `{}`).want(400)
			b.post(runAudit, `{"slug":"nie-ma"}`).want(404)
			guest.post(runAudit, `{"slug":"piekarnia"}`).want(403)
		}
		for range 20 {
			b.post(runAudit, `{"slug":"piekarnia","fetch_external":false}`).want(200)
			w.pass(time.Minute)
		}
		before := len(w.Place.Asked)
		a := b.post(runAudit, `{"slug":"piekarnia"}`).wantErrorOnly(429, textTooManyAudits)
		if got := a.Header().Get("Retry-After"); got != "2400" || len(w.Place.Asked) != before {
			t.Errorf("Retry-After %q, asked %d times", got, len(w.Place.Asked)-before)
		}
		w.loggedInAs(w.AddUser("ala", account.Admin, nil)).post(runAudit, `{"slug":"piekarnia"}`).want(200)
		guest.post(runAudit, `{"slug":"piekarnia"}`).want(403)
		w.pass(40*time.Minute - time.Millisecond)
		if got := b.post(runAudit, `{"slug":"piekarnia"}`).want(429).Header().Get("Retry-After"); got != "1" {
			t.Errorf("Retry-After %q", got)
		}
		w.pass(time.Millisecond)
		b.post(runAudit, `{"slug":"piekarnia"}`).want(200)
		b.post(runAudit, `{"slug":"piekarnia"}`).want(429)
	})
}
