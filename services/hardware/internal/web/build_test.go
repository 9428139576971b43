package web

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

const threeParts = "/kreator/zestaw?gpu=Nvidia+RTX+5090&psu=Zasilacz+750W&case=Nieznana+obudowa"

func TestEmptyBuild(t *testing.T) {
	p := newWorld(t).get(t, "/kreator/zestaw")
	p.shows("Zestaw jest pusty.", "Zacznij od")
	p.counts("a.tile", len(kinds())-1)
	p.counts("[data-sum], noscript, [data-prices]", 0)
}

func TestBuildShowsWhatIsKnown(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["zasilacz 750w"] = true
	p := w.get(t, threeParts)
	p.shows("399,99 zł", "Znane ceny: 1 z 3 – suma jest niepełna", "Pobieramy cenę…", "Czego jeszcze brakuje",
		"Zestaw (3)")
	p.counts("tbody tr", 3)
	p.counts(".waiting", 2)
	p.counts("noscript", 1)
	p.counts("a.tile", 5)
	for selector, want := range map[string][2]string{
		"progress": {"value", "1"},
		"[data-prices]": {
			"data-prices", "/kreator/ceny?case=Nieznana+obudowa&gpu=Nvidia+RTX+5090&psu=Zasilacz+750W",
		},
		"tbody tr:nth-child(2) a.danger": {"href", "/kreator/zestaw?case=Nieznana+obudowa&gpu=Nvidia+RTX+5090"},
	} {
		if got := p.attribute(selector, want[0]); got != want[1] {
			t.Errorf("%s is %s", selector, got)
		}
	}
	p.refreshes("0; url=/kreator/zestaw?case=Nieznana+obudowa&czekaj=1&gpu=Nvidia+RTX+5090&psu=Zasilacz+750W")
	if len(w.prices.asked) > 0 {
		t.Errorf("looked up: %q", w.prices.asked)
	}
}

// Without scripts the page loads again, and goes on with what is on its way.
func TestBuildShowsProgress(t *testing.T) {
	w := newWorld(t)
	w.prices.underWay = prices.Quote{
		Place: lookup.Place{Number: 4, Wait: 3400 * time.Millisecond},
		Found: &prices.Price{
			Finding: prices.Finding{ProductName: "Obudowa ATX", ProductURL: "https://prices.example/4", PriceLow: 250},
		},
	}
	p := w.get(t, threeParts+"&czekaj=1")
	p.shows("10 600,00 zł", "10 999,99 zł", "Znane ceny: 2 z 3 – suma jest niepełna", "Obudowa ATX, od 250,00 zł",
		"Jesteś 4. w kolejce, jeszcze około 4 s.")
	p.counts(".waiting", 1)
	p.refreshes("2; url=/kreator/zestaw?case=Nieznana+obudowa&czekaj=1&gpu=Nvidia+RTX+5090&psu=Zasilacz+750W")
	if n := len(w.prices.asked); n != 3 {
		t.Errorf("%d look-ups", n)
	}
}

func TestBuildWithItsPrices(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["nieznana obudowa"] = true
	p := w.get(t, threeParts+"&czekaj=1")
	p.shows("10 999,99 zł", "Znane ceny: 2 z 3 – suma jest niepełna", "nie znaleziono")
	p.counts("[data-prices], noscript, progress", 0)
	if got := p.attribute("[data-price]", "data-price"); got != "10600" {
		t.Errorf("price for the script: %s", got)
	}
	p = w.get(t, "/kreator/zestaw?gpu=Nvidia+RTX+5090&czekaj=1")
	if got := strings.TrimSpace(p.Find("[role=status]:has([data-known])").Text()); got != "Znane ceny: 1 z 1" {
		t.Errorf("with every price: %q", got)
	}
	w.get(t, "/kreator/zestaw?gpu=GT+710+wycofana&czekaj=1").shows("brak w sprzedaży")
}

// The page loads again when the first of its parts may be looked up again.
func TestBuildIsRetriedWithItsFirstPart(t *testing.T) {
	var v buildView
	for _, err := range []error{fetch.Paused(7 * time.Minute), nil, fetch.Unreachable(nil),
		fetch.Paused(5 * time.Minute), fetch.Paused(9 * time.Minute), fetch.Unreachable(nil)} {
		v.Items = append(v.Items, buildItem{Quote: prices.Quote{Fault: fault.From(err)}})
	}
	if got := v.Retry(); got != 5*time.Minute {
		t.Errorf("after %v, want 5 min", got)
	}
}

func TestBuildSaysWhatFits(t *testing.T) {
	w := newWorld(t)
	w.prices.findings["b760m-r"] = prices.Finding{ProductName: "ASUS PRIME B760M-R D4"}
	w.prices.kept["b760m-r"] = true
	for address, want := range map[string][]string{
		"cpu=Core+i9-14900K&motherboard=MSI+MAG+B650+Tomahawk": {
			"Nie pasują do siebie: Core i9-14900K (LGA1700, DDR4/DDR5) i MSI MAG B650 Tomahawk (AM5, DDR5).",
		},
		"cpu=Core+i9-14900K&motherboard=B760M-R&ram=Fury+DDR5+32GB": { // by the product found
			"pasują Core i9-14900K (LGA1700, DDR4/DDR5) i B760M-R (LGA1700, DDR4).",
			"pasują Core i9-14900K (LGA1700, DDR4/DDR5) i Fury DDR5 32GB (DDR5).",
			"Nie pasują do siebie: B760M-R (LGA1700, DDR4) i Fury DDR5 32GB (DDR5).",
		},
		"cpu=Core+i9-14900K&motherboard=Nowa+p%C5%82yta": {
			"nie wiemy Core i9-14900K (LGA1700, DDR4/DDR5) i Nowa płyta. Sprawdź na stronie producenta płyty.",
		},
	} {
		p := w.get(t, "/kreator/zestaw?"+address)
		p.shows(want...)
		p.counts("[data-part=zgodnosc] > *", len(want))
	}
	w.get(t, "/kreator/zestaw?cpu=Core+i9-14900K&usb=Pendrive+64GB").counts("[data-part=zgodnosc] > *", 0)
}

// The script of the page finds in this fragment what is on the page under the same name.
func TestBuildPrices(t *testing.T) {
	w := newWorld(t)
	whole := w.get(t, threeParts+"&czekaj=1")
	p := w.get(t, strings.Replace(threeParts, "zestaw", "ceny", 1))
	p.counts("html h1, section", 0)
	p.counts("[data-part]", 5)
	p.counts("[data-pending]", 1)
	p.Find("[data-part]").Each(func(_ int, part *goquery.Selection) {
		shown := whole.Find(`[data-part="` + part.AttrOr("data-part", "") + `"]`)
		if shown.Length() != 1 || shown.Text() != part.Text() {
			t.Errorf("%q, on the page %q", part.Text(), shown.Text())
		}
	})
}

func TestMissingKindsLeadToTheirChoice(t *testing.T) {
	p := newWorld(t).get(t, "/kreator/zestaw?cpu=Ryzen+7")
	for name, want := range map[string]string{
		"Karta graficzna": "/kreator/lista/gpu?cpu=Ryzen+7", "Obudowa": "/kreator/lista/case?cpu=Ryzen+7",
	} {
		if got := p.attribute(`a.tile:contains("`+name+`")`, "href"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestBuildWithTooManyParts(t *testing.T) {
	w := newWorld(t)
	query := ""
	for n := range 30 {
		query += "&ram=Kit+" + strconv.Itoa(n)
	}
	p := w.get(t, "/kreator/zestaw?tytul=%3Cb%3E"+query+"&czekaj=1")
	p.counts("section[aria-labelledby=czesci] tbody tr", 20)
	p.shows("<b>", "Zestaw może mieć najwyżej 20 części. Pominięto dalsze: 10.", "Zestaw (20)")
	if n := len(w.prices.asked); n != 20 {
		t.Errorf("%d look-ups", n)
	}
}

func TestBuildTellsWhereToBuy(t *testing.T) {
	w := newWorld(t)
	offer := func(store string, price, delivered float64) prices.Offer {
		return prices.Offer{Store: store, StoreLabel: store, Price: price, PriceWithDelivery: delivered,
			URL: "https://prices.example/" + store}
	}
	for name, offers := range map[string][]prices.Offer{
		"karta":    {offer("Tani", 1000, 1010), offer("Duży", 1100, 1120), offer("Mały", 1200, 1200)},
		"zasilacz": {offer("Duży", 300, 315), offer("Tani", 400, 0)},
	} {
		w.prices.findings[name] = prices.Finding{ProductName: name, Offers: offers}
		w.prices.kept[name] = true
	}
	p := w.get(t, "/kreator/zestaw?gpu=karta&psu=zasilacz&case=nieznana")
	p.shows("na razie 1 300,00 zł", "Znane części najtaniej, 2 sklepy 2 z 3 części 1 300,00 zł 1 325,00 zł z dostawą",
		"Tylko Duży 2 z 3 części 1 400,00 zł 1 420,00 zł z dostawą",
		"Tylko Tani 2 z 3 części 1 400,00 zł od 1 410,00 zł z dostawą")
	for selector, want := range map[string]string{"[data-part='1'] a": "https://prices.example/Tani",
		"[data-part='2'] a": "https://prices.example/Duży"} {
		if got, err := url.PathUnescape(p.attribute(selector, "href")); err != nil || got != want {
			t.Errorf("%s leads to %s", selector, got)
		}
	}
	if strings.Contains(p.Text(), "Mały") {
		t.Error("a shop with one part is shown next to the split")
	}
	w.get(t, "/kreator/zestaw?gpu=karta&psu=zasilacz").shows("Każda część najtaniej, 2 sklepy 1 300,00 zł")
	for name, f := range w.prices.findings {
		for i := range f.Offers {
			f.Offers[i].PriceWithDelivery = 0
		}
		w.prices.findings[name] = f
	}
	w.get(t, "/kreator/zestaw?gpu=karta&psu=zasilacz").
		shows("Każda część najtaniej, 2 sklepy 1 300,00 zł dostawa nieznana")
	var shops []prices.Offer
	for _, shop := range []string{"A", "B", "C", "D"} {
		shops = append(shops, offer(shop, 100, 100)) // free of charge
	}
	for name := range w.prices.findings {
		w.prices.findings[name] = prices.Finding{ProductName: name, Offers: shops}
	}
	p = w.get(t, "/kreator/zestaw?gpu=karta&psu=zasilacz")
	p.shows("1 sklep 200,00 zł 200,00 zł z dostawą Tylko A")
	p.counts("[data-part=suma] dt", 4) // the split, and three shops
	p = w.get(t, "/kreator/zestaw?gpu=karta")
	p.counts("[data-part=suma] dl", 0)
	p = w.get(t, "/kreator/zestaw?case=nieznana")
	p.counts("[data-sum]", 0)
	if strings.Contains(p.Text(), "0,00") {
		t.Errorf("a sum of nothing: %s", p.Text())
	}
}

func TestBudgetOfABuild(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["nvidia rtx 5090"], w.prices.kept["zasilacz 750w"] = true, true
	for query, want := range map[string]string{
		"limit=11500&gpu=Nvidia+RTX+5090&psu=Zasilacz+750W":              "zostaje 500,01 zł.",
		"limit=11500&gpu=Nvidia+RTX+5090&psu=Zasilacz+750W&cpu=nieznany": "zostaje najwyżej 500,01 zł.",
		"limit=9000&gpu=Nvidia+RTX+5090":                                 "1 600,00 zł ponad budżet",
	} {
		w.get(t, "/kreator/zestaw?"+query).shows(want)
	}
}
