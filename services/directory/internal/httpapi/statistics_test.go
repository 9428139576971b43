package httpapi_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	syncPage   = "/api/oauth/provider_social/sync-facebook"
	syncPhotos = "/api/oauth/provider_social/sync-instagram"

	syncAnalytics = "/api/oauth/provider_search/sync-analytics"
)

func TestSync(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connectPage()
		b := w.loggedInAs(w.Anna)
		b.post(syncPage, of(w.Company)).want(200).wantAt(true, "success").wantAt(nil, "code").
			wantAt("Statystyki strony zostały odświeżone.", "message").wantAt(1204.0, "data", "fan_count").
			wantAt(57.0, "data", "metrics", "page_views_total")
		b.post(syncPhotos, of(w.Company)).want(200).wantAt(true, "success").
			wantAt("Statystyki konta zostały odświeżone.", "message").wantAt("piekarnia", "data", "profile", "username")
		for _, service := range []provider.Service{provider.SocialPages, provider.SocialPhotos} {
			s, err := history.Latest[struct{}](t.Context(), w.Store.DB, w.Company.ID, service)
			w.ok(err)
			if s.Count == 0 || !s.SyncedAt.Equal(w.Now) {
				t.Errorf("%s: stored %+v", service, s)
			}
		}
		w.Social.Page = meta.PageData{} // lists that are not there are empty
		b.post(syncPage, of(w.Company)).want(200)
	})
}

// TestSyncOfMissedMetrics: a sync that could not read the metrics says so, and loses
// none of them.
func TestSyncOfMissedMetrics(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connectPage()
		b := w.loggedInAs(w.Anna)
		b.post(syncPage, of(w.Company)).want(200).wantAt("complete", "data", "metrics_state").wantAt(nil, "data", "metrics_reason")
		b.post(syncPhotos, of(w.Company)).want(200).wantAt("complete", "data", "metrics_state")
		w.pass(time.Hour)
		w.Social.Page.Metrics, w.Social.Page.Missed = nil, meta.Missed{Metrics: []string{"page_views_total"}, Err: provider.Denied(errSecret)}
		w.Social.Photos.Insights = map[string]any{"reach": 3.0}
		w.Social.Photos.Missed = meta.Missed{Metrics: []string{"views"}, Err: provider.Throttled(errSecret, 0)}
		for _, path := range []string{syncPage, selectPage} {
			data, body := "data", of(w.Company)
			if path == selectPage {
				data, body = "sync", pageOf(w.Company, `"104118"`)
				w.Social.Page.Missed.Err = provider.Temporary(errSecret)
			}
			a := b.post(path, body).want(200).wantAt("skipped", data, "metrics_state").wantAt(57.0, data, "metrics", "page_views_total").
				wantAt("2026-11-21T12:00:00Z", data, "metrics_kept_from", "page_views_total").wantAt("2026-11-21T13:00:00Z", data, "synced_at").
				wantAt(fault.From(w.Social.Page.Missed.Err).Message, data, "metrics_reason")
			requireNoLeak(t, a)
			if path == syncPage {
				b.get("/api/oauth/status").want(200).wantAt(true, "services", pagesPair.String(), "needs_reconnect")
			}
		}
		b.post(syncPhotos, of(w.Company)).want(200).wantAt("partial", "data", "metrics_state").wantAt(3.0, "data", "insights", "reach")
	})
}

// TestSyncRefused: fields, then the right to edit, then what the company has.
func TestSyncRefused(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		other := w.AddCompany("warsztat")
		guest, stranger := w.AddUser("gosc", account.Unaffiliated, &w.Company), w.AddUser("ola", account.OfficeManager, &other)
		admin := w.loggedInAs(w.AddUser("ala", account.Admin, nil))
		for _, path := range []string{syncPage, syncPhotos} {
			w.loggedInAs(stranger).post(path, `{}`).wantErrorOnly(400, textMissing("company_id"))
			w.loggedInAs(guest).post(path, of(w.Company)).wantErrorOnly(403, textNotAllowed)
			w.loggedInAs(stranger).post(path, of(w.Company)).wantErrorOnly(403, textNotAllowed)
			w.loggedInAs(stranger).post(path, `{"company_id":999}`).wantErrorOnly(403, textNotAllowed)
			admin.post(path, `{"company_id":999}`).notSynced("no_connection", textNoConnection)
		}
	})
}

// notSynced holds the answer to a sync result that is a failure.
func (a answer) notSynced(code, text string) answer {
	a.w.t.Helper()
	if fields, _ := a.at().(map[string]any); len(fields) != 5 {
		a.w.t.Errorf("body %s is no sync result", a.Body)
	}
	return a.wantError(400, text).wantAt(nil, "data").wantAt(text, "message").wantAt(code, "code")
}

// syncFailures are what a provider may do to a sync, and what is said then.
func syncFailures() []syncFailure {
	return []syncFailure{
		{provider.Denied(errSecret), "provider_permission", "", "Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz wszystkie zgody."},
		{provider.Throttled(errSecret, 90*time.Second), "provider_throttled", "90", "Dostawca chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później."},
		{provider.Throttled(errSecret, 0), "provider_throttled", "", "Dostawca chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później."},
		{provider.Temporary(errSecret), "provider_temporary", "", textTemporary},
		{provider.NotSetUp(errSecret), "provider_setup", "", "Usługa dostawcy nie jest jeszcze udostępniona. Skontaktuj się z administratorem."},
		{provider.Gone(errSecret), "provider_gone", "", "Nie znaleziono zasobu u dostawcy."},
		{provider.Unreadable(errSecret), "provider_changed", "", "Dostawca odpowiedział w nieznanym formacie."},
		{directorytest.Revoked(), "provider_reconnect", "", "Dostęp został cofnięty. Połącz konto ponownie."}, // marks the connection, so comes last
	}
}

type syncFailure struct {
	err              error
	code, retryAfter string
	text             string
}

func TestNotSynced(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for _, path := range []string{syncPage, syncPhotos} {
			b.post(path, of(w.Company)).notSynced("no_connection", textNoConnection)
		}
		w.connect(pagesPair)
		for _, path := range []string{syncPage, syncPhotos} {
			b.post(path, of(w.Company)).notSynced("no_page", "Najpierw wybierz stronę firmy.")
			w.connectPage()
			for _, test := range syncFailures() {
				w.Social.Fail["ReadPage"], w.Social.Fail["ReadPhotos"] = test.err, test.err
				a := b.post(path, of(w.Company)).notSynced(test.code, test.text)
				if got := a.Header().Get("Retry-After"); got != test.retryAfter {
					t.Errorf("%s: Retry-After %q", test.code, got)
				}
				requireNoLeak(t, a)
			}
			w.Social.Fail["ReadPage"], w.Social.Fail["ReadPhotos"] = nil, nil
			b.post(path, of(w.Company)).notSynced("provider_reconnect", "Dostęp został cofnięty. Połącz konto ponownie.")
			w.connect(pagesPair)
		}
	})
}
