package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/site"
)

// carried is the build in the addresses of TestEveryPageKeepsTheBuild.
const carried = "cpu=Ryzen+7&tytul=Do+gier"

// destination is an address without the build, which a "+" stands for.
func destination(t *testing.T, address string) string {
	t.Helper()
	path, query, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	kept := ""
	if values.Get("cpu") == "Ryzen 7" && values.Get("tytul") == "Do gier" {
		kept = " +"
		values.Del("cpu")
		values.Del("tytul")
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return path + kept
}

// destinations are where the links and the forms of a page lead.
func destinations(t *testing.T, p page, within string) []string {
	t.Helper()
	return p.Find(within).Find("a, form").Map(func(_ int, s *goquery.Selection) string {
		if href, ok := s.Attr("href"); ok {
			return destination(t, href)
		}
		values := url.Values{}
		s.Find("input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
			values.Add(input.AttrOr("name", ""), input.AttrOr("value", ""))
		})
		return "form " + destination(t, s.AttrOr("action", "")+"?"+values.Encode())
	})
}

func TestEveryPageKeepsTheBuild(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]struct {
		title string
		leads []string
	}{
		"/kreator?": {"Złóż komputer", []string{
			"/kreator/ranking/cpu +", "/kreator/ranking/gpu +", "/kreator/ranking/ssd +", "/kreator/ranking/hdd +",
			"/kreator/ranking/ram +", "/kreator/ranking/usb +",
			"/kreator/lista/cpu +", "/kreator/lista/gpu +", "/kreator/lista/motherboard +", "/kreator/lista/ram +",
			"/kreator/lista/storage +", "/kreator/lista/psu +", "/kreator/lista/cooling +", "/kreator/lista/case +",
			"/kreator/zestaw +",
		}},
		"/kreator/ranking/gpu?": {"Karty graficzne – ranking", []string{
			"form  +", "/kreator/ranking/gpu +", "/kreator/ranking/gpu?sortuj=cena +",
			"/kreator/ranking/gpu?sortuj=oplacalnosc +", "form /kreator/porownaj?rodzina=gpu +",
			"/kreator/czesc?nazwa=Nvidia+RTX+5090&rodzaj=gpu +", "/kreator/zestaw?gpu=Nvidia+RTX+5090 +",
			"/kreator/czesc?nazwa=AMD+RX+9070&rodzaj=gpu +", "/kreator/zestaw?gpu=AMD+RX+9070 +",
			"/kreator/czesc?nazwa=Nvidia+GT+710&rodzaj=gpu +", "/kreator/zestaw?gpu=Nvidia+GT+710 +",
			"/kreator/zestaw +",
		}},
		"/kreator/ranking/gpu?marka=None&ile=50&": {
			"Karty graficzne – ranking", []string{"form  +", "/kreator/ranking/gpu +", "/kreator/zestaw +"},
		},
		cardPage + "&": {"Nvidia RTX 5090", []string{
			"/kreator/ranking/gpu +", "/kreator/zestaw?gpu=Nvidia+RTX+5090 +", "form /kreator/czesc?rodzaj=gpu +",
			"/kreator/zestaw +",
		}},
		"/kreator/lista/psu?": {
			"Zasilacz – lista", []string{"form /kreator/czesc?rodzaj=psu +", "/kreator/zestaw +"},
		},
		"/kreator/czesc?rodzaj=psu&nazwa=ab&": {
			"Zasilacz", []string{"form /kreator/czesc?rodzaj=psu +", "/kreator/zestaw +"},
		},
		"/kreator/zestaw?": {"Do gier", []string{
			"form /kreator/zestaw?cpu=Ryzen+7", // which has a field for the title
			"form /kreator/z +", "/kreator/czesc?nazwa=Ryzen+7&rodzaj=cpu +",
			"/kreator/zestaw?tytul=Do+gier",
			"/kreator/lista/gpu +", "/kreator/lista/motherboard +", "/kreator/lista/ram +", "/kreator/lista/storage +",
			"/kreator/lista/psu +", "/kreator/lista/cooling +", "/kreator/lista/case +",
		}},
		"/kreator/porownaj?rodzina=gpu&czesc=GT+710&czesc=nvidia+rtx+5090&czesc=nvidia+gt+710&": {
			"Porównanie: Karty graficzne", []string{
				"/kreator/porownaj?czesc=nvidia+rtx+5090&czesc=nvidia+gt+710&rodzina=gpu +",
				"/kreator/czesc?nazwa=nvidia+rtx+5090&rodzaj=gpu +", "/kreator/czesc?nazwa=nvidia+gt+710&rodzaj=gpu +",
				"/kreator/zestaw?gpu=Nvidia+RTX+5090 +",
				"/kreator/porownaj?czesc=GT+710&czesc=nvidia+gt+710&rodzina=gpu +",
				"/kreator/zestaw?gpu=Nvidia+GT+710 +",
				"/kreator/porownaj?czesc=GT+710&czesc=nvidia+rtx+5090&rodzina=gpu +",
				"/kreator/ranking/gpu +",
			}},
	} {
		p := w.getWith(t, path+carried, "cpu=Ryzen+5")
		if got := destinations(t, p, "main"); !slices.Equal(got, want.leads) {
			t.Errorf("%s leads to %q, want %q", path, got, want.leads)
		}
		if got := destinations(t, p, "header"); !slices.Equal(
			got, []string{"/kreator", "/kreator +", "/kreator/zestaw +", "/", "/konto"},
		) {
			t.Errorf("%s: the head leads to %q", path, got)
		}
		if got := p.Find("title").Text(); got != want.title+" – Kreator PC" {
			t.Errorf("%s: title %q", path, got)
		}
		if set := p.header.Values("Set-Cookie"); len(set) != 1 || p.cookie().Value != parse(t, carried).values().
			Encode() ||
			p.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: cookies %q, Cache-Control %q", path, set, p.header.Get("Cache-Control"))
		}
	}
}

func TestPagesWithoutABuild(t *testing.T) {
	w := newWorld(t)
	p := w.get(t, "/kreator/zestaw?tytul=Do+gier")
	if got := p.Find("header nav").Text(); strings.Join(strings.Fields(got), " ") != "Podzespoły Zestaw Katalog firm" {
		t.Errorf("navigation %q", got)
	}
	if got := p.attribute("main .actions a", "href"); got != "/kreator?tytul=Do+gier" {
		t.Errorf("parts are chosen at %s", got)
	}
	w.get(t, "/kreator/nic").counts("header a[href='/konto']", 1)
	if got := w.get(t, "/robots.txt").header.Get("Cache-Control"); got != "public, max-age=86400" {
		t.Errorf("robots.txt: Cache-Control %q", got)
	}
}

func TestRankingShowsWhatItHas(t *testing.T) {
	w := newWorld(t)
	w.rankings.rows = []rankings.Row{
		{Brand: "Asus", Model: "Karta 12GB", Rank: 1, Benchmark: 200, Samples: 1},
		{Brand: "Asus", Model: "Karta 12GB", PartNumber: "B", Rank: 1, Benchmark: 200},
		{Brand: "MSI", Model: "Karta 1.5TB", Rank: 1, Benchmark: 200},
		{Brand: "Asus", Model: "Karta Mini", Rank: 2, Benchmark: 0.5},
		{Brand: "Asus", Model: "Karta Nano 1GB", Rank: 3},
	}
	w.prices.findings["asus karta mini"] = prices.Finding{
		ProductName: "Karta Mini", Offers: []prices.Offer{{Price: 0.5}},
	}
	w.prices.kept["asus karta mini"] = true
	rows := func(p page, cells string) []string {
		return p.Find(cells).
			Map(func(_ int, s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") })
	}
	p := w.get(t, "/kreator/ranking/gpu")
	want := []string{
		"1 Asus Karta 12GB 1 pomiar 1 wariant MSI Karta 1.5TB 200 nieznana – Porównaj: Asus Karta 12GB Do zestawu: " +
			"Asus Karta 12GB",
		"2 Asus Karta Mini 0 pomiarów 0,5 0,50 zł 100 Porównaj: Asus Karta Mini Do zestawu: Asus Karta Mini",
		"3 Asus Karta Nano 1GB 0 pomiarów 0 nieznana – Porównaj: Asus Karta Nano 1GB Do zestawu: Asus Karta Nano 1GB",
	}
	if got := rows(p, "tbody tr"); !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	p.shows("Pokazano 3 z 3.", "Znane ceny: 1 z 3", "najwyżej 4")
	bars := p.Find(".chart-bar").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("width", "") })
	if !slices.Equal(bars, []string{"100%", "0.3%", "0%"}) {
		t.Errorf("bars %q", bars)
	}
	for field, choices := range map[string][]string{
		"marka": {"Wszystkie", "Asus", "MSI"}, "pamiec": {"Dowolna", "1 GB", "12 GB", "1,5 TB"},
		"ile": {"20", "50", "100", "200", "500"},
	} {
		if got := rows(p, "select[name="+field+"] option"); !slices.Equal(got, choices) {
			t.Errorf("%s: choices %q", field, got)
		}
	}
	p = w.get(t, "/kreator/ranking/gpu?szukaj=karta&budzet=0,5&pamiec=1&ile=20")
	p.counts("details[open]", 1)
	p.counts("tbody .badge.good", 0) // the one with the memory has no price
	w.get(t, "/kreator/ranking/gpu?budzet=0,5").counts("tbody .badge.good", 0)
	if got := p.attribute(".tabs li:last-child a",
		"href"); got != "/kreator/ranking/gpu?budzet=0.5&pamiec=1&sortuj=oplacalnosc&szukaj=karta" {
		t.Errorf("the last order at %s", got)
	}
	w.get(t, "/kreator/ranking/gpu?budzet=0,4").
		shows("Pokazano 2 z 2.", "Znane ceny: 0 z 2", "Części bez znanej ceny są na końcu")
	if got := w.get(t, "/kreator/ranking/gpu?budzet=1").attribute("#budzet", "value"); got != "1" {
		t.Errorf("a budget of 1 is shown as %q", got)
	}
	w.rankings.rows = w.rankings.rows[3:]
	if got := w.get(t, "/kreator/ranking/gpu").attribute(".chart-bar", "width"); got != "100%" {
		t.Errorf("the bar of the first, with half a point, is %s wide", got)
	}
	w.rankings.rows = w.rankings.rows[1:]
	p = w.get(t, "/kreator/ranking/gpu")
	if got := p.attribute(".chart-bar", "width"); got != "0%" {
		t.Errorf("without points the bar is %s wide", got)
	}
}

func TestBudgetIsRead(t *testing.T) {
	for text, want := range map[string]float64{
		"": 0, "0,01": 0.01, "1500": 1500, " 1 500,50 zł ": 1500.5, "999999999": 999999999, "1e9": 0, "1.000.000": 0,
		"-5": 0, "Inf": 0,
	} {
		if got := parseBudget(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Each kind has a name, and a place in a build for one part or for several.
func TestKindsAndTheirPlaces(t *testing.T) {
	w := newWorld(t)
	for _, want := range []struct {
		key, name string
		parts     int // of two
	}{
		{"cpu", "Procesor", 1}, {"gpu", "Karta graficzna", 1}, {"motherboard", "Płyta główna", 1},
		{"ram", "Pamięć RAM", 2}, {"storage", "Dysk", 2},
		{"psu", "Zasilacz", 1}, {"cooling", "Chłodzenie", 1}, {"case", "Obudowa", 1}, {"usb", "Pamięć USB", 2},
	} {
		if got := w.get(t, "/kreator/lista/"+want.key).Find("h1").Text(); got != want.name+": wybierz z listy" {
			t.Errorf("%s is called %q, want %q", want.key, got, want.name)
		}
		if got := len(parse(t, want.key+"=First+one&"+want.key+"=Second+one").Items); got != want.parts {
			t.Errorf("%s: %d parts of two, want %d", want.key, got, want.parts)
		}
	}
}

func TestFragmentsAreNotKept(t *testing.T) {
	w := newWorld(t)
	for _, fragment := range []string{
		cardOffers, "/kreator/kolejka?rodzaj=gpu&nazwa=Nvidia+RTX+5090", "/kreator/ceny?gpu=Nvidia+RTX+5090",
		"/kreator/porownaj/ceny?rodzina=gpu&czesc=Nvidia+RTX+5090",
	} {
		p := w.get(t, fragment)
		if p.status != http.StatusOK || p.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: %d %v", fragment, p.status, p.header)
		}
		if len(p.header.Values("Set-Cookie")) > 0 || p.Find("title").Length() > 0 {
			t.Errorf("%s: %d %v", fragment, p.status, p.header)
		}
	}
}

// TestPagesThatCannotBeMadeAreErrors: no page that a template fails to make is an empty one.
func TestPagesThatCannotBeMadeAreErrors(t *testing.T) {
	w := newWorld(t)
	empty, err := site.New(site.Options{Pages: fstest.MapFS{}, Static: fstest.MapFS{}})
	if err != nil {
		t.Fatal(err)
	}
	w.pages.site = empty
	for _, path := range []string{
		"/kreator", "/kreator/ranking/gpu", cards, strings.Replace(cards, "porownaj", "porownaj/ceny", 1), cardPage,
		cardOffers,
		"/kreator/lista/psu", "/kreator/czesc?rodzaj=psu&nazwa=ab",
		"/kreator/kolejka?rodzaj=gpu&nazwa=Nvidia+RTX+5090",
		threeParts, strings.Replace(threeParts, "zestaw", "ceny", 1),
	} {
		if p := w.get(t, path); p.status != http.StatusInternalServerError {
			t.Errorf("%s: %d", path, p.status)
		}
	}
}
