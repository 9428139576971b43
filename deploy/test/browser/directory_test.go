package browser

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

// TestDirectory tests the pages of the directory service. Its parts share one backend and
// run in order: the first needs empty data, and the last breaks connections.
func TestDirectory(t *testing.T) {
	c := newChromium(t)
	s := newSite(t, "DIRECTORY_NOTICE="+notice)
	run := func(name string, test func(*testing.T, chromium, site)) {
		t.Run(name, func(t *testing.T) { test(t, c, s) })
	}
	run("from the entry to the logout", testAccountStory)
	run("every page on every screen", testAccountScreens)
	run("a link that sets a password", testPasswordLink)
	run("an audit with advice", testAdvice)
	run("the list of companies", testCompanies)
	run("keyboard", testAccountKeyboard)
	run("reference by keyboard", testReferenceByKeyboard)
	run("without scripts", testAccountWithoutScripts)
	run("every message", testMessages)
	run("wrong addresses and passwords", testWrongLogin)
	run("failures of the providers", testProviderFailures)
}

// sandboxPages is the prefix of the addresses of the consent pages.
const sandboxPages = "http://127.0.0.1:"

// newcomer opens a tab without a session.
func (c chromium) newcomer(t *testing.T, s site, look screen) *tab {
	t.Helper()
	b := c.open(t, s.url, look)
	send(b, network.ClearBrowserCookies, cdp.Empty{})
	return b
}

// login fills in the login form, which the tab shows.
func (b *tab) login(email, password string) {
	b.t.Helper()
	b.run("fill in the login", chromedp.SetValue(chromedp.CSS("#email"), email), chromedp.SetValue(chromedp.CSS("#password"), password))
	b.follow("main form .button")
}

// user opens a tab where a demonstration user is logged in.
func (c chromium) user(t *testing.T, s site, look screen, email string) *tab {
	t.Helper()
	b := c.newcomer(t, s, look)
	b.visit("/konto/logowanie")
	b.login(email, harness.DemoPassword)
	b.see("main h1")
	return b
}

// authorize opens the consent page of a pair and decides "allow" or "deny".
func (b *tab) authorize(pair, decision string) {
	b.t.Helper()
	b.follow(chromedp.CSS(`form[action$="polacz/` + pair + `"] button`))
	if asked := b.see("main .listed"); asked == "" {
		b.t.Errorf("the page lists no permissions for %s", pair)
	}
	b.check("leaving-" + strings.ReplaceAll(pair, "/", "-"))
	b.follow(`main .actions .button`)
	b.see("button[value=allow]")
	b.follow(chromedp.CSS("button[value=" + decision + "]"))
	b.see(`main [role=status], main [role=alert]`)
}

// outcome requires a text in the message at the top of the page.
func (b *tab) outcome(want string) {
	b.t.Helper()
	if got := b.see("main .alert"); !strings.Contains(got, want) {
		b.t.Errorf("message %q, want %q", got, want)
	}
}

func testAccountStory(t *testing.T, c chromium, s site) {
	b := c.newcomer(t, s, desktop())
	b.visit("/")
	if got := b.see(".notice"); got != notice {
		t.Errorf("notice %q", got)
	}
	for _, service := range []chromedp.CSS{"dd:not([data-probe]) .good", "dd[data-probe] .good"} {
		if got := b.see(service); got != "Działa" {
			t.Errorf("a service is %q", got)
		}
	}
	b.check("entry")
	b.follow(`main a[href="/konto/integracje"]`)
	b.check("login")
	b.login("biuro@demo.example", harness.DemoPassword)
	b.seeText("Piekarnia Kowalski")
	if n := b.count(`form[action*="/polacz/"]`); n != 4 {
		t.Errorf("%d services to connect", n)
	}
	b.check("integrations-new")

	b.authorize(harness.SocialPages, "allow")
	b.outcome("Połączono: Strona w serwisie społecznościowym.")
	b.authorize(harness.SearchProfile, "allow")
	b.outcome("Połączono: Profil firmy w wyszukiwarce.")
	b.check("integrations-connected")
	b.choose("/konto/integracje/strona", "choose-page", "Strona została wybrana, a jej statystyki pobrane.")
	syncStatistics(t, b)
	b.choose("/konto/integracje/lokalizacja", "choose-location", "Lokalizacja została wybrana.")
	b.check("location-chosen")
	runAudits(t, b)
	disconnect(t, b)
	b.follow(".account button")
	b.outcome("Wylogowano.")
	b.visit("/konto/audyt")
	b.see("#email")
	b.expects(sandboxPages)
}

// choose selects the first option of the page at path.
func (b *tab) choose(path, picture, outcome string) {
	b.t.Helper()
	b.follow(chromedp.CSS(`a[href="` + path + `"]`))
	b.check(picture)
	b.run("choose", chromedp.Click(chromedp.CSS("input[name=wybor]")))
	b.follow("main form button")
	b.outcome(outcome)
}

func syncStatistics(t *testing.T, b *tab) {
	t.Helper()
	for id, want := range map[string]string{"strona": "Statystyki strony", "zdjecia": "Statystyki konta ze zdjęciami"} {
		b.follow(chromedp.CSS(`form[action$="statystyki/` + id + `"] button`))
		b.outcome(want + " zostały odświeżone.")
	}
	if n := b.count(".over-time"); n != 3 {
		t.Errorf("%d charts, want the page's followers, new followers and reach", n)
	}
	b.check("integrations-statistics")
}

func runAudits(t *testing.T, b *tab) {
	t.Helper()
	b.follow(`main .alert a[href="/konto/audyt"]`)
	b.seeText("Tej firmy jeszcze nie sprawdzono")
	b.check("audit-none")
	for _, left := range []string{"19", "18"} {
		b.follow("main form button")
		b.outcome("Audyt został zakończony.")
		b.seeText("W tej godzinie możesz uruchomić jeszcze " + left + " audytów.")
	}
	if n := b.count("tbody th[scope=row]"); n != 10 {
		t.Errorf("%d fields", n)
	}
	if gauges, lines := b.count(".gauge"), b.count(".chart-line"); gauges != 1 || lines != 1 {
		t.Errorf("%d gauges and %d lines", gauges, lines)
	}
	b.check("audit")
	b.follow(`a[href="/audyt/piekarnia-kowalski"]`)
	b.check("audit-public")
}

func disconnect(t *testing.T, b *tab) {
	t.Helper()
	b.follow(`nav a[href="/konto/integracje"]`)
	b.run("open the confirmation", chromedp.Click(chromedp.CSS(`.confirm:has(form[action$="`+harness.SearchProfile+`"]) summary`)))
	b.check("disconnect")
	b.follow(chromedp.CSS(`form[action$="rozlacz/` + harness.SearchProfile + `"] button`))
	b.outcome("Usługa została odłączona")
	if n := b.count(`form[action$="polacz/` + harness.SearchProfile + `"]`); n != 1 {
		t.Error("the service cannot be connected again")
	}
}

func testAccountScreens(t *testing.T, c chromium, s site) {
	c.checkStates(t, s, accountStates())
}

// testPasswordLink opens the link that an administrator makes for a user.
func testPasswordLink(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "admin@demo.example")
	b.visit("/konto/uzytkownicy/6")
	b.follow(`form[action$="/link"] button`)
	b.check("password-link")
	b.visit(evaluate[string](b, `document.querySelector("main code").textContent.replace(/^https?:..[^/]+/, "")`))
	b.see("#powtorzone")
	b.check("new-password")
}

// testAdvice audits a company with many recommendations, which are sorted by their gain.
func testAdvice(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "czlonek@demo.example")
	b.visit("/konto/audyt")
	b.follow("main form button")
	b.outcome("Audyt został zakończony bez świeżych danych")
	gains := evaluate[[]float64](b, `[...document.querySelectorAll(".listed .badge")].map(e => parseFloat(e.textContent.replace(",", ".")))`)
	if len(gains) < 2 || !slices.IsSortedFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("gains %v", gains)
	}
	b.check("audit-advice")
}

// testCompanies searches for a company by keyboard as an administrator.
func testCompanies(t *testing.T, c chromium, s site) {
	b := c.user(t, s, phone(), "admin@demo.example")
	b.see("tbody tr") // administrators land here
	b.check("companies")
	b.run("search", chromedp.SendKeys(chromedp.CSS("#szukaj"), "STUDIO FOTOGRAFII WIS\r"), chromedp.WaitVisible(chromedp.CSS(`tbody tr:only-child`)))
	b.seeText("Studio Fotografii Wiśniewska")
	b.check("companies-found")
	b.follow(`tbody a[href="/audyt/studio-wisniewska"]`)
	b.seeText("Studio Fotografii Wiśniewska")
}

// testAccountKeyboard logs in by keyboard.
func testAccountKeyboard(t *testing.T, c chromium, s site) {
	b := c.newcomer(t, s, desktop())
	b.visit("/konto/logowanie")
	b.run("skip the header", chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"), chromedp.KeyEvent("\t"))
	if id := evaluate[string](b, "document.activeElement.id"); id != "email" {
		t.Errorf("the first stop after the header is %q", id)
	}
	b.run("log in", chromedp.KeyEvent("pracownik@demo.example\t"+harness.DemoPassword+"\r"), chromedp.WaitVisible(chromedp.CSS(".account-name")))
	b.seeText("Warsztat Nowak")
}

func testAccountWithoutScripts(t *testing.T, c chromium, s site) {
	look := phone()
	look.name, look.noScripts = "no-scripts", true
	b := c.user(t, s, look, "pracownik@demo.example")
	b.authorize(harness.SearchProfile, "allow")
	b.outcome("Połączono")
	b.follow(`a[href="/konto/integracje/lokalizacja"]`)
	b.run("choose", chromedp.Click(chromedp.CSS("input[name=wybor]")))
	b.follow("main form button")
	b.outcome("Lokalizacja została wybrana.")
	b.visit("/konto/audyt")
	b.follow("main form button")
	b.outcome("Audyt został zakończony.")
	b.picture("audit")
	b.visit("/docs/hardware#getBenchmark")
	b.see("#getBenchmark table")
	b.expects(sandboxPages)
}

// testMessages checks that the result of a form is shown once, focused, and by no address.
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
		t.Error("an address shows a message again")
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
		"/audyt/nie-ma-takiej": "Nie znaleziono firmy.", "/audyt?firma=..": "Nie znaleźliśmy firmy",
		"/konto/nic": "Nie ma takiej strony.", "/nic": "Nie ma takiej strony.", "/docs/nic": "Nie ma takiej strony.",
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

// testProviderFailures makes the providers fail in every way, the last of which is permanent.
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
