package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

// TestDirectory tests the pages of the directory service. Its parts share one backend and
// run in order: the first needs empty data, and the last breaks connections.
func TestDirectory(t *testing.T) {
	t.Parallel()
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
	run("an address for webhooks", testDeveloper)
	run("failures of the providers", testProviderFailures)
	run("one page among 135", testOneAmongMany)
	run("closed locations", testClosedLocations)
	run("accounts without anything to read", testNothingToRead)
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
	b.run("fill in the login", chromedp.SetValue(chromedp.CSS("#email"), email),
		chromedp.SetValue(chromedp.CSS("#password"), password))
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

// rows are the ids of the services on the page of connections.
var rows = map[string]string{
	harness.SearchProfile: "profil", harness.SocialPages: "facebook",
	"provider_search/search_analytics": "wyszukiwarka", "provider_social/social_photos": "instagram",
}

// authorize connects a pair alone and decides "allow" or "deny" on the consent page.
func (b *tab) authorize(pair, decision string) {
	b.t.Helper()
	b.openMenu(pair)
	b.follow(chromedp.CSS(`#` + rows[pair] + ` form[action$="polacz/` + pair + `"] button`))
	if !evaluate[bool](b, `location.pathname.startsWith("/konto/")`) || b.count("main .listed li") == 0 {
		b.t.Errorf("no permissions are listed for %s", pair)
	}
	b.check("leaving-" + strings.ReplaceAll(pair, "/", "-"))
	b.follow("main .actions .button")
	b.decide(decision)
}

// openMenu opens the menu of a service, if there is one.
func (b *tab) openMenu(pair string) {
	b.t.Helper()
	menu := "#" + rows[pair] + " .menu"
	if b.count(menu+":not([open])") > 0 {
		b.click(chromedp.CSS(menu + " > summary"))
	}
}

// authorizeAll connects all services of a provider with one consent.
func (b *tab) authorizeAll(name string) {
	b.t.Helper()
	b.follow(chromedp.CSS(`form[action$="polacz/` + name + `"] button`))
	b.check("leaving-" + name)
	b.follow("main .actions .button")
	b.decide("allow")
}

// authorizeAs connects all services of a provider, or one of them, with the consent of a person
// of the sandbox. Piotr manages the pages and locations of a chain.
func (b *tab) authorizeAs(name, person string) {
	b.t.Helper()
	b.visit("/konto/integracje")
	b.follow(chromedp.CSS(`form[action$="polacz/` + name + `"] button`))
	b.follow("main .actions .button")
	b.see("button[value=allow]")
	b.click(chromedp.CSS("input[value=" + person + "]"))
	b.decide("allow")
}

// decide presses a button of the consent page.
func (b *tab) decide(decision string) {
	b.t.Helper()
	b.see("button[value=allow]")
	b.follow(chromedp.CSS("button[value=" + decision + "]"))
	b.see(`main [role=status], main [role=alert]`)
}

// short requires at most two screens of 1280 by 800.
func (b *tab) short(name string) {
	b.t.Helper()
	b.look(screen{name: "short", width: 1280, height: 800})
	if height := evaluate[int](b, "document.documentElement.scrollHeight"); height > 1600 {
		b.t.Errorf("%s is %d px high", name, height)
	} else {
		b.t.Logf("measured %s: %d px at 1280", name, height)
	}
	b.look(phone())
	b.t.Logf("measured %s: %d px at 360", name, evaluate[int](b, "document.documentElement.scrollHeight"))
	b.look(b.screen)
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
	if n := b.count(`form[action*="/polacz/"]`); n != 4+2 {
		t.Errorf("%d forms that connect, want one for each service and provider", n)
	}
	b.short("integrations-new")
	b.check("integrations-new")
	connectEverything(t, b)
	syncStatistics(t, b)
	disconnect(t, b)
	b.follow(".account button")
	b.outcome("Wylogowano.")
	b.visit("/konto/audyt")
	b.see("#email")
	b.expects(sandboxPages)
}

// clicksToAudit is the most clicks from the entry to the first audit.
const clicksToAudit = 10

// connectEverything connects both providers with one consent each, chooses page and
// location, and audits, after the clicks to the page of connections.
func connectEverything(t *testing.T, b *tab) {
	t.Helper()
	b.authorizeAll("provider_social")
	b.outcome("Połączono: Strona na Facebooku i Konto na Instagramie.")
	b.check("choose-page")
	b.choose(".chooser .bar .button")
	if got := b.see("#facebook .alert"); got != "Strona została wybrana, a jej statystyki pobrane." {
		t.Errorf("message %q", got)
	}
	if place := evaluate[string](b, "location.hash"); place != "#facebook" {
		t.Errorf("the page begins at %q", place)
	}
	b.authorizeAll("provider_search")
	b.outcome("Połączono: Profil Firmy w Google i Google Search Console.")
	b.check("choose-location")
	b.choose(".chooser .bar .button")
	b.outcome("Odczytaliśmy świeże dane i oceniliśmy profil.")
	if n := b.count("tbody th[scope=row]"); n < 10 {
		t.Errorf("%d fields", n)
	}
	t.Logf("measured from the entry to the first audit: %d clicks", b.clicks)
	if b.clicks > clicksToAudit {
		t.Errorf("%d clicks", b.clicks)
	}
	b.check("audit")
	b.follow(`nav a[href="/konto/integracje"]`)
	harness.EventuallyWithin(t, patience, "everything is read that was connected or chosen", func() bool {
		b.visit("/konto/integracje")
		return evaluate[string](
			b, `[...document.querySelectorAll(".connections .badge")].map(e => e.textContent).join()`,
		) == "Połączono,Połączono,Połączono,Połączono"
	})
	for _, name := range []string{"Anna Kowalska", "Piekarnia Kowalski"} {
		b.seeText(name)
	}
	b.short("integrations-connected")
	b.check("integrations-connected")
	b.openMenu(harness.SocialPages)
	b.check("integrations-menu")
	b.follow(chromedp.CSS(`#facebook form[action*="/odswiez/"] button`))
	if got, place := b.see("#facebook .alert"), evaluate[string](b, "location.hash"); got != "Statystyki strony "+
		"zostały odświeżone." || place != "#facebook" {
		t.Errorf("message %q at %q", got, place)
	}
}

// syncStatistics syncs at the page of statistics.
func syncStatistics(t *testing.T, b *tab) {
	t.Helper()
	b.visit("/konto/statystyki")
	b.refresh("facebook", "instagram", "profil", "wyszukiwarka")
	if n := b.count(".over-time"); n == 0 {
		t.Error("no charts")
	}
	b.visit("/konto/integracje")
}

// refresh refreshes channels at the page of statistics.
func (b *tab) refresh(ids ...string) {
	b.t.Helper()
	for _, id := range ids {
		b.follow(chromedp.CSS("#" + id + " form button"))
		if got := b.see(chromedp.CSS("#" + id + " [role=status]")); !strings.Contains(got, "zostały odświeżone.") {
			b.t.Errorf("%s says %q", id, got)
		}
	}
}

// choose confirms the choice that is checked, or chooses the first one.
func (b *tab) choose(button chromedp.CSS) {
	b.t.Helper()
	if b.count("input[name=wybor]:checked") == 0 {
		b.click("input[name=wybor]:enabled")
	}
	b.follow(button)
}

func disconnect(t *testing.T, b *tab) {
	t.Helper()
	b.visit("/konto/integracje")
	b.openMenu(harness.SearchProfile)
	b.click(chromedp.CSS(`.confirm:has(form[action$="` + harness.SearchProfile + `"]) summary`))
	b.check("disconnect")
	b.follow(chromedp.CSS(`form[action$="rozlacz/` + harness.SearchProfile + `"] button`))
	if got := b.see("#profil .alert"); !strings.HasPrefix(got, "Usługa została odłączona") {
		t.Errorf("message %q", got)
	}
	if n := b.count(`form[action$="polacz/` + harness.SearchProfile + `"]`); n != 1 {
		t.Error("the service cannot be connected again")
	}
}

// testDeveloper adds an address, which is first refused, and sees why a test fails.
func testDeveloper(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "biuro@demo.example")
	b.visit("/konto/deweloper")
	b.check("developer-new")
	b.run("type", chromedp.SendKeys(chromedp.CSS("#adres"), "http://hook.example/a"))
	b.follow("main form .button")
	b.expects("422")
	b.see("#adres:focus")
	if value := evaluate[string](b, `document.activeElement.value`); value != "http://hook.example/a" {
		t.Errorf("the field has %q", value)
	}
	if gap := evaluate[float64](b, `document.querySelector("#adres-blad").getBoundingClientRect().top - `+
		`document.querySelector("#adres").getBoundingClientRect().bottom`); gap < 0 || gap > 40 {
		t.Errorf("the reason is %v px below the field", gap)
	}
	b.check("developer-refused")
	b.run("type", chromedp.SetValue(chromedp.CSS("#adres"), "https://hook.invalid/a"))
	b.follow("main form .button")
	b.see("[data-copy]")
	b.check("developer-secret")
	b.follow("main .actions .button")
	b.follow(`form[action$="/proba"] button`)
	b.see("section .alert")
	b.seeText("nie ma serwera o tej nazwie (DNS)")
	b.click("td details > summary")
	b.seeText("webhook.test")
	b.short("developer")
	b.check("developer")
	b.click("section .menu > summary")
	b.click(`.confirm:has(form[action$="/klucz"]) summary`)
	b.check("developer-rotate")
	b.follow(`form[action$="/klucz"] button`)
	b.see("[data-copy]")
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
	b.outcome("Oceniliśmy profil bez świeżych danych")
	gains := evaluate[[]float64](b, `[...document.querySelectorAll(".listed .badge")].map(e => `+
		`parseFloat(e.textContent.replace(",", ".")))`)
	if len(gains) < 2 || !slices.IsSortedFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("gains %v", gains)
	}
	b.check("audit-advice")
	const complete = `document.querySelector(".printed table").checkVisibility()`
	if evaluate[bool](b, complete) {
		t.Error("the complete fields are unfolded")
	}
	b.print("light")
	if !evaluate[bool](b, complete) {
		t.Error("the complete fields are not printed")
	}
	b.checkHere("audit-print", b.screen)
}

// testCompanies searches for a company by keyboard as an administrator.
func testCompanies(t *testing.T, c chromium, s site) {
	b := c.user(t, s, phone(), "admin@demo.example")
	b.see("tbody tr") // administrators land here
	b.check("companies")
	b.run("search", chromedp.SendKeys(chromedp.CSS("#szukaj"), "STUDIO FOTOGRAFII WIS\r"),
		chromedp.WaitVisible(chromedp.CSS(`tbody tr:only-child`)))
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
	b.run("log in", chromedp.KeyEvent("pracownik@demo.example\t"+harness.DemoPassword+"\r"),
		chromedp.WaitVisible(chromedp.CSS(".account-name")))
	b.seeText("Warsztat Nowak")
}

func testAccountWithoutScripts(t *testing.T, c chromium, s site) {
	look := phone()
	look.name, look.noScripts = "no-scripts", true
	b := c.user(t, s, look, "pracownik@demo.example")
	b.visit("/konto/integracje")
	b.follow(`form[action$="polacz/provider_search"] button`)
	b.follow("main .actions .button")
	b.see("button[value=allow]")
	b.click(`input[value$="webmasters.readonly"]`) // which takes the tick out
	b.decide("allow")
	b.outcome("Połączono: Profil Firmy w Google. Nie połączono: Google Search Console, bo zabrakło zgody.")
	b.choose(".chooser .bar .plain")
	if got := b.see("#profil .alert"); !strings.HasPrefix(got, "Lokalizacja została wybrana.") {
		t.Errorf("message %q", got)
	}
	b.openMenu(harness.SearchProfile)
	b.picture("menu")
	b.visit("/konto/audyt")
	b.follow("main form button")
	b.outcome("Odczytaliśmy świeże dane i oceniliśmy profil.")
	b.picture("audit")
	b.visit("/docs/hardware#getBenchmark")
	b.see("#getBenchmark table")
	b.expects(sandboxPages)
}

// testMessages checks that the result of a form is shown once, focused, and by no address.
func testMessages(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "czlonek@demo.example")
	b.visit("/api/oauth/callback/provider_social?error=access_denied")
	const want = "Nie udzielono zgody, więc konto nie zostało połączone."
	b.outcome(want)
	if focus := evaluate[string](b, "document.activeElement.textContent.trim()"); focus != want {
		t.Errorf("the focus is on %q", focus)
	}
	if title := evaluate[string](b, "document.title"); !strings.HasPrefix(title, want+" – Połączenia") {
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
	for _, missing := range []struct{ name, path, want string }{
		{"audit", "/audyt/nie-ma-takiej", "Nie znaleziono firmy."},
		{"company", "/audyt?firma=..", "Nie znaleźliśmy firmy"},
		{"account", "/konto/nic", "Nie ma takiej strony."}, {"page", "/nic", "Nie ma takiej strony."},
		{"docs", "/docs/nic", "Nie ma takiej strony."},
	} {
		b.visit(missing.path)
		b.expects("404")
		b.seeText(missing.want)
		b.checkHere("error-404-"+missing.name, b.screen)
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
	b.visit("/konto/integracje")
	b.authorize(harness.SearchProfile, "deny")
	b.outcome("Nie udzielono zgody, więc konto nie zostało połączone.")
	s.sandbox.Fault(t, "search", `{"kind":"status","status":500,"match":"/token"}`)
	b.authorize(harness.SearchProfile, "allow")
	b.outcome("Nie potwierdzono połączenia.")
	s.sandbox.Fault(t, "search", "")
	b.failToRefresh(s, `{"kind":"graph_error","code":4}`, "ogranicza liczbę zapytań.")
	b.failToRefresh(s, `{"kind":"down"}`, "chwilowo nie odpowiada.")
	b.failToRefresh(s, revoked, "Facebook cofnął nam dostęp. Połącz konto ponownie.")
	b.seeText("Może nie działać")
	b.check("integrations-broken")
	b.repair(`#instagram form[action$="polacz/provider_social"] button`)
	b.failToRefresh(s, revoked, "Facebook cofnął nam dostęp. Połącz konto ponownie.")
	b.visit("/konto/przeglad")
	b.check("overview-broken")
	b.repair(`.todos form[action$="polacz/provider_social"] button`)
	b.anotherAccount(t)
	b.expects(sandboxPages)
}

const revoked = `{"kind":"graph_error","code":190,"subcode":458}`

// failToRefresh refreshes the figures of the page while Meta fails, and requires a text.
func (b *tab) failToRefresh(s site, fault, want string) {
	b.t.Helper()
	s.sandbox.Fault(b.t, "social", fault)
	b.openMenu(harness.SocialPages)
	b.follow(`#facebook form[action*="/odswiez/"] button`)
	if got := b.see("#facebook .alert"); !strings.Contains(got, want) {
		b.t.Errorf("message %q, want %q", got, want)
	}
	s.sandbox.Fault(b.t, "social", "")
}

// repair mends both services of Meta with a button in two clicks.
func (b *tab) repair(button chromedp.CSS) {
	b.t.Helper()
	b.clicks = 0
	b.follow(button)
	b.decide("allow")
	b.t.Logf("measured repair of a revoked connection: %d clicks", b.clicks)
	if b.clicks > 2 {
		b.t.Errorf("%d clicks", b.clicks)
	}
	b.outcome("Połączono: Strona na Facebooku i Konto na Instagramie.")
	if n := b.count(`form[action$="polacz/provider_social"]`); n != 0 {
		b.t.Errorf("%d services still have to be mended", n)
	}
}

// anotherAccount connects an account that does not manage the chosen page.
func (b *tab) anotherAccount(t *testing.T) {
	t.Helper()
	b.openMenu(harness.SocialPages)
	b.follow(`#facebook form[action$="polacz/provider_social/social_pages"] button`)
	b.see("button[value=allow]")
	b.click("input[value=marek]")
	b.decide("allow")
	b.outcome("To konto na Facebooku nie zarządza stroną „Piekarnia Kowalski”. Wybierz inną lub połącz właściwe konto.")
	if n := b.count(".alert.good"); n != 0 {
		t.Error("a success is shown above a connection that does not work")
	}
	b.check("integrations-other-account")
}

// The estimates of the keystroke-level model (Card, Moran and Newell) for an average typist.
const (
	secondsPerKey      = 0.28
	secondsPerDecision = 1.35
)

// testOneAmongMany chooses one page of 135 by keyboard.
func testOneAmongMany(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "czlonek@demo.example")
	b.authorizeAs("provider_social", "piotr")
	if n := b.count(".option"); n != 135 {
		t.Errorf("%d pages", n)
	}
	names := evaluate[[]string](b, `[...document.querySelectorAll(".option:has(:enabled) label")].map(e => `+
		`e.firstChild.textContent)`)
	sorted := evaluate[[]string](b, fmt.Sprintf(`%s.toSorted(new Intl.Collator("pl").compare)`, quoted(names)))
	if !slices.Equal(names, sorted) {
		t.Errorf("order %q", names)
	}
	bottom := evaluate[float64](b, `document.querySelector(".bar .button").getBoundingClientRect().bottom`)
	if bottom > 900 {
		t.Errorf("the button is at %v px", bottom)
	}
	b.short("choose-among-many")
	b.check("choose-among-many")
	wanted, keys := names[96], 0
	press := func(text string) {
		keys += len([]rune(text))
		b.run("press "+text, chromedp.KeyEvent(text))
	}
	begin := time.Now()
	press("\t")
	words := strings.Fields(wanted)
	for _, letter := range words[len(words)-1] { // what distinguishes it
		if b.count(".option:not([hidden])") == 1 {
			break
		}
		press(string(letter))
	}
	b.checkHere("choose-found", b.screen)
	press("\r")
	if got := evaluate[string](b, `document.activeElement.labels[0].firstChild.textContent`); got != wanted {
		t.Fatalf("found %q, want %q", got, wanted)
	}
	press("\r")
	if got := b.see("#facebook .alert"); !strings.HasPrefix(got, "Strona została wybrana") {
		t.Errorf("message %q", got)
	}
	estimate := float64(keys)*secondsPerKey + 2*secondsPerDecision
	t.Logf("measured finding %q among 135: %d keys, %.1f s for a person, %.1f s here", wanted, keys, estimate,
		time.Since(begin).Seconds())
	if estimate > 10 {
		t.Errorf("%.1f s", estimate)
	}
	b.seeText(wanted)
	b.expects(sandboxPages)
}

// testClosedLocations shows which locations customers do not find, audits one, and once more
// while Google refuses.
func testClosedLocations(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "czlonek@demo.example")
	b.authorizeAs("provider_search", "piotr")
	b.visit("/konto/integracje/lokalizacja?szukaj=pens")
	if got := b.see(".option .warning"); got != "Tymczasowo zamknięta, tak oznaczono ją w Google." {
		t.Errorf("warning %q", got)
	}
	b.choose(".bar .button")
	b.outcome("Audyt zakończony.")
	fault := func(description string) {
		for _, api := range []string{"search", "places"} {
			s.sandbox.Fault(t, api, description)
		}
	}
	fault(`{"kind":"status","status":429}`)
	b.follow("main form button")
	b.outcome("Oceniliśmy profil bez świeżych danych, bo Google ich teraz nie podał.")
	b.check("audit-throttled")
	fault("")
	b.visit("/konto/integracje/lokalizacja?szukaj=ks")
	b.check("choose-location-closed")
	b.expects(sandboxPages)
}

// testNothingToRead connects accounts without an Instagram account and a property of Search
// Console: all pages say the same of them, and not that everything works. After another
// location was chosen, which cannot be read, every figure of the former one is marked.
func testNothingToRead(t *testing.T, c chromium, s site) {
	b := c.user(t, s, desktop(), "pracownik@demo.example")
	b.authorizeAs("provider_social", "marek")
	b.choose(".chooser .bar .button")
	b.authorizeAs("provider_search/search_analytics", "marek")
	b.everywhere(func() bool {
		reasons := evaluate[int](b, `["nie jest połączone konto profesjonalne na Instagramie", "nie ma zweryfikowanej `+
			`witryny"].filter(text => document.body.textContent.includes(text)).length`)
		acts := evaluate[int](b, `[...document.querySelectorAll("main button")].filter(e => `+
			`e.textContent.startsWith("Sprawdź ponownie")).length`)
		return reasons == 2 && acts == 2 && !evaluate[bool](b, `document.body.textContent.includes("Wszystko działa")`)
	})
	b.visit("/konto/integracje/lokalizacja")
	other := evaluate[string](b, `[...document.querySelectorAll("input[name=wybor]:enabled")].at(-1).value`)
	s.sandbox.Fault(t, "search", `{"kind":"status","status":503,"match":"/v1/`+other+`:fetchMulti"}`)
	b.click(chromedp.CSS(`input[value="` + other + `"]`))
	b.follow(".chooser .bar .plain")
	b.everywhere(func() bool {
		figures := `.headlines li:has(a[href$="#profil"]):has(.figure):not(:has(.warning)), ` +
			`#profil:has(.figure):not(:has(.warning))`
		return b.count(figures) == 0 &&
			evaluate[bool](b, `document.body.textContent.includes("Pokazujemy dane poprzednio wybranej lokalizacji")`)
	})
	s.sandbox.Fault(t, "search", "")
	b.expects(sandboxPages)
}

// everywhere waits until the pages of the connected services are as they should be, on a large
// and a small screen.
func (b *tab) everywhere(isRight func() bool) {
	b.t.Helper()
	for _, look := range []screen{desktop(), {name: "390", width: 390, height: 844}} {
		b.look(look)
		for _, path := range []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"} {
			harness.EventuallyWithin(b.t, patience, path+" at "+look.name, func() bool {
				b.visit(path)
				return isRight()
			})
			for _, problem := range b.wrong(look) {
				b.t.Errorf("%s at %s: %s", path, look.name, problem)
			}
		}
	}
}

func quoted(names []string) string {
	text, _ := json.Marshal(names)
	return string(text)
}
