package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
)

func TestStart(t *testing.T) {
	p := newWorld(t).get(t, "/kreator?gpu=RTX+5090")
	p.shows("Złóż komputer", "Zestaw (1)", "Dane <pokazowe>", "Kontakt")
	p.counts("html.violet", 1)
	p.counts("script[src*='/retry.'], script[src*='/copy.'], script[src*='/kreator.']", 3)
	for selector, want := range map[string][]string{
		"a.tile strong": {"Procesory", "Karty graficzne", "Dyski SSD", "Dyski HDD", "Pamięć RAM",
			"Pamięci USB", "Procesor", "Karta graficzna", "Płyta główna", "Pamięć RAM", "Dysk", "Zasilacz",
			"Chłodzenie",
			"Obudowa"},
	} {
		if got := p.Find(selector).Map(func(_ int, s *goquery.Selection) string { return s.Text() }); !slices.Equal(
			got, want,
		) {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if got := p.attribute(`main a.tile`, "href"); got != "/kreator/ranking/cpu?gpu=RTX+5090" {
		t.Errorf("first ranking at %s", got)
	}
	if got := p.header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("Cache-Control %q", got)
	}
}

func TestRootLeadsToTheStart(t *testing.T) {
	if p := newWorld(t).get(t, "/"); p.status != http.StatusFound || p.header.Get("Location") != "/kreator" {
		t.Errorf("%d to %s", p.status, p.header.Get("Location"))
	}
}

func TestRanking(t *testing.T) {
	p := newWorld(t).get(t, "/kreator/ranking/gpu?cpu=Ryzen+7")
	p.shows("Karty graficzne – ranking", "Źródło: Ranking <R>, pobrano 21 listopada 2026, 13:05.", "Pokazano 3 z 3.",
		"198,5", "84 129 pomiarów")
	p.counts("tbody tr", 3) // variants of a model are one
	p.counts(".chart-bar", 3)
	p.counts("select[name=marka] option", 3)
	for selector, want := range map[string]string{
		"tbody tr:nth-child(2) th a": "/kreator/czesc?cpu=Ryzen+7&nazwa=AMD+RX+9070&rodzaj=gpu",
		"tbody tr:nth-child(2) td a": "/kreator/zestaw?cpu=Ryzen+7&gpu=AMD+RX+9070",
	} {
		if got := p.attribute(selector, "href"); got != want {
			t.Errorf("%s: %s", selector, got)
		}
	}
}

func TestRankingFilters(t *testing.T) {
	w := newWorld(t)
	for query, want := range map[string]int{
		"": 3, "szukaj=rtx": 1, "szukaj=+nvidia++RTX+": 1, "szukaj=a-2": 1, "szukaj=9070+2025": 1, "marka=Nvidia": 2,
		"marka=Nvidia&szukaj=710": 1, "pamiec=12": 0, "pamiec=x": 3, "budzet=0": 3, "budzet=-1": 3, "budzet=NaN": 3,
		"marka=AMD&szukaj=710": 0, "marka=None": 0, "ile=50": 3, "ile=1": 3, "ile=x": 3, "szukaj=%3Cb%3E": 0,
	} {
		p := w.get(t, "/kreator/ranking/gpu?"+query)
		p.counts("tbody tr", want)
		if want == 0 {
			p.shows("Żadna część nie pasuje do filtrów.")
		}
	}
	p := w.get(t, "/kreator/ranking/gpu?szukaj=+rtx+&marka=Nvidia&ile=100")
	if got := p.attribute("input[name=szukaj]", "value"); got != "rtx" {
		t.Errorf("search %q", got)
	}
	for selector, want := range map[string]string{"select[name=marka] option[selected]": "Nvidia",
		"select[name=ile] option[selected]": "100"} {
		if got := p.Find(selector).Text(); got != want {
			t.Errorf("%s: %q", selector, got)
		}
	}
}

// The makers of cards have models of one chip, whose figure they share.
func TestVariantsAreFolded(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = []rankings.Row{
		{Brand: "Nvidia", Model: "RTX 5080", Rank: 1, Benchmark: 300},
		{Brand: "MSI", Model: "MSI RTX 5080 Ventus", Rank: 1, Benchmark: 300},
		{Brand: "", Model: "Nieznana 5070", Rank: 2, Benchmark: 200},
		{Brand: "MSI", Model: "MSI RTX 5080 Suprim", Rank: 1, Benchmark: 300},
	}
	p := w.get(t, "/kreator/ranking/gpu?cpu=Ryzen+7")
	p.shows("Nvidia RTX 5080 0 pomiarów 2 warianty MSI RTX 5080 Ventus MSI RTX 5080 Suprim", "Pokazano 2 z 2.")
	p.counts("tbody tr", 2)
	p.counts("details li", 2)
	if got := p.attribute(
		"details li a", "href",
	); got != "/kreator/czesc?cpu=Ryzen+7&nazwa=MSI+RTX+5080+Ventus&rodzaj=gpu" {
		t.Errorf("a variant at %s", got)
	}
	if got := p.Find("select[name=marka] option").Text(); got != "WszystkieMSINvidia" {
		t.Errorf("brands %q", got)
	}
	p = w.get(t, "/kreator/ranking/gpu?marka=MSI")
	p.shows("MSI RTX 5080 Ventus 0 pomiarów 1 wariant MSI RTX 5080 Suprim")
	p.counts("tbody tr", 1)
}

func TestBrandsAreListedOnce(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = nil
	for _, brand := range []string{"MSI", "asus", "", "msi", "AMD", "msi", "asus"} {
		w.rankings.rows = append(w.rankings.rows, rankings.Row{Brand: brand, Model: "RTX 5080"})
	}
	p := w.get(t, "/kreator/ranking/gpu")
	if got := p.Find("select[name=marka] option").Text(); got != "WszystkieAMDasusMSImsi" {
		t.Errorf("brands %q", got)
	}
	p.counts("select[name=marka] option", 5)
}

// Prices are those that are known already: a list must not have them looked up.
func TestRankingOrders(t *testing.T) {
	w := newWorld(t)
	w.prices.findings["nvidia gt 710"] = prices.Finding{ProductName: "GT 710", Offers: []prices.Offer{{Price: 100}}}
	w.prices.kept["nvidia rtx 5090"], w.prices.kept["nvidia gt 710"] = true, true
	for order, want := range map[string]string{
		"": "Nvidia RTX 5090 AMD RX 9070 (2025) Nvidia GT 710", "x": "Nvidia RTX 5090 AMD RX 9070 (2025) Nvidia GT 710",
		"cena":        "Nvidia GT 710 Nvidia RTX 5090 AMD RX 9070 (2025)",
		"oplacalnosc": "Nvidia RTX 5090 Nvidia GT 710 AMD RX 9070 (2025)", // 4,00 and 2,50 for 100 zł
	} {
		p := w.get(t, "/kreator/ranking/gpu?cpu=Ryzen+7&sortuj="+order)
		names := p.Find("tbody th > a").Map(func(_ int, a *goquery.Selection) string { return a.Text() })
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s", order, got)
		}
		p.shows("10 600,00 zł na zamówienie 4,00", "100,00 zł 2,50", "nieznana –", "Znane ceny: 2 z 3")
		if said := strings.Contains(p.Text(), "Części bez znanej ceny są na końcu"); said != (len(order) > 1) {
			t.Errorf("%s: where the unknown ones are is said: %v", order, said)
		}
	}
	p := w.get(t, "/kreator/ranking/gpu?cpu=Ryzen+7&ile=50&szukaj=r&marka=Nvidia&sortuj=cena")
	p.counts("form details[open]", 1)
	p.counts("form[role=search] input[name=sortuj][value=cena]", 1)
	if got := p.attribute(".tabs li:last-child a",
		"href"); got != "/kreator/ranking/gpu?cpu=Ryzen+7&ile=50&marka=Nvidia&sortuj=oplacalnosc&szukaj=r" {
		t.Errorf("the last order at %s", got)
	}
	if got := p.Find(".tabs a").Map(func(_ int, a *goquery.Selection) string { return a.Text() }); !slices.Equal(
		got, []string{"Punkty", "Cena", "Opłacalność"},
	) {
		t.Errorf("orders %q", got)
	}
	if got := p.Find(".tabs [aria-current]").Text(); got != "Cena" {
		t.Errorf("the order is %q", got)
	}
	if len(w.prices.asked) > 0 {
		t.Errorf("looked up: %q", w.prices.asked)
	}
}

// Within a budget the best part is the first, and a price that is not known may be above it.
func TestRankingWithinABudget(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = []rankings.Row{
		{Model: "RTX 5090 32GB", Rank: 1, Benchmark: 400}, {Model: "RTX 5080 16GB", Rank: 2, Benchmark: 300},
		{Model: "RTX 5060 8GB", Rank: 3, Benchmark: 200},
		{Model: "RTX 3060 12GB", Rank: 4, Benchmark: 150}, {Model: "RTX 3050 8GB", Rank: 5, Benchmark: 100},
	}
	for name, price := range map[string]float64{"rtx 5090 32gb": 9000, "rtx 5060 8gb": 1499.99, "rtx 3060 12gb": 1500,
		"rtx 3050 8gb": 600} {
		w.prices.findings[name], w.prices.kept[name] = prices.Finding{
			ProductName: name, Offers: []prices.Offer{{Price: price}},
		}, true
	}
	for query, want := range map[string]string{
		"budzet=1500":                       "RTX 5060 8GB, RTX 3060 12GB, RTX 3050 8GB, RTX 5080 16GB",
		"budzet=1+499,99+zł&sortuj=cena":    "RTX 3050 8GB, RTX 5060 8GB, RTX 5080 16GB",
		"budzet=1500zł&sortuj=oplacalnosc":  "RTX 3050 8GB, RTX 5060 8GB, RTX 3060 12GB, RTX 5080 16GB",
		"budzet=1500&pamiec=8":              "RTX 5060 8GB, RTX 3050 8GB",
		"budzet=1500&pamiec=12&sortuj=cena": "RTX 3060 12GB",
	} {
		p := w.get(t, "/kreator/ranking/gpu?"+query)
		names := p.Find("tbody th > a").Map(func(_ int, a *goquery.Selection) string { return a.Text() })
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		best, badge := "RTX 5060 8GB", "najwięcej ze znanych" // the RTX 5080 has no price
		if !strings.Contains(want, "RTX 5080") {
			best, badge = names[0], "najwięcej punktów"
		}
		row := p.Find("tbody tr:has(.badge)")
		if got := row.Find("th > a").Text() + ": " + row.Find(".badge").Text(); got != best+": "+badge {
			t.Errorf("%s: %s", query, got)
		}
		p.shows("Części bez znanej ceny są na końcu: nie wiemy, czy mieszczą się w budżecie.",
			fmt.Sprintf("Pokazano %d z %[1]d.", len(names)))
	}
	p := w.get(t, "/kreator/ranking/gpu?budzet=1500,5&pamiec=8&ile=50")
	for selector, want := range map[string]string{"#budzet": "1500.5", "#pamiec option[selected]": "8"} {
		if got := p.attribute(selector, "value"); got != want {
			t.Errorf("%s: %s", selector, got)
		}
	}
	if got := p.Find("#pamiec").Text(); strings.Join(strings.Fields(got), " ") != "Dowolna 8 GB 12 GB 16 GB 32 GB" {
		t.Errorf("memory %q", got)
	}
	if got := p.attribute(".tabs li:last-child a",
		"href"); got != "/kreator/ranking/gpu?budzet=1500.5&ile=50&pamiec=8&sortuj=oplacalnosc" {
		t.Errorf("the last order at %s", got)
	}
	p.counts("details[open]", 1)
	for family, want := range map[string]string{"gpu": "Pamięć (z nazwy)", "ssd": "Pojemność (z nazwy)"} {
		if got := w.get(t, "/kreator/ranking/"+family).Find("label[for=pamiec]").Text(); got != want {
			t.Errorf("%s: the memory is called %q", family, got)
		}
	}
	p = w.get(t, "/kreator/ranking/gpu")
	p.counts("details[open], .badge", 0)
	w.rankings.rows = []rankings.Row{{Model: "Zamawiana", Rank: 1, Benchmark: 300},
		{Model: "Pierwsza", Rank: 2, Benchmark: 200}, {Model: "Druga", Rank: 3, Benchmark: 200}}
	for name, stock := range map[string]prices.Stock{"zamawiana": prices.OnOrder, "pierwsza": prices.InStock,
		"druga": prices.InStock} {
		w.prices.findings[name], w.prices.kept[name] = prices.Finding{
			ProductName: name, Offers: []prices.Offer{{Price: 1000, Stock: stock}},
		}, true
	}
	if got := w.get(t, "/kreator/ranking/gpu?budzet=1500").Find("tbody tr:has(.badge.good) th > a").
		Text(); got != "Pierwsza" {
		t.Errorf("the best is %s", got)
	}
}

func TestMemoryOfANameIsRead(t *testing.T) {
	for name, want := range map[string]string{
		"RTX 3060 12GB": "12\u00a0GB", "Vengeance DDR5 6000 C30 2x16GB": "32\u00a0GB",
		"Black SN8100 M.2 4TB": "4\u00a0TB", "Black SN8100 M.2 1TB": "1\u00a0TB",
		"Gold 1.5 TB (256MB Cache 2017)": "1,5\u00a0TB",
		"RTX 3060":                       "0\u00a0GB", "Gold (256MB Cache)": "0\u00a0GB", "GV-N105TOC-4GD": "0\u00a0GB",
	} {
		if got := memory(memoryIn(name)).Text(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestRankingIsCutToItsCount(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = nil
	for n := range 300 {
		w.rankings.rows = append(
			w.rankings.rows, rankings.Row{Brand: "B", Model: strconv.Itoa(n), Rank: n + 1, Benchmark: 1},
		)
	}
	for query, want := range map[string]struct{ shown, priced int }{
		"": {20, 20}, "ile=100": {100, 100}, "ile=500": {300, 300}, "sortuj=cena": {20, 300},
		"sortuj=oplacalnosc": {20, 300},
	} {
		w.prices.known = 0
		p := w.get(t, "/kreator/ranking/gpu?"+query)
		p.counts("tbody tr", want.shown)
		p.counts(".chart-bar[width='100%']", want.shown) // all have one point
		p.shows(fmt.Sprintf("Pokazano %d z 300.", want.shown))
		if w.prices.known != want.priced {
			t.Errorf("%s: asked for %d prices, want %d", query, w.prices.known, want.priced)
		}
	}
}

func TestRankingFromALocalCopy(t *testing.T) {
	w := newWorld(t)
	w.rankings.source = rankings.LocalFallback
	for _, path := range []string{"/kreator/ranking/gpu", "/kreator/czesc?rodzaj=gpu&nazwa=GT+710+nvidia",
		"/kreator/czesc?rodzaj=gpu&nazwa=nvidia+gt+710"} {
		p := w.get(t, path)
		if path[len(path)-1] == 'a' { // not its name: no points, and no copy
			p.counts("section[aria-labelledby=ranking]", 0)
			continue
		}
		p.shows("Kopia lokalna.", "ostatnią zapisaną kopię: 21 listopada 2026.")
	}
}

func TestErrorsArePages(t *testing.T) {
	w := newWorld(t)
	for target, want := range map[string]struct {
		status int
		text   string
	}{
		"/kreator/ranking/toaster":                {404, "Nie ma takiej rodziny podzespołów."},
		"/kreator/czesc?rodzaj=toaster&nazwa=abc": {404, "Nie ma takiego rodzaju podzespołu."},
		"/kreator/czesc?rodzaj=toaster":           {404, "Nie ma takiego rodzaju podzespołu."},
		"/kreator/oferty?rodzaj=gpu":              {400, "Wpisz co najmniej 3 znaki."},
		"/kreator/kolejka?rodzaj=x&nazwa=abc":     {404, "Nie ma takiego rodzaju podzespołu."},
		"/kreator/nic":                            {404, "Nie ma takiej strony."},
		"/kreator/static/nic.0.css":               {404, "Nie ma takiej strony."},
	} {
		p := w.get(t, target)
		p.shows(want.text)
		p.counts("h1", 1)
		if p.status != want.status || p.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s", target, p.status, p.header.Get("Content-Type"))
		}
	}
	if p := w.do(t, http.MethodPost, "/kreator"); p.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", p.status)
	}
	if p := w.get(t, "/api/nothing"); p.status != 404 || p.header.Get("Content-Type") != "application/json" {
		t.Errorf("the API: %d %s", p.status, p.header.Get("Content-Type"))
	}
	w.rankings.err = fault.New(fault.Unavailable, "source_paused", "Wstrzymane.")
	p := w.get(t, "/kreator/ranking/gpu")
	p.shows("Błąd 503", "Wstrzymane.")
}

// What a page takes on the way, compressed as the gateway does, with its files.
func TestPagesAreLight(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = nil
	for n := range 250 {
		w.rankings.rows = append(w.rankings.rows, rankings.Row{
			Brand: "Marka " + strconv.Itoa(n%7), Model: "RTX " + strconv.Itoa(1000+n*37%900) + " Ventus 3X OC",
			Rank: n/5 + 1, Benchmark: float64(n * 17 % 400), Samples: n * 7919,
		})
	}
	packed := func(path string) int {
		answer := httptest.NewRecorder()
		w.echo.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != http.StatusOK {
			t.Errorf("%s: %d", path, answer.Code)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(answer.Body.Bytes())
		_ = z.Close()
		return b.Len()
	}
	build := strings.TrimPrefix(gaming, buildPath)
	files := 0
	p := w.get(t, startPath)
	p.Find("link[rel=stylesheet], link[rel=icon], script").Each(func(_ int, file *goquery.Selection) {
		files += packed(file.AttrOr("href", file.AttrOr("src", "")))
	})
	for _, path := range []string{startPath + build, rankingPath + "gpu" + build, partPath + build +
		"&rodzaj=gpu&nazwa=Nvidia+RTX+5090", buildPath + build} {
		if size := packed(path); files+size > 15_000 {
			t.Errorf("%.40s: %d bytes, and %d of its files", path, size, files)
		}
	}
}
