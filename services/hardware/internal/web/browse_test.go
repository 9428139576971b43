package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
			t.Errorf("%s: %d parts at first", key, n)
		}
		if n := page.Find("#nazwy option").Length(); n < 18 || n > 100 {
			t.Errorf("%s: %d names suggested", key, n)
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
			t.Errorf("%s: %q", query, names)
		}
	}
	strong := texts(open(t, a, "/kreator/lista/psu?moc=1000%C2%A0W&sortuj=cena"), "tbody th")
	if all := strings.Join(strong, " "); !strings.Contains(all, "1200W") || strings.Contains(all, "750W") {
		t.Errorf("1000 W and more: %q", strong)
	}
}

func TestListsStartWithWhatFits(t *testing.T) {
	a := withLists(t)
	page := open(t, a, "/kreator/lista/motherboard?cpu=AMD+Ryzen+7+7800X3D&ile=500")
	want := []string{"pasuje", "nie pasuje"}
	if diff := cmp.Diff(want, slices.Compact(texts(page, "tbody .badge"))); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	add := texts(page, "tbody a.button@href")[0]
	if !strings.HasPrefix(add, "/kreator/zestaw?cpu=AMD+Ryzen+7+7800X3D&motherboard=") {
		t.Errorf("the first is added by %s", add)
	}
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
