package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// canned gives one answer of each kind to every query and notes who asked.
type canned struct {
	service
	ranking  *rankings.Answer
	price    *prices.Answer
	via      lookup.Via
	quotes   []prices.Quote // of the first queries of a list; those of the others are ready
	families []catalog.Family
	queries  []catalog.Query
}

// caller names the client as the service does.
func caller(r *http.Request) lookup.Caller {
	return lookup.Caller{Client: r.RemoteAddr}
}

// newCanned answers as if the source had just been asked, with data of the given age.
func newCanned(t *testing.T, age time.Duration) *canned {
	t.Helper()
	c := &canned{ranking: ranking(3, now.Add(-age)), price: price(card(), now.Add(-age)), via: lookup.ViaSource}
	c.service = newService(t, &httpapi.API{
		Ranking: func(_ context.Context, f catalog.Family) (*rankings.Answer, lookup.Via, error) {
			c.families = append(c.families, f)
			return c.ranking, c.via, nil
		},
		Price: func(_ context.Context, _ lookup.Caller, q catalog.Query) (*prices.Answer, lookup.Via, error) {
			c.queries = append(c.queries, q)
			return c.price, c.via, nil
		},
		Quotes: func(_ context.Context, _ lookup.Caller, queries []catalog.Query) []prices.Quote {
			c.queries = append(c.queries, queries...)
			quotes := slices.Clone(c.quotes)
			for len(quotes) < len(queries) {
				quotes = append(quotes, prices.Quote{Answer: c.price})
			}
			return quotes
		},
		Caller: caller, Bodies: lookup.NewLocal(8 << 20), Aggregator: "ceneo", Now: at(now),
	})
	return c
}

// rows makes the ranking of a family.
func rows(f catalog.Family, n int) []rankings.Row {
	all := make([]rankings.Row, n)
	for i := range all {
		all[i] = rankings.Row{
			Type: f.Upper(), Brand: "Nvidia", Model: fmt.Sprintf("RTX %d", i+1), Rank: i + 1,
			Benchmark: float64(n - i), Samples: 10 * i, URL: "https://gpu.userbenchmark.com/SpeedTest/1/X?a=1&b=2",
		}
	}
	return all
}

// ranking and price are successes as the domain publishes them.
func ranking(n int, fetched time.Time) *rankings.Answer {
	return &rankings.Answer{Value: rankings.Ranking{Source: "userbenchmark.com", Rows: rows("gpu", n)}, Lifetime: success(fetched)}
}

func price(f prices.Finding, fetched time.Time) *prices.Answer {
	return &prices.Answer{Value: prices.Price{Source: "ceneo.pl", Finding: f, ScrapedAt: fetched}, Lifetime: success(fetched)}
}

func success(fetched time.Time) lookup.Lifetime {
	return lookup.Lifetime{FetchedAt: fetched, ExpiresAt: fetched.Add(24 * time.Hour), Shareable: true}
}

func card() prices.Finding {
	return prices.Finding{
		ProductName: "Karta graficzna GeForce RTX 4070 SUPER 12GB", ProductURL: "https://www.ceneo.pl/161482093",
		OfferCount: 26, PriceLow: 2649, PriceHigh: 5039.7,
		Offers: []prices.Offer{
			{
				Store: "podzespoly.example", StoreLabel: "Podzespoły Łódź", Price: 2649, PriceWithDelivery: 2668.99,
				Stock: prices.InStock, ShopRating: 4.83, URL: "https://www.ceneo.pl/Click/Offer/?e=Zm9v&a=2",
			},
			{Store: "swiat-grafik", StoreLabel: "Świat Grafik", Price: 2699.99},
		},
		Partial:      true,
		Alternatives: []prices.Alternative{{ProductName: "GeForce RTX 4070 12GB", ProductURL: "https://www.ceneo.pl/155000002", PriceLow: 2199, OfferCount: 18}},
	}
}
