package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
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
		other := w.AddCompany("warsztat")
		w.audits(other, 1)
		id := fmt.Sprint(w.Company.ID)
		for _, query := range []string{
			"slug=piekarnia", "company_id=" + id, "company_id=" + id + "&slug=warsztat", "company_id=" + id + "&slug=nie-ma",
			"slug=piekarnia&company_id=", "slug=piekarnia&slug=warsztat", "slug=%70iekarnia&x=1", "company_id=00" + id,
		} {
			a := w.browser().get("/api/bizprofile/audit?"+query).want(200).wantAt("Firma piekarnia", "company_name").wantAt("piekarnia", "company_slug")
			a.wantAt(float64(w.Company.ID), "company_id").wantAt(float64(ids[1]), "audit", "id").wantAt("2026-11-21T12:00:00Z", "audit", "audit_date")
			a.wantAt(100.0, "audit", "completeness_score").wantAt("excellent", "audit", "score_category").wantAt("places", "audit", "audit_source")
			a.wantAt(true, "audit", "has_reviews").wantAt(false, "audit", "has_photos").wantAt(128.0, "audit", "review_count")
			a.wantAt(4.6, "audit", "average_rating").wantAt("place-1", "audit", "place_id").wantAt("1.0", "audit", "audit_version")
			a.wantAt("unknown", "audit", "fields_status", "photos", "status")
		}
	})
}

func TestAuditBySlug(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.audits(w.Company, 1)
		w.audits(w.AddCompany("ul-dluga-5"), 1)
		for path, slug := range map[string]string{"piekarnia": "piekarnia", "%70iekarnia": "piekarnia", "ul%2Ddluga-5": "ul-dluga-5"} {
			a := w.browser().get("/api/bizprofile/audit/"+path).want(200).wantAt(slug, "company_slug").wantAt(128.0, "audit", "review_count")
			if fields, _ := a.at("audit").(map[string]any); len(fields) != 9 {
				t.Errorf("the short audit has %d fields", len(fields))
			}
		}
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
			"?company_id=0&slug=piekarnia", "?company_id=-1", "?company_id=9223372036854775808", "?company_id=999", "?company_id=9223372036854775807", fmt.Sprint("?company_id=", archived.ID), "?slug=dawna", "?slug=PIEKARNIA",
			"?slug=health", "?slug=history", "?slug=%00", "?slug=%FF", "?slug='--", "/nie-ma", "/dawna", "/history", "/%00", "/%FF", "/a%2Fb",
			"/piekarnia%20", "/pieka%2572nia", "/nie-ma/history", "/dawna/history", "/health/history", "/history/history",
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
		requireHistory(t, b.get(history), 0, nil)
		ids := w.audits(w.Company, 22)
		tests := map[string]struct {
			length int
			next   any
		}{
			"": {20, ids[2]}, "?limit=": {20, ids[2]}, "?limit=22": {22, nil}, "?limit=21": {21, ids[1]}, "?limit=1000": {22, nil},
			"?limit=1": {1, ids[21]}, "?before=" + fmt.Sprint(ids[2]): {2, nil}, fmt.Sprint("?limit=1&before=", ids[2]): {1, ids[1]},
			fmt.Sprint("?before=", ids[0]): {0, nil}, "?before=9223372036854775807&limit=9223372036854775807": {22, nil},
		}
		for query, test := range tests {
			requireHistory(t, b.get(history+query), test.length, test.next)
		}
		for _, value := range []string{"0", "-1", "x", "1.5", "9223372036854775808"} {
			b.get(history+"?limit="+value).wantErrorOnly(400, "Nieprawidłowa wartość parametru limit.")
			b.get(history+"?before="+value).wantErrorOnly(400, "Nieprawidłowa wartość parametru before.")
		}
	})
}

func requireHistory(t *testing.T, a answer, length int, next any) {
	t.Helper()
	if id, ok := next.(int64); ok {
		next = float64(id)
	}
	audits, _ := a.want(200).wantAt(next, "next_before").at("audits").([]any)
	if len(audits) != length {
		t.Errorf("%d audits, want %d", len(audits), length)
	}
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
		archive := func(status string) { edit(company.Change{Status: &status}) }
		archive("archived")
		for _, path := range paths {
			if got := ask(http.MethodGet, path).want(404).Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("a failure has Cache-Control %q", got)
			}
		}
		archive(company.StatusActive)
		ask(http.MethodGet, paths[0]).want(304)
	})
}
