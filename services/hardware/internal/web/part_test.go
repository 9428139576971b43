package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
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
		"data-load":  "/kreator/oferty?nazwa=Nvidia+RTX+5090&rodzaj=gpu",
		"data-queue": "/kreator/kolejka?nazwa=Nvidia+RTX+5090&rodzaj=gpu",
	} {
		if got := p.attribute("[data-load]", name); got != want {
			t.Errorf("%s: %s", name, got)
		}
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
		"Wszystkie oferty 26", "do 12 999,90 zł", "Sklep Ł na zamówienie ocena sklepu 4,8 / 5", "10 619,99 zł", "10 700,50 zł sprawdź w sklepie",
		"Porównywarka nie pokazała wszystkich ofert", "Karta <RTX 5080>, od 4 801,00 zł", "Źródło: prices.example, pobrano 21 listopada 2026, 13:05.")
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
	p = w.get(t, "/kreator/oferty?rodzaj=gpu&nazwa=Nieznana+karta")
	p.shows("Nie znaleziono produktu", "Zobacz wyniki w prices.example")
}

func TestOffersOfAPartWithoutPoints(t *testing.T) {
	p := newWorld(t).get(t, "/kreator/oferty?rodzaj=psu&nazwa=zasilacz+750W")
	p.shows("Najniższa cena 399,99 zł")
	if strings.Contains(p.Text(), "Punkty za") {
		t.Errorf("points for a złoty of a part without points: %s", p.Text())
	}
}

func TestOffersThatFail(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		err   error
		texts []string
	}{
		{lookup.Paused(9 * time.Minute), []string{"jest chwilowo wstrzymane", "Ponowimy za 9 min."}},
		{lookup.Unreachable(errors.New("dial secret.internal")), []string{"jest chwilowo niedostępne", "Spróbuj ponownie"}},
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
		if !strings.Contains(w.log.String(), fault.From(test.err).Code) {
			t.Errorf("%v is not in the log %s", test.err, w.log)
		}
	}
}

// Whoever has to wait sees a countdown instead of a button, and the page goes on by itself.
func TestRefusalsAreRetriedByThePage(t *testing.T) {
	w := newWorld(t)
	w.prices.err = lookup.Paused(5500 * time.Millisecond)
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
	w.prices.err = lookup.Unreachable(errors.New("away"))
	p := w.get(t, cardPage+"&czekaj=1")
	p.counts(".alert a", 1)
	p.counts("noscript, [data-retry]", 0)
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

// A kind without a ranking is chosen by name: nothing is wrong before one is sent.
func TestPartToBeChosen(t *testing.T) {
	p := newWorld(t).get(t, "/kreator/czesc?rodzaj=psu&gpu=RTX+5090&tytul=Do+gier")
	if got := p.Find("h1").Text(); got != "Zasilacz" {
		t.Errorf("heading %q", got)
	}
	p.counts("#problem, [aria-invalid], [data-load], noscript", 0)
	for name, want := range map[string]string{"rodzaj": "psu", "gpu": "RTX 5090", "tytul": "Do gier"} {
		if got := p.attribute("form input[name="+name+"]", "value"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestPartWithoutItsPoints(t *testing.T) {
	w := newWorld(t)
	w.rankings.err = lookup.Unreachable(errors.New("away"))
	p := w.get(t, cardPage)
	p.counts("section[aria-labelledby=ranking]", 0)
	if p.status != 200 || !strings.Contains(w.log.String(), "without its points") {
		t.Errorf("%d, logged %s", p.status, w.log)
	}
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
	for v, want := range map[float64]string{0.0402: "0,0402", 0.00012345: "0,000123", 1: "1,00", 12.345: "12,3", 1234: "1234", 0.1: "0,100"} {
		if got := precise(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
