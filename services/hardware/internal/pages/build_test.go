package pages

import (
	"testing"
)

const threeParts = "/kreator/zestaw?gpu=Nvidia+RTX+5090&psu=Zasilacz+750W&case=Nieznana+obudowa"

func TestEmptyBuild(t *testing.T) {
	p := newWorld(t).get(t, "/kreator/zestaw")
	p.shows("Zestaw jest pusty.", "Zacznij od")
	p.counts("a.tile", len(kinds())-1)
	p.counts("[data-sum], noscript", 0)
}

func TestBuildWaitsForPrices(t *testing.T) {
	w := newWorld(t)
	w.prices.kept["zasilacz 750w"] = true
	p := w.get(t, threeParts)
	p.shows("399,99 zł", "Znane ceny: 1 z 3", "Pobieramy cenę…", "Czego jeszcze brakuje", "Zestaw (3)")
	p.counts("tbody tr", 3)
	p.counts("[data-load]", 2)
	p.counts("noscript", 1)
	p.counts("a.tile", 5)
	if got := p.attribute("tbody tr:nth-child(2) a.danger", "href"); got != "/kreator/zestaw?case=Nieznana+obudowa&gpu=Nvidia+RTX+5090" {
		t.Errorf("removed at %s", got)
	}
	if len(w.prices.asked) > 0 {
		t.Errorf("looked up: %q", w.prices.asked)
	}
}

func TestBuildWithPrices(t *testing.T) {
	w := newWorld(t)
	p := w.get(t, threeParts+"&czekaj=1")
	p.shows("10 600,00 zł", "10 999,99 zł", "Znane ceny: 2 z 3", "nie znaleziono")
	p.counts("[data-load], noscript", 0)
	if got := p.attribute("[data-price]", "data-price"); got != "10600" {
		t.Errorf("price for the script: %s", got)
	}
	if n := len(w.prices.asked); n != 3 {
		t.Errorf("%d look-ups", n)
	}
}

func TestMissingKindsLeadToTheirChoice(t *testing.T) {
	p := newWorld(t).get(t, "/kreator/zestaw?cpu=Ryzen+7")
	for name, want := range map[string]string{
		"Karta graficzna": "/kreator/ranking/gpu?cpu=Ryzen+7", "Dysk": "/kreator/ranking/ssd?cpu=Ryzen+7",
		"Obudowa": "/kreator?cpu=Ryzen+7#bez-rankingu",
	} {
		if got := p.attribute(`a.tile:contains("`+name+`")`, "href"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
