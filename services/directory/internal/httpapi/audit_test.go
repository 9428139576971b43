package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// audits stores n audits of c, an hour apart, the last one now.
func (w *world) audits(c company.Company, n int) (ids []int64) {
	w.t.Helper()
	for i := range n {
		a, err := audit.Assess(&audit.Profile{
			Source: audit.FromPlace, Reports: []audit.Field{audit.FieldName, audit.FieldReviews},
			Business: google.Business{Name: c.Name, PlaceID: "place-1", ReviewCount: 128, AverageRating: 4.6},
		})
		w.ok(err)
		a.CompanyID, a.At = c.ID, w.Now.Add(-time.Duration(n-1-i)*time.Hour)
		w.ok(w.Audits.Save(w.t.Context(), &a))
		ids = append(ids, a.ID)
	}
	return ids
}

func TestAudit(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		ids := w.audits(w.Company, 2)
		w.audits(w.AddCompany("warsztat"), 1)
		w.audits(w.AddCompany("ul-dluga-5"), 1)
		id := fmt.Sprint(w.Company.ID)
		for _, query := range []string{
			"slug=piekarnia", "company_id=" + id + "&slug=warsztat", "slug=piekarnia&company_id=", "slug=%70iekarnia&x=1", "company_id=00" + id,
		} {
			a := w.browser().get("/api/bizprofile/audit?"+query).want(200).wantAt("Firma piekarnia", "company_name").wantAt("piekarnia", "company_slug")
			a.wantAt(float64(w.Company.ID), "company_id").wantAt(float64(ids[1]), "audit", "id").wantAt("2026-11-21T12:00:00Z", "audit", "audit_date")
			a.wantAt(100.0, "audit", "completeness_score").wantAt("excellent", "audit", "score_category").wantAt("places", "audit", "audit_source")
			a.wantAt(true, "audit", "has_reviews").wantAt(false, "audit", "has_photos").wantAt(128.0, "audit", "review_count")
			a.wantAt(4.6, "audit", "average_rating").wantAt("place-1", "audit", "place_id").wantAt("1.0", "audit", "audit_version")
			a.wantAt("unknown", "audit", "fields_status", "photos", "status")
		}
		for path, slug := range map[string]string{"piekarnia": "piekarnia", "%70iekarnia": "piekarnia", "ul%2Ddluga-5": "ul-dluga-5"} {
			w.browser().get("/api/bizprofile/audit/"+path).want(200).wantAt(slug, "company_slug").
				wantAt(128.0, "audit", "review_count").wantCount(9, "audit")
		}
	})
}

// pick returns some of the members of a JSON object.
func pick(object map[string]any, names string) map[string]any {
	picked := map[string]any{}
	for _, name := range strings.Fields(names) {
		picked[name] = object[name]
	}
	return picked
}

// wantBody compares the whole body.
func (a answer) wantBody(want map[string]any) {
	a.w.t.Helper()
	if got := a.want(200).at(); !reflect.DeepEqual(got, want) {
		a.w.t.Errorf("body %v\nwant %v", got, want)
	}
}

// TestAuditInEveryResponse runs an audit of a location and its place, and checks what each
// response contains of it.
func TestAuditInEveryResponse(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair, atLocation)
		w.Search.Profile = google.Business{
			PlaceID: "place-7", Name: "Piekarnia", Address: "ul. Długa 5, 31-147 Kraków", Hours: []string{"pon.–pt. 8–16"},
			Categories: []string{"Piekarnia"}, Description: "Chleb.", Services: []string{"Chleb"}, Signals: []google.Signal{google.SignalChanged},
		}
		w.Place.Configured, w.Place.Profile = true, google.Business{PhotoCount: 4, ReviewCount: 128, AverageRating: 4.6}
		w.wire()
		run := w.loggedInAs(w.Anna).post(runAudit, `{"slug":"piekarnia"}`)
		audit, _ := w.browser().get("/api/bizprofile/audit?slug=piekarnia").at("audit").(map[string]any)
		of := func(more map[string]any) map[string]any {
			maps.Copy(more, map[string]any{"success": true, "company_id": float64(w.Company.ID), "company_name": w.Company.Name, "company_slug": "piekarnia"})
			return more
		}
		w.browser().get("/api/bizprofile/audit?slug=piekarnia").wantBody(of(map[string]any{"audit": audit}))
		want := map[string]any{
			"id": 1.0, "audit_date": "2026-11-21T12:00:00Z", "completeness_score": 56.0, "score_category": "needs_work", "photo_count": 4.0,
			"review_count": 128.0, "average_rating": 4.6, "place_id": "place-7", "audit_source": "business_profile", "audit_version": "1.0",
			"coverage": 100.0, "signals": []any{"changed_by_google"},
			"subject": map[string]any{"name": "Piekarnia", "address": "ul. Długa 5, 31-147 Kraków"},
			"sources": []any{
				map[string]any{"step": "business_profile", "status": "ok", "message": "Dane z profilu firmy zostały pobrane."},
				map[string]any{"step": "places", "status": "ok", "message": "Dane z publicznej wizytówki zostały pobrane."},
			},
			"has_name": true, "has_address": true, "has_phone": false, "has_website": false, "has_hours": true, "has_categories": true,
			"has_photos": true, "has_description": true, "has_services": true, "has_reviews": true,
			"fields_status": audit["fields_status"], "recommendations": audit["recommendations"],
		}
		if !reflect.DeepEqual(audit, want) {
			t.Errorf("audit %v\nwant %v", audit, want)
		}
		w.browser().get("/api/bizprofile/audit/piekarnia").wantBody(of(map[string]any{"audit": pick(audit, `id audit_date completeness_score
			score_category fields_status recommendations photo_count review_count average_rating`)}))
		w.browser().get("/api/bizprofile/audit/piekarnia/history").wantBody(of(map[string]any{
			"next_before": nil, "audits": []any{pick(audit, `id audit_date completeness_score score_category photo_count review_count
				average_rating audit_source audit_version coverage subject`)},
		}))
		result := pick(audit, `completeness_score score_category fields_status recommendations photo_count review_count average_rating
			place_id coverage signals subject sources`)
		result["logo_present"], result["cover_photo_present"] = true, false
		run.wantBody(of(map[string]any{
			"message": "Audyt profilu firmy został zakończony.", "audit_version": "1.0", "triggered_by": "anna@poczta.example",
			"triggered_at": "2026-11-21T12:00:00Z", "saved": true, "audit": result, "google_fetch": map[string]any{
				"success": true, "steps": audit["sources"], "error": nil, "data": map[string]any{
					"source": "business_profile", "place_id": "place-7", "name": "Piekarnia", "address": "ul. Długa 5, 31-147 Kraków", "phone": "", "website": "",
					"tells": []any{"name", "address", "phone", "website", "hours", "categories", "description", "services", "photos", "reviews"},
					"hours": []any{"pon.–pt. 8–16"}, "categories": []any{"Piekarnia"}, "description": "Chleb.", "services": []any{"Chleb"},
					"photo_count": 4.0, "review_count": 128.0, "average_rating": 4.6, "logo_present": false, "cover_photo_present": false,
					"fetched_at": "2026-11-21T12:00:00Z",
				},
			},
		}))
	})
}

func TestAuditRefused(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, audit := w.browser(), "/api/bizprofile/audit"
		archived := w.AddCompany("dawna", func(c *company.Company) { c.Status = "archived" })
		w.audits(archived, 1)
		for _, query := range []string{"", "?", "?slug=", "?company_id=", "?company_id=&slug=", "?Slug=piekarnia"} {
			b.get(audit+query).wantErrorOnly(400, textNoName)
		}
		for _, id := range []string{"x", "-", "1.0", "%201", "%00"} {
			b.get(audit+"?slug=piekarnia&company_id="+id).wantErrorOnly(400, "Nieprawidłowa wartość parametru company_id.")
		}
		for _, query := range []string{
			"?company_id=0&slug=piekarnia", "?company_id=-1", "?company_id=9223372036854775808", "?company_id=999",
			fmt.Sprint("?company_id=", archived.ID), "?slug=dawna", "?slug=PIEKARNIA", "?slug=health", "?slug=%00", "?slug=%FF", "?slug='--",
			"/nie-ma", "/dawna", "/history", "/%00", "/%FF", "/a%2Fb", "/piekarnia%20", "/pieka%2572nia",
			"/nie-ma/history", "/dawna/history", "/health/history", "/history/history",
		} {
			b.get(audit+query).wantErrorOnly(404, textUnknown)
		}
		for _, query := range []string{"?slug=piekarnia", "/piekarnia"} {
			b.get(audit+query).wantError(404, textNoAudit).wantAt("Firma piekarnia", "company_name").wantAt(float64(w.Company.ID), "company_id")
		}
	})
}

func TestHistory(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, history := w.browser(), "/api/bizprofile/audit/piekarnia/history"
		w.audits(w.AddCompany("warsztat"), 1)
		b.get(history).want(200).wantCount(0, "audits").wantAt(nil, "next_before")
		ids := w.audits(w.Company, 22)
		at := func(i int) any { return float64(ids[i]) }
		tests := map[string]struct {
			length int
			next   any
		}{
			"": {20, at(2)}, "?limit=": {20, at(2)}, "?limit=22": {22, nil}, "?limit=21": {21, at(1)}, "?limit=1000": {22, nil},
			"?limit=1": {1, at(21)}, "?before=" + fmt.Sprint(ids[2]): {2, nil}, fmt.Sprint("?limit=1&before=", ids[2]): {1, at(1)},
			fmt.Sprint("?before=", ids[0]): {0, nil}, "?before=9223372036854775807&limit=9223372036854775807": {22, nil},
		}
		for query, test := range tests {
			b.get(history+query).want(200).wantCount(test.length, "audits").wantAt(test.next, "next_before")
		}
		for _, value := range []string{"0", "-1", "x", "1.5", "9223372036854775808"} {
			b.get(history+"?limit="+value).wantErrorOnly(400, "Nieprawidłowa wartość parametru limit.")
			b.get(history+"?before="+value).wantErrorOnly(400, "Nieprawidłowa wartość parametru before.")
		}
	})
}

// TestAuditsAreRevalidated checks that the tag of a response changes with the audits and
// with the company.
func TestAuditsAreRevalidated(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.audits(w.Company, 2)
		paths := []string{
			"/api/bizprofile/audit?slug=piekarnia", fmt.Sprint("/api/bizprofile/audit?company_id=", w.Company.ID),
			"/api/bizprofile/audit/piekarnia", "/api/bizprofile/audit/piekarnia/history",
		}
		tags := map[string]string{}
		ask := func(method, path string) answer {
			return w.browser().do(method, path, "", "If-None-Match", `"other", W/`+tags[path])
		}
		for _, path := range paths {
			first := w.browser().get(path).want(200)
			tags[path] = first.Header().Get("ETag")
			if got := first.Header().Get("Cache-Control"); got != "no-cache" {
				t.Errorf("%s: Cache-Control %q", path, got)
			}
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				if again := ask(method, path).want(304); again.Body.Len() > 0 || again.Header().Get("ETag") != tags[path] {
					t.Errorf("%s %s: 304 with %q and the tag %q", method, path, again.Body, again.Header().Get("ETag"))
				}
			}
		}
		c := w.Company
		edit := func(change company.Change) {
			_, err := w.Store.Companies().Edit(t.Context(), c.ID, change, trail.Entry{})
			w.ok(err)
		}
		for name, change := range map[string]func(){
			"audit": func() { w.audits(c, 1) },
			"name":  func() { edit(company.Change{Name: new("Inna")}) },
		} {
			change()
			for _, path := range paths {
				got := ask(http.MethodGet, path).want(200).Header().Get("ETag")
				if got == tags[path] {
					t.Errorf("%s: another %s has the same tag", path, name)
				}
				tags[path] = got
			}
		}
		edit(company.Change{Status: new("archived")})
		for _, path := range paths {
			if got := ask(http.MethodGet, path).want(404).Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("a failure has Cache-Control %q", got)
			}
		}
	})
}

const textTooManyAudits = "Wykorzystano limit audytów na godzinę. Spróbuj ponownie później."

// TestRunAudit: nothing is saved or fetched that the body does not permit, and fresh data
// are used again unless it demands otherwise.
func TestRunAudit(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		w.connect(profilePair, func(c *connection.Connection) { c.AccountID = "locations/1" })
		for _, test := range []struct {
			options      string
			step, status any // of the first fetch
			saved        bool
		}{
			{`"save":false,"fetch_external":false`, nil, nil, false},
			{`"save":false`, "business_profile", "ok", false},
			{`"save":null,"fetch_external":null,"force_refresh":null`, "business_profile", "reused", true},
			{`"force_refresh":true`, "business_profile", "ok", true},
		} {
			a := b.post(runAudit, `{"slug":"piekarnia",`+test.options+`}`).want(200).wantAt(test.saved, "saved")
			a.wantAt("Audyt profilu firmy został zakończony.", "message").wantAt("1.0", "audit_version").wantAt(true, "audit", "logo_present")
			a.wantAt("anna@poczta.example", "triggered_by").wantAt("2026-11-21T12:00:00Z", "triggered_at")
			a.wantAt(float64(w.Company.ID), "company_id")
			a.wantAt(test.step, "google_fetch", "steps", "0", "step").wantAt(test.status, "google_fetch", "steps", "0", "status")
			if found := b.get("/api/bizprofile/audit/piekarnia").Code == 200; found != test.saved {
				t.Errorf("%s: an audit is found: %t", test.options, found)
			}
		}
		w.Search.Err = provider.Temporary(errSecret)
		a := b.post(runAudit, fmt.Sprintf(`{"company_id":"%d","slug":"nie-ma","force_refresh":true}`, w.Company.ID)).want(200)
		requireNoLeak(t, a.wantAt(false, "google_fetch", "success"))
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
		w.Place.Err, w.Place.Configured = provider.Gone(errSecret), true
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
		a := b.post(runAudit, `{"slug":"piekarnia"}`).wantErrorOnly(429, textTooManyAudits)
		if got := a.Header().Get("Retry-After"); got != "2400" || len(w.Place.Asked) > 0 {
			t.Errorf("Retry-After %q, asked %d times", got, len(w.Place.Asked))
		}
		w.loggedInAs(w.AddUser("ala", account.Admin, nil)).post(runAudit, `{"slug":"piekarnia"}`).want(200)
		w.pass(40*time.Minute - time.Millisecond)
		if got := b.post(runAudit, `{"slug":"piekarnia"}`).want(429).Header().Get("Retry-After"); got != "1" {
			t.Errorf("Retry-After %q", got)
		}
		w.pass(time.Millisecond)
		b.post(runAudit, `{"slug":"piekarnia"}`).want(200)
		b.post(runAudit, `{"slug":"piekarnia"}`).want(429)
	})
}
