package ceneo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

// TestAPageThatIsCutIsAFailure cuts the pages of a search and of a product behind a tag.
func TestAPageThatIsCutIsAFailure(t *testing.T) {
	cut := func(page string) http.HandlerFunc {
		end := strings.LastIndex(strings.TrimSpace(strings.ReplaceAll(page, "</html>", "")), ">") + 1
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page[:end]) }
	}
	for name, path := range map[string]string{"search": cardsPath, "product": sortedPath} {
		s := newStub(t, nil)
		recorded := httptest.NewRecorder()
		s.handlers[path](recorded, httptest.NewRequest(http.MethodGet, "/", nil))
		s.handlers[path] = cut(recorded.Body.String())
		if f, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"}); !fault.Is(err, fetch.CodeChanged) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

// Failures of the site count against it, those of one query's page do not.
func TestFailuresBecomeFaults(t *testing.T) {
	blocked := fetch.CodeBlocked
	changed := fetch.CodeChanged
	down := fetch.CodeUnavailable
	for name, tt := range map[string]struct {
		search, product http.HandlerFunc
		code            string
		failing         bool
	}{
		"product refused":     {nil, text(403, ""), blocked, false},
		"captcha as search":   {text(200, fixture(t, "captcha.html")), nil, blocked, false},
		"interstitial":        {text(200, fixture(t, "interstitial.html")), nil, blocked, false},
		"changed list":        {text(200, fixture(t, "changed_list.html")), nil, changed, false},
		"front page":          {redirect("/"), nil, changed, false},
		"redirect to a click": {redirect("/Click/Offer/?e=1"), nil, fetch.CodeDisallowed, false},
		"server error":        {text(500, ""), nil, down, true},
		"product failed":      {nil, text(500, ""), down, true},
		"no such search":      {text(404, ""), nil, down, false},
		"no such product":     {nil, text(410, ""), down, false},
	} {
		s := newStub(t, nil)
		s.handlers["/"] = text(200, "<html><title>Ceneo.pl</title></html>")
		if tt.search != nil {
			s.handlers[cardsPath], s.handlers[allPath] = tt.search, tt.search
		}
		if tt.product != nil {
			s.handlers[sortedPath] = tt.product
		}
		f, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"})
		if !fault.Is(err, tt.code) || fetch.IsFailing(err) != tt.failing || f.Offers != nil {
			t.Errorf("%s: %+v, %v, failing %t; want %s", name, f, err, fetch.IsFailing(err), tt.code)
		}
	}
}

func TestEveryMarkOfAChallengeIsRecognised(t *testing.T) {
	for _, page := range []string{
		`<div class="js_f-container">`, `<script src="/fdetection.js">`, "<a>Przejdź do Ceneo</a>",
		`<form action="/Captcha/Add">`, `<div class="cf-turnstile">`,
	} {
		s := newStub(t, nil)
		s.handlers[cardsPath] = text(200, page)
		if _, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"}); !fault.Is(err, fetch.CodeBlocked) {
			t.Errorf("%s: %v", page, err)
		}
	}
}

func TestPaidClicksAreNeverRequested(t *testing.T) {
	s := newStub(t, nil)
	s.handlers["/robots.txt"], s.handlers[cardsPath] = text(404, ""), redirect("/Click/Offer/?e=1")
	if _, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"}); !fault.Is(err, fetch.CodeChanged) {
		t.Errorf("error %v", err)
	}
	s.wantPaths(t, cardsPath)
}

func TestTheRulesOfTheSiteAreObeyed(t *testing.T) {
	for address, open := range map[string]bool{
		"/Karty_graficzne;szukaj-rtx+4070":        true,
		"/155000002;0280-0.htm":                   true,
		"/;szukaj-rtx+4070":                       false,
		"/;0201-30-0-0-1.htm":                     false,
		"/Komputery;szukaj-dysk+u-sl":             false,
		"/Komputery;szukaj-dysk+u-slim":           true,
		"/Komputery;szukaj-x-basket":              false,
		"/Komputery/Lokalizacja:Krakow;m5;n9.htm": false,
		"/Komputery?e=1":                          false,
		"/search-x":                               false,
		"/Product/155000002":                      false,
		"/porownanie/a-p1-vs-b-p2":                true,
	} {
		_, err := newStub(t, nil).Get(t.Context(), &fetch.Request{}, home+address, nil)
		if fault.Is(err, fetch.CodeDisallowed) == open {
			t.Errorf("%s: %v, want it open: %t", address, err, open)
		}
	}
}

func TestProductFallsBackToThePlainOrder(t *testing.T) {
	full := fixture(t, "product.html")
	few := strings.ReplaceAll(full, `"offerCount":26`, `"offerCount":8`)
	for name, tt := range map[string]struct {
		sorted, plain http.HandlerFunc
		robots        string
		partial       bool
		product       string
	}{
		"refused as unknown":      {text(404, ""), text(200, full), "", true, plainPath},
		"refused as bad":          {text(400, ""), text(200, full), "", true, plainPath},
		"redirected to the plain": {redirect(plainPath), text(200, full), "", true, plainPath},
		"plain page shows all":    {text(404, ""), text(200, few), "", false, plainPath},
		"disallowed by robots.txt": {text(200, full), text(200, full), "User-agent: *\nDisallow: /*;0280\n", true,
			plainPath},
		"sorted page is served":  {text(200, full), nil, "", false, plainPath},
		"sorted at another page": {redirect("/155000099;0280-0.htm"), nil, "", false, "/155000099"},
	} {
		s := newStub(t, nil)
		s.handlers["/robots.txt"] = text(200, tt.robots)
		s.handlers[sortedPath], s.handlers[plainPath] = tt.sorted, tt.plain
		s.handlers["/155000099;0280-0.htm"] = text(200, full)
		f := s.mustFind(t, "RTX 4070")
		if f.Partial != tt.partial || len(f.Offers) != prices.MaxOffers || f.ProductURL != home+tt.product {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
