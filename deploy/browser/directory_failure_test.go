package browser

import (
	"testing"

	"backend.example/deploy/stack"
)

func testMessages(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "czlonek@demo.example")
	for query, want := range map[string]string{
		"oauth_success=provider_social/social_photos": "Połączono: Konto w serwisie ze zdjęciami.",
		"oauth_error=missing_params":                  "Dostawca odesłał niepełną odpowiedź.",
		"oauth_error=invalid_state":                   "Łączenie trwało zbyt długo albo zostało rozpoczęte w innej karcie.",
		"oauth_error=invalid_state_format":            "Odpowiedź dostawcy jest nieprawidłowa.",
		"oauth_error=unauthorized":                    "Łączenie rozpoczął inny użytkownik albo sesja wygasła.",
		"oauth_error=token_exchange_failed":           "Dostawca nie potwierdził połączenia.",
		"oauth_error=save_failed":                     "Połączenia nie udało się zapisać.",
		"oauth_error=access_denied":                   "Nie udzielono zgody, więc usługa nie została połączona.",
		"oauth_error=%3Cscript%3Ealert(1)":            "Usługi nie udało się połączyć: dostawca odmówił.",
		"wynik=provider_throttled":                    "Dostawca chwilowo ogranicza liczbę zapytań.",
		"wynik=provider_gone":                         "Dostawca nie zna takiego konta.",
	} {
		b.visit("/konto/integracje?" + query)
		b.outcome(want)
		b.check("message")
	}
}

func testWrongLogin(t *testing.T, c chromium, s site) {
	b := c.newcomer(t, s, desktop())
	b.visit("/konto/audyt")
	b.login("biuro@demo.example", "nie-to-haslo")
	b.outcome("Nieprawidłowy adres e-mail lub hasło.")
	b.expects("422")
	b.check("login-wrong")
	b.login("biuro@demo.example", stack.DemoPassword)
	b.seeText("Audyt profilu")
	for path, want := range map[string]string{
		"/audyt/nie-ma-takiej": "Nie znaleziono firmy.", "/audyt?firma=..": "Nie znaleziono firmy.",
		"/konto/nic": "Nie ma takiej strony.", "/docs/nic": "Nie ma takiej strony.",
	} {
		b.visit(path)
		b.expects("404")
		b.seeText(want)
		b.check("error-404-account")
	}
	b = c.newcomer(t, s, desktop())
	b.visit("/konto/logowanie")
	for range 11 {
		b.login("gosc@demo.example", "nie-to-haslo")
	}
	b.seeText("Zbyt wiele prób logowania.")
	b.check("error-429-account")
	b.expects("4")
}

// testProviderFailures lets the providers refuse in every way, for good at the end.
func testProviderFailures(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "kierownik@demo.example")
	b.authorize(stack.SearchProfile, "deny")
	b.outcome("Nie udzielono zgody, więc usługa nie została połączona.")
	s.sandbox.Fault(t, "search", `{"kind":"status","status":500,"match":"/token"}`)
	b.authorize(stack.SearchProfile, "allow")
	b.outcome("Dostawca nie potwierdził połączenia.")
	s.sandbox.Fault(t, "search", "")
	for _, failure := range []struct{ fault, want string }{
		{fault: `{"kind":"graph_error","code":4}`, want: "Dostawca chwilowo ogranicza liczbę zapytań."},
		{fault: `{"kind":"down"}`, want: "Dostawca jest chwilowo niedostępny."},
		{fault: `{"kind":"graph_error","code":190,"subcode":460}`, want: "Dostawca odrzucił zapisany dostęp."},
	} {
		s.sandbox.Fault(t, "social", failure.fault)
		b.follow(`form[action$="statystyki/strona"] button`)
		b.outcome(failure.want)
	}
	s.sandbox.Fault(t, "social", "")
	b.seeText("Wymaga ponownego połączenia")
	b.check("integrations-broken")
	b.authorize(stack.SocialPages, "allow")
	b.outcome("Połączono: Strona w serwisie społecznościowym.")
	b.expects(sandboxPages)
}
