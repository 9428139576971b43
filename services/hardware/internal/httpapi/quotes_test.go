package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

const quotesPath = "/api/prices/ceneo/quotes"

// post sends a body as JSON.
func (s *service) post(path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	return s.serve(request)
}

// items makes the body for these queries.
func items(queries ...string) string {
	return `{"items":[{"q":"` + strings.Join(queries, `"},{"q":"`) + `"}]}`
}

func TestQuotesTellHowFarEachItemIs(t *testing.T) {
	s := newService(t, 0)
	found := prices.Price{Finding: prices.Finding{ProductName: "Zasilacz 750W", ProductURL: "https://www.ceneo.pl/1", PriceLow: 399.9, OfferCount: 7}}
	s.quotes = []prices.Quote{
		{Answer: s.price},
		{Place: lookup.Place{Number: 3, Wait: 2500 * time.Millisecond}},
		{Place: lookup.Place{Number: 1}, Found: &found},
		{},
		{Fault: fault.From(lookup.Blocked(nil, 90*time.Second))},
	}
	answer := s.post(quotesPath, `{"items":[{"q":" RTX  4070 ","category":"gpu"},{"q":"ram 32GB"},{"q":"zasilacz"},{"q":"dysk 1TB","category":""},{"q":"obudowa"}]}`)
	price := s.get(priceOf + "q=RTX+4070").Body.String()
	want := `{"items":[{"query":"RTX 4070","category":"gpu","status":"ready","price":` + price + `},` +
		`{"query":"ram 32GB","status":"queued","place":3,"seconds":3},` +
		`{"query":"zasilacz","status":"queued","place":1,"seconds":0,"found":{"productName":"Zasilacz 750W","productUrl":"https://www.ceneo.pl/1","priceLow":399.9,"offerCount":7}},` +
		`{"query":"dysk 1TB","status":"queued"},` +
		`{"query":"obudowa","status":"failed","error":"Źródło danych chwilowo odmawia odpowiedzi. Spróbuj ponownie później.","code":"source_blocked","retryAfter":90}]}`
	if answer.Code != 200 || answer.Body.String() != want {
		t.Errorf("answer %d %s\nwant %s", answer.Code, answer.Body, want)
	}
	if h := answer.Header(); h.Get("Cache-Control") != "no-store" || h.Get("ETag") != "" || h.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", h)
	}
	if s.queries[0] != (catalog.Query{Text: "RTX 4070", Category: "gpu"}) {
		t.Errorf("looked up %+v", s.queries)
	}
}

func TestQuotesSayWhatFits(t *testing.T) {
	s := newService(t, 0)
	board := prices.Price{Finding: prices.Finding{ProductName: "MSI PRO B760M-P DDR4", ProductURL: "https://www.ceneo.pl/1"}}
	s.quotes = []prices.Quote{{}, {Found: &board}, {}, {}}
	answer := s.post(quotesPath, `{"items":[{"q":"Core i9-14900K"},{"q":"B760M-P","category":"motherboard"},{"q":"Kingston Fury DDR5 32GB"},{"q":"RTX 4070"}]}`)
	want := `{"items":[{"query":"Core i9-14900K","status":"queued","fits":"compatible"},` +
		`{"query":"B760M-P","category":"motherboard","status":"queued","found":{"productName":"MSI PRO B760M-P DDR4","productUrl":"https://www.ceneo.pl/1"},"fits":"incompatible"},` +
		`{"query":"Kingston Fury DDR5 32GB","status":"queued","fits":"incompatible"},{"query":"RTX 4070","status":"queued"}]}`
	if answer.Code != 200 || answer.Body.String() != want {
		t.Errorf("answer %d %s\nwant %s", answer.Code, answer.Body, want)
	}
}

func TestQuotesRefused(t *testing.T) {
	long, many := strings.Repeat("a", 201), items(slices.Repeat([]string{"abc"}, prices.MaxQuotes+1)...)
	tests := []struct{ name, body, code, says string }{
		{"empty", "", "invalid_body", "obiektem JSON"},
		{"no JSON", "q=abc", "invalid_body", "obiektem JSON"},
		{"a list", "[]", "invalid_body", "obiektem JSON"},
		{"more behind it", items("abc") + "{}", "invalid_body", "obiektem JSON"},
		{"cut short", `{"items":[{"q":"abc"}`, "invalid_body", "obiektem JSON"},
		{"another field", `{"items":[{"q":"abc","limit":1}]}`, "invalid_body", "obiektem JSON"},
		{"a number", `{"items":[{"q":4070}]}`, "invalid_body", "obiektem JSON"},
		{"null", "null", "invalid_items", "od 1 do 20"},
		{"no items", `{"items":[]}`, "invalid_items", "od 1 do 20"},
		{"too many items", many, "invalid_items", "od 1 do 20"},
		{"an empty item", `{"items":[{"q":"abc"},{}]}`, "query_too_short", "Pozycja 2: "},
		{"too short", items("abc", "ab"), "query_too_short", "Pozycja 2: "},
		{"too long", items(long), "query_too_long", "Pozycja 1: "},
		{"forbidden", items("abc\\u0000"), "invalid_query", "Pozycja 1: "},
		{"no words", items("---"), "invalid_query", "Pozycja 1: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newService(t, 0)
			b := requireFailure(t, s.post(quotesPath, tt.body), 400, tt.code)
			if !strings.Contains(b.Error, tt.says) || len(s.queries) > 0 {
				t.Errorf("says %q; looked up %v", b.Error, s.queries)
			}
		})
	}
	s := newService(t, 0)
	plain := httptest.NewRequest(http.MethodPost, quotesPath, strings.NewReader(items("abc")))
	plain.Header.Set("Content-Type", "text/plain")
	requireFailure(t, s.serve(plain), 400, "invalid_body")
	requireFailure(t, s.post(quotesPath, `{"items":"`+strings.Repeat("x", 64<<10)+`"}`), 413, "body_too_large")
	padded := func(size int) string { return fmt.Sprintf("%*s", -size, items("abc")) }
	requireFailure(t, s.post(quotesPath, padded(64<<10+1)), 413, "body_too_large")
	if answer := s.post(quotesPath, padded(64<<10)); answer.Code != 200 {
		t.Errorf("a body of 64 KiB: answer %d %s", answer.Code, answer.Body)
	}
	unknown := requireFailure(t, s.post(quotesPath, `{"items":[{"q":"abc","category":"gpus"}]}`), 400, "unknown_category")
	if len(unknown.Allowed) != 8 || !strings.HasPrefix(unknown.Error, "Pozycja 1: ") {
		t.Errorf("%+v", unknown)
	}
	if b := requireFailure(t, s.post("/api/prices/skapiec/quotes", "nothing"), 404, "unknown_aggregator"); len(b.Allowed) != 1 {
		t.Errorf("allowed %v", b.Allowed)
	}
}

func TestTheLongestListIsTaken(t *testing.T) {
	s := newService(t, 0)
	longest := strings.Repeat(`\u0142`, catalog.MaxQueryLength)
	if answer := s.post(quotesPath, items(slices.Repeat([]string{longest}, prices.MaxQuotes)...)); answer.Code != 200 {
		t.Errorf("answer %d %s", answer.Code, answer.Body)
	}
}
