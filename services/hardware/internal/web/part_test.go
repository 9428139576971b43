package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/temoto/robotstxt"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

const (
	cardPage   = "/kreator/czesc?rodzaj=gpu&nazwa=Nvidia+RTX+5090"
	cardOffers = "/kreator/oferty?rodzaj=gpu&nazwa=Nvidia+RTX+5090"
)

func TestPartWaitsForItsOffers(t *testing.T) {
	w := newWorld(t)
	p := w.get(t, cardPage+"&cpu=Ryzen+7")
	p.shows("Nvidia RTX 5090", "Punkty 424", "Miejsce w rankingu 1", "Pobieramy oferty…")
	for name, want := range map[string]string{
		"data-load":  "/kreator/oferty?cpu=Ryzen+7&nazwa=Nvidia+RTX+5090&rodzaj=gpu",
		"data-queue": "/kreator/kolejka?nazwa=Nvidia+RTX+5090&rodzaj=gpu",
	} {
		if got := p.attribute("[data-load]", name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := p.attribute("#nazwa", "value"); got != "Nvidia RTX 5090" {
		t.Errorf("the name to change is %q", got)
	}
	if html, err := p.Find("noscript").Html(); err != nil || !strings.Contains(html, "czekaj=1") {
		t.Errorf("without scripts: %s, %v", html, err)
	}
	if got := p.attribute("main .actions a", "href"); got != "/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+5090" {
		t.Errorf("to be added at %s", got)
	}
	if len(w.prices.asked) > 0 {
		t.Errorf("looked up: %q", w.prices.asked)
	}
}

// requireCard holds a page to all that is known of the part.
func requireCard(t *testing.T, p page) {
	t.Helper()
	p.shows("Karta <RTX 5090>", "Najniższa cena 10 600,00 zł", "Punkty za złotówkę 0,0400", "4,00 za 100 zł",
		"Wszystkie oferty 26", "do 12 999,90 zł", "Sklep Ł na zamówienie ocena sklepu 4,8 / 5", "10 619,99 zł",
		"10 700,50 zł sprawdź w sklepie",
		"Porównywarka nie pokazała wszystkich ofert", "Karta <RTX 5080>, od 4 801,00 zł",
		"Źródło: Porównywarka <P>, pobrano 21 listopada 2026, 13:05.")
	p.counts("[data-load], .spinner", 0)
	if got := p.attribute("tbody tr:nth-child(1) td a", "href"); got != "https://prices.example/Click?e=1&a=2" {
		t.Errorf("the first shop at %s", got)
	}
	if got := p.attribute("tbody tr:nth-child(2) td a", "href"); strings.Contains(got, "javascript") {
		t.Errorf("the second shop at %s", got)
	}
}

func TestPartWithItsOffers(t *testing.T) {
	w := newWorld(t)
	requireCard(t, w.get(t, cardOffers))
	requireCard(t, w.get(t, cardPage+"&czekaj=1"))
	w.prices.kept["nvidia rtx 5090"] = true
	requireCard(t, w.get(t, cardPage))
	requireCard(t, w.get(t, cardPage+"&czekaj=1")) // they are there without a wait
	if n := len(w.prices.asked); n != 2 {
		t.Errorf("%d look-ups", n)
	}
}

// The lowest price and the lowest with delivery are marked on their own; what has to be
// ordered first is neither.
func TestTheCheapestOffersAreMarked(t *testing.T) {
	w := newWorld(t)
	w.prices.findings["zasilacz 750w"] = prices.Finding{ProductName: "Zasilacz", Offers: []prices.Offer{
		{Store: "a", StoreLabel: "Zamawiany", Price: 2500, PriceWithDelivery: 2500, Stock: prices.OnOrder},
		{Store: "b", StoreLabel: "Tani", Price: 2569, PriceWithDelivery: 2587.99, Stock: prices.InStock},
		{Store: "c", StoreLabel: "Z dostawą", Price: 2580.90, PriceWithDelivery: 2580.90},
	}}
	p := w.get(t, "/kreator/oferty?rodzaj=psu&nazwa=zasilacz+750W")
	p.shows("Zamawiany na zamówienie", "Tani najtaniej 2 569,00 zł", "Z dostawą najtaniej z dostawą 2 580,90 zł")
	p.counts(".badge.good", 2)
}

func TestOffersWithoutAnOffer(t *testing.T) {
	w := newWorld(t)
	p := w.get(t, "/kreator/oferty?rodzaj=gpu&nazwa=GT+710+wycofana")
	p.shows("Żaden sklep nie ma teraz tej części w sprzedaży.")
	w.prices.findings["nvidia gt 710"] = prices.Finding{ProductName: "GT 710"} // which has points
	p = w.get(t, "/kreator/oferty?rodzaj=gpu&nazwa=Nvidia+GT+710")
	p.shows("Żaden sklep nie ma teraz tej części w sprzedaży.")
	p = w.get(t, "/kreator/oferty?rodzaj=gpu&nazwa=Nieznana+karta")
	p.shows("Nie znaleziono produktu", "Zobacz wyniki w Porównywarka <P>")
}

// Other products lead to our pages and keep the build. Without a product, one of the
// list may be meant.
func TestSimilarProducts(t *testing.T) {
	w := newWorld(t)
	w.prices.findings["nieznany zasilacz"] = prices.Finding{
		ProductURL: "https://prices.example/;szukaj",
		Alternatives: []prices.Alternative{{ProductName: "Zasilacz nieznany A", PriceLow: 300},
			{ProductName: "Ż", ProductURL: "https://prices.example/9"}},
	}
	w.prices.listed = map[catalog.Category][]prices.Listed{
		"psu": {{Name: "Zasilacz nieznany A", PriceLow: 301}, {Name: "Zasilacz Nieznany B"}, {Name: "Zasilacz C"}},
		"gpu": {{Name: "Nvidia RTX 5090 inna"}},
	}
	found := w.prices.findings["nvidia rtx 5090"]
	found.Alternatives = append(found.Alternatives, prices.Alternative{ProductName: found.ProductName})
	w.prices.findings["nvidia rtx 5090"] = found
	links := func(p page) (hrefs []string) {
		return p.Find("#main section li a, body > ul a, body > details a").
			Map(func(_ int, a *goquery.Selection) string { return a.AttrOr("href", "") })
	}
	const part = "/kreator/czesc?cpu=Ryzen+7&nazwa="
	for target, want := range map[string][]string{
		"/kreator/oferty?rodzaj=psu&nazwa=nieznany+zasilacz&cpu=Ryzen+7": {
			part + "Zasilacz+nieznany+A&rodzaj=psu", "https://prices.example/9",
			part + "Zasilacz+Nieznany+B&rodzaj=psu",
		},
		cardOffers + "&cpu=Ryzen+7": {part + "Karta+%3CRTX+5080%3E&rodzaj=gpu"}, // it was found
		// it is not known yet
		"/kreator/czesc?rodzaj=psu&nazwa=nieznany+zasilacz": nil,
	} {
		if got := links(w.get(t, target)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	w.get(t, "/kreator/czesc?rodzaj=psu&nazwa=nieznany+zasilacz&czekaj=1").
		shows("Czy chodziło o… Zasilacz nieznany A, od 300,00 zł Ż Zasilacz Nieznany B")
	w.get(t, "/kreator/oferty?rodzaj=psu&nazwa=nieznany+zasilacz").counts("li a[rel='noopener noreferrer nofollow']", 1)
	w.prices.err = fetch.Paused(time.Minute)
	if got := links(w.get(t, "/kreator/oferty?rodzaj=psu&nazwa=nieznany+zasilacz")); len(got) > 0 {
		t.Errorf("suggested during a pause: %q", got)
	}
}

// The model stands before the code, which is how shops are asked for a disk.
func TestPartNumberFollowsTheModel(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = []rankings.Row{
		{Type: "SSD", Brand: "WD", Model: "Black SN850X 1TB (2022)", PartNumber: "WDS100T2X0E", Rank: 1},
	}
	p := w.get(t, "/kreator/czesc?rodzaj=storage&nazwa=WD+Black+SN850X+1TB+SSD+WDS100T2X0E")
	if got := p.Find("h1").Text(); got != "WD Black SN850X 1TB (2022) WDS100T2X0E" {
		t.Errorf("heading %q", got)
	}
	p.counts("h1 .muted", 1)
	w.rankings.rows[0].Benchmark = 0.5
	w.prices.kept["wd black sn850x 1tb (2022)"] = true
	w.prices.findings["wd black sn850x 1tb (2022)"] = prices.Finding{
		ProductName: "SN850X", Offers: []prices.Offer{{Price: 500}},
	}
	p = w.get(t, "/kreator/czesc?rodzaj=storage&nazwa=WD+Black+SN850X+1TB+(2022)")
	if got := p.Find("h1").Text(); got != "WD Black SN850X 1TB (2022)" {
		t.Errorf("heading without a code: %q", got)
	}
	p.shows("Punkty 0,5", "Punkty za złotówkę 0,00100 0,100 za 100 zł")
}

func TestSuggestionsOfAPageAreFew(t *testing.T) {
	w := newWorld(t)
	many := slices.Repeat([]prices.Listed{{Name: "Nieznany zasilacz"}}, 20)
	for n := range many {
		many[n].Name += strconv.Itoa(n)
	}
	w.prices.listed = map[catalog.Category][]prices.Listed{"psu": many}
	w.get(t, "/kreator/oferty?rodzaj=psu&nazwa=nieznany+zasilacz").counts("li", 5)
}

func TestOffersOfAPartWithoutPoints(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["zasilacz 750w"] = true
	for _, page := range []string{"oferty", "czesc"} {
		p := w.get(t, "/kreator/"+page+"?rodzaj=psu&nazwa=zasilacz+750W")
		p.shows("Najniższa cena 399,99 zł")
		if got := p.Find("h1").Text(); page == "czesc" && got != "zasilacz 750W" {
			t.Errorf("heading %q", got)
		}
		if strings.Contains(p.Text(), "Punkty za") {
			t.Errorf("points for a złoty of a part without points: %s", p.Text())
		}
	}
}

func TestOffersThatFail(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		err   error
		texts []string
	}{
		{fetch.Paused(9 * time.Minute), []string{"jest chwilowo wstrzymane", "Ponowimy za 9 min."}},
		{fetch.Unreachable(errors.New("dial secret.internal")),
			[]string{"jest chwilowo niedostępne", "Szukaj w porównywarce"}},
		{errors.New("secret.internal"), []string{"Wystąpił nieoczekiwany błąd."}},
	} {
		w.prices.err = test.err
		for _, target := range []string{cardOffers, cardPage + "&czekaj=1", "/kreator/zestaw?gpu=RTX+5090&czekaj=1"} {
			p := w.get(t, target)
			p.shows(test.texts...)
			if p.status != 200 || strings.Contains(p.Text(), "secret") {
				t.Errorf("%s: %d %s", target, p.status, p.Text())
			}
		}
		if line := fmt.Sprintf(`"msg":"offers not shown","error":%q`, test.err.Error()); !strings.Contains(
			w.log.String(), line,
		) {
			t.Errorf("%s is not in the log %s", line, w.log)
		}
	}
}

// Whoever has to wait sees a countdown instead of a button, and the page goes on by itself.
func TestRefusalsAreRetriedByThePage(t *testing.T) {
	w := newWorld(t)
	w.prices.err = fetch.Paused(5500 * time.Millisecond)
	for _, target := range []string{cardOffers, cardPage + "&czekaj=1", "/kreator/zestaw?gpu=RTX+5090&czekaj=1"} {
		p := w.get(t, target)
		if target != cardOffers {
			p.refreshes(`content="6"`)
		}
		p.counts(".alert a, .alert button", 0)
		if strings.HasPrefix(target, buildPath) {
			continue // it shows the advice to try again, too
		}
		p.shows("Sprawdzanie cen jest chwilowo wstrzymane. Ponowimy za 6 s.")
		p.counts(".alert[data-retry='6'] [aria-live=off] [data-left]", 1)
	}
	w.prices.err = fetch.Unreachable(errors.New("away"))
	w.get(t, cardPage+"&czekaj=1").refreshes(`content="60"`)
	w.prices.err = errors.New("our own fault")
	p := w.get(t, cardPage+"&czekaj=1")
	p.counts(".alert a", 1)
	p.counts("noscript, [data-retry]", 0)
}

func TestOnlyWhatExistsIsAdded(t *testing.T) {
	w := newWorld(t)
	for target, want := range map[string]int{
		cardOffers: 1, "/kreator/oferty?rodzaj=psu&nazwa=nieznany+zasilacz": 0,
		"/kreator/czesc?rodzaj=psu&nazwa=nieznany+zasilacz":          1, // nobody has looked yet
		"/kreator/czesc?rodzaj=psu&nazwa=nieznany+zasilacz&czekaj=1": 0,
	} {
		w.get(t, target).counts("a:contains('Dodaj do zestawu')", want)
	}
}

func TestVisitorLeaves(t *testing.T) {
	w := newWorld(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	w.echo.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, cardOffers, nil))
	if w.log.Len() > 0 {
		t.Errorf("logged %s", w.log)
	}
}

func TestPartWithAWrongName(t *testing.T) {
	w := newWorld(t)
	p := w.get(t, "/kreator/czesc?rodzaj=psu&nazwa=ab&gpu=RTX+5090")
	p.shows("Szukaj ofert", "Wpisz co najmniej 3 znaki.")
	for name, want := range map[string]string{"value": "ab", "aria-invalid": "true", "aria-describedby": "problem"} {
		if got := p.attribute("input#nazwa", name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	p.counts("[data-load], section[aria-labelledby=oferty]", 0)
	p.counts("#problem", 1)
}

func TestPartWithoutItsPoints(t *testing.T) {
	w := newWorld(t)
	w.rankings.err = fetch.Unreachable(errors.New("away"))
	p := w.get(t, cardPage)
	p.counts("section[aria-labelledby=ranking]", 0)
	if line := `"msg":"part shown without its points","family":"gpu","error":"`; p.status != 200 ||
		!strings.Contains(w.log.String(), line) {
		t.Errorf("%d, logged %s", p.status, w.log)
	}
	w.rankings.away = "ssd"
	w.get(t, "/kreator/czesc?rodzaj=storage&nazwa=Nvidia+GT+710").shows("Punkty 2,5") // of another ranking
}

func TestQueue(t *testing.T) {
	w := newWorld(t)
	w.places["gpu:nvidia rtx 5090"] = lookup.Place{Number: 3, Wait: 3400 * time.Millisecond}
	w.get(t, "/kreator/kolejka?rodzaj=gpu&nazwa=Nvidia+RTX+5090").shows("Jesteś 3. w kolejce, jeszcze około 4 s.")
	w.get(t, "/kreator/kolejka?rodzaj=psu&nazwa=Nvidia+RTX+5090").shows("Sprawdzamy ceny w porównywarce.")
	if len(w.prices.asked) > 0 {
		t.Errorf("looked up: %q", w.prices.asked)
	}
}

func TestPrecise(t *testing.T) {
	for v, want := range map[float64]string{0.0402: "0,0402", 0.00012345: "0,000123", 1: "1,00", 12.345: "12,3",
		1234: "1234", 0.1: "0,100"} {
		if got := precise(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

const cards = "/kreator/porownaj?rodzina=gpu&cpu=Ryzen+7&czesc=Nvidia+RTX+5090&czesc=nvidia+gt+710"

func TestCompare(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["nvidia rtx 5090"] = true
	p := w.get(t, cards)
	p.shows("Porównanie: Karty graficzne", "Źródło: Ranking <R>, pobrano 21 listopada 2026, 13:05.", "424 najwięcej",
		"10 600,00 zł", "4,00", "sprawdzamy…", "znane: 1 z 2", "Zestaw (1)")
	p.counts("thead th", 2)
	for selector, want := range map[string]string{
		"thead th:nth-child(2) a":           "/kreator/czesc?cpu=Ryzen+7&nazwa=Nvidia+RTX+5090&rodzaj=gpu",
		"tbody td:nth-child(3) a.plain":     "/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+GT+710",
		"tbody tr td:nth-child(3) a.danger": "/kreator/porownaj?cpu=Ryzen+7&czesc=Nvidia+RTX+5090&rodzina=gpu",
		"main > .actions a":                 "/kreator/ranking/gpu?cpu=Ryzen+7",
	} {
		if got := p.attribute(selector, "href"); got != want {
			t.Errorf("%s: %s", selector, got)
		}
	}
	p.counts(".badge.good", 1) // with one price there is no cheapest
	if len(w.prices.asked) > 0 {
		t.Errorf("looked up: %q", w.prices.asked)
	}
}

// Prices that are not known are looked up by the script, or without one by the page itself.
func TestCompareLooksPricesUp(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["nvidia rtx 5090"] = true
	w.prices.underWay.Place.Number = 3
	p := w.get(t, cards)
	load := p.attribute("[data-prices]", "data-prices")
	p.refreshes("0; url=/kreator/porownaj?cpu=Ryzen+7&czekaj=1&czesc=Nvidia+RTX+5090&czesc=nvidia+gt+710&rodzina=gpu")
	p = w.get(t, load)
	p.shows("3. w kolejce", "znane: 1 z 2")
	p.counts("[data-part] [data-pending]", 1)
	w.get(t, cards+"&czekaj=1").refreshes("2; url=")
	w.prices.err = fetch.Paused(9 * time.Minute)
	for _, target := range []string{load, cards + "&czekaj=1"} {
		p = w.get(t, target)
		p.shows("Ponowimy za 9 min.", "nieznana")
		p.counts(".alert", 1) // not one for each part
	}
	p.refreshes(`content="540"`)
	w.prices.err = nil
	w.prices.findings["nvidia gt 710"] = prices.Finding{ProductName: "GT 710"}
	p = w.get(t, cards+"&czekaj=1")
	p.shows("brak w sprzedaży")
	p.counts("noscript, [data-prices], [data-pending]", 0)
}

// The cheapest are marked if every price is known. What has to be ordered first is not the
// cheapest.
func TestCompareMarksTheCheapest(t *testing.T) {
	const ordered, stocked = prices.OnOrder, prices.InStock
	for name, tt := range map[string]struct {
		first, second prices.Finding
		want          string // marked cells of prices and of points for a price
	}{
		"without and with delivery": {
			prices.Finding{Offers: []prices.Offer{{Price: 1000, PriceWithDelivery: 1030}}},
			prices.Finding{Offers: []prices.Offer{{Price: 1010, PriceWithDelivery: 1010}}},
			"cena-1 dostawa-2 wartosc-1",
		},
		"a delivery that is not known": {
			prices.Finding{Offers: []prices.Offer{{Price: 1000}}},
			prices.Finding{Offers: []prices.Offer{{Price: 1010, PriceWithDelivery: 1010}}}, "cena-1 wartosc-1",
		},
		"a delivery of the dearer one that is not known": {
			prices.Finding{Offers: []prices.Offer{{Price: 1000, PriceWithDelivery: 1010}}},
			prices.Finding{Offers: []prices.Offer{{Price: 1010}}}, "cena-1 dostawa-1 wartosc-1",
		},
		"on order": {
			prices.Finding{Offers: []prices.Offer{{Price: 1000, PriceWithDelivery: 1000, Stock: ordered}}},
			prices.Finding{Offers: []prices.Offer{{Price: 1010, PriceWithDelivery: 1020, Stock: stocked}}},
			"cena-2 dostawa-2 wartosc-2",
		},
		"the second on order": {
			prices.Finding{Offers: []prices.Offer{{Price: 1010, PriceWithDelivery: 1020}}},
			prices.Finding{Offers: []prices.Offer{{Price: 1000, PriceWithDelivery: 1000, Stock: ordered}}},
			"cena-1 dostawa-1 wartosc-1",
		},
		"below one złoty": {
			prices.Finding{Offers: []prices.Offer{{Price: 0.5, PriceWithDelivery: 0.9}}},
			prices.Finding{Offers: []prices.Offer{{Price: 0.4, PriceWithDelivery: 0.8}}}, "cena-2 dostawa-2 wartosc-1",
		},
		"cheaper on order than in stock": {
			prices.Finding{
				Offers: []prices.Offer{{Price: 1000, Stock: ordered}, {Price: 1005, PriceWithDelivery: 1006}},
			},
			prices.Finding{Offers: []prices.Offer{{Price: 1010, PriceWithDelivery: 1020}}}, "dostawa-1",
		},
		"the same price on order": {
			prices.Finding{Offers: []prices.Offer{{Price: 1000, Stock: ordered}, {Price: 1005}}},
			prices.Finding{Offers: []prices.Offer{{Price: 1000}}}, "cena-2",
		},
		"a lower price may be hidden": {
			prices.Finding{Offers: []prices.Offer{{Price: 1000, PriceWithDelivery: 1000}}, Partial: true},
			prices.Finding{Offers: []prices.Offer{{Price: 900, PriceWithDelivery: 900}}}, "",
		},
		"a price that is not known": {
			prices.Finding{Offers: []prices.Offer{{Price: 1000, PriceWithDelivery: 1000}}}, prices.Finding{}, "",
		},
	} {
		w := newWorld(t)
		for query, f := range map[string]prices.Finding{"nvidia rtx 5090": tt.first, "nvidia gt 710": tt.second} {
			f.ProductName = "Karta"
			w.prices.findings[query], w.prices.kept[query] = f, true
		}
		marked := w.get(t, cards).
			Find("[data-part^=cena]:has(.good), [data-part^=dostawa]:has(.good), [data-part^=wartosc]:has(.good)")
		cells := marked.Map(func(_ int, cell *goquery.Selection) string { return cell.AttrOr("data-part", "") })
		if got := strings.Join(cells, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A name that without its brackets is too short to be asked for.
func TestCompareWhatCannotBeBought(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = []rankings.Row{{Model: "X (2025)", Rank: 1, Benchmark: 100}}
	p := w.get(t, "/kreator/porownaj?rodzina=gpu&czesc=X+(2025)")
	p.counts("thead th", 1)
	p.counts("tbody a.plain, [data-pending]", 0)
	p.counts("tbody a.danger", 1)
	if strings.Contains(p.Text(), "sprawdzamy") {
		t.Errorf("it waits for a price: %s", p.Text())
	}
	p.counts(".badge", 0) // there is no other one to compare with
	w.rankings.rows = append(w.rankings.rows, rankings.Row{Brand: "Nvidia", Model: "RTX 5090", Rank: 2})
	w.prices.kept["nvidia rtx 5090"] = true
	w.get(t, "/kreator/porownaj?rodzina=gpu&czesc=X+(2025)&czesc=Nvidia+RTX+5090").
		shows("nieznana 10 600,00 zł", "znane: 1 z 2")
	w.get(t, "/kreator/porownaj?rodzina=gpu&czesc=Nvidia+RTX+5090").shows("znane: 1 z 1")
}

// What there is no room for is named, and takes the place of what is left out.
func TestCompareTooMany(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = nil
	query := "rodzina=gpu&czesc=Nieznana+%3Cb%3E&czesc=ab"
	for n := range 20 {
		w.rankings.rows = append(w.rankings.rows, rankings.Row{Brand: "Karta", Model: strconv.Itoa(n), Rank: n + 1})
		query += "&czesc=" + url.QueryEscape("Karta "+strconv.Itoa(n))
	}
	p := w.get(t, "/kreator/porownaj?"+query+"&czesc=+Karta++0")
	p.counts("thead th", maxCompared)
	p.shows("Porównać można najwyżej cztery części.", "Karta 4 (pomiń)", "Karta 10 (pomiń)",
		"Nie zmieściło się jeszcze: 9.", "Tych części nie ma w rankingu: Nieznana <b>")
	if got := p.attribute("thead ~ tbody a.danger", "href"); strings.Contains(got, "Karta+0&") ||
		!strings.Contains(got, "Karta+4&") {
		t.Errorf("without the first: %s", got)
	}
}

func TestCompareNothing(t *testing.T) {
	w := newWorld(t)
	w.get(t, "/kreator/porownaj?rodzina=cpu").shows("Zaznacz w rankingu części")
	for _, path := range []string{"/kreator/porownaj", "/kreator/porownaj/ceny"} {
		if p := w.get(t, path+"?rodzina=toaster&czesc=abc"); p.status != 404 {
			t.Errorf("%s: %d", path, p.status)
		}
	}
	w.rankings.err = fetch.Paused(time.Minute)
	for _, path := range []string{"/kreator/porownaj", "/kreator/porownaj/ceny"} {
		if p := w.get(t, path+"?rodzina=gpu&czesc=Nvidia+RTX+5090"); p.status != 503 {
			t.Errorf("%s without its ranking: %d", path, p.status)
		}
	}
}

// Machines may read whatever begins no look-up of offers.
func TestCrawlersBeginNoLookup(t *testing.T) {
	rules, err := robotstxt.FromString(newWorld(t).get(t, "/robots.txt").Text())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"/": true, "/kreator": true, "/kreator?gpu=RTX+5090": true, "/kreator/ranking/gpu?sortuj=cena": true,
		"/kreator/porownaj?rodzina=gpu&czesc=RTX+5090": true, "/kreator/czesc?rodzaj=psu": true,
		"/kreator/czesc?nazwa=RTX+5090&rodzaj=gpu": true, "/kreator/czesc?nazwa=czekaj%3D1&rodzaj=gpu": true,
		"/kreator/czesc?czekaj=1&nazwa=RTX+5090&rodzaj=gpu":       false,
		"/kreator/czesc?cpu=Ryzen+7&czekaj=1&nazwa=GT&rodzaj=gpu": false,
		"/kreator/czesc?rodzaj=gpu&nazwa=RTX+5090&czekaj=1":       false,
		"/kreator/oferty?rodzaj=gpu&nazwa=RTX+5090":               false,
		"/kreator/zestaw?gpu=RTX+5090&czekaj=1":                   false,
		"/kreator/ceny?gpu=RTX+5090":                              false,
		"/kreator/porownaj/ceny?rodzina=gpu&czesc=RTX+5090":       false,
		"/kreator/porownaj?czekaj=1&rodzina=gpu&czesc=RTX+5090":   false,
		"/kreator/z/1abc":              false,
		"/api/prices/ceneo?q=RTX+5090": false,
	} {
		if got := rules.TestAgent(path, "Googlebot"); got != want {
			t.Errorf("%s: allowed is %v", path, got)
		}
	}
}
