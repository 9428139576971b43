package web_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

func TestIntegrations(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.get("/konto/integracje").shows(200, "Firma piekarnia", "Profil Firmy w Google Nie połączono", "Połącz Google", "Połącz Facebooka i Instagram", "Połącz : Profil Firmy w Google").
		lacks("Odłącz", "Odśwież dane", "/rozlacz/")
	w.connectProfile()
	w.connectPage()
	for _, p := range []provider.Pair{directorytest.AnalyticsPair, directorytest.PhotosPair} {
		w.Connect(connection.Connection{Pair: p, AccessToken: "access-1", Scopes: []string{directorytest.Scope}})
	}
	w.Change(directorytest.AnalyticsPair, func(c *connection.Connection) { c.ReconnectReason = "Zgoda została cofnięta." })
	w.Change(directorytest.ProfilePair, func(c *connection.Connection) { c.OwnerName = "Anna <K>" })
	a := w.get("/konto/integracje").shows(200,
		"Połączono, został wybór Anna <K> Wybierz lokalizację", "Google Search Console Wymaga ponownego połączenia",
		"Zgoda została cofnięta.", "Połącz ponownie : Google Search Console", "Zmień stronę", "Tak, odłącz : Konto na Instagramie").
		lacks("14:00", "Połącz Google<") // a token of an hour is nothing to show
	if n := strings.Count(a.Body.String(), `action="/konto/integracje/polacz/provider_search"`); n != 1 {
		t.Errorf("%d forms ask for several services", n)
	}
	if n := strings.Count(a.Body.String(), "/konto/integracje/rozlacz/"); n != 4 {
		t.Errorf("%d services to disconnect", n)
	}
	w.Change(directorytest.ProfilePair, func(c *connection.Connection) {
		c.Choose(connection.ChosenLocation, connection.Choice{ID: "locations/1", Name: "Piekarnia"})
	})
	w.get("/konto/integracje").shows(200, "Połączono Anna <K> Piekarnia")
}

func TestIntegrationsWithoutRights(t *testing.T) {
	w := newWorld(t).loggedIn(account.Unaffiliated)
	w.connectPage()
	w.get("/konto/integracje").shows(200, "piekarnia").lacks("Zmień stronę", "Odśwież dane")
	w.Anna.CompanyID = nil
	w.get("/konto/integracje").shows(200, "nie jest przypisane do żadnej firmy").lacks("/polacz/")
	w.get("/konto/audyt").shows(200, "nie jest przypisane do żadnej firmy")
}

func TestMessages(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	for outcome, want := range map[string]string{
		"oauth_success=provider_search/search_analytics":                                                                                        "Połączono: Google Search Console.",
		"oauth_success=provider_social/social_pages&oauth_success=provider_social/social_photos":                                                "Połączono: Strona na Facebooku i Konto na Instagramie.",
		"oauth_success=provider_search/search_analytics&oauth_success=provider_social/social_pages&oauth_success=provider_social/social_photos": "Połączono: Google Search Console, Strona na Facebooku i Konto na Instagramie.",
		"oauth_success=provider_search/search_profile&oauth_refused=provider_search/search_analytics":                                           "Nie połączono: Google Search Console, bo zabrakło zgody.",
		"oauth_error=invalid_state":                     "trwało zbyt długo",
		"oauth_error=unauthorized":                      "inny użytkownik albo sesja wygasła",
		"oauth_error=access_denied":                     "Nie udzielono zgody",
		"oauth_error=invalid_scope":                     "Nie możemy prosić o te uprawnienia.",
		"oauth_error=Zadzwo%C5%84+na+0700":              "Konta nie udało się połączyć.",
		"oauth_error=%3Cscript%3Ealert(1)%3C/script%3E": "Konta nie udało się połączyć.",
		"page_synced":                                   "Statystyki strony zostały odświeżone.",
		"provider_throttled":                            "Facebook lub Google chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.",
		"provider_temporary":                            "Spróbuj ponownie za kilka minut.",
		"provider_reconnect":                            "Straciliśmy dostęp do tego konta.",
	} {
		w.browser.outcome = outcome
		a := w.get("/konto/integracje").shows(200, want).lacks("0700", "alert(1)")
		if !strings.Contains(a.text()[:strings.Index(a.text(), "– Połączenia")], want) {
			t.Errorf("the title does not begin with %q", want)
		}
		w.get("/konto/integracje").lacks("autofocus") // it was shown
	}
	w.browser.outcome = "oauth_error=nieznany"
	w.get("/konto/integracje").shows(200, "Konta nie udało się połączyć. Spróbuj ponownie. – Połączenia")
	for _, outcome := range []string{"wolny tekst", "oauth_success=provider_search/social_pages", "oauth_success=obcy/tekst", "x=oauth_error", "oauth_success=%"} {
		w.browser.outcome = outcome
		w.get("/konto/integracje").lacks("autofocus", "wolny", "obcy")
	}
}

// TestLinksCannotSetMessages: a made-up link cannot make a page show a message.
func TestLinksCannotSetMessages(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	for _, query := range []string{"wynik=audit_done", "oauth_success=provider_search/search_profile", "oauth_error=access_denied"} {
		w.get("/konto/integracje?"+query).lacks("autofocus", "Połączono", "zgody", "zakończony")
	}
}

// TestMessagesToAdministrators: they are not sent to themselves.
func TestMessagesToAdministrators(t *testing.T) {
	for role, want := range map[account.Role]string{
		account.Manager: "Skontaktuj się z administratorem.", account.Admin: "Sprawdź ustawienia aplikacji w Google lub Meta i dziennik usługi.",
	} {
		w := newWorld(t).loggedIn(role)
		w.browser.outcome = connection.CodeNotConfigured.Name
		w.get("/konto/integracje").shows(200, "nie zostało jeszcze włączone. "+want)
	}
}

// TestRowsTellTheTruth: a row whose figures do not come says so.
func TestRowsTellTheTruth(t *testing.T) {
	const row = "Strona na Facebooku "
	w := newWorld(t).loggedIn(account.Manager)
	w.connectPage()
	w.keepPage(readPage())
	w.get("/konto/integracje").shows(200, row+"Połączono – Piekarnia 21 listopada 2026, 13:00").lacks("nieaktualne dane")
	w.Now = w.Now.Add(24 * time.Hour)
	w.Social.Fail["ReadPage"] = provider.Temporary(nil)
	w.post("/konto/integracje/odswiez/provider_social/social_pages", "").leadsTo("/konto/integracje#facebook", "provider_temporary#facebook")
	w.get("/konto/integracje").shows(200, row+"Połączono, ostatni odczyt się nie udał",
		"21 listopada 2026, 13:00 Próba 22 listopada 2026, 13:00 się nie udała.", "chwilowo nie odpowiada").lacks("autofocus")
	w.Now = w.Now.Add(73 * time.Hour)
	w.get("/konto/integracje").shows(200, row+"Połączono, brak nowych danych", "13:00 nieaktualne dane")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.DataAccessExpiresAt = directorytest.After(100 * time.Hour) })
	w.get("/konto/integracje").shows(200, "Facebook przestanie udostępniać dane 25 listopada 2026, 17:00 . Połącz konto ponownie, aby to przedłużyć.")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.Scopes = nil })
	w.get("/konto/integracje").shows(200, row+"Wymaga ponownego połączenia", "Połącz ponownie : Strona na Facebooku")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	w.get("/konto/integracje").shows(200, "Hasło zmienione.", "nieaktualne dane").lacks("Odśwież dane", "Zmień stronę")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) {
		c.Active, c.ReconnectReason = false, "Facebook cofnął nam dostęp. Połącz konto ponownie."
	})
	w.get("/konto/integracje").shows(200, "Wymaga ponownego połączenia", "Facebook cofnął nam dostęp.", "Połącz ponownie : Strona").lacks("Odłącz")
}

// TestOtherAccount: no success is shown above a connection that does not work.
func TestOtherAccount(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.connectProfile()
	w.browser.outcome = "oauth_success=provider_search/search_profile"
	w.get("/konto/integracje").leadsTo(locationPath, w.browser.outcome)
	w.get(locationPath).shows(200, "Połączono: Profil Firmy w Google.")
	w.Change(directorytest.ProfilePair, func(c *connection.Connection) { c.LostChoice = "Piekarnia <1>" })
	w.browser.outcome = "oauth_success=provider_search/search_profile"
	w.get("/konto/integracje").shows(200, "To konto Google nie zarządza lokalizacją „Piekarnia <1>”. Wybierz inną lub połącz właściwe konto.",
		"Wymaga wyboru", "Wybierz inną lokalizację Połącz właściwe konto").lacks("Połączono:", `class="alert good"`)
}

// TestOtherAccountOfThePage: Instagram is read through the page that was lost.
func TestOtherAccountOfThePage(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.connectPage()
	w.keepPage(readPage())
	w.Connect(connection.Connection{Pair: directorytest.PhotosPair, AccessToken: "user-1", Scopes: []string{directorytest.Scope}})
	w.Change(directorytest.PagesPair, func(c *connection.Connection) {
		c.Chosen, c.UserAccessToken, c.LostChoice = connection.ChosenNothing, "", "Piekarnia"
	})
	a := w.get("/konto/integracje").shows(200, "To konto na Facebooku nie zarządza stroną „Piekarnia”.", "nieaktualne dane", "Wybierz inną stronę Połącz właściwe konto")
	if n := strings.Count(a.Body.String(), `value="social_pages"><input type="hidden" name="usluga" value="social_photos">`); n != 2 {
		t.Errorf("%d forms ask for both", n)
	}
}

// TestRevokedAccess: Instagram is mended together with the page on whose account it lives.
func TestRevokedAccess(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.connectPage()
	w.Connect(connection.Connection{Pair: directorytest.PhotosPair, AccessToken: "user-1", Scopes: []string{directorytest.Scope}})
	w.Change(directorytest.PagesPair, func(c *connection.Connection) {
		c.ReconnectReason = "Facebook cofnął nam dostęp. Połącz konto ponownie."
	})
	w.keepPage(readPage())
	w.browser.outcome = "provider_reconnect#facebook"
	w.get("/konto/integracje").shows(200, "nieaktualne dane").lacks("Straciliśmy dostęp do tego konta.")
	a := w.get("/konto/integracje").shows(200, "Konto na Instagramie Może nie działać", "Facebook cofnął nam dostęp.", "połączono razem ze stroną na Facebooku")
	const both = `<input type="hidden" name="usluga" value="social_pages"><input type="hidden" name="usluga" value="social_photos">`
	if !strings.Contains(a.Body.String(), both) {
		t.Error("no form that mends both")
	}
	for _, active := range []bool{true, false} { // it may have been ended from outside
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.Active = active })
		a = w.post("/konto/integracje/polacz/provider_social", "usluga=social_pages&usluga=social_photos").shows(200, "Strona na Facebooku, Konto na Instagramie")
		if refresh := a.Header().Get("Refresh"); !strings.HasPrefix(refresh, "0; url=https://consent.example/auth?") {
			t.Errorf("active %t: Refresh %q", active, refresh)
		}
	}
}

func TestConnect(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	const path = "/konto/integracje/polacz/provider_social/social_pages"
	a := w.post(path, "").shows(200, "Meta Strona na Facebooku", "O co zapytamy social_pages", "Przejdź do Facebooka")
	if a.Header().Get("Refresh") != "" {
		t.Error("a first consent is not explained")
	}
	const all = "/konto/integracje/polacz/provider_social"
	w.post(all, "usluga=social_pages&usluga=social_photos").shows(200, "Strona na Facebooku, Konto na Instagramie", "O co zapytamy social_pages social_photos")
	w.post(all, "").leadsTo("/konto/integracje", "invalid_pair")
	w.post(all, "usluga=social_pages&usluga=search_profile").leadsTo("/konto/integracje", "invalid_pair")
	w.browser.outcome = ""
	w.browser.did = w.browser.did[:1]
	if !strings.Contains(a.Body.String(), `href="https://consent.example/auth?`) {
		t.Error("no link to the provider")
	}
	if want := []string{"keep provider_social"}; !slices.Equal(w.browser.did, want) {
		t.Errorf("did %q", w.browser.did)
	}
	w.browser.keepErr = account.CodeNoSession.Fault()
	w.post(path, "").leadsTo("/konto/logowanie")
	w.browser.keepErr = errors.New("away")
	w.post(path, "").shows(500)
	w.post("/konto/integracje/polacz/provider_social/search_profile", "").leadsTo("/konto/integracje", "invalid_pair")
	w.Unconfigure(provider.Social)
	w.post(path, "").leadsTo("/konto/integracje", "not_configured")
	w.Anna.CompanyID = nil
	w.post(path, "").leadsTo("/konto/integracje", "no_company")
}

func TestDisconnect(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.connectProfile()
	const path = "/konto/integracje/rozlacz/provider_search/search_profile"
	w.post(path, "").leadsTo("/konto/integracje#profil", "disconnected#profil")
	w.WantTrail("disconnect")
	w.post("/konto/integracje/rozlacz/provider_search/search_analytics", "").leadsTo("/konto/integracje#wyszukiwarka", "no_connection#wyszukiwarka")
	w.post("/konto/integracje/odswiez/provider_social/search_profile", "").leadsTo("/konto/integracje", "invalid_pair")
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w.post(path, "").shows(500)
}
