package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

// sandboxPages is the prefix of the addresses of the consent pages.
const sandboxPages = "http://127.0.0.1:"

func user(t *testing.T, look screen, email string) *tab {
	t.Helper()
	b := open(t, backend.URL, look)
	b.visit("/konto/logowanie")
	b.login(email, harness.DemoPassword)
	b.see("main h1")
	return b
}

func (b *tab) login(email, password string) {
	b.t.Helper()
	b.fill("#email", email)
	b.fill("#password", password)
	b.follow("main form .button")
}

// rows are the ids of the services on the page of connections.
var rows = map[string]string{
	harness.SearchProfile: "profil", harness.SocialPages: "facebook",
	"provider_search/search_analytics": "wyszukiwarka", "provider_social/social_photos": "instagram",
}

func (b *tab) openMenu(pair string) {
	b.t.Helper()
	menu := "#" + rows[pair] + " .menu"
	if b.count(menu+":not([open])") > 0 {
		b.click(chromedp.CSS(menu + " > summary"))
	}
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

// decide answers a consent page with allow or deny, and waits for the message on our page.
func (b *tab) decide(decision string) {
	b.t.Helper()
	b.see("button[value=allow]")
	b.follow(chromedp.CSS("button[value=" + decision + "]"))
	b.see(`main [role=status], main [role=alert]`)
}

// short requires that a page takes at most two screens of 1280 by 800.
func (b *tab) short(name string) {
	b.t.Helper()
	const limit = 2 * 800 // px
	b.emulateScreen(screen{name: "short", width: 1280, height: 800})
	height := evaluate[int](b, "document.documentElement.scrollHeight")
	b.t.Logf("measured %s: %d px at 1280", name, height)
	if height > limit {
		b.t.Errorf("%s is %d px high, want at most %d", name, height, limit)
	}
	b.emulateScreen(phone())
	b.t.Logf("measured %s: %d px at 360", name, evaluate[int](b, "document.documentElement.scrollHeight"))
	b.emulateScreen(b.screen)
}

func (b *tab) outcome(want string) {
	b.t.Helper()
	b.message("main .alert", want)
}

func (b *tab) message(selector chromedp.CSS, want string) {
	b.t.Helper()
	if got := b.see(selector); !strings.Contains(got, want) {
		b.t.Errorf("%s says %q, want %q in it", selector, got, want)
	}
}

// choose ticks the first page or location unless one is ticked, and presses a button.
func (b *tab) choose(button chromedp.CSS) {
	b.t.Helper()
	if b.count("input[name=wybor]:checked") == 0 {
		b.click("input[name=wybor]:enabled")
	}
	b.follow(button)
}

// TestBakery is the story of a company from its first login with empty data to connections that break.
func TestBakery(t *testing.T) {
	t.Run("from the entry to the logout", func(t *testing.T) {
		b := open(t, backend.URL, desktop())
		b.visit("/")
		if got := b.see(".notice"); got != notice {
			t.Errorf("the notice is %q, want %q", got, notice)
		}
		for _, service := range []chromedp.CSS{"dd:not([data-probe]) .good", "dd[data-probe] .good"} {
			if got := b.see(service); got != "Działa" {
				t.Errorf("%s says %q, want Działa", service, got)
			}
		}
		b.check("entry")
		b.follow(`main a[href="/konto/integracje"]`)
		b.check("login")
		b.login("biuro@demo.example", harness.DemoPassword)
		b.seeText("Piekarnia Kowalski")
		if n := b.count(`form[action*="/polacz/"]`); n != 4+2 {
			t.Errorf("%d forms connect, want one for each of 4 services and 2 providers", n)
		}
		b.short("integrations-new")
		b.check("integrations-new")
		authorizeAll := func(name string) { // all services of a provider with one consent
			b.follow(chromedp.CSS(`form[action$="polacz/` + name + `"] button`))
			b.check("leaving-" + name)
			b.follow("main .actions .button")
			b.decide("allow")
		}
		authorizeAll("provider_social")
		b.outcome("Połączono: Strona na Facebooku i Konto na Instagramie.")
		b.check("choose-page")
		b.choose(".chooser .bar .button")
		b.message("#facebook .alert", "Strona została wybrana, a jej statystyki pobrane.")
		requireHash := func(want string) {
			t.Helper()
			if got := evaluate[string](b, "location.hash"); got != want {
				t.Errorf("the page begins at %q, want %q", got, want)
			}
		}
		requireHash("#facebook")
		authorizeAll("provider_search")
		b.outcome("Połączono: Profil Firmy w Google i Google Search Console.")
		b.check("choose-location")
		b.choose(".chooser .bar .button")
		b.outcome("Odczytaliśmy świeże dane i oceniliśmy profil.")
		if n := b.count("tbody th[scope=row]"); n < 10 {
			t.Errorf("the audit shows %d fields, want at least 10", n)
		}
		t.Logf("measured from the entry to the first audit: %d clicks", b.clicks)
		if b.clicks > 10 {
			t.Errorf("the first audit takes %d clicks, want at most 10", b.clicks)
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
		b.message("#facebook .alert", "Statystyki strony zostały odświeżone.")
		requireHash("#facebook")
		b.visit("/konto/statystyki")
		for _, id := range []string{"facebook", "instagram", "profil", "wyszukiwarka"} {
			b.follow(chromedp.CSS("#" + id + " form button"))
			b.message(chromedp.CSS("#"+id+" [role=status]"), "zostały odświeżone.")
		}
		if n := b.count(".over-time"); n == 0 {
			t.Error("no charts")
		}
		b.visit("/konto/integracje")
		b.openMenu(harness.SearchProfile)
		b.click(chromedp.CSS(`.confirm:has(form[action$="` + harness.SearchProfile + `"]) summary`))
		b.check("disconnect")
		b.follow(chromedp.CSS(`form[action$="rozlacz/` + harness.SearchProfile + `"] button`))
		b.message("#profil .alert", "Usługa została odłączona")
		if n := b.count(`form[action$="polacz/` + harness.SearchProfile + `"]`); n != 1 {
			t.Errorf("%d forms connect the service again, want 1", n)
		}
		b.follow(".account button")
		b.outcome("Wylogowano.")
		b.visit("/konto/audyt")
		b.see("#email")
		b.expects(sandboxPages)
	})
	t.Run("every page on every screen", func(t *testing.T) {
		const manager, administrator, reference = "kierownik@demo.example", "admin@demo.example", "details.operation"
		checkStates(t, []state{
			{name: "entry", path: "/"},
			{name: "login", path: "/konto/logowanie"},
			{name: "reset", path: "/konto/reset"},
			{name: "audit-public", path: "/audyt/piekarnia-kowalski"},
			{name: "reference", path: "/docs", awaited: reference},
			{name: "reference-operation", path: "/docs/hardware#getPrices", awaited: "#getPrices table"},
			{name: "reference-hardware", path: "/docs/hardware", awaited: reference},
			{name: "overview", path: "/konto/przeglad", email: manager},
			{name: "statistics", path: "/konto/statystyki?okres=90", email: manager, awaited: "figure"},
			{name: "integrations", path: "/konto/integracje", email: manager},
			{name: "choose-page", path: "/konto/integracje/strona", email: manager},
			{name: "audit", path: "/konto/audyt", email: manager},
			{name: "password", path: "/konto/haslo", email: manager},
			{name: "sessions", path: "/konto/sesje", email: manager},
			{name: "companies", path: "/konto/firmy", email: administrator},
			{name: "company", path: "/konto/firmy/1", email: administrator, awaited: "main form"},
			{name: "company-new", path: "/konto/firmy/nowa", email: administrator, awaited: "main form"},
			{name: "users", path: "/konto/uzytkownicy", email: administrator, awaited: "main table"},
			{name: "user", path: "/konto/uzytkownicy/2", email: administrator, awaited: "main form"},
		})
	})
	t.Run("failures of the providers", func(t *testing.T) {
		b := user(t, desktop(), "kierownik@demo.example")
		b.visit("/konto/integracje")
		authorize := func(pair, decision string) {
			b.openMenu(pair)
			b.follow(chromedp.CSS(`#` + rows[pair] + ` form[action$="polacz/` + pair + `"] button`))
			if path := evaluate[string](b, "location.pathname"); !strings.HasPrefix(path, "/konto/") {
				t.Errorf("connecting %s leads to %s at once, want a page of ours first", pair, path)
			}
			if b.count("main .listed li") == 0 {
				t.Errorf("no permissions are listed for %s", pair)
			}
			b.check("leaving-" + strings.ReplaceAll(pair, "/", "-"))
			b.follow("main .actions .button")
			b.decide(decision)
		}
		failToRefresh := func(fault, want string) { // while Meta fails
			backend.Sandbox.Fault(t, "social", fault)
			b.openMenu(harness.SocialPages)
			b.follow(`#facebook form[action*="/odswiez/"] button`)
			b.message("#facebook .alert", want)
			backend.Sandbox.Fault(t, "social", "")
		}
		repair := func(button chromedp.CSS) { // both services of Meta, in two clicks
			b.clicks = 0
			b.follow(button)
			b.decide("allow")
			t.Logf("measured repair of a revoked connection: %d clicks", b.clicks)
			if b.clicks > 2 {
				t.Errorf("the repair takes %d clicks, want at most 2", b.clicks)
			}
			b.outcome("Połączono: Strona na Facebooku i Konto na Instagramie.")
			if n := b.count(`form[action$="polacz/provider_social"]`); n != 0 {
				t.Errorf("%d forms still offer to connect the provider, want none", n)
			}
		}
		const revoked = `{"kind":"graph_error","code":190,"subcode":458}`
		authorize(harness.SearchProfile, "deny")
		b.outcome("Nie udzielono zgody, więc konto nie zostało połączone.")
		backend.Sandbox.Fault(t, "search", `{"kind":"status","status":500,"match":"/token"}`)
		authorize(harness.SearchProfile, "allow")
		b.outcome("Nie potwierdzono połączenia.")
		backend.Sandbox.Fault(t, "search", "")
		failToRefresh(`{"kind":"graph_error","code":4}`, "ogranicza liczbę zapytań.")
		failToRefresh(`{"kind":"down"}`, "chwilowo nie odpowiada.")
		failToRefresh(revoked, "Facebook cofnął nam dostęp. Połącz konto ponownie.")
		b.seeText("Może nie działać")
		b.check("integrations-broken")
		repair(`#instagram form[action$="polacz/provider_social"] button`)
		failToRefresh(revoked, "Facebook cofnął nam dostęp. Połącz konto ponownie.")
		b.visit("/konto/przeglad")
		b.check("overview-broken")
		repair(`.todos form[action$="polacz/provider_social"] button`)

		// An account that does not manage the chosen page.
		b.openMenu(harness.SocialPages)
		b.follow(`#facebook form[action$="polacz/provider_social/social_pages"] button`)
		b.see("button[value=allow]")
		b.click("input[value=marek]")
		b.decide("allow")
		b.outcome("To konto na Facebooku nie zarządza stroną „Piekarnia Kowalski”. " +
			"Wybierz inną lub połącz właściwe konto.")
		if n := b.count(".alert.good"); n != 0 {
			t.Error("a success is shown above a connection that does not work")
		}
		b.check("integrations-other-account")
		b.expects(sandboxPages)
	})
}

// TestWebhooks adds an address after one that is refused. The page says why the test of the address fails.
func TestWebhooks(t *testing.T) {
	b := user(t, desktop(), "biuro@demo.example")
	b.visit("/konto/deweloper")
	b.check("developer-new")
	const refused = "http://hook.example/a" // not https
	b.run("type", chromedp.SendKeys(chromedp.CSS("#adres"), refused))
	b.follow("main form .button")
	b.expects("422")
	b.see("#adres:focus")
	if value := evaluate[string](b, `document.activeElement.value`); value != refused {
		t.Errorf("the field has %q, want %q again", value, refused)
	}
	gap := evaluate[float64](b, `document.querySelector("#adres-blad").getBoundingClientRect().top - `+
		`document.querySelector("#adres").getBoundingClientRect().bottom`)
	if gap < 0 || gap > 40 {
		t.Errorf("the reason is %v px below the field, want 0 to 40", gap)
	}
	b.check("developer-refused")
	b.fill("#adres", "https://hook.invalid/a")
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

func TestPasswordLink(t *testing.T) {
	b := user(t, desktop(), "admin@demo.example")
	b.visit("/konto/uzytkownicy/6") // any user but this one
	b.follow(`form[action$="/link"] button`)
	b.check("password-link")
	b.visit(evaluate[string](b, `document.querySelector("main code").textContent.replace(/^https?:..[^/]+/, "")`))
	b.see("#powtorzone")
	b.check("new-password")
}

func TestWrongLoginsAndAddresses(t *testing.T) {
	b := open(t, backend.URL, desktop())
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
	b = open(t, backend.URL, desktop())
	b.visit("/konto/logowanie")
	for range 11 {
		b.login("gosc@demo.example", "nie-to-haslo")
	}
	b.seeText("Zbyt wiele prób logowania.")
	b.checkHere("error-429-account", b.screen)
	b.expects("4")
}

// TestStudio is the story of a company whose person manages the pages and locations of a chain.
func TestStudio(t *testing.T) {
	t.Run("an audit with advice", func(t *testing.T) {
		b := user(t, desktop(), "czlonek@demo.example")
		b.visit("/konto/audyt")
		b.follow("main form button")
		b.outcome("Oceniliśmy profil bez świeżych danych")
		gains := evaluate[[]float64](b, `[...document.querySelectorAll(".listed .badge")].map(e => `+
			`parseFloat(e.textContent.replace(",", ".")))`)
		if len(gains) < 2 || !slices.IsSortedFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) }) {
			t.Errorf("the advice gains %v points, want at least two values, the largest first", gains)
		}
		b.check("audit-advice")
		const complete = `document.querySelector(".printed table").checkVisibility()`
		if evaluate[bool](b, complete) {
			t.Error("the complete fields are unfolded")
		}
		b.emulate("print", "light")
		if !evaluate[bool](b, complete) {
			t.Error("the complete fields are not printed")
		}
		b.checkHere("audit-print", b.screen)
	})
	t.Run("the list of companies, by keyboard", func(t *testing.T) {
		b := user(t, phone(), "admin@demo.example")
		b.see("tbody tr") // administrators land here
		b.run("search", chromedp.SendKeys(chromedp.CSS("#szukaj"), "STUDIO FOTOGRAFII WIS\r"),
			chromedp.WaitVisible(chromedp.CSS(`tbody tr:only-child`)))
		b.seeText("Studio Fotografii Wiśniewska")
		b.check("companies-found")
		b.follow(`tbody a[href="/audyt/studio-wisniewska"]`)
		b.seeText("Studio Fotografii Wiśniewska")
	})
	t.Run("every message", func(t *testing.T) {
		b := user(t, desktop(), "czlonek@demo.example")
		b.visit("/api/oauth/callback/provider_social?error=access_denied")
		const want = "Nie udzielono zgody, więc konto nie zostało połączone."
		b.outcome(want)
		if focus := evaluate[string](b, "document.activeElement.textContent.trim()"); focus != want {
			t.Errorf("the focus is on %q, want the message", focus)
		}
		if title := evaluate[string](b, "document.title"); !strings.HasPrefix(title, want+" – Połączenia") {
			t.Errorf("the title is %q, want the message first", title)
		}
		b.check("message")
		b.visit("/konto/integracje?oauth_error=access_denied")
		if n := b.count("main [role=alert]"); n != 0 {
			t.Errorf("an address shows %d messages again", n)
		}
		b.visit("/konto/nic")
		b.expects("404")
		b.follow(".account button")
		b.outcome("Wylogowano.")
	})
	t.Run("one page among 135", func(t *testing.T) {
		b := user(t, desktop(), "czlonek@demo.example")
		b.authorizeAs("provider_social", "piotr")
		if n := b.count(".option"); n != 135 {
			t.Errorf("%d pages are offered, want 135", n)
		}
		names := evaluate[[]string](b, `[...document.querySelectorAll(".option:has(:enabled) label")].map(e => `+
			`e.firstChild.textContent)`)
		listed, _ := json.Marshal(names) // never fails
		sorted := evaluate[[]string](b, fmt.Sprintf(`%s.toSorted(new Intl.Collator("pl").compare)`, listed))
		if !slices.Equal(names, sorted) {
			t.Errorf("the order is %q, want %q", names, sorted)
		}
		bottom := evaluate[float64](b, `document.querySelector(".bar .button").getBoundingClientRect().bottom`)
		if bottom > 900 {
			t.Errorf("the button ends at %v px, below the screen of 900 px", bottom)
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
			t.Fatalf("Enter chose %q, want %q", got, wanted)
		}
		press("\r")
		b.message("#facebook .alert", "Strona została wybrana")
		// The keystroke-level model (Card, Moran and Newell) counts 0.28 s for a key of an average typist, and
		// 1.35 s for a thought, here one before typing and one before choosing.
		estimate := float64(keys)*0.28 + 2*1.35
		t.Logf("measured finding %q among 135: %d keys, %.1f s for a person, %.1f s here", wanted, keys, estimate,
			time.Since(begin).Seconds())
		if estimate > 10 {
			t.Errorf("finding a page takes a person %.1f s, want at most 10 s", estimate)
		}
		b.seeText(wanted)
		b.expects(sandboxPages)
	})
	t.Run("closed locations", func(t *testing.T) {
		b := user(t, desktop(), "czlonek@demo.example")
		b.authorizeAs("provider_search", "piotr")
		b.visit("/konto/integracje/lokalizacja?szukaj=pens")
		b.message(".option .warning", "Tymczasowo zamknięta, tak oznaczono ją w Google.")
		b.choose(".bar .button")
		b.outcome("Audyt zakończony.")
		fault := func(description string) {
			for _, api := range []string{"search", "places"} {
				backend.Sandbox.Fault(t, api, description)
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
	})
}

// TestWorkshop is the story of a company that has neither an Instagram account nor a property of Search Console.
func TestWorkshop(t *testing.T) {
	t.Run("keyboard", func(t *testing.T) {
		b := open(t, backend.URL, desktop())
		b.visit("/konto/logowanie")
		b.run("skip the header", chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"), chromedp.KeyEvent("\t"))
		if id := evaluate[string](b, "document.activeElement.id"); id != "email" {
			t.Errorf("the first stop after the header is %q, want email", id)
		}
		b.run("log in", chromedp.KeyEvent("pracownik@demo.example\t"+harness.DemoPassword+"\r"),
			chromedp.WaitVisible(chromedp.CSS(".account-name")))
		b.seeText("Warsztat Nowak")
	})
	t.Run("without scripts", func(t *testing.T) {
		look := phone()
		look.name, look.noScripts = "no-scripts", true
		b := user(t, look, "pracownik@demo.example")
		b.visit("/konto/integracje")
		b.follow(`form[action$="polacz/provider_search"] button`)
		b.follow("main .actions .button")
		b.see("button[value=allow]")
		b.click(`input[value$="webmasters.readonly"]`) // which takes the tick out
		b.decide("allow")
		b.outcome("Połączono: Profil Firmy w Google. Nie połączono: Google Search Console, bo zabrakło zgody.")
		b.choose(".chooser .bar .plain")
		b.message("#profil .alert", "Lokalizacja została wybrana.")
		b.openMenu(harness.SearchProfile)
		b.picture("menu", b.screen)
		b.visit("/konto/audyt")
		b.follow("main form button")
		b.outcome("Odczytaliśmy świeże dane i oceniliśmy profil.")
		b.picture("audit", b.screen)
		b.visit("/docs/hardware#getBenchmark")
		b.see("#getBenchmark table")
		b.expects(sandboxPages)
	})
	t.Run("accounts without anything to read", func(t *testing.T) {
		b := user(t, desktop(), "pracownik@demo.example")
		b.authorizeAs("provider_social", "marek")
		b.choose(".chooser .bar .button")
		b.authorizeAs("provider_search/search_analytics", "marek")
		// everywhere waits until a condition holds on three pages, on a large and on a small screen.
		everywhere := func(isRight func() bool) {
			for _, look := range []screen{desktop(), {name: "390", width: 390, height: 844}} {
				b.emulateScreen(look)
				for _, path := range []string{"/konto/przeglad", "/konto/integracje", "/konto/statystyki"} {
					harness.EventuallyWithin(t, patience, path+" at "+look.name, func() bool {
						b.visit(path)
						return isRight()
					})
					for _, problem := range b.violations(look) {
						t.Errorf("%s at %s: %s", path, look.name, problem)
					}
				}
			}
		}
		everywhere(func() bool {
			reasons := evaluate[int](b, `["nie jest połączone konto profesjonalne na Instagramie", `+
				`"nie ma zweryfikowanej witryny"].filter(text => document.body.textContent.includes(text)).length`)
			acts := evaluate[int](b, `[...document.querySelectorAll("main button")].filter(e => `+
				`e.textContent.startsWith("Sprawdź ponownie")).length`)
			works := evaluate[bool](b, `document.body.textContent.includes("Wszystko działa")`)
			return reasons == 2 && acts == 2 && !works
		})
		b.visit("/konto/integracje/lokalizacja")
		other := evaluate[string](b, `[...document.querySelectorAll("input[name=wybor]:enabled")].at(-1).value`)
		backend.Sandbox.Fault(t, "search", `{"kind":"status","status":503,"match":"/v1/`+other+`:fetchMulti"}`)
		b.click(chromedp.CSS(`input[value="` + other + `"]`))
		b.follow(".chooser .bar .plain")
		everywhere(func() bool {
			figures := `.headlines li:has(a[href$="#profil"]):has(.figure):not(:has(.warning)), ` +
				`#profil:has(.figure):not(:has(.warning))`
			const marked = `document.body.textContent.includes("Pokazujemy dane poprzednio wybranej lokalizacji")`
			return b.count(figures) == 0 && evaluate[bool](b, marked)
		})
		backend.Sandbox.Fault(t, "search", "")
		b.expects(sandboxPages)
	})
}

func TestReferenceByKeyboard(t *testing.T) {
	b := open(t, backend.URL, desktop())
	for _, path := range []string{"/", "/konto/logowanie", "/docs/hardware"} {
		b.walk(path, 8)
	}
	b.visit("/docs/hardware#getBenchmark") // the address opens the operation
	b.see("#getBenchmark table")
	b.run("unfold the form", chromedp.Focus(chromedp.CSS("#getBenchmark .try > summary")), chromedp.KeyEvent("\r"))
	b.see("#getBenchmark-type")
	b.run("send", chromedp.Focus(chromedp.CSS("#getBenchmark-limit")), chromedp.KeyEvent("1\r"))
	b.see("#getBenchmark .answer pre")
	b.seeText(`"family": "gpu"`)
	b.message("#getBenchmark .answer", "GET /api/benchmark/gpu?limit=1\n200")
	b.checkHere("reference-answer", b.screen)
}
