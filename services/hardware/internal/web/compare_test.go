package web

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/rankings"
)

const cards = "/kreator/porownaj?rodzina=gpu&cpu=Ryzen+7&czesc=Nvidia+RTX+5090&czesc=nvidia+gt+710"

func TestCompare(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["nvidia rtx 5090"] = true
	p := w.get(t, cards)
	p.shows("Porównanie: Karty graficzne", "424 najwięcej", "10 600,00 zł", "4,00", "sprawdź cenę: Nvidia GT 710", "(1 z 2)", "Zestaw (1)")
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
	p.counts(".badge", 1) // with one price there is no cheapest
	w.prices.kept["nvidia gt 710"] = true
	w.prices.findings["nvidia gt 710"] = w.prices.findings["zasilacz 750w"]
	p = w.get(t, cards)
	p.shows("399,99 zł najtaniej", "4,00 najlepiej", "(2 z 2)")
	p.counts(".badge", 3)
	if len(w.prices.asked) > 0 {
		t.Errorf("looked up: %q", w.prices.asked)
	}
}

// A name that without its brackets is too short to be asked for.
func TestCompareWhatCannotBeBought(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = []rankings.Row{{Model: "X (2025)", Rank: 1, Benchmark: 100}}
	p := w.get(t, "/kreator/porownaj?rodzina=gpu&czesc=X+(2025)")
	p.counts("thead th", 1)
	p.counts("tbody a.plain", 0)
	p.counts("tbody a.danger", 1)
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
	p.shows("Porównać można najwyżej cztery części.", "Karta 4 (pomiń)", "Karta 10 (pomiń)", "Nie zmieściło się jeszcze: 9.", "Tych części nie ma w rankingu: Nieznana <b>")
	if got := p.attribute("thead ~ tbody a.danger", "href"); strings.Contains(got, "Karta+0&") || !strings.Contains(got, "Karta+4&") {
		t.Errorf("without the first: %s", got)
	}
}

func TestCompareNothing(t *testing.T) {
	w := newWorld(t)
	w.get(t, "/kreator/porownaj?rodzina=cpu").shows("Zaznacz w rankingu części")
	if p := w.get(t, "/kreator/porownaj?rodzina=toaster&czesc=abc"); p.status != 404 {
		t.Errorf("%d", p.status)
	}
}
