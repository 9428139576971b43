package web_test

import (
	"strconv"
	"testing"
)

const threeParts = "?cpu=AMD+Ryzen+7+7800X3D&gpu=Nvidia+RTX+4070+SUPER&case=brakwyniku+9"

func TestEmptyBuild(t *testing.T) {
	require(t, "an empty build", open(t, newApp(t), "/kreator/zestaw?tytul=Do+gier"), facts{
		"h1": {"Do gier"}, "#brakuje": {"Zacznij od"}, "header nav a": {"Podzespoły", "Zestaw", "Katalog firm"},
		"main .actions a@href": {"/kreator?tytul=Do+gier"},
		"a.tile strong": {
			"Procesor", "Karta graficzna", "Płyta główna", "Pamięć RAM", "Dysk", "Zasilacz", "Chłodzenie", "Obudowa",
		},
		"[data-sum], noscript, [data-prices]": nil,
		"[name=description]@content": {
			"Do gier: podzespoły komputerowe z ocenami i aktualnymi cenami w polskich sklepach.",
		},
		"[property='og:title']@content": {"Do gier"}, "[rel=canonical]@href": {"/kreator/zestaw?tytul=Do+gier"},
	})
}

// A build looks no price up: a script does so, and without one the page loads again.
func TestBuildShowsWhatIsKnown(t *testing.T) {
	a := newApp(t)
	open(t, a, cardOffers)
	a.Ceneo.ClearRequests()
	require(t, "one price known", open(t, a, "/kreator/zestaw"+threeParts+"&limit=4000"), facts{
		"tbody tr td:nth-child(2)": {
			"Pobieramy cenę…",
			"2 569,00 zł Procesornia: do sklepu Gainward GeForce RTX 4070 SUPER Ghost 12GB (GW-RTX4070S-12G-GH), " +
				"pobrano 21 listopada 2026, 13:00", "Pobieramy cenę…",
		},
		"[data-part=suma] p": {
			"na razie 2 569,00 zł", "Znane ceny: 1 z 3 – suma jest niepełna",
			"Z budżetu 4 000,00 zł zostaje najwyżej 1 431,00 zł.", "1 z 3",
		},
		"progress@value": {"1"}, "#brakuje": {"Czego jeszcze brakuje"},
		"[data-price]@data-price": {"2569"}, "#limit@value": {"4000"},
		"a.tile@href": {
			"/kreator/lista/motherboard" + kept, "/kreator/lista/ram" + kept, "/kreator/lista/storage" + kept,
			"/kreator/lista/psu" + kept, "/kreator/lista/cooling" + kept,
		},
		"[data-prices]@data-prices": {"/kreator/ceny" + kept},
		"tr:nth-child(2) a.danger@href": {
			"/kreator/zestaw?case=brakwyniku+9&cpu=AMD+Ryzen+7+7800X3D&limit=4000",
		},
		"noscript meta@content": {"0; url=/kreator/zestaw?case=brakwyniku+9&cpu=AMD+Ryzen+7+7800X3D&czekaj=1&" +
			"gpu=Nvidia+RTX+4070+SUPER&limit=4000"},
	})
	if asked := a.Asked(); len(asked) > 0 {
		t.Errorf("requests to the source: %q", asked)
	}
}

const kept = "?case=brakwyniku+9&cpu=AMD+Ryzen+7+7800X3D&gpu=Nvidia+RTX+4070+SUPER&limit=4000"

func TestBuildWithItsPrices(t *testing.T) {
	a := newApp(t)
	open(t, a, "/kreator/zestaw"+threeParts+"&czekaj=1")
	fragment := open(t, a, "/kreator/ceny"+threeParts+"&limit=4000")
	page := open(t, a, "/kreator/zestaw"+threeParts+"&czekaj=1&limit=4000")
	require(t, "two prices of three", page, facts{
		"#czesci ~ p": {
			"Nie sprawdzamy długości karty, wysokości chłodzenia, miejsca na chłodnicę ani wtyczek zasilacza.",
		},
		".badge.warning": {"nie znaleziono"}, "progress, noscript, [data-prices]": nil,
		"[data-part=suma] > p": {
			"na razie 4 167,49 zł", "Znane ceny: 2 z 3 – suma jest niepełna", "167,49 zł ponad budżet",
			"Po pięć najtańszych ofert każdej części; dostawa to jedna przesyłka z każdego sklepu.",
		},
		"[data-part=suma] dt": {
			"Znane części najtaniej, 2 sklepy 2 z 3 części", "Tanio z dostawą, o ile ją znamy, 2 sklepy 2 z 3 części",
			"Tylko x-kom 2 z 3 części", "Tylko Procesornia 2 z 3 części",
		},
		"[data-part=suma] dd": {
			"4 167,49 zł dostawa nieznana", "4 187,99 zł 4 187,99 zł z dostawą", "4 179,39 zł od 4 193,38 zł z dostawą",
			"4 193,00 zł 4 208,00 zł z dostawą",
		},
	})
	require(t, "the fragment", fragment, facts{"[data-part]@data-part": {"zgodnosc", "1", "2", "3", "suma"}})
	for _, part := range texts(fragment, "[data-part]@data-part") { // by which the script finds its place
		selector := `[data-part="` + part + `"]`
		require(t, part, page, facts{selector: texts(fragment, selector)})
	}
	all := "/kreator/zestaw?gpu=Nvidia+RTX+4070+SUPER&limit=3000"
	require(t, all, open(t, a, all), facts{"[data-part=suma] > p": {
		"2 569,00 zł", "Znane ceny: 1 z 1", "Z budżetu 3 000,00 zł zostaje 431,00 zł.",
	}})
}

// Warnings come first. What a product is called decides as well.
func TestBuildSaysWhatFits(t *testing.T) {
	a := newApp(t)
	open(t, a, "/kreator/oferty?rodzaj=ram&nazwa=KIFU556C36K2-32")
	for query, want := range map[string][]string{
		"cpu=Core+i9-14900K&motherboard=MSI+MAG+B650+Tomahawk": {
			"Nie pasują do siebie: Core i9-14900K (LGA1700, DDR4/DDR5) i MSI MAG B650 Tomahawk (AM5, DDR5).",
		},
		"cpu=Core+i9-14900K&motherboard=B760M-R+D4&ram=Fury+DDR5+32GB": {
			"Nie pasują do siebie: B760M-R D4 (LGA1700, DDR4) i Fury DDR5 32GB (DDR5).",
			"pasują Core i9-14900K (LGA1700, DDR4/DDR5) i B760M-R D4 (LGA1700, DDR4).",
			"pasują Core i9-14900K (LGA1700, DDR4/DDR5) i Fury DDR5 32GB (DDR5).",
		},
		"cpu=Core+i9-14900K&motherboard=Nowa+p%C5%82yta": {
			"nie wiemy Core i9-14900K (LGA1700, DDR4/DDR5) i Nowa płyta. Sprawdź na stronie producenta płyty.",
		},
		"cpu=Ryzen+5+5600&ram=KIFU556C36K2-32": { // DDR5 by the name of the product
			"Nie pasują do siebie: Ryzen 5 5600 (AM4, DDR4) i KIFU556C36K2-32 (DDR5).",
		},
		"cpu=Core+i9-14900K&usb=Pendrive+64GB": nil,
	} {
		require(t, query, open(t, a, "/kreator/zestaw?"+query), facts{"[data-part=zgodnosc] > *": want})
	}
}

func TestBuildWithTooManyParts(t *testing.T) {
	query := "?tytul=%3Cb%3E"
	for n := range 30 {
		query += "&ram=Kit+" + strconv.Itoa(n)
	}
	page := open(t, newApp(t), "/kreator/zestaw"+query)
	require(t, "30 parts", page, facts{
		"h1": {"<b>"}, ".alert.warning": {"Zestaw może mieć najwyżej 20 części. Pominięto dalsze: 10."},
		"tr:nth-child(20) th a": {"Kit 19"}, "tr:nth-child(21)": nil,
	})
}
