package httpapi_test

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

var oddRows = []rankings.Row{
	{Type: "GPU", Brand: "Nvidia", Model: "RTX 5090", Rank: 1, Benchmark: 436, Samples: 12, URL: "https://bench.example/Rating/1?a=1&b=2"},
	{Type: "GPU", PartNumber: `90YV<1>`, Brand: "Asus", Model: `ROG "Astral"` + "\u2028", Rank: 1, Benchmark: 0.004, URL: "https://bench.example/Rating/2"},
}

func TestRankingDocument(t *testing.T) {
	answer := &rankings.Answer{Value: rankings.Ranking{Source: "bench.example", Rows: oddRows}}
	const first = `{"type":"GPU","partNumber":"","brand":"Nvidia","model":"RTX 5090","rank":1,"benchmark":436,"samples":12,"url":"https://bench.example/Rating/1?a=1&b=2"}`
	const second = `{"type":"GPU","partNumber":"90YV<1>","brand":"Asus","model":"ROG \"Astral\"\u2028","rank":1,"benchmark":0.004,"samples":0,"url":"https://bench.example/Rating/2"}`
	for limit, want := range map[int]string{1: `1,"rows":[` + first, 2: `2,"rows":[` + first + "," + second, 500: `2,"rows":[` + first + "," + second} {
		got, err := httpapi.RankingJSON(answer, "gpu", limit)
		if want = `{"source":"bench.example","family":"gpu","count":` + want + "]}"; err != nil || string(got) != want {
			t.Errorf("limit %d: %v\n got %s\nwant %s", limit, err, got, want)
		}
	}
	empty, err := httpapi.RankingJSON(&rankings.Answer{}, "gpu", 1)
	if want := `{"source":"","family":"gpu","count":0,"rows":[]}`; err != nil || string(empty) != want {
		t.Errorf("%s, %v", empty, err)
	}
}

// TestFiguresThatJSONCannotHoldAreErrors: a 500, and nothing of them is kept.
func TestFiguresThatJSONCannotHoldAreErrors(t *testing.T) {
	s := newService(t, 0)
	s.ranking.Value.Rows[0].Benchmark = math.NaN()
	s.price.Value.PriceLow = math.Inf(1)
	for range 2 {
		requireFailure(t, s.get(rankingOf), 500, "internal")
		requireFailure(t, s.get(priceOf+"q=abc"), 500, "internal")
		requireFailure(t, s.post(quotesPath, items("abc")), 500, "internal")
	}
}

func fieldsOf(t *testing.T, query string, f prices.Finding) map[string]any {
	t.Helper()
	answer := price(f, time.Date(2026, 11, 20, 13, 4, 5, 0, time.FixedZone("CET", 3600)))
	if f.ProductName == "" {
		answer.Value.Note = "Nie znaleziono."
	}
	body, err := httpapi.PriceJSON(answer, query)
	var fields map[string]any
	if err != nil || json.Unmarshal(body, &fields) != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return fields
}

func TestPriceDocument(t *testing.T) {
	const link = "https://www.ceneo.pl/Click/Offer/?e=Zm9v&a=2"
	got := fieldsOf(t, `2.5" <dysk> & \n`, card())
	want := map[string]any{
		"query": `2.5" <dysk> & \n`, "source": "ceneo.pl", "productName": card().ProductName, "productUrl": card().ProductURL,
		"offerCount": 26.0, "priceLow": 2649.0, "priceHigh": 5039.7, "partial": true, "scrapedAt": "2026-11-20T12:04:05.000Z",
		"lowest": map[string]any{"store": "podzespoly.example", "storeLabel": "Podzespoły Łódź", "price": 2649.0, "url": link},
		"offers": []any{
			map[string]any{
				"store": "podzespoly.example", "storeLabel": "Podzespoły Łódź", "title": "RTX 4070 <nowa>", "price": 2649.0, "priceWithDelivery": 2668.99,
				"available": true, "shopRating": 4.83, "url": link,
			},
			map[string]any{"store": "swiat-grafik", "storeLabel": "Świat Grafik", "price": 2699.99},
		},
		"alternatives": []any{map[string]any{
			"productName": "GeForce RTX 4070 12GB", "productUrl": "https://www.ceneo.pl/155000002", "priceLow": 2199.0, "offerCount": 18.0,
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// FuzzQueryEcho: every accepted query is echoed as it was sent.
func FuzzQueryEcho(f *testing.F) {
	for _, seed := range []string{"RTX 4070 SUPER", `2.5" \ dysk`, "łóż", `a"b\c`, "ab\u2028c", "a\u2028b\u0085c", `\u0041\n`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, q string) {
		query, err := catalog.ParseQuery(q, "")
		if err != nil {
			return
		}
		if got := fieldsOf(t, query.Text, card())["query"]; got != query.Text {
			t.Errorf("%q is echoed as %q", query.Text, got)
		}
	})
}

func TestOptionalPriceFieldsAppearOnlyIfKnown(t *testing.T) {
	always := []string{"offerCount", "offers", "productName", "productUrl", "query", "scrapedAt", "source"}
	noLink := prices.Finding{ProductName: "X", ProductURL: "https://prices.example/1", Offers: card().Offers[1:]}
	for name, tt := range map[string]struct {
		finding prices.Finding
		also    []string
	}{
		"no price range":           {noLink, []string{"lowest"}},
		"a product without offers": {prices.Finding{ProductName: "X", PriceLow: 5}, []string{"priceLow"}},
		"nothing matched":          {prices.Finding{ProductURL: "https://prices.example/;szukaj-x"}, []string{"note"}},
	} {
		body := fieldsOf(t, "query", tt.finding)
		want := slices.Sorted(slices.Values(append(tt.also, always...)))
		if got := slices.Sorted(maps.Keys(body)); !slices.Equal(got, want) {
			t.Errorf("%s: fields %v, want %v", name, got, want)
		}
		if offers, ok := body["offers"].([]any); !ok || len(offers) != len(tt.finding.Offers) {
			t.Errorf("%s: offers = %v", name, body["offers"])
		}
	}
	lowest, _ := fieldsOf(t, "query", noLink)["lowest"].(map[string]any)
	if lowest["url"] != noLink.ProductURL || lowest["store"] != "swiat-grafik" {
		t.Errorf("lowest of an offer without a link = %v, want the product's page", lowest)
	}
	onOrder := fieldsOf(t, "query", prices.Finding{ProductName: "X", Offers: []prices.Offer{{Stock: prices.OnOrder}}})
	if got := onOrder["offers"].([]any)[0].(map[string]any)["available"]; got != false {
		t.Errorf("an offer on order is available: %v", got)
	}
}
