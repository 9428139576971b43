package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/internal/kit/testkit"
)

// The pages of one graphics card.
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
	wantNoRequests(t, a)
}

func TestPartShowsItsOffers(t *testing.T) {
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
			"tbody a@rel":                             slices.Repeat([]string{"noopener noreferrer nofollow"}, 5),
			"p:contains('Ceneo')":                     {"Źródło: Ceneo, pobrano 21 listopada 2026, 13:00."},
			"a:contains('Dodaj do zestawu')@href":     {"/kreator/zestaw?gpu=Nvidia+RTX+4070+SUPER"},
			"[data-load], .spinner, noscript, .alert": nil,
		})
	}
	if asked := a.Asked(); len(asked) != 2 {
		t.Errorf("requests to the source %q, want a search and a page", asked)
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

func TestPartLinksToSimilarProducts(t *testing.T) {
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

func TestFailedOffersSayWhyAndWhenTheyAreRetried(t *testing.T) {
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
			retry := "noscript meta@content"
			if path == cardOffers {
				retry = "[data-retry]@data-retry" // for the script
			}
			require(t, name+" "+path, open(t, a, path), facts{
				retry: test.retry, ".alert p": test.want,
				"a:contains('Szukaj w porównywarce')": {"Szukaj w porównywarce"},
			})
		}
	}
}

// The request for robots.txt takes the first slot.
func TestWaitingPagesShowTheirPlaceInTheQueue(t *testing.T) {
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
	require(t, "the prices of a comparison", open(t, a, "/kreator/porownaj/ceny?"+compared), facts{
		"[data-part=cena-1]": {"2. w kolejce"}, "progress@value": {"0"},
	})
	require(t, "a comparison", open(t, a, "/kreator/porownaj?czekaj=1&"+compared), facts{
		"noscript meta@content": {"2; url=/kreator/porownaj?czekaj=1&czesc=Nvidia+RTX+4070&rodzina=gpu"},
	})
}

// withSmallRanking serves a ranking of three graphics chips with variants.
func withSmallRanking(t *testing.T) *apptest.App {
	t.Helper()
	a := newApp(t)
	serveRanking(a, "GPU",
		",Nvidia,RTX 5090 1.5TB,1,200,84129", "V-1,MSI,MSI RTX 5090 Ventus,1,200,84129",
		"V-2,MSI,MSI RTX 5090 Ventus,1,200,84129", ",AMD,RX 9070 (2025) 12GB,2,0.5,1", ",,Nieznana 5080 1GB,2,0.5,1",
		"A-3,Nvidia,GT 710 1GB,3,0,0",
	)
	return a
}

func TestRankingGroupsVariantsOfAModel(t *testing.T) {
	a := withSmallRanking(t)
	require(t, "the ranking", open(t, a, "/kreator/ranking/gpu?cpu=Ryzen+7"), facts{
		"h1": {"Karty graficzne – ranking"},
		"#tabela ~ table caption": {"Pokazano 3 z 3. Punkty to procent wydajności " +
			"części wzorcowej. Znane ceny: 0 z 3; pozostałe sprawdzimy, gdy otworzysz część."},
		"main > p": {"Źródło: UserBenchmark, pobrano 21 listopada 2026, 13:00."},
		"tbody tr": {
			"1 Nvidia RTX 5090 1.5TB 84 129 pomiarów 1 wariant MSI RTX 5090 Ventus 200 nieznana– " +
				"Porównaj: Nvidia RTX 5090 1.5TB Do zestawu: Nvidia RTX 5090 1.5TB",
			"2 AMD RX 9070 (2025) 12GB 1 pomiar 1 wariant Nieznana 5080 1GB 0,5 nieznana– " +
				"Porównaj: AMD RX 9070 (2025) 12GB Do zestawu: AMD RX 9070 (2025) 12GB",
			"3 Nvidia GT 710 1GB 0 pomiarów 0 nieznana– Porównaj: Nvidia GT 710 1GB Do zestawu: Nvidia GT 710 1GB",
		},
		".chart-bar@width":            {"100%", "0.3%", "0%"},
		"select[name=marka] option":   {"Wszystkie", "AMD", "MSI", "Nvidia"},
		"label[for=pamiec]":           {"Pamięć (z nazwy)"},
		"select[name=pamiec] option":  {"Dowolna", "1 GB", "12 GB", "1,5 TB"},
		"select[name=ile] option":     {"20", "50", "100", "200", "500"},
		"details[open], tbody .badge": nil,
		"tbody tr:first-child a@href": {
			"/kreator/czesc?cpu=Ryzen+7&nazwa=Nvidia+RTX+5090+1.5TB&rodzaj=gpu",
			"/kreator/czesc?cpu=Ryzen+7&nazwa=MSI+RTX+5090+Ventus&rodzaj=gpu",
			"/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+5090+1.5TB",
		},
		"tbody tr:nth-child(2) a.button@href": {"/kreator/zestaw?cpu=Ryzen+7&gpu=AMD+RX+9070+12GB"},
	})
}

func TestRankingIsFiltered(t *testing.T) {
	a := withSmallRanking(t)
	for query, want := range map[string][]string{
		"szukaj=rtx": {"Nvidia RTX 5090 1.5TB"}, "szukaj=+nvidia++RTX+": {"Nvidia RTX 5090 1.5TB"},
		"szukaj=a-3": {"Nvidia GT 710 1GB"}, "szukaj=9070+2025": {"AMD RX 9070 (2025) 12GB"},
		"marka=MSI": {"MSI RTX 5090 Ventus"}, "marka=Nvidia&szukaj=710": {"Nvidia GT 710 1GB"}, "pamiec=16": nil,
		"pamiec=12": {"AMD RX 9070 (2025) 12GB"}, "marka=AMD&szukaj=710": nil, "marka=None": nil, "szukaj=%3Cb%3E": nil,
	} {
		require(t, query, open(t, a, "/kreator/ranking/gpu?"+query), facts{"tbody th > a": want})
	}
	for _, query := range []string{"pamiec=x", "budzet=0", "budzet=-1", "budzet=NaN", "ile=1", "ile=x", "sortuj=x"} {
		if n := open(t, a, "/kreator/ranking/gpu?"+query).Find("tbody tr").Length(); n != 3 {
			t.Errorf("%s: %d models, want all 3", query, n)
		}
	}
}

func TestRankingKeepsItsFilters(t *testing.T) {
	query := "?cpu=Ryzen+7&budzet=1500,5&ile=50&marka=Nvidia&pamiec=8&szukaj=+rtx+&sortuj=cena"
	require(t, query, open(t, newApp(t), "/kreator/ranking/gpu"+query), facts{
		"#szukaj@value": {"rtx"}, "#budzet@value": {"1500.5"}, "#pamiec option[selected]": {"8 GB"},
		"#marka option[selected]": {"Nvidia"}, "#ile option[selected]": {"50"},
		"details[open] summary":                      {"Więcej filtrów"},
		"form[role=search] input[name=sortuj]@value": {"cena"},
		".tabs a": {"Punkty", "Cena", "Opłacalność"}, ".tabs [aria-current]": {"Cena"},
		".tabs li:last-child a@href": {
			"/kreator/ranking/gpu?budzet=1500.5&cpu=Ryzen+7&ile=50&marka=Nvidia&pamiec=8&sortuj=oplacalnosc&szukaj=rtx",
		},
	})
}

// Prices are those that are known already: a ranking looks none up.
func TestRankingByKnownPrices(t *testing.T) {
	a := withLists(t)
	for query, want := range map[string]string{
		"budzet=1500":            "najwięcej ze znanych",
		"budzet=1500&szukaj=arc": "najwięcej punktów", // all of them have a price
	} {
		require(t, query, open(t, a, "/kreator/ranking/gpu?"+query), facts{
			"tbody .badge": {want}, "tbody tr:first-child .badge": {want},
		})
	}
	asked := len(a.Asked())
	for family, want := range map[string]int{"cpu": 20, "gpu": 20, "ram": 20, "ssd": 20, "hdd": 17, "usb": 0} {
		priced := open(t, a, "/kreator/ranking/"+family).Find("td:not(.muted)[data-label='Cena od']").Length()
		if priced != want {
			t.Errorf("%s: %d prices of the first 20 are known, want %d", family, priced, want)
		}
	}
	for query, want := range map[string]struct {
		column  string
		sign    float64 // 1 if the column ascends, -1 if it descends
		caption string
	}{
		"sortuj=cena":             {"Cena od", 1, "Części bez znanej ceny są na końcu."},
		"sortuj=oplacalnosc":      {"Pkt za 100 zł", -1, "Części bez znanej ceny są na końcu."},
		"sortuj=cena&budzet=1500": {"Cena od", 1, "na końcu: nie wiemy, czy mieszczą się w budżecie."},
		"budzet=1500":             {"Punkty", -1, "na końcu: nie wiemy, czy mieszczą się w budżecie."},
	} {
		page := open(t, a, "/kreator/ranking/gpu?ile=500&"+query)
		column := texts(page, "tbody tr:has([data-label='Pkt za 100 zł']) td[data-label='"+want.column+"']")
		if len(column) < 10 {
			t.Errorf("%s: %d rows with a price, want at least 10", query, len(column))
		}
		inOrder := func(a, b string) int { return int(want.sign * (number(t, a) - number(t, b))) }
		if !slices.IsSortedFunc(column, inOrder) {
			t.Errorf("%s: the column %q is not sorted: %q", query, want.column, column)
		}
		if got := texts(page, "caption")[0]; !strings.Contains(got, want.caption) {
			t.Errorf("%s: no %q in %q", query, want.caption, got)
		}
		require(t, query+": priced after unpriced", page, facts{"tr:has(.unknown) ~ tr:not(:has(.unknown))": nil})
		for _, price := range texts(page, "td:not(.muted)[data-label='Cena od']") {
			if strings.Contains(query, "budzet") && number(t, price) > 1500 {
				t.Errorf("%s: the price %s is above the budget", query, price)
			}
		}
	}
	if n := len(a.Asked()) - asked; n > 0 {
		t.Errorf("%d requests to the source, want none", n)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	text, _, _ = strings.Cut(text, " zł")
	n, err := strconv.ParseFloat(strings.Replace(strings.ReplaceAll(text, " ", ""), ",", ".", 1), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRankingIsCutToItsCount(t *testing.T) {
	a := newApp(t)
	for query, want := range map[string]int{"": 20, "?ile=50": 50, "?sortuj=cena": 20, "?ile=500": 61} {
		if n := open(t, a, "/kreator/ranking/gpu"+query).Find("tbody tr").Length(); n != want {
			t.Errorf("%s: %d models, want %d", query, n, want)
		}
	}
}

func TestRankingFromALocalCopy(t *testing.T) {
	a := newApp(t)
	a.Get("/kreator/ranking/gpu").Want(http.StatusOK)
	a.UserBenchmark.SetFault(fake.Fault{Kind: "down"})
	a.Clock.Pass(25 * time.Hour)
	copied := []string{"Kopia lokalna. Źródło rankingu nie odpowiada, więc pokazujemy ostatnią zapisaną kopię: " +
		"21 listopada 2026."}
	for path, want := range map[string][]string{
		"/kreator/ranking/gpu": copied, "/kreator/czesc?rodzaj=gpu&nazwa=nvidia+rtx+4070": copied,
		"/kreator/czesc?rodzaj=gpu&nazwa=rtx+4070+nvidia": nil, // not its name
	} {
		if diff := cmp.Diff(want, texts(open(t, a, path), ".alert.warning"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestListsOfParts(t *testing.T) {
	a := withLists(t)
	facets := []string{"szukaj", "budzet", "marka"}
	for key, want := range map[string]struct {
		name   string
		facets []string
	}{
		"cpu": {"Procesor", []string{"gniazdo"}}, "gpu": {"Karta graficzna", []string{"pojemnosc"}},
		"motherboard": {"Płyta główna", []string{"gniazdo", "typ", "rozmiar"}},
		"ram":         {"Pamięć RAM", []string{"typ", "pojemnosc"}}, "storage": {"Dysk", []string{"pojemnosc"}},
		"psu": {"Zasilacz", []string{"moc"}}, "cooling": {"Chłodzenie", []string{"rozmiar"}}, "case": {"Obudowa", nil},
	} {
		page := open(t, a, "/kreator/lista/"+key)
		require(t, key, page, facts{
			"h1":                                    {want.name + ": wybierz z listy"},
			"form[role=search] .field *[name]@name": slices.Concat(facets, want.facets, []string{"sortuj"}),
			"td.muted":                              nil, // of a price that is not known
		})
		if n := page.Find("tbody tr").Length(); n < 18 || n > 20 {
			t.Errorf("%s: %d parts at first, want 18 to 20", key, n)
		}
		if n := page.Find("#nazwy option").Length(); n < 18 || n > 100 {
			t.Errorf("%s: %d names suggested, want 18 to 100", key, n)
		}
	}
	for query, want := range map[string]string{
		"cpu?gniazdo=AM4": "Ryzen", "gpu?pojemnosc=24\u00a0GB": "24GB", "psu?marka=be quiet!": "be quiet!",
		"ram?typ=DDR4": "DDR4", "motherboard?rozmiar=Micro-ATX": "M", "storage?szukaj=990 pro": "990 PRO",
	} {
		path := "/kreator/lista/" + strings.NewReplacer("\u00a0", "%C2%A0", " ", "+").Replace(query)
		names := texts(open(t, a, path), "tbody th")
		other := func(name string) bool { return !strings.Contains(name, want) }
		if len(names) == 0 || slices.ContainsFunc(names, other) {
			t.Errorf("%s: names %q, want all with %q", query, names, want)
		}
	}
	strong := texts(open(t, a, "/kreator/lista/psu?moc=1000%C2%A0W&sortuj=cena"), "tbody th")
	all := strings.Join(strong, " ")
	if !strings.Contains(all, "1200W") {
		t.Errorf("1000 W and more: no 1200W in %q", strong)
	}
	if strings.Contains(all, "750W") {
		t.Errorf("1000 W and more: 750W in %q", strong)
	}
}

func TestListsStartWithWhatFits(t *testing.T) {
	a := withLists(t)
	page := open(t, a, "/kreator/lista/motherboard?cpu=AMD+Ryzen+7+7800X3D&ile=500")
	want := []string{"pasuje", "nie pasuje"}
	testkit.Equal(t, "verdicts", slices.Compact(texts(page, "tbody .badge")), want)
	add := texts(page, "tbody a.button@href")[0]
	if want := "/kreator/zestaw?cpu=AMD+Ryzen+7+7800X3D&motherboard="; !strings.HasPrefix(add, want) {
		t.Errorf("the first is added by %s, want %s…", add, want)
	}
}

func TestListsShowWhatTheLimitLeaves(t *testing.T) {
	a := withLists(t)
	const lead = "p.lead"
	for query, want := range map[string]facts{
		"psu": {lead: nil},
		"psu?limit=5000": {
			lead: {"Z budżetu 5 000,00 zł zostaje 5 000,00 zł na 8 brakujących części."},
		},
		"psu?limit=100&cpu=AMD+Ryzen+7+7800X3D": {lead: {"Wybrane części są droższe niż budżet 100,00 zł."}},
		"psu?limit=5000&case=Nieznana+obudowa": {
			lead: {"Z budżetu 5 000,00 zł zostaje najwyżej 5 000,00 zł na 7 brakujących części."},
		},
		"psu?szukaj=zzqq+%3Cb%3E&case=Moja+obudowa": {"#main .alert a@href": {
			"/kreator/lista/psu?case=Moja+obudowa",
			"/kreator/czesc?case=Moja+obudowa&nazwa=" + url.QueryEscape("zzqq <b>") + "&rodzaj=psu",
		}},
	} {
		require(t, query, open(t, a, "/kreator/lista/"+query), want)
	}
}

func TestPageWithoutAList(t *testing.T) {
	a := newApp(t)
	require(t, "usb", open(t, a, "/kreator/lista/usb?cpu=Ryzen+7"), facts{
		".alert":               {"Nie mamy teraz listy takich części. Wpisz markę i model, a pokażemy oferty sklepów."},
		"main p.screen a@href": {"/kreator/ranking/usb?cpu=Ryzen+7"},
	})
	part := a.Get("/kreator/czesc?rodzaj=psu&cpu=Ryzen+7").Want(http.StatusFound)
	if got := part.Header().Get("Location"); got != "/kreator/lista/psu?cpu=Ryzen+7" {
		t.Errorf("a part without a name leads to %s", got)
	}
}
