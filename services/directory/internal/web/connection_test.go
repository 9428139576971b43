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
	"backend.example/services/directory/internal/social"
)

func TestIntegrations(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.get("/konto/integracje").shows(200, "Firma piekarnia", "Profil firmy w wyszukiwarce Niepołączona", "Połącz : Profil firmy w wyszukiwarce").
		lacks("Odłącz", "Odśwież statystyki", "/rozlacz/")
	w.connectProfile()
	w.connectPage()
	for _, p := range []provider.Pair{directorytest.AnalyticsPair, directorytest.PhotosPair} {
		w.Connect(connection.Connection{Pair: p, AccessToken: "access-1", Scopes: []string{directorytest.Scope}})
	}
	w.Change(directorytest.AnalyticsPair, func(c *connection.Connection) { c.ReconnectReason = "Zgoda została cofnięta." })
	a := w.get("/konto/integracje").shows(200,
		"Konto Anna <K>", "do 21 listopada 2026, 14:00 , odnawia się automatycznie", "Wybierz lokalizację, aby audyt odczytywał jej dane.",
		"Wymaga ponownego połączenia", "Zgoda została cofnięta.", "Połącz ponownie : Statystyki wyszukiwarki",
		"Zmień stronę", "do odwołania", "Tak, odłącz : Konto w serwisie ze zdjęciami")
	if n := strings.Count(a.Body.String(), "/konto/integracje/polacz/"); n != len(provider.Pairs()) {
		t.Errorf("%d services to connect, or to connect again", n)
	}
	if n := strings.Count(a.Body.String(), "/konto/integracje/rozlacz/"); n != 4 {
		t.Errorf("%d services to disconnect", n)
	}
}

func TestIntegrationsWithoutRights(t *testing.T) {
	w := newWorld(t).loggedIn(account.Unaffiliated)
	w.connectPage()
	w.get("/konto/integracje").shows(200, "piekarnia").lacks("Zmień stronę", "Odśwież statystyki")
	w.Anna.CompanyID = nil
	w.get("/konto/integracje").shows(200, "nie jest przypisane do żadnej firmy").lacks("/polacz/")
	w.get("/konto/audyt").shows(200, "nie jest przypisane do żadnej firmy")
}

func TestMessages(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	for outcome, want := range map[string]string{
		"oauth_success=provider_search/search_profile":  "Połączono: Profil firmy w wyszukiwarce.",
		"oauth_error=invalid_state":                     "trwało zbyt długo",
		"oauth_error=unauthorized":                      "inny użytkownik albo sesja wygasła",
		"oauth_error=access_denied":                     "Nie udzielono zgody",
		"oauth_error=invalid_scope":                     "Dostawca odrzucił zakres uprawnień.",
		"oauth_error=Zadzwo%C5%84+na+0700":              "dostawca odmówił",
		"oauth_error=%3Cscript%3Ealert(1)%3C/script%3E": "dostawca odmówił",
		"page_synced":                                   "Statystyki strony zostały odświeżone.",
		"provider_throttled":                            "Dostawca chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.",
		"provider_temporary":                            "Spróbuj ponownie za kilka minut.",
		"provider_reconnect":                            "Dostawca odrzucił zapisany dostęp.",
	} {
		w.browser.outcome = outcome
		a := w.get("/konto/integracje").shows(200, want).lacks("0700", "alert(1)")
		if !strings.Contains(a.text()[:strings.Index(a.text(), "– Integracje")], want) {
			t.Errorf("the title does not begin with %q", want)
		}
		w.get("/konto/integracje").lacks("autofocus") // it was shown
	}
	for _, outcome := range []string{"wolny tekst", "oauth_success=provider_search/social_pages", "oauth_success=obcy/tekst", "x=oauth_error"} {
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
		account.Manager: "Skontaktuj się z administratorem.", account.Admin: "Sprawdź ustawienia dostawcy i dziennik usługi.",
	} {
		w := newWorld(t).loggedIn(role)
		w.browser.outcome = connection.CodeNotConfigured.Name
		w.get("/konto/integracje").shows(200, "nie zostało jeszcze włączone. "+want)
	}
}

// TestCardsTellTheTruth: a card whose figures do not come says so.
func TestCardsTellTheTruth(t *testing.T) {
	const card = "Meta Strona w serwisie społecznościowym "
	w := newWorld(t).loggedIn(account.Manager)
	w.connectPage()
	w.keepPage(readPage())
	w.get("/konto/integracje").shows(200, card+"Połączona Profil", "Ostatni odczyt 21 listopada 2026, 13:00")
	w.Now = w.Now.Add(24 * time.Hour)
	w.Social.Fail["ReadPage"] = provider.Temporary(nil)
	w.post("/konto/integracje/statystyki/strona", "").leadsTo("/konto/integracje", "provider_temporary")
	w.get("/konto/integracje").shows(200, card+"Połączona, ale ostatni odczyt się nie udał",
		"Ostatni odczyt 21 listopada 2026, 13:00 Nieudana próba 22 listopada 2026, 13:00 , ponowimy ją automatycznie")
	save(w, provider.SocialPages, "104118", 0, social.PageData{
		PageData: readPage(), MetricsReading: social.MetricsReading{State: social.MetricsSkipped, Reason: new("Powód.")}, SyncedAt: w.Now,
	})
	w.get("/konto/integracje").shows(200, card+"Połączona, ale nie wszystko da się odczytać").lacks("Nieudana próba")
	w.Now = w.Now.Add(73 * time.Hour)
	w.get("/konto/integracje").shows(200, card+"Połączona, ale nowych danych nie ma")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.DataAccessExpiresAt = directorytest.After(100 * time.Hour) })
	w.get("/konto/integracje").shows(200, "Dostawca przestanie udostępniać dane 25 listopada 2026, 17:00 . Połącz ponownie, aby to przedłużyć.")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.Scopes = nil })
	a := w.get("/konto/integracje").shows(200, card+"Wymaga ponownego połączenia", "Połącz ponownie").lacks("do odwołania")
	if strings.Contains(a.Body.String(), `<a class="button" href="/konto/integracje/strona"`) {
		t.Error("the choice is shown together with the button that repairs the connection")
	}
	w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	w.get("/konto/integracje").shows(200, "Hasło zmienione.").lacks("Odśwież statystyki")
	w.Change(directorytest.PagesPair, func(c *connection.Connection) {
		c.Active, c.ReconnectReason = false, "Dostęp aplikacji został usunięty."
	})
	w.get("/konto/integracje").shows(200, "Wymaga ponownego połączenia", "Dostęp aplikacji został usunięty.", "Połącz ponownie : Strona").lacks("Odłącz")
}

func TestConnect(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	const path = "/konto/integracje/polacz/provider_social/social_pages"
	a := w.post(path, "").shows(200, "Meta Strona w serwisie społecznościowym", "O co zapyta Meta social_pages", "Przejdź do Meta")
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
	w.post(path, "").leadsTo("/konto/integracje", "disconnected")
	w.WantTrail("disconnect")
	w.post("/konto/integracje/rozlacz/provider_search/search_analytics", "").leadsTo("/konto/integracje", "no_connection")
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w.post(path, "").shows(500)
}
