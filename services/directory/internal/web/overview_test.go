package web_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
)

const overview = "/konto/przeglad"

// TestTodos: what is broken comes before what is missing, and that before what could be
// connected. Each has the button that mends it.
func TestTodos(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.get(overview).shows(200, "Do zrobienia Profil Firmy w Google Po połączeniu zobaczysz, ile osób ogląda wizytówkę", "Połącz : Konto na Instagramie", "Uruchom pierwszy audyt",
		"Wejścia na stronę z wyszukiwarki Pojawi się, gdy połączysz")
	w.connectProfile()
	w.connectPage()
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	w.Connect(connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: w.Search.Token.AccessToken, RefreshToken: "r", Scopes: []string{directorytest.Scope}})
	a := w.get(overview).shows(200, "Do zrobienia Strona na Facebooku Hasło zmienione. Połącz ponownie : Strona na Facebooku "+
		"Profil Firmy w Google Wybierz lokalizację, aby odczytywać jej statystyki i oceniać ją w audycie. Wybierz lokalizację")
	const mendPage = "action=\"/konto/integracje/polacz/provider_social\">\n<input type=\"hidden\" name=\"usluga\" value=\"social_pages\"><button"
	for _, way := range []string{mendPage, `href="/konto/integracje/lokalizacja"`} {
		if strings.Count(a.Body.String(), way) != 1 {
			t.Errorf("no %s", way)
		}
	}
	if n := strings.Count(a.Body.String(), "Połącz ponownie"); n != 1 {
		t.Errorf("%d connections to renew, want one for both that are read through it", n)
	}
	w.Change(directorytest.PagesPair, func(c *connection.Connection) {
		c.ReconnectReason, c.DataAccessExpiresAt = "", directorytest.After(100*time.Hour)
	})
	w.get(overview).shows(200, "Wybierz lokalizację Strona na Facebooku Facebook przestanie udostępniać dane 25 listopada 2026. Połącz ponownie, aby to przedłużyć.")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.DataAccessExpiresAt = nil })
	w.Change(directorytest.ProfilePair, func(c *connection.Connection) { c.Chosen, c.AccountID = connection.ChosenLocation, "locations/1" })
	w.keepPage(readPage())
	w.get(overview).shows(200, "Wszystko działa").lacks("Do zrobienia")
	w.Now = w.Now.Add(73 * time.Hour)
	a = w.get(overview).shows(200, "Dane są z 21 listopada 2026. Nowszych nie udało się odczytać.", "Obserwujący 5136 Zmianę i wykres pokażemy po jutrzejszym odczycie. Dane z 21 listopada 2026")
	if !strings.Contains(a.Body.String(), `action="/konto/statystyki/facebook"`) {
		t.Error("old figures cannot be read again")
	}
	w.loggedIn(account.Unaffiliated).get(overview).shows(200, "Dane są z 21 listopada 2026.").lacks("<form method=\"post\" action=\"/konto/integracje")
}

// TestRepairTogether: one consent mends all services of a provider that are broken.
func TestRepairTogether(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.Connect(connection.Connection{Pair: directorytest.PhotosPair, AccessToken: "user-1", Scopes: []string{directorytest.Scope}})
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	const both = `<input type="hidden" name="usluga" value="social_pages"><input type="hidden" name="usluga" value="social_photos"><button`
	buttons := func() int { return strings.Count(w.get(overview).shows(200).Body.String(), both) }
	if n := buttons(); n != 1 { // Instagram lives on the account of the page
		t.Errorf("%d buttons ask for both, want that of the page", n)
	}
	w.Change(directorytest.PhotosPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	if n := buttons(); n != 2 {
		t.Errorf("%d buttons ask for both, want one for each", n)
	}
	for _, p := range []provider.Pair{directorytest.PagesPair, directorytest.PhotosPair} {
		w.Change(p, func(c *connection.Connection) { c.Active = false })
	}
	if n := buttons(); n != 2 { // the provider has ended both
		t.Errorf("%d buttons ask for both that were ended, want one for each", n)
	}
}

// TestRepairLeavesTheChoice: who connects Search Console again is not asked for a location
// that the account does not reach.
func TestRepairLeavesTheChoice(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectProfile()
	w.Change(directorytest.ProfilePair, func(c *connection.Connection) { c.LostChoice = "Piekarnia" })
	w.Connect(connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: "access-1", Scopes: []string{directorytest.Scope}})
	w.Change(directorytest.AnalyticsPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	const alone = "action=\"/konto/integracje/polacz/provider_search\">\n<input type=\"hidden\" name=\"usluga\" value=\"search_analytics\"><button"
	if a := w.get(overview).shows(200, "Hasło zmienione."); strings.Count(a.Body.String(), alone) != 1 {
		t.Errorf("no form asks for Search Console alone: %s", a.Body)
	}
}

// TestHeadlines: followers of both networks are one figure, from the day on which both are known.
func TestHeadlines(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	followers := func(page, photos int) {
		w.keepPage(meta.PageData{FollowersCount: page})
		if photos > 0 {
			w.keepPhotos(meta.PhotoData{Profile: meta.PhotoProfile{FollowersCount: photos}})
		}
		w.Now = w.Now.Add(24 * time.Hour)
	}
	followers(90, 0)
	w.get(overview).shows(200, "Obserwujący 90")
	followers(100, 1000)
	followers(110, 1000)
	a := w.get(overview+"?okres=7").shows(200, "Obserwujący na Facebooku i Instagramie 1110 o 10 więcej niż 22 listopada 2026")
	if !strings.Contains(a.Body.String(), `href="/konto/statystyki?okres=7#facebook"`) {
		t.Error("the figure does not lead to its channel and days")
	}
	w.keepPage(meta.PageData{FollowersCount: 110}) // the older of both readings tells how old the figure is
	w.get(overview).shows(200, "Dane z 23 listopada 2026")
	w.Now = w.Now.Add(24 * time.Hour)
	w.keepPhotos(meta.PhotoData{Profile: meta.PhotoProfile{FollowersCount: 1000}})
	w.get(overview).shows(200, "Dane z 24 listopada 2026")
}

// TestAuditSteps: each of the three that gain the most leads to where it is done.
func TestAuditSteps(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	a := audited()
	a.Source, a.Location, a.PlaceID = audit.FromLocation, "locations/17", "place-1"
	a.Recommendations = []audit.Recommendation{
		{Field: audit.FieldHours, Points: 10, Text: "Dodaj godziny."}, {Field: audit.FieldPhotos, Points: 5, Text: "Dodaj zdjęcia."},
		{Field: audit.FieldReviews, Points: 4, Text: "Poproś o opinie."}, {Field: audit.FieldName, Points: 1, Text: "Czwarte."},
	}
	w.keep(a)
	got := w.get(overview).shows(200, "Godziny otwarcia +10 pkt Dodaj godziny. Popraw godziny w Google", "Dodaj zdjęcia w Google", "Skopiuj link do wystawienia opinii").lacks("Czwarte.")
	for _, address := range []string{
		`href="https://business.google.com/n/17/searchprofile"`, `data-copy="https://search.google.com/local/writereview?placeid=place-1"`,
	} {
		if !strings.Contains(got.Body.String(), address) {
			t.Errorf("no %s", address)
		}
	}
	w.loggedIn(account.Unaffiliated).get(overview).shows(200, "Dodaj godziny.").lacks("business.google.com", "writereview")
}

func TestOverviewWithoutCompany(t *testing.T) {
	w := newWorld(t).loggedIn(account.Unaffiliated)
	w.Anna.CompanyID = nil
	w.get(overview).shows(200, "nie jest przypisane do żadnej firmy")
	w.loggedIn(account.Admin).get(overview).leadsTo("/konto/firmy")
}

// TestOverviewTakesFewStatements of the database.
func TestOverviewTakesFewStatements(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.connectProfile()
	w.keepPage(readPage())
	w.keepPhotos(readPhotos())
	w.keep(audited())
	statements := 0
	if err := databasetest.Observe(w.Store.DB, func(string) { statements++ }); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{overview, "/konto/statystyki"} {
		statements = 0
		w.get(path).shows(200)
		t.Logf("%s: %d statements", path, statements)
		if statements == 0 || statements > 12 {
			t.Errorf("%s takes %d statements", path, statements)
		}
	}
}
