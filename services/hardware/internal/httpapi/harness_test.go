package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/httpx"
)

// checker sees every exchange of these tests. The run fails when an answer that
// the contract documents never occurs in them.
var checker = contracttest.New(contracts.Hardware())

func TestMain(m *testing.M) { os.Exit(checker.Run(m.Run)) }

// now is the moment at which the tests take place.
var now = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

const (
	rankingOf = "/api/benchmark/gpu?limit=2"
	priceOf   = "/api/prices/ceneo?"
)

// service is the API on echo as the program builds it. It gives one answer of each kind to
// every query, and records the queries.
type service struct {
	http.Handler // checked against the contract
	echo         *echo.Echo
	bodies       *lookup.Local
	ranking      *rankings.Answer
	price        *prices.Answer
	via          lookup.Via
	err          error
	quotes       []prices.Quote // of the first queries of a list; those of the others are ready
	families     []catalog.Family
	queries      []catalog.Query
}

// newService answers as if the source had just been asked, with data of the given age.
func newService(t *testing.T, age time.Duration) *service {
	t.Helper()
	s := &service{ranking: ranking(3, now.Add(-age)), price: price(card(), now.Add(-age)), via: lookup.ViaSource, bodies: lookup.NewLocal(8 << 20)}
	api := &httpapi.API{
		Ranking: func(_ context.Context, f catalog.Family) (*rankings.Answer, lookup.Via, error) {
			s.families = append(s.families, f)
			return s.ranking, s.via, s.err
		},
		Price: func(_ context.Context, _ lookup.Caller, q catalog.Query) (*prices.Answer, lookup.Via, error) {
			s.queries = append(s.queries, q)
			return s.price, s.via, s.err
		},
		Quotes: func(_ context.Context, _ lookup.Caller, queries []catalog.Query) []prices.Quote {
			s.queries = append(s.queries, queries...)
			quotes := slices.Clone(s.quotes)
			for len(quotes) < len(queries) {
				quotes = append(quotes, prices.Quote{Answer: s.price})
			}
			return quotes
		},
		Caller: func(r *http.Request) lookup.Caller { return lookup.Caller{Client: r.RemoteAddr} },
		Bodies: s.bodies, Aggregator: "ceneo", Now: func() time.Time { return now },
	}
	s.echo = httpx.New(httpx.Options{
		Log: slog.New(slog.DiscardHandler), Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "hardware"),
		BodyLimit: httpapi.BodyLimit, ErrorBody: api.Render,
	})
	api.Register(s.echo)
	s.Handler = checker.Wrap(t, s.echo)
	return s
}

// unchecked returns the service without the checks of the contract, which covers no
// encodings and reads integers of 64 bits at most.
func (s *service) unchecked() *service {
	s.Handler = s.echo
	return s
}

// do sends one request; headers are pairs of name and value.
func (s *service) do(method, target string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Add(pair[0], pair[1])
	}
	return s.serve(request)
}

func (s *service) get(target string, headers ...string) *httptest.ResponseRecorder {
	return s.do(http.MethodGet, target, headers...)
}

func (s *service) serve(r *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	return recorder
}

// body decodes an answer of any kind; what is not in it stays zero.
type body struct {
	Source, Family, Query string
	Count                 int
	Rows                  []struct{ Type, Model string }
	ProductName, Note     string
	Error, Code           string
	Allowed               []string
}

func read(t *testing.T, answer *httptest.ResponseRecorder) (b body) {
	t.Helper()
	if err := json.Unmarshal(answer.Body.Bytes(), &b); err != nil {
		t.Fatalf("body %q: %v", answer.Body, err)
	}
	return b
}

// requireFailure holds an answer to a status and a code, and to what every
// failure has in common.
func requireFailure(t *testing.T, answer *httptest.ResponseRecorder, status int, code string) body {
	t.Helper()
	b := read(t, answer)
	if answer.Code != status || b.Code != code || b.Error == "" {
		t.Errorf("answer %d %s, want %d %s", answer.Code, answer.Body, status, code)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "ETag": "", "Cache-Status": ""} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s %q of a failure", name, got)
		}
	}
	return b
}

// ranking and price are successes as the domain publishes them.
func ranking(n int, fetched time.Time) *rankings.Answer {
	rows := make([]rankings.Row, n)
	for i := range rows {
		rows[i] = rankings.Row{
			Type: "GPU", Brand: "Nvidia", Model: fmt.Sprintf("RTX %d", i+1), Rank: i + 1,
			Benchmark: float64(n - i), Samples: 10 * i, URL: "https://gpu.userbenchmark.com/SpeedTest/1/X?a=1&b=2",
		}
	}
	return &rankings.Answer{Value: rankings.Ranking{Source: "userbenchmark.com", Rows: rows}, Lifetime: success(fetched)}
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
				Store: "podzespoly.example", StoreLabel: "Podzespoły Łódź", Title: "RTX 4070 <nowa>", Price: 2649, PriceWithDelivery: 2668.99,
				Stock: prices.InStock, ShopRating: 4.83, URL: "https://www.ceneo.pl/Click/Offer/?e=Zm9v&a=2",
			},
			{Store: "swiat-grafik", StoreLabel: "Świat Grafik", Price: 2699.99},
		},
		Partial:      true,
		Alternatives: []prices.Alternative{{ProductName: "GeForce RTX 4070 12GB", ProductURL: "https://www.ceneo.pl/155000002", PriceLow: 2199, OfferCount: 18}},
	}
}
