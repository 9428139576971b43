package browser

import (
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// testMessages: what a form led to is told once, with the focus on it, and by nobody else.
func testMessages(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "czlonek@demo.example")
	b.visit("/api/oauth/callback/provider_social?error=access_denied")
	const want = "Nie udzielono zgody, więc usługa nie została połączona."
	b.outcome(want)
	if focus := evaluate[string](b, "document.activeElement.textContent.trim()"); focus != want {
		t.Errorf("the focus is on %q", focus)
	}
	if title := evaluate[string](b, "document.title"); !strings.HasPrefix(title, want+" – Integracje") {
		t.Errorf("title %q", title)
	}
	b.check("message")
	b.visit("/konto/integracje?oauth_error=access_denied")
	if n := b.count("main [role=alert]"); n != 0 {
		t.Error("an address tells a message, which was told before")
	}
	b.visit("/konto/nic")
	b.expects("404")
	b.follow(".account button")
	b.outcome("Wylogowano.")
}

func testWrongLogin(t *testing.T, c chromium, s site) {
	b := c.newcomer(t, s, desktop())
	b.visit("/konto/audyt")
	b.login("biuro@demo.example", "nie-to-haslo")
	b.outcome("Nieprawidłowy adres e-mail lub hasło.")
	b.expects("422")
	b.check("login-wrong")
	b.login("biuro@demo.example", harness.DemoPassword)
	b.seeText("Audyt profilu")
	for path, want := range map[string]string{
		"/audyt/nie-ma-takiej": "Nie znaleziono firmy.", "/audyt?firma=..": "Nie znaleziono firmy.",
		"/konto/nic": "Nie ma takiej strony.", "/docs/nic": "Nie ma takiej strony.",
	} {
		b.visit(path)
		b.expects("404")
		b.seeText(want)
		b.checkHere("error-404-account", b.screen)
	}
	b = c.newcomer(t, s, desktop())
	b.visit("/konto/logowanie")
	for range 11 {
		b.login("gosc@demo.example", "nie-to-haslo")
	}
	b.seeText("Zbyt wiele prób logowania.")
	b.checkHere("error-429-account", b.screen)
	b.expects("4")
}

// testProviderFailures lets the providers refuse in every way, for good at the end.
func testProviderFailures(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "kierownik@demo.example")
	b.authorize(harness.SearchProfile, "deny")
	b.outcome("Nie udzielono zgody, więc usługa nie została połączona.")
	s.sandbox.Fault(t, "search", `{"kind":"status","status":500,"match":"/token"}`)
	b.authorize(harness.SearchProfile, "allow")
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
	b.authorize(harness.SocialPages, "allow")
	b.outcome("Połączono: Strona w serwisie społecznościowym.")
	b.expects(sandboxPages)
}
