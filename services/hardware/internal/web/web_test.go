package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/temoto/robotstxt"
	"golang.org/x/net/html"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/internal/kit/testkit"
)

// newApp returns an app whose exchanges are not checked: the contract has no pages.
func newApp(t *testing.T, settings ...string) *apptest.App {
	t.Helper()
	a := apptest.New(t, settings...)
	a.Handler = a.Unchecked
	return a
}

func withLists(t *testing.T) *apptest.App {
	t.Helper()
	a := newApp(t, "HARDWARE_LIST_PAGES=5")
	a.Prices.ReadLists(t.Context())
	return a
}

// serveRanking lets the source serve a ranking. Rows are "part number,brand,model,rank,points,samples".
func serveRanking(a *apptest.App, family string, rows ...string) {
	file := "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL\n"
	for _, row := range rows {
		file += family + "," + row + ",https://ranking.example/1\n"
	}
	a.UserBenchmark.SetFault(fake.Fault{
		Kind: "status", Status: 200, Match: "/resources/download/csv/" + family, Body: file,
	})
}

// open returns a page as a browser without scripts sees it.
func open(t *testing.T, a *apptest.App, path string, headers ...string) *goquery.Document {
	t.Helper()
	return parse(t, a.Get(path, headers...).Want(http.StatusOK))
}

func parse(t *testing.T, r *apptest.Response) *goquery.Document {
	t.Helper()
	root, err := html.ParseWithOptions(r.Body, html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	page := goquery.NewDocumentFromNode(root)
	page.Find("br").ReplaceWithHtml(" ")
	return page
}

// texts returns the texts of elements, or with "@name" behind the selector that attribute.
func texts(page *goquery.Document, selector string) []string {
	selector, attribute, isAttribute := strings.Cut(selector, "@")
	return page.Find(selector).Map(func(_ int, s *goquery.Selection) string {
		if isAttribute {
			return s.AttrOr(attribute, "")
		}
		return strings.Join(strings.Fields(s.Text()), " ")
	})
}

func wantNoRequests(t *testing.T, a *apptest.App) {
	t.Helper()
	if asked := a.Asked(); len(asked) > 0 {
		t.Errorf("requests to the source %q, want none", asked)
	}
}

// facts are texts by their selectors, as texts takes them. nil means that there are no such elements.
type facts map[string][]string

// require compares facts with a page, which the message calls path.
func require(t *testing.T, path string, page *goquery.Document, want facts) {
	t.Helper()
	got := facts{}
	for selector := range want {
		got[selector] = texts(page, selector)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestStartLinksToRankingsAndLists(t *testing.T) {
	a := newApp(t, "HARDWARE_NOTICE=Dane <pokazowe>", "HARDWARE_CONTACT=biuro@firma.example")
	require(t, "/kreator", open(t, a, "/kreator?gpu=RTX+5090"), facts{
		"html@class": {"violet"},
		".notice":    {"Dane <pokazowe>"},
		"header a":   {"Kreator PC", "Podzespoły", "Zestaw (1)", "Katalog firm", "Twoje konto"},
		"a.tile strong": {
			"Procesory", "Karty graficzne", "Dyski SSD", "Dyski HDD", "Pamięć RAM", "Pamięci USB", "Procesor",
			"Karta graficzna", "Płyta główna", "Pamięć RAM", "Dysk", "Zasilacz", "Chłodzenie", "Obudowa",
		},
		"footer a@href":              {"mailto:biuro@firma.example"},
		"main li:first-child a@href": {"/kreator/ranking/cpu?gpu=RTX+5090", "/kreator/lista/cpu?gpu=RTX+5090"},
	})
	if got := a.Get("/").Want(http.StatusFound).Header().Get("Location"); got != "/kreator" {
		t.Errorf("the root leads to %s, want /kreator", got)
	}
}

func TestEveryPageKeepsTheBuild(t *testing.T) {
	const carried = "cpu=Ryzen+7&tytul=Do+gier"
	a := newApp(t)
	for path, want := range map[string][]string{
		"/kreator?": nil, "/kreator/ranking/gpu?": nil, "/kreator/ranking/gpu?marka=None&ile=50&": nil,
		"/kreator/czesc?rodzaj=gpu&nazwa=Nvidia+RTX+5090&": nil, "/kreator/lista/psu?": nil,
		"/kreator/czesc?rodzaj=psu&nazwa=ab&": nil,
		"/kreator/zestaw?":                    {"/kreator/zestaw?tytul=Do+gier"}, // without its only part
		"/kreator/porownaj?rodzina=gpu&czesc=Nvidia+RTX+4070&czesc=Nvidia+RTX+5090&": nil,
	} {
		response := a.Get(path+carried, "Cookie", "kreator_zestaw=cpu%3DRyzen%2B5").Want(http.StatusOK)
		testkit.Equal(t, path+": Cache-Control", response.Header().Get("Cache-Control"), "no-cache")
		testkit.Equal(t, path+": cookie", response.Result().Cookies()[0].Value, carried)
		var lost []string
		parse(t, response).Find("a[href^='/kreator'], form").Each(func(_ int, s *goquery.Selection) {
			to, err := url.Parse(s.AttrOr("href", s.AttrOr("action", "")))
			if err != nil {
				t.Fatal(err)
			}
			values := to.Query()
			s.Find("input").Each(func(_ int, input *goquery.Selection) {
				values.Set(input.AttrOr("name", ""), input.AttrOr("value", ""))
			})
			if values.Get("cpu") != "Ryzen 7" || values.Get("tytul") != "Do gier" {
				lost = append(lost, to.String())
			}
		})
		if diff := cmp.Diff(append([]string{"/kreator"}, want...), lost); diff != "" {
			t.Errorf("%s (-want +without the build):\n%s", path, diff)
		}
	}
}

func TestErrorsArePages(t *testing.T) {
	a := newApp(t)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/kreator/ranking/toaster":                     {404, "Nie ma takiej rodziny podzespołów."},
		"/kreator/porownaj?rodzina=toaster&czesc=abc":  {404, "Nie ma takiej rodziny podzespołów."},
		"/kreator/porownaj/ceny?rodzina=toaster":       {404, "Nie ma takiej rodziny podzespołów."},
		"/kreator/lista/toaster":                       {404, "Nie ma takiego rodzaju podzespołu."},
		"/kreator/czesc?rodzaj=toaster&nazwa=abc":      {404, "Nie ma takiego rodzaju podzespołu."},
		"/kreator/oferty?rodzaj=gpu":                   {400, "Wpisz co najmniej 3 znaki."},
		"/kreator/kolejka?rodzaj=x&nazwa=abc":          {404, "Nie ma takiego rodzaju podzespołu."},
		"/kreator/nic":                                 {404, "Nie ma takiej strony."},
		"/kreator/static/nic.0.css":                    {404, "Nie ma takiej strony."},
		"/kreator/z/2":                                 {404, "Nie ma już zestawu pod tym adresem"},
		"/kreator/z/aaaaaaaaaaaaaaaaa":                 {404, "Nie ma już zestawu pod tym adresem"},
		"/kreator/z/AAAAAAAAAAAAAAAAA":                 {404, "Nie ma już zestawu pod tym adresem"},
		"/kreator/ranking/gpu?marka=None":              {200, "Żadna część nie pasuje do filtrów."},
		"/kreator/czesc?rodzaj=psu&nazwa=ab":           {200, "Wpisz co najmniej 3 znaki."},
		"/kreator/porownaj?rodzina=cpu":                {200, "Zaznacz w rankingu części"},
		"/kreator/zestaw":                              {200, "Zestaw jest pusty."},
		"/kreator/zestaw?gpu=RTX+5090&krotki=aaaaaaaa": {200, "Utwórz krótki adres"},
	} {
		response := a.Get(path).Want(want.status)
		page := parse(t, response)
		if !strings.Contains(page.Text(), want.text) {
			t.Errorf("%s: no %q in %s", path, want.text, page.Find("main").Text())
		}
		if n := page.Find("h1").Length(); n != 1 {
			t.Errorf("%s: %d headings, want 1", path, n)
		}
		if got := response.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("%s: Content-Type %s, want HTML", path, got)
		}
	}
}

func TestFragmentsAreNotKept(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{
		"/kreator/oferty?rodzaj=gpu&nazwa=Nvidia+RTX+5090", "/kreator/kolejka?rodzaj=gpu&nazwa=Nvidia+RTX+5090",
		"/kreator/ceny?gpu=Nvidia+RTX+5090", "/kreator/porownaj/ceny?rodzina=gpu&czesc=Nvidia+RTX+5090",
	} {
		response := a.Get(path).Want(http.StatusOK)
		testkit.Equal(t, path+": Cache-Control", response.Header().Get("Cache-Control"), "no-store")
		if got := response.Header().Get("Set-Cookie"); got != "" {
			t.Errorf("%s: Set-Cookie %q, want none", path, got)
		}
		require(t, path, parse(t, response), facts{"title, h1": nil})
	}
}

func TestCrawlersBeginNoLookup(t *testing.T) {
	response := newApp(t).Get("/robots.txt").Want(http.StatusOK)
	if got := response.Header().Get("Cache-Control"); got != "public, max-age=86400" {
		t.Errorf("Cache-Control %q, want a day", got)
	}
	rules, err := robotstxt.FromBytes(response.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"/": true, "/kreator": true, "/kreator?gpu=RTX+5090": true, "/kreator/ranking/gpu?sortuj=cena": true,
		"/kreator/porownaj?rodzina=gpu&czesc=RTX+5090": true, "/kreator/czesc?rodzaj=psu": true,
		"/kreator/czesc?nazwa=RTX+5090&rodzaj=gpu": true, "/kreator/czesc?nazwa=czekaj%3D1&rodzaj=gpu": true,
		"/kreator/czesc?czekaj=1&nazwa=RTX+5090&rodzaj=gpu":       false,
		"/kreator/czesc?cpu=Ryzen+7&czekaj=1&nazwa=GT&rodzaj=gpu": false,
		"/kreator/czesc?rodzaj=gpu&nazwa=RTX+5090&czekaj=1":       false,
		"/kreator/oferty?rodzaj=gpu&nazwa=RTX+5090":               false,
		"/kreator/zestaw?gpu=RTX+5090&czekaj=1":                   false,
		"/kreator/ceny?gpu=RTX+5090":                              false,
		"/kreator/porownaj/ceny?rodzina=gpu&czesc=RTX+5090":       false,
		"/kreator/porownaj?czekaj=1&rodzina=gpu&czesc=RTX+5090":   false,
		"/kreator/z/1abc":              false,
		"/api/prices/ceneo?q=RTX+5090": false,
	} {
		testkit.Equal(t, path+": allowed", rules.TestAgent(path, "Googlebot"), want)
	}
}
