package web_test

import (
	"testing"

	"backend.example/deploy/sandbox/fake"
)

const (
	card       = "rodzaj=gpu&nazwa=Nvidia+RTX+4070+SUPER"
	cardPage   = "/kreator/czesc?" + card
	cardOffers = "/kreator/oferty?" + card
)

// A page begins no look-up: a script fetches the offers, and without one the page loads again.
func TestPartWaitsForItsOffers(t *testing.T) {
	a := newApp(t)
	require(t, "a part without offers", open(t, a, cardPage+"&cpu=Ryzen+7"), facts{
		"h1": {"Nvidia RTX 4070 SUPER"}, "#nazwa@value": {"Nvidia RTX 4070 SUPER"},
		"section[aria-labelledby=ranking] dd": {"236", "16", "9762"},
		".waiting strong":                     {"Pobieramy oferty…"},
		"[data-load]@data-load":               {"/kreator/oferty?cpu=Ryzen+7&nazwa=Nvidia+RTX+4070+SUPER&rodzaj=gpu"},
		"[data-load]@data-queue":              {"/kreator/kolejka?nazwa=Nvidia+RTX+4070+SUPER&rodzaj=gpu"},
		"noscript meta@content": {
			"0; url=/kreator/czesc?cpu=Ryzen+7&czekaj=1&nazwa=Nvidia+RTX+4070+SUPER&rodzaj=gpu",
		},
		"main .actions a@href": {"/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+4070+SUPER"},
	})
	if asked := a.Asked(); len(asked) > 0 {
		t.Errorf("requests to the source: %q", asked)
	}
}

// The lowest price and the lowest with delivery are marked on their own; what has to be
// ordered first is neither.
func TestPartWithItsOffers(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{cardOffers, cardPage, cardPage + "&czekaj=1"} {
		page := open(t, a, path)
		require(t, path, page, facts{
			"dl:has(dt:contains('Najniższa')) dd": {"2 569,00 zł", "0,0919 9,19 za 100 zł", "21 do 3 099,90 zł"},
			"tbody tr": {
				"Procesornia najtaniej najtaniej z dostawą ocena sklepu 4,3 / 5 2 569,00 zł 2 569,00 zł Do sklepu: " +
					"Procesornia",
				"Elektrołuk na zamówienie ocena sklepu 4,7 / 5 2 569,00 zł 2 569,00 zł Do sklepu: Elektrołuk",
				"Śląski Bit ocena sklepu 4,8 / 5 2 569,00 zł sprawdź w sklepie Do sklepu: Śląski Bit",
				"NET-S ocena sklepu 4,2 / 5 2 571,00 zł 2 585,00 zł Do sklepu: NET-S",
				"x-kom na zamówienie ocena sklepu 4,7 / 5 2 580,90 zł 2 594,89 zł Do sklepu: x-kom",
			},
			"tbody a@rel": {
				"noopener noreferrer nofollow", "noopener noreferrer nofollow", "noopener noreferrer nofollow",
				"noopener noreferrer nofollow", "noopener noreferrer nofollow",
			},
			"p:contains('Ceneo')":                     {"Źródło: Ceneo, pobrano 21 listopada 2026, 13:00."},
			"a:contains('Dodaj do zestawu')@href":     {"/kreator/zestaw?gpu=Nvidia+RTX+4070+SUPER"},
			"[data-load], .spinner, noscript, .alert": nil,
		})
	}
	if asked := len(a.Asked()); asked != 2 {
		t.Errorf("%d requests to the source, want a search and a page", asked)
	}
}

func TestPartsWithoutPointsOrOffers(t *testing.T) {
	a := newApp(t)
	serveRanking(a, "CPU", ",,Brakwyniku 1000,1,10,1")
	for path, want := range map[string]facts{
		"/kreator/czesc?rodzaj=psu&nazwa=Pure+Power+12+M+750W&czekaj=1": {
			"h1": {"Pure Power 12 M 750W"}, "dt": {"Najniższa cena", "Wszystkie oferty"},
			"a:contains('Dodaj do zestawu')": {"Dodaj do zestawu"},
		},
		// The model stands before the code, which is how shops are asked for a drive.
		"/kreator/czesc?rodzaj=storage&nazwa=Crucial+T705+NVMe+PCIe+5.0+M.2+4TB+SSD+CT4TBT705SSD3": {
			"h1":        {"Crucial T705 NVMe PCIe 5.0 M.2 4TB CT4TBT705SSD3"},
			"h1 .muted": {"CT4TBT705SSD3"},
		},
		// What neither a shop nor a ranking has is not added.
		"/kreator/oferty?rodzaj=psu&nazwa=brakwyniku+zasilacz": {
			".alert p": {
				"Nie znaleziono produktu pasującego do zapytania. Spróbuj podać dokładniejszą nazwę, na przykład " +
					"markę i model.",
				"Zobacz wyniki w Ceneo",
			},
			"a:contains('Dodaj do zestawu')": nil,
		},
		"/kreator/oferty?rodzaj=cpu&nazwa=Brakwyniku+1000": {
			".alert p:last-child": {"Zobacz wyniki w Ceneo"}, "a:contains('Dodaj do zestawu')": {"Dodaj do zestawu"},
		},
		"/kreator/czesc?rodzaj=psu&nazwa=ab&gpu=RTX+5090": {
			"h1": {"Szukaj ofert"}, "#problem": {"Wpisz co najmniej 3 znaki."},
			"#nazwa@value": {"ab"}, "#nazwa@aria-invalid": {"true"}, "#nazwa@aria-describedby": {"problem"},
			"[data-load], section[aria-labelledby=oferty]": nil,
		},
	} {
		require(t, path, open(t, a, path), want)
	}
}

// Other products lead to our pages and keep the build. Without a product, some of the list
// may be meant.
func TestSimilarProducts(t *testing.T) {
	a := withLists(t)
	const part = "/kreator/czesc?cpu=Ryzen+7&nazwa="
	for query, want := range map[string]facts{
		"rodzaj=gpu&nazwa=RTX+5060+Ti+8GB": {
			"summary": {"Inne znalezione produkty"},
			"li":      {"ASUS GeForce RTX 5060 Ti TUF Gaming OC 8GB (TUF-RTX5060TI-8G-OC), od 1 878,49 zł"},
			"li a@href": {
				part + "ASUS+GeForce+RTX+5060+Ti+TUF+Gaming+OC+8GB+%28TUF-RTX5060TI-8G-OC%29&rodzaj=gpu",
			},
		},
		"rodzaj=case&nazwa=Corsair+3500": {
			"h3": {"Czy chodziło o…"}, "li a@href": {part + "Corsair+3500X+Black+%28C3B-03534%29&rodzaj=case"},
		},
		"rodzaj=cooling&nazwa=ght": { // which the search does not find, but the list has
			"h3": {"Czy chodziło o…"}, "li:nth-child(5)": nil, "li:nth-child(6)": nil,
		},
	} {
		path := "/kreator/oferty?cpu=Ryzen+7&" + query
		require(t, path, open(t, a, path), want)
	}
	waiting := "/kreator/czesc?rodzaj=case&nazwa=Corsair+4000"
	require(t, waiting, open(t, a, waiting), facts{"h3, summary": nil}) // it is not known yet
}

func TestOffersThatFail(t *testing.T) {
	const soon, build = "Ponowimy za 60 s.", "/kreator/zestaw?gpu=Nvidia+RTX+4070+SUPER&czekaj=1"
	paused := []string{"Sprawdzanie cen jest chwilowo wstrzymane.", "Ponowimy za 10 min."}
	for name, test := range map[string]struct {
		fault fake.Fault
		want  []string
		retry []string // of the page, in seconds
	}{
		"down": {
			fake.Fault{Kind: "status", Status: 500},
			[]string{"Źródło danych jest chwilowo niedostępne.", soon}, []string{"60"},
		},
		"garbage": {fake.Fault{Kind: "garbage"}, []string{"Nie udało się odczytać cen.", soon}, []string{"60"}},
		"paused":  {fake.Fault{Kind: "captcha"}, paused, []string{"600"}},
		"refused": {
			fake.Fault{Kind: "status", Status: 200, Match: "/robots.txt", Body: "User-agent: *\nDisallow: /"},
			[]string{"Źródło danych nie pozwala na takie zapytanie.", "Spróbuj ponownie"}, nil,
		},
	} {
		a := newApp(t)
		a.Ceneo.SetFault(test.fault)
		a.Get(cardOffers) // the source refuses once, and is paused then
		for _, path := range []string{cardOffers, cardPage + "&czekaj=1", build} {
			page := open(t, a, path)
			if path == cardOffers {
				require(t, name+" "+path, page, facts{"[data-retry]@data-retry": test.retry})
			} else {
				require(t, name+" "+path, page, facts{"noscript meta@content": test.retry})
			}
			require(t, name+" "+path, page, facts{
				".alert p": test.want, "a:contains('Szukaj w porównywarce')": {"Szukaj w porównywarce"},
			})
		}
	}
}

// The request for robots.txt takes the first slot.
func TestPlaceInTheQueue(t *testing.T) {
	a := newApp(t, "HARDWARE_PRICE_INTERVAL=10m")
	const place = "Jesteś 1. w kolejce, jeszcze około 10 min."
	require(t, "a build", open(t, a, "/kreator/zestaw?gpu=RTX+4070&czekaj=1"), facts{
		".waiting p": {"Pobieramy cenę…", place}, "progress@value": {"0"},
		"noscript meta@content": {"2; url=/kreator/zestaw?czekaj=1&gpu=RTX+4070"},
	})
	for query, want := range map[string]string{
		"rodzaj=gpu&nazwa=RTX+4070": place, "rodzaj=psu&nazwa=RTX+4070": "Sprawdzamy ceny w porównywarce.",
	} {
		require(t, query, open(t, a, "/kreator/kolejka?"+query), facts{"body": {want}})
	}
	compared := "rodzina=gpu&czesc=Nvidia+RTX+4070"
	require(t, "a comparison", open(t, a, "/kreator/porownaj/ceny?"+compared), facts{
		"[data-part=cena-1]": {"2. w kolejce"}, "progress@value": {"0"},
	})
	require(t, "a comparison", open(t, a, "/kreator/porownaj?czekaj=1&"+compared), facts{
		"noscript meta@content": {"2; url=/kreator/porownaj?czekaj=1&czesc=Nvidia+RTX+4070&rodzina=gpu"},
	})
}
