package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/internal/kit/testkit"
)

// threeParts is a build of which the third part is sold nowhere.
const threeParts = "?cpu=AMD+Ryzen+7+7800X3D&gpu=Nvidia+RTX+4070+SUPER&case=brakwyniku+9"

// threePartsOf4000 is the same build within 4000 zł, in the order in which links have it.
const threePartsOf4000 = "?case=brakwyniku+9&cpu=AMD+Ryzen+7+7800X3D&gpu=Nvidia+RTX+4070+SUPER&limit=4000"

func TestEmptyBuildLinksToItsMissingParts(t *testing.T) {
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
			"/kreator/lista/motherboard" + threePartsOf4000, "/kreator/lista/ram" + threePartsOf4000,
			"/kreator/lista/storage" + threePartsOf4000, "/kreator/lista/psu" + threePartsOf4000,
			"/kreator/lista/cooling" + threePartsOf4000,
		},
		"[data-prices]@data-prices": {"/kreator/ceny" + threePartsOf4000},
		"tr:nth-child(2) a.danger@href": {
			"/kreator/zestaw?case=brakwyniku+9&cpu=AMD+Ryzen+7+7800X3D&limit=4000",
		},
		"noscript meta@content": {"0; url=/kreator/zestaw?case=brakwyniku+9&cpu=AMD+Ryzen+7+7800X3D&czekaj=1&" +
			"gpu=Nvidia+RTX+4070+SUPER&limit=4000"},
	})
	wantNoRequests(t, a)
}

func TestBuildShowsItsPrices(t *testing.T) {
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
	wantSameParts(t, page, fragment)
	onePart := "/kreator/zestaw?gpu=Nvidia+RTX+4070+SUPER&limit=3000"
	require(t, onePart, open(t, a, onePart), facts{"[data-part=suma] > p": {
		"2 569,00 zł", "Znane ceny: 1 z 1", "Z budżetu 3 000,00 zł zostaje 431,00 zł.",
	}})
}

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

func TestBuildIsCutToTwentyParts(t *testing.T) {
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

// twoCards are two graphics cards to compare, next to a build with a processor.
const twoCards = "?rodzina=gpu&cpu=Ryzen+7&czesc=Nvidia+RTX+4070+SUPER&czesc=nvidia+rtx+4070"

// A comparison looks no price up: a script does so, and without one the page loads again.
func TestComparisonShowsWhatIsKnown(t *testing.T) {
	a := newApp(t)
	open(t, a, cardOffers)
	a.Ceneo.ClearRequests()
	require(t, "one price known", open(t, a, "/kreator/porownaj"+twoCards), facts{
		"h1":       {"Porównanie: Karty graficzne"},
		"main > p": {"Źródło: UserBenchmark, pobrano 21 listopada 2026, 13:00.", "Wróć do rankingu"},
		"thead a@href": {
			"/kreator/czesc?cpu=Ryzen+7&nazwa=Nvidia+RTX+4070+SUPER&rodzaj=gpu",
			"/kreator/czesc?cpu=Ryzen+7&nazwa=nvidia+rtx+4070&rodzaj=gpu",
		},
		"tbody tr:not(.screen) td": {
			"236 najwięcej", "211", "16", "21", "9762", "8678", "2 569,00 zł", "sprawdzamy…", "2 569,00 zł",
			"–", "9,19", "–",
		},
		"[data-part=stan] p:first-child": {
			"Ceny z VAT; znane: 1 z 2. Najtańszą część wskażemy, gdy poznamy wszystkie ceny.",
		},
		"tbody a.plain@href": {
			"/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+4070+SUPER", "/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+4070",
		},
		"tbody a.danger@href": {
			"/kreator/porownaj?cpu=Ryzen+7&czesc=nvidia+rtx+4070&rodzina=gpu",
			"/kreator/porownaj?cpu=Ryzen+7&czesc=Nvidia+RTX+4070+SUPER&rodzina=gpu",
		},
		"[data-prices]@data-prices": {
			"/kreator/porownaj/ceny?cpu=Ryzen+7&czesc=Nvidia+RTX+4070+SUPER&czesc=nvidia+rtx+4070&rodzina=gpu",
		},
		"noscript meta@content": {
			"0; url=/kreator/porownaj?cpu=Ryzen+7&czekaj=1&czesc=Nvidia+RTX+4070+SUPER&" +
				"czesc=nvidia+rtx+4070&rodzina=gpu",
		},
	})
	wantNoRequests(t, a)
}

func TestComparisonShowsItsPrices(t *testing.T) {
	a := newApp(t)
	open(t, a, cardOffers)
	fragment := open(t, a, "/kreator/porownaj/ceny"+twoCards)
	require(t, "all prices known", fragment, facts{
		"[data-part=stan]": {"Ceny z VAT; znane: 2 z 2."}, "[data-part=cena-2]": {"2 343,99 zł na zamówienie"},
		"[data-pending]": nil,
	})
	wantSameParts(t, open(t, a, "/kreator/porownaj"+twoCards), fragment)
}

// wantSameParts compares a page with the fragment that its script puts into it: the parts of one name are equal.
func wantSameParts(t *testing.T, page, fragment *goquery.Document) {
	t.Helper()
	for _, part := range texts(fragment, "[data-part]@data-part") {
		selector := `[data-part="` + part + `"]`
		require(t, "part "+part, page, facts{selector: texts(fragment, selector)})
	}
}

func TestComparisonNamesTheModelsThatItLacks(t *testing.T) {
	a := newApp(t)
	rows := []string{",,X (2025),1,100,1", ",,Brakwyniku 1000,2,50,1"}
	query := "rodzina=gpu&czesc=Nieznana+%3Cb%3E&czesc=ab"
	for n := range 20 {
		rows = append(rows, ",Karta,"+strconv.Itoa(n)+","+strconv.Itoa(n+3)+",10,1")
		query += "&czesc=" + url.QueryEscape("Karta "+strconv.Itoa(n))
	}
	serveRanking(a, "GPU", rows...)
	for query, want := range map[string]facts{
		query + "&czesc=+Karta++0": {
			"thead th": {"Karta 0", "Karta 1", "Karta 2", "Karta 3"},
			".alert p": {
				"Porównać można najwyżej cztery części. Usuń którąś, aby zobaczyć następną:",
				"Nie zmieściło się jeszcze: 9.", "Tych części nie ma w rankingu:",
			},
			".alert li": {
				"Karta 4 (pomiń)", "Karta 5 (pomiń)", "Karta 6 (pomiń)", "Karta 7 (pomiń)", "Karta 8 (pomiń)",
				"Karta 9 (pomiń)", "Karta 10 (pomiń)", "Nieznana <b> (pomiń)",
			},
		},
		// Without its brackets the name is too short to be asked for.
		"rodzina=gpu&czesc=X+(2025)&czesc=Brakwyniku+1000&czekaj=1": {
			"[data-part^=cena]": {"nieznana", "nie znaleziono"}, "tbody a.plain": {"Do zestawu: Brakwyniku 1000"},
			"tbody a.danger": {"Usuń: X (2025)", "Usuń: Brakwyniku 1000"}, "[data-pending], noscript": nil,
		},
		"rodzina=gpu&czesc=X+(2025)": {"thead th": {"X (2025)"}, ".badge": nil}, // there is nothing to compare it with
	} {
		require(t, query, open(t, a, "/kreator/porownaj?"+query), want)
	}
}

// gaming is a whole build.
const gaming = "case=Endorfy+Signum+300+ARGB&cooling=Endorfy+Fera+5&cpu=AMD+Ryzen+7+7800X3D" +
	"&gpu=Nvidia+RTX+4070+SUPER&motherboard=MSI+MAG+B650+Tomahawk+WIFI&psu=be+quiet%21+Pure+Power+12+M+750W" +
	"&ram=Kingston+Fury+Beast+DDR5+6000+C30+2x16GB&storage=Samsung+990+PRO+2TB"

func cookie(build string) string { return "kreator_zestaw=" + build }

func TestBuildIsRemembered(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{"/kreator", "/kreator/zestaw", "/kreator/ranking/gpu"} {
		want := []*http.Cookie{{
			Name: "kreator_zestaw", Value: gaming, Path: "/kreator", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		}}
		set := a.Get(path + "?" + gaming).Want(http.StatusOK).Result().Cookies()
		if diff := cmp.Diff(want, set, cmp.FilterPath(isRaw, cmp.Ignore())); diff != "" {
			t.Errorf("%s (-want +set):\n%s", path, diff)
		}
	}
	back := a.Get("/kreator", "Cookie", cookie(gaming)).Want(http.StatusFound).Header()
	if got, want := back.Get("Location"), "/kreator?"+gaming; got != want {
		t.Errorf("the start page leads to %s, want %s", got, want)
	}
	if got := back.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q, want no-store", got)
	}
	if got := strings.Join(back["Vary"], ","); !strings.Contains(got, "Cookie") {
		t.Errorf("Vary %q, want Cookie in it", got)
	}
	a.Get("/kreator?cpu=Ryzen+5", "Cookie", cookie(gaming)).Want(http.StatusOK) // the address has another build
}

func TestBuildIsForgottenWithItsLastPart(t *testing.T) {
	set := newApp(t).Get("/kreator/zestaw", "Cookie", cookie(gaming)).Result().Cookies()
	if len(set) != 1 || set[0].MaxAge >= 0 {
		t.Errorf("cookies %v, want one that is deleted", set)
	}
}

func isRaw(path cmp.Path) bool { return path.Last().String() == ".Raw" }

func TestNoBuildIsRemembered(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{"/kreator", "/kreator/zestaw", "/kreator/zestaw?" + noise()} {
		if set := a.Get(path).Want(http.StatusOK).Header()["Set-Cookie"]; set != nil {
			t.Errorf("%.40s: cookies %q", path, set)
		}
	}
	for _, build := range []string{"%zz", "cpu=ab", "cpu=" + strings.Repeat("A", 3500)} {
		a.Get("/kreator", "Cookie", cookie(build)).Want(http.StatusOK)
	}
}

// noise is a build of twenty parts that is too long to be stored.
func noise() string {
	var parts []string
	for n := range 20 {
		parts = append(parts, "ram="+strings.Repeat("%C5%BC", 190)+strconv.Itoa(n))
	}
	return strings.Join(parts, "&")
}

func post(a *apptest.App, form string, headers ...string) *apptest.Response {
	r := httptest.NewRequest(http.MethodPost, "/kreator/z", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return a.Do(r, headers...)
}

// share returns a short address.
func share(t *testing.T, a *apptest.App, build string) string {
	t.Helper()
	page := open(t, a, post(a, build).Want(http.StatusSeeOther).Header().Get("Location"))
	return page.Find("details a").AttrOr("href", "")
}

func TestSharedBuildIsSomebodyElses(t *testing.T) {
	a := newApp(t)
	short := share(t, a, gaming)
	testkit.Equal(t, "length of the short address", len(short), 28)
	if again := share(t, a, gaming); again != short {
		t.Errorf("shared again, the build has the address %s, want %s", again, short)
	}
	response := a.Get(short, "Cookie", cookie("cpu=Ryzen+5")).Want(http.StatusOK)
	if set := response.Header()["Set-Cookie"]; set != nil {
		t.Errorf("the visitor's build is replaced by %q", set)
	}
	require(t, short, parse(t, response), facts{
		"h1": {"Udostępniony zestaw"},
		".alert.screen p": {
			"Ktoś udostępnił ten zestaw. Twój własny zestaw się nie zmienił: zobacz go.",
			"Skopiuj do mojego Zastąpi Twój obecny zestaw.",
		},
		".alert.screen a@href":  {"/kreator/zestaw?cpu=Ryzen+5", "/kreator/zestaw?" + gaming},
		".printed-address":      {"http://example.com" + short},
		"tr:nth-child(3) th a":  {"MSI MAG B650 Tomahawk WIFI"},
		"a.danger, #brakuje":    nil,
		"noscript meta@content": {"0; url=" + short + "?czekaj=1"},
	})
}

func TestOneClientStoresFewBuilds(t *testing.T) {
	a := newApp(t)
	for n := range 20 {
		share(t, a, "cpu=Ryzen+"+strings.Repeat("7", n+1))
	}
	if got := post(a, gaming).Want(http.StatusTooManyRequests).Header().Get("Retry-After"); got != "180" {
		t.Errorf("Retry-After %q, want 180", got)
	}
	share(t, a, "cpu=Ryzen+7") // it is stored already
}

func TestWhatCannotBeShared(t *testing.T) {
	a := newApp(t)
	for _, form := range []string{"", "toaster=abc", "cpu=ab", "cpu=%zz", noise()} {
		post(a, form).Want(http.StatusBadRequest)
	}
	post(a, gaming, "Sec-Fetch-Site", "cross-site").Want(http.StatusForbidden)
}

func TestSharingWithoutItsStore(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "builds"), nil, 0o600); err != nil { // where a folder should be
		t.Fatal(err)
	}
	a := newApp(t, "HARDWARE_STATE_DIR="+dir)
	read := parse(t, a.Get("/kreator/z/aaaaaaaaaaaaaaaaa").Want(http.StatusServiceUnavailable))
	require(t, "reading", read, facts{"h1": {"Nie udało się odczytać zestawu. Spróbuj ponownie później."}})
	stored := parse(t, post(a, gaming).Want(http.StatusServiceUnavailable))
	require(t, "storing", stored, facts{
		"h1": {"Nie udało się utworzyć krótkiego adresu. Adres tej strony też prowadzi do zestawu."},
	})
}
