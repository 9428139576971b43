package web_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/apptest"
)

// withLists is a service that has read the lists of the sandbox.
func withLists(t *testing.T) *apptest.App {
	t.Helper()
	a := apptest.New(t, apptest.Setting("HARDWARE_LIST_PAGES=5"))
	a.Handler = a.Unchecked // the contract has no pages
	a.Start()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(a.Log.String(), "lists read"); {
		if time.Now().After(deadline) {
			t.Fatal("the lists were not read")
		}
	}
	return a
}

func open(t *testing.T, a *apptest.App, path string) *goquery.Document {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(a.Get(path).Want(200).Body)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func texts(page *goquery.Document, selector string) []string {
	return page.Find(selector).Map(func(_ int, s *goquery.Selection) string {
		return strings.Join(strings.Fields(s.Text()), " ")
	})
}

func TestListsOfParts(t *testing.T) {
	a := withLists(t)
	for _, key := range []string{"cpu", "gpu", "motherboard", "ram", "storage", "psu", "cooling", "case"} {
		page := open(t, a, "/kreator/lista/"+key)
		priced := page.Find("tbody td[data-label='Cena od']:contains('zł')").Length()
		if priced == 0 || priced != page.Find("tbody tr").Length() {
			t.Errorf("%s: %d prices of %d parts", key, priced, page.Find("tbody tr").Length())
		}
	}
	for name, test := range map[string]func(*testing.T, *apptest.App){
		"filters come from the names": testFacets, "what fits is first": testOrder,
		"the budget of the build": testLeft, "what nothing passes": testNothing,
	} {
		t.Run(name, func(t *testing.T) {
			a.T = t
			test(t, a)
		})
	}
}

func testFacets(t *testing.T, a *apptest.App) {
	for key, want := range map[string][]string{
		"cpu": {"marka", "gniazdo"}, "gpu": {"marka", "pojemnosc"}, "ram": {"marka", "typ", "pojemnosc"},
		"motherboard": {"marka", "gniazdo", "typ", "rozmiar"}, "storage": {"marka", "pojemnosc"},
		"psu": {"marka", "moc"}, "cooling": {"marka", "rozmiar"}, "case": {"marka"},
	} {
		shown := open(t, a, "/kreator/lista/"+key).Find("form select").Map(func(_ int, s *goquery.Selection) string {
			return s.AttrOr("name", "")
		})
		if diff := cmp.Diff(append(want, "sortuj"), shown); diff != "" {
			t.Errorf("%s (-want +shown):\n%s", key, diff)
		}
	}
	for query, want := range map[string]string{
		"cpu?gniazdo=AM4": "Ryzen", "gpu?pojemnosc=24\u00a0GB": "24GB", "psu?marka=be+quiet!": "be quiet!",
		"ram?typ=DDR4": "DDR4", "motherboard?rozmiar=mATX": "M", "storage?szukaj=990+pro": "990 PRO",
	} {
		names := texts(open(t, a, "/kreator/lista/"+strings.ReplaceAll(query, "\u00a0", "%C2%A0")), "tbody th")
		other := func(name string) bool { return !strings.Contains(name, want) }
		if len(names) == 0 || slices.ContainsFunc(names, other) {
			t.Errorf("%s: %q", query, names)
		}
	}
	strong := texts(open(t, a, "/kreator/lista/psu?moc=1000%C2%A0W&sortuj=cena"), "tbody th")
	if weak := strings.Join(strong, " "); len(strong) < 2 || strings.Contains(weak, "750W") {
		t.Errorf("1000 W and more: %q", strong)
	}
}

func testOrder(t *testing.T, a *apptest.App) {
	page := open(t, a, "/kreator/lista/motherboard?cpu=AMD+Ryzen+7+7800X3D&ile=500")
	verdicts := texts(page, "tbody .badge")
	rank := []string{"pasuje", "nie wiemy", "nie pasuje"}
	sorted := slices.IsSortedFunc(verdicts, func(a, b string) int {
		return slices.Index(rank, a) - slices.Index(rank, b)
	})
	if !sorted || verdicts[0] != "pasuje" || verdicts[len(verdicts)-1] != "nie pasuje" {
		t.Errorf("%q", verdicts)
	}
	add, _ := page.Find("tbody a.button").First().Attr("href")
	if !strings.HasPrefix(add, "/kreator/zestaw?cpu=AMD+Ryzen+7+7800X3D&motherboard=") {
		t.Errorf("the first is added by %s", add)
	}
	if few := texts(open(t, a, "/kreator/lista/gpu"), "tbody tr"); len(few) != 20 {
		t.Errorf("%d cards at first", len(few))
	}
}

func testLeft(t *testing.T, a *apptest.App) {
	for query, want := range map[string]string{
		"": "", "?limit=5000": "Z budżetu 5 000,00 zł zostaje 5 000,00 zł na 8 brakujących części.",
		"?limit=100&cpu=AMD+Ryzen+7+7800X3D": "Wybrane części są droższe niż budżet 100,00 zł.",
		"?limit=5000&case=Nieznana+obudowa": "Z budżetu 5 000,00 zł zostaje najwyżej 5 000,00 zł na 7 brakujących " +
			"części.",
	} {
		if got := strings.Join(texts(open(t, a, "/kreator/lista/psu"+query), "p.lead"), ""); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func testNothing(t *testing.T, a *apptest.App) {
	page := open(t, a, "/kreator/lista/psu?szukaj=zzqq+%3Cb%3E&case=Moja+obudowa")
	links := page.Find("#main .alert a").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("href", "") })
	want := []string{
		"/kreator/lista/psu?case=Moja+obudowa",
		"/kreator/czesc?case=Moja+obudowa&nazwa=zzqq+%3Cb%3E&rodzaj=psu",
	}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	a.Get("/kreator/lista/toster").Want(404)
	if got := a.Get("/kreator/czesc?rodzaj=psu&cpu=Ryzen+7").Want(302).Header().Get("Location"); got !=
		"/kreator/lista/psu?cpu=Ryzen+7" {
		t.Errorf("a part without a name leads to %s", got)
	}
}

func TestPageWithoutAList(t *testing.T) {
	a := apptest.New(t)
	a.Handler = a.Unchecked
	page := open(t, a, "/kreator/lista/usb?cpu=Ryzen+7")
	if got := texts(page, ".alert"); len(got) != 1 ||
		!strings.HasPrefix(got[0], "Nie mamy teraz listy takich części.") {
		t.Errorf("%q", got)
	}
	if got := page.Find("a[href='/kreator/ranking/usb?cpu=Ryzen+7']").Length(); got != 1 {
		t.Errorf("%d links to the ranking", got)
	}
}
