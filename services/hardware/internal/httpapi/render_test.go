package httpapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

var (
	oddRows = []rankings.Row{
		{Type: "GPU", Brand: "Nvidia", Model: "RTX 5090", Rank: 1, Benchmark: 436, Samples: 12, URL: "https://bench.example/Rating/1?a=1&b=2"},
		{Type: "GPU", PartNumber: `90YV<1>`, Brand: "Asus", Model: `ROG "Astral"` + "\u2028", Rank: 1, Benchmark: 0.004, URL: "https://bench.example/Rating/2"},
		{Type: "GPU", Brand: "Żółw", Model: `back\slash`, Rank: 2, Benchmark: 98.3, Samples: 1368019, URL: "https://bench.example/Rating/3"},
	}
	scrapedAt = time.Date(2026, 11, 20, 13, 4, 5, 678_900_000, time.FixedZone("CET", 3600))
	twoOffers = prices.Price{Source: "prices.example", ScrapedAt: scrapedAt, Finding: prices.Finding{
		ProductName: `Dysk 2.5" <SSD> A&B \ ` + "\u2028", ProductURL: "https://prices.example/1?x=1&y=2", OfferCount: 26, PriceLow: 2649, PriceHigh: 5039.7,
		Offers: []prices.Offer{
			{Store: "a.example", StoreLabel: "Sklep Ą & B", Price: 2649.99, URL: "https://prices.example/Click?e=1&a=2"},
			{Store: "b.example", StoreLabel: "B", Price: 2700},
		},
	}}
)

// documentedPrice is the price response as the contract writes it.
type documentedPrice struct {
	Query       string          `json:"query"`
	Source      string          `json:"source"`
	ProductName string          `json:"productName"`
	ProductURL  string          `json:"productUrl"`
	OfferCount  int             `json:"offerCount"`
	PriceLow    float64         `json:"priceLow"`
	PriceHigh   float64         `json:"priceHigh"`
	Lowest      lowestDocument  `json:"lowest"`
	Offers      []offerDocument `json:"offers"`
	ScrapedAt   string          `json:"scrapedAt"`
}

// plainJSON is json.Marshal without the escapes that only HTML needs.
func plainJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rankingOf and priceOf are answers as the look-ups give them out.
func rankingOf(source string, rows []rankings.Row) *rankings.Answer {
	return &lookup.Answer[rankings.Ranking]{Value: rankings.Ranking{Source: source, Rows: rows}}
}

func priceOf(p prices.Price) *prices.Answer { return &lookup.Answer[prices.Price]{Value: p} }

func requireDigest(t *testing.T, r *rendered, err error) string {
	t.Helper()
	if err != nil || r.digest == "" {
		t.Fatalf("digest of %+v, %v", r, err)
	}
	return r.digest
}

func TestRankingIsTheJSONOfTheFirstRows(t *testing.T) {
	many := slices.Repeat(oddRows, 200)
	for _, tt := range []struct {
		have  []rankings.Row
		limit int
		want  int
	}{{oddRows, 1, 1}, {oddRows, 2, 2}, {oddRows, 3, 3}, {oddRows, 500, 3}, {nil, 200, 0}, {many, 500, 500}} {
		got, err := RankingJSON(rankingOf("bench.example", tt.have), "gpu", tt.limit)
		rows := make([]rowDocument, tt.want)
		for i := range rows {
			rows[i] = rowDocument(tt.have[i])
		}
		want := plainJSON(t, struct {
			Source string        `json:"source"`
			Family string        `json:"family"`
			Count  int           `json:"count"`
			Rows   []rowDocument `json:"rows"`
		}{"bench.example", "gpu", tt.want, rows})
		if err != nil || string(got) != want {
			t.Errorf("limit %d of %d: %v\n got %s\nwant %s", tt.limit, len(tt.have), err, got, want)
		}
	}
}

func TestAppendingToAPartLeavesTheFormAlone(t *testing.T) {
	r, err := renderRanking(rankings.Ranking{Source: "bench.example", Rows: oddRows})
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(r.payload)
	_, list, tail := r.rankingBody(nil, "bench.example", "gpu", 1)
	_ = append(list, tail...)
	if !bytes.Equal(r.payload, before) {
		t.Error("the rows behind the limit were overwritten")
	}
}

// TestFiguresThatJSONCannotHoldAreErrors: for whoever asks, and nothing is kept.
func TestFiguresThatJSONCannotHoldAreErrors(t *testing.T) {
	ranking := rankingOf("bench.example", []rankings.Row{{Rank: 1, Benchmark: math.NaN()}})
	if body, err := RankingJSON(ranking, "gpu", 1); err == nil {
		t.Errorf("ranking: %s", body)
	}
	price := priceOf(prices.Price{Finding: prices.Finding{PriceLow: math.Inf(1)}})
	if body, err := PriceJSON(price, "abc"); err == nil {
		t.Errorf("price: %s", body)
	}
	if form, bytes := KeepRanking(ranking); form != nil || bytes != 0 {
		t.Errorf("kept %v of a ranking", form)
	}
	if form, bytes := KeepPrice(price); form != nil || bytes != 0 {
		t.Errorf("kept %v of a price", form)
	}
}

func TestPriceIsTheJSONOfAMatch(t *testing.T) {
	for _, text := range []string{"dysk ssd", `2.5" dysk`, `a\b\\"c"`, `<b>a & b</b>`, `\u0041\n`, "Żółć \U0001f600"} {
		got, err := PriceJSON(priceOf(twoOffers), text)
		want := documentedPrice{
			Query: text, Source: "prices.example", ProductName: twoOffers.ProductName, ProductURL: twoOffers.ProductURL,
			OfferCount: 26, PriceLow: 2649, PriceHigh: 5039.7, Lowest: lowestDocument{"a.example", "Sklep Ą & B", 2649.99, "https://prices.example/Click?e=1&a=2"}, ScrapedAt: "2026-11-20T12:04:05.678Z",
		}
		for _, o := range twoOffers.Offers {
			want.Offers = append(want.Offers, offerDocument{Store: o.Store, StoreLabel: o.StoreLabel, Price: o.Price, URL: o.URL})
		}
		if err != nil || string(got) != plainJSON(t, want) {
			t.Errorf("%v\n got %s\nwant %s", err, got, plainJSON(t, want))
		}
	}
}

// FuzzQueryEcho: whatever query is accepted stands in the answer as it was asked.
func FuzzQueryEcho(f *testing.F) {
	for _, seed := range []string{"RTX 4070 SUPER", `2.5" \ dysk`, "łóż", `a"b\c`, "ab\u2028c", "a\u2028b\u0085c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, q string) {
		query, err := catalog.ParseQuery(q, "")
		if err != nil {
			return
		}
		var body struct{ Query string }
		got, err := PriceJSON(priceOf(twoOffers), query.Text)
		if err != nil || json.Unmarshal(got, &body) != nil || body.Query != query.Text {
			t.Errorf("%q is answered with %s, %v", query.Text, got, err)
		}
	})
}

func priceFields(t *testing.T, f prices.Finding) map[string]any {
	t.Helper()
	price := prices.Price{Source: "prices.example", Finding: f}
	if f.ProductName == "" {
		price.Note = "Nie znaleziono."
	}
	body, err := PriceJSON(priceOf(price), "query")
	var fields map[string]any
	if err != nil || json.Unmarshal(body, &fields) != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return fields
}

func TestOptionalPriceFieldsAppearOnlyWhenTheyAreKnown(t *testing.T) {
	always := []string{"offerCount", "offers", "productName", "productUrl", "query", "scrapedAt", "source"}
	noLink := prices.Finding{ProductName: "X", ProductURL: "https://prices.example/1", Offers: twoOffers.Offers[1:]}
	for name, tt := range map[string]struct {
		finding prices.Finding
		also    []string
	}{
		"a match":                  {twoOffers.Finding, []string{"lowest", "priceHigh", "priceLow"}},
		"no price range":           {noLink, []string{"lowest"}},
		"a product without offers": {prices.Finding{ProductName: "X", PriceLow: 5}, []string{"priceLow"}},
		"nothing matched":          {prices.Finding{ProductURL: "https://prices.example/;szukaj-x"}, []string{"note"}},
	} {
		body := priceFields(t, tt.finding)
		want := slices.Sorted(slices.Values(append(tt.also, always...)))
		if got := slices.Sorted(maps.Keys(body)); !slices.Equal(got, want) {
			t.Errorf("%s: fields %v, want %v", name, got, want)
		}
		if offers, ok := body["offers"].([]any); !ok || len(offers) != len(tt.finding.Offers) {
			t.Errorf("%s: offers = %v", name, body["offers"])
		}
	}
	lowest, _ := priceFields(t, noLink)["lowest"].(map[string]any)
	if lowest["url"] != noLink.ProductURL || lowest["store"] != "b.example" {
		t.Errorf("lowest of an offer without a link = %v, want the product's page", lowest)
	}
}

func TestScrapedAtAlwaysHasMilliseconds(t *testing.T) {
	if got := timestamp(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)); got != "2026-01-02T03:04:05.000Z" {
		t.Error(got)
	}
}

func TestDigestChangesWithTheDataAndNotOtherwise(t *testing.T) {
	of := func(source string, rows []rankings.Row) string {
		r, err := renderRanking(rankings.Ranking{Source: source, Rows: rows})
		return requireDigest(t, r, err)
	}
	many := slices.Repeat(oddRows, 200)
	base, changed, behind := of("bench.example", oddRows), slices.Clone(oddRows), slices.Clone(many)
	changed[2].Samples++
	behind[599].Samples++ // no answer holds that row, but its data are newer
	if again := of("bench.example", slices.Clone(oddRows)); base != again {
		t.Errorf("the same rows: %q and %q", base, again)
	}
	for name, digest := range map[string]string{
		"a row": of("bench.example", changed), "the source": of(rankings.LocalFallback, oddRows), "fewer rows": of("bench.example", oddRows[:2]),
	} {
		if digest == base {
			t.Errorf("%s changed, the digest did not", name)
		}
	}
	if of("bench.example", many) == of("bench.example", behind) {
		t.Error("a row behind the longest answer changed, the digest did not")
	}
	one, err := renderPrice(twoOffers)
	other, otherErr := renderPrice(prices.Price{})
	if requireDigest(t, one, err) == requireDigest(t, other, otherErr) {
		t.Error("two prices have one digest")
	}
}

// TestAnOfferSaysMoreOnlyWhereThePageDoes: what the page of a product leaves open is
// absent, and neither zero nor false.
func TestAnOfferSaysMoreOnlyWhereThePageDoes(t *testing.T) {
	offer := prices.Offer{Store: "a", StoreLabel: "A", Price: 10}
	for name, tt := range map[string]struct {
		change func(*prices.Offer)
		also   map[string]any
	}{
		"nothing more":  {func(*prices.Offer) {}, nil},
		"delivery":      {func(o *prices.Offer) { o.PriceWithDelivery = 24.99 }, map[string]any{"priceWithDelivery": 24.99}},
		"in stock":      {func(o *prices.Offer) { o.Stock = prices.InStock }, map[string]any{"available": true}},
		"on order":      {func(o *prices.Offer) { o.Stock = prices.OnOrder }, map[string]any{"available": false}},
		"a rated shop":  {func(o *prices.Offer) { o.ShopRating = 4.83 }, map[string]any{"shopRating": 4.83}},
		"a shop's link": {func(o *prices.Offer) { o.URL = "https://a.example/" }, map[string]any{"url": "https://a.example/"}},
	} {
		changed := offer
		tt.change(&changed)
		fields := priceFields(t, prices.Finding{ProductName: "X", Offers: []prices.Offer{changed}})
		want := map[string]any{"store": "a", "storeLabel": "A", "price": 10.0}
		maps.Copy(want, tt.also)
		if got := fields["offers"].([]any)[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestAlternativesSayWhatTheirRowsSaid(t *testing.T) {
	fields := priceFields(t, prices.Finding{ProductName: "X", Partial: true, Alternatives: []prices.Alternative{
		{ProductName: "Y", ProductURL: "https://prices.example/2", PriceLow: 99.5, OfferCount: 7},
		{ProductName: "Z", ProductURL: "https://prices.example/3"},
	}})
	want := []any{
		map[string]any{"productName": "Y", "productUrl": "https://prices.example/2", "priceLow": 99.5, "offerCount": 7.0},
		map[string]any{"productName": "Z", "productUrl": "https://prices.example/3"},
	}
	if got := fields["alternatives"]; !reflect.DeepEqual(got, want) || fields["partial"] != true {
		t.Errorf("%v, partial %v", got, fields["partial"])
	}
}

// TestSizeCoversWhatIsKept: what a kept form adds to the size of its answer.
func TestSizeCoversWhatIsKept(t *testing.T) {
	form, bytes := KeepRanking(rankingOf("bench.example", slices.Repeat(oddRows, 400)))
	r := form.(*rendered)
	if least := len(r.payload) + 8*len(r.ends) + len(r.compressed.data); bytes < least || bytes > 2*least || len(r.ends) != rankings.MaxLimit {
		t.Errorf("%d rows of together %d bytes count %d", len(r.ends), least, bytes)
	}
}
