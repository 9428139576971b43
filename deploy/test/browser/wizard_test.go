package browser

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

const (
	gpuPart  = "/kreator/czesc?rodzaj=gpu&nazwa=Nvidia+RTX+4070+SUPER"
	compared = "/kreator/porownaj?rodzina=gpu&czesc=Nvidia+RTX+5090&czesc=AMD+RX+7900+XTX&" +
		"czesc=Nvidia+RTX+4070+SUPER&czesc=Nvidia+RTX+4060"
	build = "/kreator/zestaw?cpu=AMD+Ryzen+7+7800X3D&gpu=Nvidia+RTX+4070+SUPER&psu=be+quiet+Pure+Power+12+M+750W"
)

func TestFromARankingToABuild(t *testing.T) {
	b := open(t, backend.URL, desktop())
	b.visit("/kreator")
	if got := b.see(".notice"); got != notice {
		t.Errorf("the notice is %q, want %q", got, notice)
	}
	b.follow(`a[href="/kreator/ranking/gpu"]`)
	requireCount := func(selector string, want int) {
		t.Helper()
		if got := b.count(selector); got != want {
			t.Errorf("%d elements match %s, want %d", got, selector, want)
		}
	}
	requireCount("tbody tr", 20)
	requireCount(".chart-bar", 20)
	b.run("choose two", chromedp.Click(chromedp.CSS("tbody tr:nth-child(1) input")),
		chromedp.Click(chromedp.CSS("tbody tr:nth-child(3) input")))
	b.follow("button[form=porownanie]")
	requireCount("thead th", 2) // the parts side by side
	b.follow("main > .actions a")
	b.run("filter", chromedp.Click(chromedp.CSS("main form summary")), chromedp.SetValue(chromedp.CSS("#ile"), "50"),
		chromedp.SetValue(chromedp.CSS("#marka"), "Nvidia"), chromedp.SendKeys(chromedp.CSS("#szukaj"), "4070 super"))
	b.follow("main form .button")
	first := b.see("tbody th > a")
	if !strings.HasPrefix(first, "Nvidia RTX 4070") || !strings.HasSuffix(first, "SUPER") {
		t.Errorf("the filters find %q first, want an Nvidia RTX 4070 SUPER", first)
	}
	b.follow("tbody th a")
	requireCount("section[aria-labelledby=ranking] dd", 3)
	lowest := b.see("section[aria-labelledby=oferty] dd.figure")
	requireCount("section[aria-labelledby=oferty] tbody tr", 5)
	b.seeText("Punkty za złotówkę")
	b.follow(`main .actions a.button`)
	b.see("[data-price]")
	if got := b.see("[data-sum]"); got != lowest {
		t.Errorf("the sum of one part is %s, want its price %s", got, lowest)
	}
	requireCount("section[aria-labelledby=brakuje] li", 7)
	b.run("name it", chromedp.Click(chromedp.CSS("main details > summary")),
		chromedp.SendKeys(chromedp.CSS("#tytul"), "Do gier"))
	b.follow("main form .button")
	b.run("unfold", chromedp.Click(chromedp.CSS("main details > summary")))
	b.follow(`form[action="/kreator/z"] button`)
	b.follow(`a[href^="/kreator/z/"]`)
	if got := b.see("h1"); got != "Do gier" {
		t.Errorf("the short address leads to the build %q, want Do gier", got)
	}
	if got := b.see("[data-sum]"); got != lowest {
		t.Errorf("the build of the short address costs %s, want %s", got, lowest)
	}
	b.visit("/kreator") // as from the home page
	b.seeText("Zobacz zestaw i sumę")
	b.follow(`header a[href^="/kreator/zestaw"]`)
	b.follow("tbody a.danger")
	b.seeText("Zestaw jest pusty")
}

func TestWizardOnEveryScreen(t *testing.T) {
	checkStates(t, []state{
		{name: "start", path: "/kreator"},
		{name: "ranking", path: "/kreator/ranking/cpu"},
		{name: "empty-build", path: "/kreator/zestaw"},
		{name: "choice", path: "/kreator/lista/psu"},
		{name: "long-names", path: "/kreator/ranking/ssd?ile=50&sortuj=cena"},
		{name: "compare", path: compared, awaited: "[data-part=stan]:not(:has([data-pending]))"},
		{name: "part", path: gpuPart, awaited: "section[aria-labelledby=oferty] tbody"},
		{name: "build", path: build, awaited: "[data-part=suma]:not(:has([data-pending]))"},
	})
	b := open(t, backend.URL, phone())
	b.visit(build)
	b.seeText("Znane ceny: 3 z 3")
	requireSum(t, b)
}

// requireSum compares the sum of a build of three parts with their prices.
func requireSum(t *testing.T, b *tab) {
	t.Helper()
	prices := evaluate[[]string](b, `[...document.querySelectorAll("[data-price]")].map(p => p.dataset.price)`)
	if len(prices) != 3 {
		t.Errorf("the build has the prices %q, want 3", prices)
	}
	sum := 0.0
	for _, price := range prices {
		v, err := strconv.ParseFloat(price, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	shown := strings.NewReplacer("\u00a0", "", " ", "", "zł", "", ",", ".").Replace(b.see("[data-sum]"))
	if got, err := strconv.ParseFloat(shown, 64); err != nil || math.Abs(got-sum) > 0.001 {
		t.Errorf("the sum of %q is shown as %q (%v)", prices, shown, err)
	}
}

func TestWizardByKeyboard(t *testing.T) {
	b := open(t, backend.URL, desktop())
	b.walk("/kreator/ranking/cpu", 12)
	b.visit("/kreator")
	b.run("first tab", chromedp.KeyEvent("\t"))
	if class := evaluate[string](b, "document.activeElement.className"); class != "skip" {
		t.Errorf("the first stop has the class %q, want skip", class)
	}
	if evaluate[string](b, "getComputedStyle(document.activeElement).outlineStyle") == "none" {
		t.Error("the first stop has no outline")
	}
	b.run("skip", chromedp.KeyEvent("\r"), chromedp.KeyEvent("\t"))
	if next := evaluate[string](b, "document.activeElement.getAttribute('href')"); next != "/kreator/ranking/cpu" {
		t.Errorf("the first stop after the header leads to %q, want the first ranking", next)
	}
	b.run("follow it", chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS("#tabela")))
}

func TestWizardWithoutScripts(t *testing.T) {
	look := phone()
	look.name, look.noScripts = "no-scripts", true
	b := open(t, backend.URL, look)
	b.visit("/kreator/czesc?rodzaj=cpu&nazwa=AMD+Ryzen+5+7600")
	b.see("section[aria-labelledby=oferty] tbody")
	b.picture("part", b.screen)
	b.visit("/kreator/zestaw?cpu=AMD+Ryzen+5+7600&gpu=Nvidia+RTX+4060")
	b.see("tr:nth-child(1) [data-price]")
	b.see("tr:nth-child(2) [data-price]")
	if got := b.see("[data-known]"); got != "Znane ceny: 2 z 2" {
		t.Errorf("the build says %q, want both prices known", got)
	}
	b.picture("build", b.screen)
}

// TestPrintedBuild requires that a build is printed in light colours from a dark screen, too.
func TestPrintedBuild(t *testing.T) {
	b := open(t, backend.URL, dark())
	b.visit(build + "&tytul=Do+gier")
	b.seeText("Znane ceny: 3 z 3")
	b.emulate("print", "dark")
	b.checkHere("print", b.screen)
	if address := b.see(".printed-address"); !strings.HasSuffix(address, build+"&tytul=Do+gier") {
		t.Errorf("the printed address is %q", address)
	}
	n := evaluate[int](b, `[...document.querySelectorAll("header, footer, form, .button")].filter(e => `+
		`e.checkVisibility()).length`)
	if n > 0 {
		t.Errorf("%d elements are printed that only a screen needs", n)
	}
	if got := evaluate[string](b, `getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
		t.Errorf("the printed background is %s, want white", got)
	}
	requireSum(t, b)
}

func TestPlaceInLine(t *testing.T) {
	b := open(t, backend.URL, desktop())
	b.visit("/kreator")
	var others sync.WaitGroup
	clients := map[string]string{"rtx+4080": "192.0.2.1", "rtx+4090": "192.0.2.2", "rtx+3090": "192.0.2.3"}
	for query, from := range clients {
		others.Go(func() { lookUp(t, query, from) })
	}
	b.visit("/kreator/czesc?rodzaj=gpu&nazwa=Nvidia+RTX+3080")
	b.seeText(". w kolejce, jeszcze około ")
	b.checkHere("waiting", b.screen)
	b.see("section[aria-labelledby=oferty] tbody")
	others.Wait()
}

func TestLocalCopyOfARanking(t *testing.T) {
	backend.Sandbox.Fault(t, "benchmark", `{"kind":"down","match":"/"}`)
	b := open(t, backend.URL, desktop())
	b.visit("/kreator/ranking/hdd")
	b.seeText("Kopia lokalna.")
	b.check("fallback")
	backend.Sandbox.Fault(t, "benchmark", "")
}

func TestWrongAddressesAndNames(t *testing.T) {
	b := open(t, backend.URL, desktop())
	const part = "/kreator/czesc?rodzaj=gpu&nazwa="
	for _, wrong := range []struct{ name, path, want string }{
		{name: "control", path: part + "rtx%00", want: "Zapytanie zawiera niedozwolone znaki."},
		{name: "long", path: part + strings.Repeat("a", 201), want: "Nie znaleziono produktu pasującego do zapytania."},
		{name: "unknown", path: part + "zzqqxx+9999", want: "Nie znaleziono produktu pasującego do zapytania."},
		{name: "filter", path: "/kreator/ranking/gpu?szukaj=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
			want: "Żadna część nie pasuje do filtrów."},
	} {
		b.visit(wrong.path)
		b.seeText(wrong.want)
		b.checkHere("wrong-"+wrong.name, b.screen)
	}
	for _, missing := range []struct{ name, path, want string }{
		{name: "family", path: "/kreator/ranking/toaster", want: "Nie ma takiej rodziny podzespołów."},
		{name: "page", path: "/kreator/nothing", want: "Nie ma takiej strony."},
	} {
		b.visit(missing.path)
		b.expects("404")
		b.seeText(missing.want)
		b.checkHere("missing-"+missing.name, b.screen)
	}
}

// TestFailuresOfTheSource leaves the source blocked for a while, so no test of the same backend may follow that
// needs a new price.
func TestFailuresOfTheSource(t *testing.T) {
	b := open(t, backend.URL, desktop())
	for i, failure := range []struct{ name, fault, want string }{
		{name: "down", fault: `{"kind":"status","status":500}`, want: "Źródło danych jest chwilowo niedostępne."},
		{name: "garbage", fault: `{"kind":"garbage"}`, want: "Nie udało się odczytać cen."},
		{name: "slow", fault: `{"kind":"slow","delay_ms":5000}`, want: "Źródło danych nie odpowiedziało na czas."},
	} {
		backend.Sandbox.Fault(t, "aggregator", failure.fault)
		b.visit("/kreator/czesc?rodzaj=gpu&nazwa=rtx+" + strconv.Itoa(3050+10*i))
		b.seeText(failure.want)
		b.checkHere("failure-"+failure.name, b.screen)
	}
	backend.Sandbox.Fault(t, "aggregator", "")

	// The queue of the client is full.
	var others sync.WaitGroup
	for n := range 7 {
		others.Go(func() { lookUp(t, "core+i"+strconv.Itoa(n), "127.0.0.1") })
	}
	b.visit("/kreator/czesc?rodzaj=cpu&nazwa=Core+i7-14700K")
	b.seeText("Sprawdzamy teraz wiele cen.")
	b.checkHere("failure-queue", b.screen)
	others.Wait()
	b.see("section[aria-labelledby=oferty] tbody") // the page has tried again

	backend.Sandbox.Fault(t, "aggregator", `{"kind":"captcha"}`)
	for _, failure := range []struct{ name, want string }{
		{name: "blocked", want: "Źródło danych chwilowo odmawia odpowiedzi."},
		{name: "paused", want: "Sprawdzanie cen jest chwilowo wstrzymane."},
	} {
		b.visit("/kreator/czesc?rodzaj=cpu&nazwa=Core+i5-14600K")
		b.seeText(failure.want)
		b.checkHere("failure-"+failure.name, b.screen)
	}
	b.seeText("Ponowimy za 10 min.")
	if n := b.count(".alert a, .alert button"); n > 0 {
		t.Errorf("%d links or buttons offer to try again during the pause", n)
	}
}

func requireNarrow(t *testing.T, b *tab) {
	t.Helper()
	if wide := evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		t.Errorf("%s is %d px wider than the screen", evaluate[string](b, "location.pathname"), wide)
	}
}

// TestShopper shops with the category lists, which are read within seconds because there is no
// interval between requests to the source.
func TestShopper(t *testing.T) {
	t.Parallel()
	s := harness.StartMakeRun(t, settings("HARDWARE_PRICE_INTERVAL=1us")...)
	harness.EventuallyWithin(t, 2*patience, "the lists are read", func() bool {
		return !strings.Contains(harness.Text(t, s.Hardware+"/kreator/lista/case"), "Nie mamy teraz listy")
	})
	small := screen{name: "phone", width: 390, height: 844}
	t.Run("two side by side", func(t *testing.T) {
		b := open(t, s.URL, small)
		b.visit("/kreator/porownaj?rodzina=gpu&czesc=Nvidia+RTX+4070+SUPER&czesc=Nvidia+RTX+4070")
		b.seeText("znane: 2 z 2")
		requireNarrow(t, b)
		const scroll = `document.querySelector(".table-scroll")`
		if hidden := evaluate[int](b, scroll+".scrollWidth - "+scroll+".clientWidth"); hidden > 0 {
			t.Errorf("%d px of the table are hidden", hidden)
		}
	})
	for _, screen := range []screen{desktop(), small} {
		t.Run("the best card in two clicks, "+screen.name, func(t *testing.T) {
			b := open(t, s.URL, screen)
			b.visit("/kreator")
			b.follow(`main a[href^="/kreator/ranking/gpu"]`)
			b.run("enter the budget", chromedp.Click(chromedp.CSS("#budzet")),
				chromedp.SendKeys(chromedp.CSS("#budzet"), "1500"))
			b.follow("form[role=search] .button")
			best := b.see("tbody tr:first-child th > a")
			if b.clicks != 2 {
				t.Errorf("the best card takes %d clicks, want 2", b.clicks)
			}
			rows := evaluate[[]struct {
				Name          string
				Points, Price float64
				Best          bool
			}](b, `[...document.querySelectorAll("tbody tr")].map((row) => {
				const text = (label) => row.querySelector("[data-label='" + label + "']").innerText;
				const number = (label) => parseFloat(text(label).replace(/[^\d,]/g, "").replace(",", "."));
				return {
					Name: row.querySelector("th a").innerText, Points: number("Punkty"), Price: number("Cena od") || 0,
					Best: row.querySelector(".badge") !== null, // among the known prices
				};
			})`)
			if len(rows) != 20 {
				t.Errorf("the ranking has %d cards, want 20", len(rows))
			}
			for i, row := range rows {
				if row.Best != (i == 0) {
					t.Errorf("%s is marked as the best: %t, but %s comes first", row.Name, row.Best, best)
				}
				if row.Price == 0 || row.Price > 1500 {
					t.Errorf("the price of %s is %v, want one within the budget of 1500", row.Name, row.Price)
				}
				if row.Points > rows[0].Points {
					t.Errorf("%s has %v points, more than %s, which comes first", row.Name, row.Points, best)
				}
			}
			requireNarrow(t, b)
			wide := evaluate[int](b, `document.querySelector("table").clientWidth - `+
				`document.querySelector("section.card").clientWidth`)
			if wide > 0 {
				t.Errorf("the table is %d px wider than its card", wide)
			}
			b.check("budget")
			b.follow("tbody tr:first-child th > a")
			b.see("section[aria-labelledby=oferty] tbody")
			if got := b.see("h1"); got != best {
				t.Errorf("the card is %q, want %q", got, best)
			}
		})
		// Of every kind the cheapest shown part that fits the build is chosen, without typing anything but the budget.
		t.Run("eight parts, "+screen.name, func(t *testing.T) {
			b := open(t, s.URL, screen)
			b.visit("/kreator/zestaw?limit=5000")
			for n := range 8 {
				b.follow("section[aria-labelledby=brakuje] a.tile")
				requireNarrow(t, b)
				row := evaluate[int](b, `(() => {
					const text = (row) => row.querySelector("[data-label='Cena od']").innerText;
					const price = (row) => parseFloat(text(row).replace(/[^\d,]/g, "").replace(",", "."));
					const rows = [...document.querySelectorAll("tbody tr")];
					const fitting = rows.filter((row) => !row.querySelector(".badge.bad") && price(row) > 0);
					return 1 + rows.indexOf(fitting.reduce((a, b) => price(b) < price(a) ? b : a));
				})()`)
				b.follow(chromedp.CSS("tbody tr:nth-child(" + strconv.Itoa(row) + ") a.button"))
				// Prices that arrive later would move the page under the mouse.
				b.seeText("Znane ceny: " + strconv.Itoa(n+1) + " z ")
				requireNarrow(t, b)
			}
			b.seeText("Znane ceny: 8 z 8")
			b.seeText("Z budżetu 5")
			if n := b.count(".alert.bad, .badge.bad"); n > 0 {
				t.Errorf("the build has %d warnings", n)
			}
			if b.clicks > 20 {
				t.Errorf("the build takes %d clicks, want at most 20", b.clicks)
			}
			const end = `document.querySelector("[data-sum]").getBoundingClientRect().bottom + scrollY`
			bottom := evaluate[float64](b, end)
			if bottom > float64(b.screen.height) {
				t.Errorf("the sum ends at %.0f px, below the first screen of %d px", bottom, b.screen.height)
			}
			if height := evaluate[float64](b, `document.querySelector("header").offsetHeight`); height > 180 {
				t.Errorf("the header takes %.0f px, want at most 180", height)
			}
		})
	}
}
