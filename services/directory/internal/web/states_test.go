package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

// connectAll connects all services; their figures can be read.
func (w *world) connectAll() {
	w.t.Helper()
	w.connectProfile()
	w.Change(directorytest.ProfilePair, func(c *connection.Connection) {
		c.Choose(connection.ChosenLocation, connection.Choice{ID: "locations/1", Name: "Piekarnia"})
		c.OwnerName = "Anna <K>"
	})
	w.Connect(connection.Connection{
		Pair: directorytest.AnalyticsPair, AccessToken: w.Search.Token.AccessToken, RefreshToken: "r", Scopes: []string{directorytest.Scope},
		AccountName: "sc-domain:piekarnia.example", OwnerName: "Anna <K>",
	})
	w.connectPage()
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.OwnerName = "Anna Kowal" })
	w.Connect(connection.Connection{Pair: directorytest.PhotosPair, AccessToken: "user-1", Scopes: []string{directorytest.Scope}, OwnerName: "Anna Kowal"})
}

// readAll keeps a reading of all services.
func (w *world) readAll() {
	w.t.Helper()
	for _, channel := range []string{"profil", "wyszukiwarka"} {
		w.post("/konto/statystyki/"+channel, "").leadsTo(statisticsOf+"#"+channel, map[string]string{"profil": "performance_synced#profil", "wyszukiwarka": "analytics_synced#wyszukiwarka"}[channel])
	}
	w.browser.outcome = ""
	w.keepPage(readPage())
	w.keepPhotos(readPhotos())
}

// searched has clicks on each of the last 56 days, which rise by one a day.
func searched() google.SearchData {
	data := google.SearchData{From: "2026-10-22", To: "2026-11-18", Queries: []google.SearchQuery{
		{Query: "chleb na zakwasie", Clicks: 20, Impressions: 12345, Position: 2.5}, {Query: "piekarnia", Clicks: 1, Impressions: 7, Position: 11},
	}}
	for i := range 56 {
		day := google.SearchDay{Day: time.Date(2026, time.September, 24+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), Clicks: i, Impressions: 100 * (56 - i)}
		if i < 28 {
			data.Earlier = append(data.Earlier, day)
		} else {
			data.Days = append(data.Days, day)
		}
	}
	return data
}

// mails switches e-mail on.
func (w *world) mails() {
	w.t.Helper()
	w.Send = func(context.Context, string, string, string) (bool, error) { return false, nil }
	w.register()
}

// addSessions opens two sessions of anna.
func (w *world) addSessions() {
	w.t.Helper()
	for i, id := range []string{"a", "b"} {
		s := account.Session{IDHash: []byte(strings.Repeat(id, 32)), UserID: &w.Anna.ID, CreatedAt: now.Add(time.Duration(i) * time.Hour), LastSeenAt: now.Add(2 * time.Hour)}
		if err := w.Store.Sessions().Insert(w.t.Context(), s); err != nil {
			w.t.Fatal(err)
		}
	}
}

// addDeliveries adds an address with more deliveries than a page shows.
func (w *world) addDeliveries(results ...webhook.Delivery) {
	w.t.Helper()
	hook, err := w.Webhooks.Add(w.t.Context(), trail.Entry{}, &w.Company.ID, "https://hook.example/a")
	if err != nil {
		w.t.Fatal(err)
	}
	for i, d := range results {
		d.EventID, d.WebhookID, d.At, d.NextAt, d.Data = fmt.Sprint("msg_", i), hook.ID, now.Add(time.Duration(i)*time.Minute), now, fmt.Sprintf(`{"n":%d}`, i)
		if err := w.Store.Write(w.t.Context()).Create(&d).Error; err != nil {
			w.t.Fatal(err)
		}
	}
}

const (
	integrationsPath = "/konto/integracje"
	statisticsPath   = "/konto/statystyki"
	usersPath        = "/konto/uzytkownicy"
)

// pageStates are the pages in each of their states, by the feature.
var pageStates = map[string]func(w *world){
	"home": func(w *world) {
		w.get("/").wantOutline("home")
		w.get("/audyt?firma=nikt").wantOutline("home-none")
		for i := range 12 {
			w.named(fmt.Sprintf("bar-%02d", i), fmt.Sprintf("Bar %02d", i))
		}
		w.get("/audyt?firma=+bar+").wantOutline("home-found")
		w.ping = context.DeadlineExceeded
		w.loggedIn(account.Manager).get("/").wantOutline("home-away")
	},
	"login": func(w *world) {
		w.get("/konto/logowanie?powrot=/audyt/piekarnia").wantOutline("login")
		w.post("/konto/logowanie", values("email", "a@b.example", "powrot", "/konto/audyt")).wantOutline("login-refused")
		w.get("/konto/reset").wantOutline("reset-without-mail")
		w.get("/konto/nowe-haslo?token=x").wantOutline("new-password-expired")
		w.mails()
		w.get("/konto/reset").wantOutline("reset")
		w.loggedIn(account.Member).post("/konto/haslo", twice("krótkie")).wantOutline("password-refused")
	},
	"sessions": func(w *world) {
		w.addSessions()
		w.browser.current = "616161616161"
		w.loggedIn(account.Member).get("/konto/sesje").wantOutline("sessions")
		w.loggedIn(account.Admin).get(usersPath + "/1").wantOutline("user")
		w.post("/konto/sesje", "").leadsTo("/konto/sesje", "sessions_ended")
		w.get("/konto/sesje").wantOutline("sessions-own")
	},
	"users": func(w *world) {
		w.loggedIn(account.Admin)
		w.SetPassword(w.AddUser("ewa", account.Admin, nil), chosen)
		jan := w.AddUser("jan", account.OfficeManager, &w.Company)
		if _, err := w.Store.Users().Edit(w.t.Context(), jan.ID, account.UserChange{Disabled: new(true)}, account.Actor{}); err != nil {
			w.t.Fatal(err)
		}
		w.get(usersPath).wantOutline("users")
		w.get(usersPath + "?szukaj=nikt&za=1").wantOutline("users-none")
		w.post(usersPath, values("email", "jan@poczta.example", "nazwa", "Jan", "rola", "MANAGER", "firma", "nowa")).wantOutline("users-refused")
		w.post(usersPath+"/1", values("nazwa", "Inna", "rola", "EMPLOYEE", "firma", "nowa", "wylaczone", "1")).wantOutline("user-refused")
		w.mails()
		w.post(usersPath+"/1/link", "").wantOutline("user-link-sent")
	},
	"companies": func(w *world) {
		w.loggedIn(account.Member).get(companiesPath).wantOutline("companies-own")
		w.loggedIn(account.Admin).get(companiesPath + "?szukaj=firma").wantOutline("companies-found")
		w.get(companiesPath + "?szukaj=firma&za=9&od=x").wantOutline("companies-none")
		w.get(companiesPath + "?stan=przerwane").wantOutline("companies-broken")
		w.AddCompany("dawna", func(c *company.Company) { c.Name, c.Status = "Dawna", company.StatusArchived })
		w.connectAll()
		w.keep(audited())
		w.get(companiesPath).wantOutline("companies")
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Zgoda cofnięta." })
		w.Change(directorytest.AnalyticsPair, func(c *connection.Connection) { c.ReconnectReason = "Zgoda cofnięta." })
		w.Change(directorytest.ProfilePair, directorytest.Inactive)
		for _, query := range []string{"", "?za=-1", "?za=x"} { // both are the first page
			w.get(companiesPath + query).wantOutline("companies-urgent")
		}
	},
	"company": func(w *world) {
		w.loggedIn(account.Admin).get(companiesPath + "/nowa").wantOutline("company-new")
		w.post(companiesPath+"/1", values("nazwa", "", "przed-nazwa", "Firma", "uslugi", "a\r\nb", "przed-uslugi", "a", "stan", "archived", "przed-stan", "active")).
			wantOutline("company-refused")
		w.connectAll()
		w.keep(audited())
		w.Change(directorytest.ProfilePair, func(c *connection.Connection) { c.LostChoice = "Piekarnia" })
		w.Change(directorytest.AnalyticsPair, func(c *connection.Connection) { c.Scopes = nil })
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Zgoda cofnięta." })
		for i := range 20 {
			e := trail.Entry{CompanyID: w.Company.ID, UserID: &w.Anna.ID, Action: fmt.Sprint("act ", i)}
			if i == 19 {
				e.Pair, e.UserID = directorytest.PagesPair, nil
			}
			if err := w.Store.Record(w.t.Context(), e); err != nil {
				w.t.Fatal(err)
			}
		}
		w.get(companiesPath + "/1").wantOutline("company")
		w.AddCompany("dawna", func(c *company.Company) { c.Name, c.Status = "Dawna", company.StatusArchived })
		w.get(companiesPath + "/2").wantOutline("company-hidden")
	},
	"developer": func(w *world) {
		w.loggedIn(account.Manager).post(hooksPath, values("adres", " http://hook.example ")).wantOutline("developer-refused")
		w.addDeliveries(
			webhook.Delivery{Type: webhook.EventTest, State: webhook.Delivered, Result: webhook.Accepted, Status: 200, Attempts: 1, DurationMs: 12},
			webhook.Delivery{Type: webhook.EventTest, State: webhook.Parked, Result: webhook.Refused, Status: 500, Attempts: 1, DurationMs: 12},
			webhook.Delivery{Type: connection.EventBroken, State: webhook.Delivered, Result: webhook.Accepted, Status: 204, Attempts: 3, DurationMs: 120},
			webhook.Delivery{Type: connection.EventRecovered, State: webhook.Pending, Result: webhook.Refused, Status: 503, Attempts: 2, DurationMs: 7},
			webhook.Delivery{Type: audit.EventCompleted, State: webhook.Parked, Result: webhook.TimedOut, Attempts: 9, DurationMs: 5000},
			webhook.Delivery{Type: audit.EventCompleted, State: webhook.Pending},
		)
		w.browser.outcome = "webhook_resent#adres-1"
		w.get(developerPath).wantOutline("developer")
		if err := w.Store.Write(w.t.Context()).Model(&webhook.Webhook{ID: 1}).UpdateColumn("disabled", webhook.Gone).Error; err != nil {
			w.t.Fatal(err)
		}
		w.browser.outcome = "webhook_removed"
		w.loggedIn(account.Unaffiliated).get(developerPath).wantOutline("developer-disabled")
		w.Anna.CompanyID = nil
		w.loggedIn(account.Manager).get(developerPath).wantOutline("developer-without-company")
	},
	"connecting": func(w *world) {
		w.loggedIn(account.Manager).get(integrationsPath).wantOutline("integrations-none")
		w.post("/konto/integracje/polacz/provider_search", "usluga=search_profile&usluga=search_analytics").wantOutline("leaving")
		w.connectPage()
		w.post("/konto/integracje/polacz/provider_social/social_pages", "").wantOutline("leaving-again")
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
		w.browser.outcome = "oauth_success=provider_social/social_pages"
		w.get(integrationsPath).wantOutline("integrations-broken-again")
	},
	"integrations": func(w *world) {
		w.loggedIn(account.Manager).connectAll()
		w.readAll()
		w.browser.outcome = "page_synced#facebook"
		w.get(integrationsPath).wantOutline("integrations")
		w.loggedIn(account.Unaffiliated).get(integrationsPath).wantOutline("integrations-without-rights")
		w.loggedIn(account.Manager)
		w.Now = w.Now.Add(72 * time.Hour)
		w.Search.Fail["ReadSearch"] = provider.Temporary(nil)
		w.post("/konto/integracje/odswiez/provider_search/search_analytics", "")
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
		w.browser.outcome = "provider_reconnect#facebook"
		w.get(integrationsPath).wantOutline("integrations-failing")
		w.Now = w.Now.Add(time.Second)
		w.Change(directorytest.ProfilePair, func(c *connection.Connection) {
			c.LostChoice, c.Chosen = "Cukiernia", connection.ChosenNothing
		})
		w.Change(directorytest.PagesPair, func(c *connection.Connection) {
			c.ReconnectReason, c.DataAccessExpiresAt = "", directorytest.After(100*time.Hour)
		})
		w.browser.outcome = "provider_temporary#wyszukiwarka"
		w.get(integrationsPath).wantOutline("integrations-old")
	},
	"photos": func(w *world) {
		w.loggedIn(account.Manager).connectProfile()
		w.Connect(connection.Connection{Pair: directorytest.PhotosPair, AccessToken: "user-1", Scopes: []string{directorytest.Scope}, OwnerName: "Anna Kowal"})
		w.get(integrationsPath).wantOutline("integrations-unchosen")
		w.Change(directorytest.PhotosPair, directorytest.Inactive)
		w.connectPage()
		w.keepPhotos(readPhotos())
		w.browser.outcome = "disconnected#instagram"
		w.get(integrationsPath).wantOutline("integrations-through-page")
		w.Change(directorytest.PagesPair, directorytest.Inactive)
		w.get(integrationsPath).wantOutline("integrations-ended")
	},
	"choose-page": func(w *world) {
		w.loggedIn(account.Manager).connectPage()
		w.Social.Pages[1].AccessToken = ""
		w.Social.Cut = true
		w.get(pagePath).wantOutline("choose-page")
		w.Social.Pages, w.Social.Cut = nil, false
		w.get(pagePath).wantOutline("choose-page-none")
		for i := range 10 {
			w.Social.Pages = append(w.Social.Pages, meta.Page{ID: fmt.Sprint(i), Name: "Firma", Category: fmt.Sprint("Lokal ", 9-i), AccessToken: "page"})
		}
		w.get(pagePath + "?szukaj=firma+lokal+1").wantOutline("choose-page-search")
	},
	"choose-location": func(w *world) {
		w.loggedIn(account.Manager).connectProfile()
		w.Search.Locations, w.Search.Cut = nil, true
		w.get(locationPath).wantOutline("choose-location-none")
		w.Search.Cut, w.Search.Unread = false, []string{"accounts/7", "accounts/8"}
		for i, closed := range []google.Closed{google.NotClosed, google.ClosedForGood, google.ClosedForNow, google.ClosedSuspended} {
			w.Search.Locations = append(w.Search.Locations, google.Location{
				Name: fmt.Sprint("locations/", i), Title: fmt.Sprint("Lokal ", 4-i), Address: "Kraków", Category: "Piekarnia", StoreCode: fmt.Sprint("S", i), Closed: closed,
			})
		}
		w.get(locationPath).wantOutline("choose-location")
	},
	"statistics": func(w *world) {
		w.loggedIn(account.Member).get(statisticsPath).wantOutline("statistics-none")
		w.get(overview).wantOutline("overview-none")
		w.Search.Searched = searched()
		w.connectAll()
		w.loggedIn(account.Unaffiliated).get(statisticsPath).wantOutline("statistics-soon")
		w.loggedIn(account.Member).readAll()
		w.Now = w.Now.Add(48 * time.Hour)
		w.keepPage(readPage())
		w.keepPhotos(readPhotos())
		w.browser.outcome = "page_synced#facebook"
		w.get(statisticsPath + "?okres=7").wantOutline("statistics")
		w.keep(audited())
		w.get(overview).wantOutline("overview")
		w.Change(directorytest.ProfilePair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
		complete := audited()
		complete.At, complete.Recommendations, complete.Score, complete.Category = w.Now, nil, 100, "excellent"
		w.keep(complete)
		w.loggedIn(account.Unaffiliated).get(overview).wantOutline("overview-without-rights")
	},
	"statistics-old": func(w *world) {
		w.loggedIn(account.Member).connectAll()
		w.readAll()
		photos := readPhotos()
		photos.Unavailable = []string{ // as named by the provider, of both channels
			"reach", "follower_count", "views", "accounts_engaged", "total_interactions", "likes", "comments", "shares", "saves", "replies",
			"reposts", "profile_links_taps", "profile_views", "website_clicks", "page_media_view", "page_total_media_view_unique",
			"page_post_engagements", "page_views_total", "page_daily_follows_unique", "page_daily_unfollows_unique",
		}
		save(w, provider.SocialPhotos, "17841", 12345, social.PhotoData{PhotoData: photos, SyncedAt: w.Now, MetricsReading: social.MetricsReading{
			State: social.MetricsPartial, Reason: new("Powód."), KeptFrom: map[string]time.Time{"a": now, "b": now.Add(-48 * time.Hour), "c": now},
		}})
		w.Now = w.Now.Add(72*time.Hour + time.Second)
		w.Social.Err, w.Search.Err = provider.Temporary(nil), provider.Temporary(nil)
		for _, channel := range []string{"profil", "wyszukiwarka", "facebook", "instagram"} {
			w.post("/konto/statystyki/"+channel, "")
		}
		w.browser.outcome = "not_allowed"
		w.get(statisticsPath).wantOutline("statistics-old")
	},
	"audit": func(w *world) {
		w.get("/audyt/piekarnia").wantOutline("audit-none")
		w.loggedIn(account.Member).get("/konto/audyt").wantOutline("audit-none-own")
		oldest, earlier := audited(), audited()
		oldest.At, oldest.Score, oldest.Category, oldest.Version = now.Add(-72*time.Hour), 20, "poor", "0.9"
		earlier.At, earlier.Score, earlier.Category, earlier.Version = now.Add(-48*time.Hour), 95, "excellent", "0.9"
		w.keep(oldest, earlier, audited())
		w.browser.user = nil
		w.get("/audyt/piekarnia").wantOutline("audit")
	},
	"audit-source": func(w *world) {
		a := audited()
		a.Source, a.Score, a.Category, a.Signals = audit.FromRecord, 81, "good", []google.Signal{google.SignalChanged}
		a.Sources = []audit.Step{
			{Step: "business_profile", Status: audit.StepSkipped, Message: "Nie połączono."}, {Step: "places", Status: audit.StepNotFound, Message: "Nie ma."},
		}
		w.keep(a)
		w.loggedIn(account.Member).get("/konto/audyt").wantOutline("audit-record")
		for range 20 {
			w.post("/audyt/piekarnia", "")
		}
		w.browser.outcome = ""
		a = audited()
		a.At, a.Source, a.Location = now.Add(time.Minute), audit.FromLocation, "locations/42"
		a.Sources = []audit.Step{{Step: "business_profile", Status: audit.StepReused, Message: "Z pamięci."}}
		a.Recommendations = append(a.Recommendations, audit.Recommendation{Field: audit.FieldReviews, Points: 3, Text: "Proś o opinie."})
		for _, field := range []audit.Field{
			audit.FieldName, audit.FieldPhone, audit.FieldWebsite, audit.FieldCategories, audit.FieldPhotos, audit.FieldDescription, audit.FieldServices,
		} {
			a.Recommendations = append(a.Recommendations, audit.Recommendation{Field: field, Points: 1, Text: "Popraw to pole."})
		}
		w.keep(a)
		w.Now = a.At
		got := w.get("/konto/audyt")
		page, _, _ := strings.Cut(got.outline(), "## Historia")
		got.want("audit-location", page)
	},
}

// TestPagesInEachState compares all that a page shows and offers with testdata/pages.
func TestPagesInEachState(t *testing.T) {
	for feature, show := range pageStates {
		t.Run(feature, func(t *testing.T) {
			t.Parallel()
			show(newWorld(t))
		})
	}
}
