package hardware_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

var (
	rows = []hardware.Row{
		{Type: "GPU", Brand: "Nvidia", Model: "RTX 5090", Rank: 1, Benchmark: 436, Samples: 12, URL: "https://bench.example/Rating/1?a=1&b=2"},
		{Type: "GPU", PartNumber: `90YV<1>`, Brand: "Asus", Model: `ROG "Astral"` + "\u2028", Rank: 1, Benchmark: 0.004, URL: "https://bench.example/Rating/2"},
		{Type: "GPU", Brand: "Żółw", Model: `back\slash`, Rank: 2, Benchmark: 98.3, Samples: 1368019, URL: "https://bench.example/Rating/3"},
	}
	scrapedAt = time.Date(2026, 11, 20, 13, 4, 5, 678_900_000, time.FixedZone("CET", 3600))
	twoOffers = hardware.Finding{
		ProductName: `Dysk 2.5" <SSD> A&B \ ` + "\u2028", ProductURL: "https://prices.example/1?x=1&y=2", OfferCount: 26, PriceLow: 2649, PriceHigh: 5039.7,
		Offers: []hardware.Offer{
			{Store: "a.example", StoreLabel: "Sklep Ą & B", Price: 2649.99, URL: "https://prices.example/Click?e=1&a=2"},
			{Store: "b.example", StoreLabel: "B", Price: 2700},
		},
	}
)

// plain is json.Marshal without the escapes that only HTML needs.
func plain(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func ranking(t *testing.T, source string, rows []hardware.Row) *hardware.Answer {
	t.Helper()
	a, err := hardware.EncodeRanking(source, rows)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestRankingBodyIsTheJSONOfTheFirstRows(t *testing.T) {
	type body struct {
		Source string         `json:"source"`
		Family string         `json:"family"`
		Count  int            `json:"count"`
		Rows   []hardware.Row `json:"rows"`
	}
	for _, tt := range []struct {
		have  []hardware.Row
		limit int
		want  int
	}{{rows, 1, 1}, {rows, 2, 2}, {rows, 3, 3}, {rows, 500, 3}, {nil, 200, 0}} {
		a := ranking(t, "bench.example", tt.have)
		head, list, tail := a.RankingBody([]byte("before"), "gpu", tt.limit)
		got, begun := strings.CutPrefix(string(head)+string(list)+string(tail), "before")
		want := plain(t, body{"bench.example", "gpu", tt.want, append([]hardware.Row{}, tt.have[:tt.want]...)})
		if !begun || got != want {
			t.Errorf("limit %d of %d:\n got %s\nwant %s", tt.limit, len(tt.have), got, want)
		}
		if n := a.Rows(tt.limit); n != tt.want {
			t.Errorf("Rows(%d) = %d, want %d", tt.limit, n, tt.want)
		}
	}
}

func TestAppendingToAPartLeavesTheAnswerAlone(t *testing.T) {
	a := ranking(t, "bench.example", rows)
	before := bytes.Clone(a.Payload)
	_, list, tail := a.RankingBody(nil, "gpu", 1)
	_ = append(list, tail...)
	if !bytes.Equal(a.Payload, before) {
		t.Error("the rows behind the limit were overwritten")
	}
}

func TestFiguresThatJSONCannotHoldAreErrors(t *testing.T) {
	if a, err := hardware.EncodeRanking("bench.example", []hardware.Row{{Rank: 1, Benchmark: math.NaN()}}); err == nil {
		t.Errorf("ranking: %s", a.Payload)
	}
	if a, err := hardware.EncodePrice("prices.example", hardware.Finding{PriceLow: math.Inf(1)}, scrapedAt); err == nil {
		t.Errorf("price: %s", a.Payload)
	}
}

func price(t *testing.T, f hardware.Finding, text string) (*hardware.Answer, string) {
	t.Helper()
	a, err := hardware.EncodePrice("prices.example", f, scrapedAt)
	if err != nil {
		t.Fatal(err)
	}
	head, tail := a.PriceBody(nil, text)
	return a, string(head) + string(tail)
}

func priceBody(t *testing.T, f hardware.Finding, text string) map[string]any {
	t.Helper()
	_, body := price(t, f, text)
	var fields map[string]any
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return fields
}

func TestPriceBodyIsTheJSONOfAMatch(t *testing.T) {
	type lowest struct {
		Store      string  `json:"store"`
		StoreLabel string  `json:"storeLabel"`
		Price      float64 `json:"price"`
		URL        string  `json:"url"`
	}
	type body struct {
		Query       string           `json:"query"`
		Source      string           `json:"source"`
		ProductName string           `json:"productName"`
		ProductURL  string           `json:"productUrl"`
		OfferCount  int              `json:"offerCount"`
		PriceLow    float64          `json:"priceLow"`
		PriceHigh   float64          `json:"priceHigh"`
		Lowest      lowest           `json:"lowest"`
		Offers      []hardware.Offer `json:"offers"`
		ScrapedAt   string           `json:"scrapedAt"`
	}
	f := twoOffers
	for _, text := range []string{"dysk ssd", `2.5" dysk`, `a\b\\"c"`, `<b>a & b</b>`, `\u0041\n`, "Żółć \U0001f600"} {
		_, got := price(t, f, text)
		want := plain(t, body{
			text, "prices.example", f.ProductName, f.ProductURL, 26, 2649, 5039.7, lowest(f.Offers[0]), f.Offers, "2026-11-20T12:04:05.678Z",
		})
		if got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	if got := priceBody(t, f, "ab\u2028c")["query"]; got != "ab\u2028c" {
		t.Errorf("query = %q", got)
	}
}

func TestOptionalPriceFieldsAppearOnlyWhenTheyAreKnown(t *testing.T) {
	always := []string{"offerCount", "offers", "productName", "productUrl", "query", "scrapedAt", "source"}
	noLink := hardware.Finding{ProductName: "X", ProductURL: "https://prices.example/1", Offers: twoOffers.Offers[1:]}
	for name, tt := range map[string]struct {
		finding hardware.Finding
		also    []string
	}{
		"a match":                  {twoOffers, []string{"lowest", "priceHigh", "priceLow"}},
		"no price range":           {noLink, []string{"lowest"}},
		"a product without offers": {hardware.Finding{ProductName: "X", PriceLow: 5}, []string{"priceLow"}},
		"nothing matched":          {hardware.Finding{ProductURL: "https://prices.example/;szukaj-x"}, []string{"note"}},
	} {
		body := priceBody(t, tt.finding, "query")
		want := slices.Sorted(slices.Values(append(tt.also, always...)))
		if got := sortedKeys(body); !slices.Equal(got, want) {
			t.Errorf("%s: fields %v, want %v", name, got, want)
		}
		if offers, ok := body["offers"].([]any); !ok || len(offers) != len(tt.finding.Offers) {
			t.Errorf("%s: offers = %v", name, body["offers"])
		}
	}
	lowest, _ := priceBody(t, noLink, "query")["lowest"].(map[string]any)
	if lowest["url"] != noLink.ProductURL || lowest["store"] != "b.example" {
		t.Errorf("lowest of an offer without a link = %v, want the product's page", lowest)
	}
}

func TestScrapedAtAlwaysHasMilliseconds(t *testing.T) {
	a, err := hardware.EncodePrice("prices.example", hardware.Finding{}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil || !strings.Contains(string(a.Payload), `"scrapedAt":"2026-01-02T03:04:05.000Z"`) {
		t.Errorf("%s, %v", a.Payload, err)
	}
}

func TestDigestChangesWithTheDataAndNotOtherwise(t *testing.T) {
	base, changed := ranking(t, "bench.example", rows), slices.Clone(rows)
	changed[2].Samples++
	if again := ranking(t, "bench.example", slices.Clone(rows)); base.Digest != again.Digest || base.Digest == "" {
		t.Errorf("the same rows: %q and %q", base.Digest, again.Digest)
	}
	for name, a := range map[string]*hardware.Answer{
		"a row": ranking(t, "bench.example", changed), "the source": ranking(t, hardware.LocalFallback, rows), "fewer rows": ranking(t, "bench.example", rows[:2]),
	} {
		if a.Digest == base.Digest {
			t.Errorf("%s changed, the digest did not", name)
		}
	}
	one, _ := price(t, twoOffers, "dysk ssd")
	same, _ := price(t, twoOffers, "DYSK ssd")
	other, _ := price(t, hardware.Finding{}, "dysk ssd")
	if one.Digest != same.Digest || one.Digest == other.Digest {
		t.Errorf("price digests: %q, same data %q, other data %q", one.Digest, same.Digest, other.Digest)
	}
}

func TestFreshEndsAtExpiresAt(t *testing.T) {
	a := hardware.Answer{ExpiresAt: scrapedAt}
	got := []bool{a.Fresh(scrapedAt.Add(-1)), a.Fresh(scrapedAt), (&hardware.Answer{}).Fresh(scrapedAt)}
	if want := []bool{true, false, false}; !reflect.DeepEqual(got, want) {
		t.Errorf("before, at, never kept = %v, want %v", got, want)
	}
}

func TestSizeCoversWhatTheAnswerHolds(t *testing.T) {
	small, large := ranking(t, "bench.example", rows[:1]), ranking(t, "bench.example", slices.Repeat(rows, 100))
	if got := large.Size() - small.Size(); got < len(large.Payload)-len(small.Payload)+8*299 {
		t.Errorf("299 more rows of together %d bytes count %d", len(large.Payload)-len(small.Payload), got)
	}
}
