package httpapi_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/performance"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/searchstats"
	"backend.example/services/directory/internal/social"
)

const (
	discoverPages = "/api/oauth/provider_social/discover-pages"
	selectPage    = "/api/oauth/provider_social/select-page"
	form          = "application/x-www-form-urlencoded"
)

// of is a body that names a company.
func of(c company.Company) string { return fmt.Sprintf(`{"company_id":%d}`, c.ID) }

// pageOf is a body that names a company and a page, as it stands in JSON.
func pageOf(c company.Company, page string) string {
	return fmt.Sprintf(`{"company_id":%d,"page_id":%s}`, c.ID, page)
}

func TestPages(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(pagesPair)
		b := w.loggedInAs(w.Anna)
		requirePages(b.post(discoverPages, of(w.Company)))
		a := b.post(selectPage, pageOf(w.Company, `"104118"`)).want(200).wantAt("Strona została wybrana.", "message")
		a.wantAt("104118", "page", "id").wantAt("Piekarnia", "page", "category").wantAt(1250.0, "sync", "followers_count").wantAt("2026-11-21T12:00:00Z", "sync", "synced_at")
		requirePages(b.post(discoverPages, of(w.Company))) // with the user's token, which was kept
		w.Social.Cut = true
		b.post(discoverPages, of(w.Company)).want(200).wantAt(false, "complete").wantCount(3, "pages")
		w.Social.Cut = false

		// A page whose statistics cannot be read is chosen all the same.
		w.Social.Fail["ReadPage"], w.Social.Fail["ReadPhotos"] = errSecret, errSecret
		a = b.post(selectPage, pageOf(w.Company, "104119")).want(200).wantAt("Cukiernia", "page", "name").wantAt(nil, "sync")
		requireNoLeak(t, a)
		if c := w.Stored(pagesPair); c.AccountID != "104119" || c.AccessToken != w.Social.Pages[1].AccessToken {
			t.Errorf("stored %+v", c)
		}
	})
}

func requirePages(a answer) {
	a.w.t.Helper()
	a.want(200).wantAt(true, "complete").wantCount(3, "pages").wantAt("104118", "pages", "0", "id").wantAt(1204.0, "pages", "0", "fan_count")
	a.wantAt(true, "pages", "0", "selectable").wantAt(nil, "pages", "0", "reason").wantAt(0.0, "pages", "1", "fan_count")
	a.wantAt(false, "pages", "2", "selectable").wantAt(social.CodePageWithoutCredential.Text, "pages", "2", "reason")
}

// TestDiscoverPagesByForm: the company may come as JSON or as a form field.
func TestDiscoverPagesByForm(t *testing.T) {
	withService(t, func(_ *testing.T, w *world) {
		w.connect(pagesPair)
		b, id := w.loggedInAs(w.Anna), fmt.Sprint(w.Company.ID)
		multipart := "--x\r\nContent-Disposition: form-data; name=\"company_id\"\r\n\r\n" + id + "\r\n--x--\r\n"
		for content, body := range map[string]string{
			form: "company_id=" + id + "&company_id=999", form + "; charset=utf-8": "x=%20&company_id=" + id, "multipart/form-data; boundary=x": multipart,
			"application/json; charset=utf-8": of(w.Company), "Application/JSON": `{"company_id":"` + id + `"}`,
		} {
			requirePages(b.post(discoverPages, body, "Content-Type", content))
		}
		for body, text := range map[string]string{
			"x=1": textMissing("company_id"), "company_id=": textMissing("company_id"), "company_id=x": textInvalid("company_id"),
			"company_id=1.0": textInvalid("company_id"), "company_id=null": textInvalid("company_id"),
			"company_id=%zz": "Nie udało się odczytać treści żądania.", "COMPANY_ID=1": textMissing("company_id"),
		} {
			b.post(discoverPages+"?company_id="+id, body, "Content-Type", form).wantErrorOnly(400, text)
		}
		b.post(discoverPages, "").wantErrorOnly(400, textMissing("company_id"))
		b.post(discoverPages, of(w.Company), "Content-Type", "text/plain").wantErrorOnly(400, textNoJSON)
	})
}

// TestSelectPageRefused keeps the order: fields, connection, page, its credential.
func TestSelectPageRefused(t *testing.T) {
	const textNoPage = "Nie znaleziono wybranej strony wśród zarządzanych stron."
	textNoCredential := social.CodePageWithoutCredential.Text
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for body, text := range map[string]string{
			`{"page_id":""}`: textMissing("company_id"), of(w.Company): textMissing("page_id"),
			pageOf(w.Company, `""`): textMissing("page_id"), pageOf(w.Company, "null"): textMissing("page_id"),
			pageOf(w.Company, "true"): textInvalid("page_id"), pageOf(w.Company, "1.5"): textInvalid("page_id"),
		} {
			b.post(selectPage, body).wantErrorOnly(400, text)
		}
		b.post(discoverPages, of(w.Company)).wantErrorOnly(404, textNoConnection)
		b.post(selectPage, pageOf(w.Company, `"104120"`)).wantErrorOnly(404, textNoConnection)
		w.connect(pagesPair)
		b.post(selectPage, pageOf(w.Company, `"999"`)).wantErrorOnly(404, textNoPage)
		b.post(selectPage, pageOf(w.Company, `"1.5"`)).wantErrorOnly(404, textNoPage) // a text may be any
		b.post(selectPage, pageOf(w.Company, `"104118 "`)).wantErrorOnly(404, textNoPage)
		b.post(selectPage, pageOf(w.Company, `"104120"`)).wantErrorOnly(400, textNoCredential)
	})
}

const (
	syncPage        = "/api/oauth/provider_social/sync-facebook"
	syncPhotos      = "/api/oauth/provider_social/sync-instagram"
	syncAnalytics   = "/api/oauth/provider_search/sync-analytics"
	syncPerformance = "/api/oauth/provider_search/sync-performance"
)

// atLocation chooses a location.
func atLocation(c *connection.Connection) {
	c.Chosen, c.AccountID = connection.ChosenLocation, "locations/1"
}

func TestSync(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connectPage()
		w.connect(directorytest.AnalyticsPair)
		b := w.loggedInAs(w.Anna)
		b.post(syncPage, of(w.Company)).want(200).wantAt(true, "success").wantAt(nil, "code").
			wantAt("Statystyki strony zostały odświeżone.", "message").wantAt(1204.0, "data", "fan_count").
			wantAt(57.0, "data", "metrics", "page_views_total").wantAt("complete", "data", "metrics_state").wantAt(nil, "data", "metrics_reason")
		b.post(syncPhotos, of(w.Company)).want(200).wantAt("Statystyki konta zostały odświeżone.", "message").
			wantAt("piekarnia", "data", "profile", "username").wantAt("complete", "data", "metrics_state")
		b.post(syncAnalytics, of(w.Company)).want(200).wantAt("sc-domain:piekarnia.example", "data", "site").
			wantAt(4.0, "data", "clicks").wantAt(400.0, "data", "impressions").wantAt(0.01, "data", "ctr").wantAt(7.0, "data", "position")
		w.connect(profilePair, atLocation)
		b.post(syncPerformance, of(w.Company)).want(200).wantAt("Statystyki profilu firmy zostały odświeżone.", "message").
			wantAt("locations/1", "data", "location").wantAt("2026-11-17", "data", "to").wantAt(100.0, "data", "impressions").wantAt(2.0, "data", "calls")
		w.pass(time.Hour)
		w.Social.Page = meta.PageData{Missed: meta.Missed{Metrics: []string{"page_views_total"}, Err: provider.Denied(errSecret)}}
		requireNoLeak(t, b.post(syncPage, of(w.Company)).want(200).wantAt("skipped", "data", "metrics_state").
			wantAt(57.0, "data", "metrics", "page_views_total").wantAt("2026-11-21T13:00:00Z", "data", "synced_at").
			wantAt("2026-11-21T12:00:00Z", "data", "metrics_kept_from", "page_views_total").
			wantAt(provider.CodePermission.Text, "data", "metrics_reason"))
		b.get("/api/oauth/status").want(200).wantAt(true, "services", pagesPair.String(), "needs_reconnect")
	})
}

// TestSyncOfPhotosAlone: without social_pages, the only page of the connection is read.
func TestSyncOfPhotosAlone(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(directorytest.PhotosPair)
		b := w.loggedInAs(w.Anna)
		b.post(syncPhotos, of(w.Company)).notSynced("no_page", "Najpierw wybierz stronę firmy.")
		w.Social.Pages = w.Social.Pages[:1]
		b.post(syncPhotos, of(w.Company)).want(200).wantAt("piekarnia", "data", "profile", "username")
		b.post(syncPage, of(w.Company)).notSynced("no_connection", textNoConnection)
	})
}

// notSynced holds the answer to a sync result that is a failure.
func (a answer) notSynced(code, text string) answer {
	a.w.t.Helper()
	return a.wantError(400, text).wantCount(5).wantAt(nil, "data").wantAt(text, "message").wantAt(code, "code")
}

// TestNotSynced: fields, then the right to edit, then what the company has, then what the
// provider answers.
func TestNotSynced(t *testing.T) {
	const textRevoked = "Dostęp został cofnięty. Połącz konto ponownie."
	withService(t, func(t *testing.T, w *world) {
		b, guest := w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company))
		paths := []string{syncPage, syncPhotos, syncAnalytics, syncPerformance}
		for _, path := range paths {
			guest.post(path, `{}`).wantErrorOnly(400, textMissing("company_id"))
			guest.post(path, of(w.Company)).wantErrorOnly(403, textNotAllowed)
			b.post(path, of(w.Company)).notSynced("no_connection", textNoConnection)
		}
		w.connect(pagesPair)
		w.connect(profilePair)
		b.post(syncPerformance, of(w.Company)).notSynced("no_location", performance.CodeNoLocation.Text)
		b.post(syncPage, of(w.Company)).notSynced("no_page", "Najpierw wybierz stronę firmy.")
		b.post(syncPhotos, of(w.Company)).notSynced("no_page", "Najpierw wybierz stronę firmy.")
		w.connectPage()
		w.connect(directorytest.AnalyticsPair)
		w.connect(profilePair, atLocation)
		for _, test := range []struct {
			err                    error
			code, retryAfter, text string
		}{
			{provider.Denied(errSecret), "provider_permission", "", "Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz wszystkie zgody."},
			{provider.Throttled(errSecret, 90*time.Second), "provider_throttled", "90", textThrottled},
			{provider.Throttled(errSecret, 0), "provider_throttled", "", textThrottled},
			{provider.Temporary(errSecret), "provider_temporary", "", textTemporary},
			{provider.NotSetUp(errSecret), "provider_setup", "", "Ta usługa nie została nam jeszcze udostępniona. Skontaktuj się z administratorem."},
			{provider.Gone(errSecret), "provider_gone", "", "Nie ma już takiej strony lub takiego konta."},
			{provider.Unreadable(errSecret), "provider_changed", "", "Nie udało się odczytać odpowiedzi Facebooka lub Google."},
			{directorytest.Revoked(), "provider_reconnect", "", textRevoked}, // marks the connection, so comes last
		} {
			w.Social.Err, w.Search.Err = test.err, test.err
			for _, path := range paths {
				code, text := test.code, test.text
				if path == syncPerformance && code == "provider_gone" {
					code, text = "no_figures", performance.CodeNoFigures.Text
				}
				a := b.post(path, of(w.Company)).notSynced(code, text)
				if got := a.Header().Get("Retry-After"); got != test.retryAfter {
					t.Errorf("%s: Retry-After %q", test.code, got)
				}
				requireNoLeak(t, a)
			}
		}
		w.connect(directorytest.AnalyticsPair)
		w.Search.Sites, w.Search.Err = nil, nil
		b.post(syncAnalytics, of(w.Company)).notSynced("no_site", searchstats.CodeNoSite.Text)
	})
}

const textTooMuchWork = "Zbyt wiele zapytań w krótkim czasie. Spróbuj ponownie później."

// TestLimitsOfWork: each service has its own, for any user; what is refused for
// another reason does not count, and what is refused sends no request.
func TestLimitsOfWork(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.Discovers, w.Syncs = 10, 12
		w.wire()
		other := w.AddCompany("warsztat")
		anna, guest := w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company))
		admin, stranger := w.loggedInAs(w.AddUser("ala", account.Admin, &w.Company)), w.loggedInAs(w.AddUser("ola", account.Manager, &other))
		for range 13 {
			anna.post(discoverLocations, "").want(404)
			anna.post(discoverPages, of(w.Company)).want(404)
			anna.post(syncPage, of(w.Company)).notSynced("no_connection", textNoConnection)
			guest.post(syncPage, of(w.Company)).want(403)
		}
		w.connect(profilePair)
		w.connectPage()
		w.connect(directorytest.AnalyticsPair)
		w.connect(profilePair, atLocation)
		for _, test := range []struct {
			path, body string
			max        int
			provider   func() int
		}{
			{discoverLocations, "", 10, func() int { return len(w.Search.Calls) }},
			{discoverPages, of(w.Company), 10, func() int { return len(w.Social.Calls) }},
			{syncPage, of(w.Company), 12, func() int { return len(w.Social.Calls) }},
			{syncPhotos, of(w.Company), 12, func() int { return len(w.Social.Calls) }},
			{syncAnalytics, of(w.Company), 12, func() int { return len(w.Search.Calls) }},
			{syncPerformance, of(w.Company), 12, func() int { return len(w.Search.Calls) }},
		} {
			admin.post(test.path, test.body).want(200)
			w.pass(time.Minute / 2)
			for range test.max - 1 {
				anna.post(test.path, test.body).want(200)
			}
			asked := test.provider()
			for _, b := range []*browser{anna, admin} {
				a := b.post(test.path, test.body)
				if test.max == 12 {
					a.want(429).wantAt(nil, "data").wantAt("too_much_work", "code").wantAt(textTooMuchWork, "message").wantAt(textTooMuchWork, "error")
				} else {
					a.wantErrorOnly(429, textTooMuchWork)
				}
				if got := a.Header().Get("Retry-After"); got != "570" || test.provider() != asked {
					t.Errorf("%s: Retry-After %q, asked %d times", test.path, got, test.provider()-asked)
				}
			}
		}
		guest.post(syncPage, of(w.Company)).wantErrorOnly(403, textNotAllowed)
		stranger.post(discoverPages, of(other)).wantErrorOnly(404, textNoConnection)
		w.pass(10 * time.Minute)
		anna.post(syncPhotos, of(w.Company)).want(200)
	})
}

// TestChoicesAndScansDoNotCount, and are not limited either.
func TestChoicesAndScansDoNotCount(t *testing.T) {
	withService(t, func(_ *testing.T, w *world) {
		w.Discovers, w.Syncs = 1, 1
		w.wire()
		w.connect(profilePair)
		w.connectPage()
		b := w.loggedInAs(w.Anna)
		for range 2 {
			b.post(selectPage, pageOf(w.Company, `"104118"`)).want(200).wantAt("complete", "sync", "metrics_state")
			b.post(selectLocation, `{"location_name":"locations/1"}`).want(200)
			w.pass(time.Second)
			if result, err := w.Scan.Run(context.Background(), nil); err != nil || result.Synced < 2 || result.Failed != 0 {
				w.t.Errorf("scan: %+v, %v", result, err)
			}
		}
		for _, path := range []string{discoverPages, syncPage, syncPhotos, discoverLocations} {
			b.post(path, of(w.Company)).want(200)
			b.post(path, of(w.Company)).want(429)
		}
	})
}
