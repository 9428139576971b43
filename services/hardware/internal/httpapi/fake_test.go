package httpapi_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/hardware/internal/httpapi"
)

// rankings and prices give one result to every query and note who asked.
type rankings struct {
	answer *hardware.Answer
	via    hardware.Via
	err    error
	asked  []catalog.Family
}

func (r *rankings) Get(_ context.Context, f catalog.Family) (*hardware.Answer, hardware.Via, error) {
	r.asked = append(r.asked, f)
	return r.answer, r.via, r.err
}

type prices struct {
	*hardware.Prices // for the names of aggregators
	answer           *hardware.Answer
	via              hardware.Via
	err              error
	asked            []catalog.Query
}

func (p *prices) Get(_ context.Context, q catalog.Query) (*hardware.Answer, hardware.Via, error) {
	p.asked = append(p.asked, q)
	return p.answer, p.via, p.err
}

// shop is an aggregator that says the same about every query.
type shop struct {
	finding hardware.Finding
	err     error
	before  func() // runs inside every look-up, unless nil
	asked   int
}

func (*shop) Name() string   { return "ceneo" }
func (*shop) Domain() string { return "ceneo.pl" }

func (s *shop) Find(context.Context, catalog.Query) (hardware.Finding, error) {
	s.asked++
	if s.before != nil {
		s.before()
	}
	return s.finding, s.err
}

// fakes returns a service over answers from the source, fetched at the given age.
func fakes(t *testing.T, age time.Duration) (service, *rankings, *prices) {
	t.Helper()
	r := &rankings{answer: ranking(t, 3, now.Add(-age)), via: hardware.ViaSource}
	p := &prices{
		Prices: hardware.NewPrices(&shop{}, nil, nil, nil, 0, nil),
		answer: price(t, card(), now.Add(-age)), via: hardware.ViaSource,
	}
	return newService(t, &httpapi.API{Rankings: r, Prices: p, Now: at(now)}), r, p
}

// rows makes the ranking of a family.
func rows(f catalog.Family, n int) []hardware.Row {
	all := make([]hardware.Row, n)
	for i := range all {
		all[i] = hardware.Row{
			Type: f.Upper(), Brand: "Nvidia", Model: fmt.Sprintf("RTX %d", i+1), Rank: i + 1,
			Benchmark: float64(n - i), Samples: 10 * i, URL: "https://gpu.userbenchmark.com/SpeedTest/1/X?a=1&b=2",
		}
	}
	return all
}

func ranking(t *testing.T, n int, fetched time.Time) *hardware.Answer {
	t.Helper()
	a, err := hardware.EncodeRanking("userbenchmark.com", rows("gpu", n))
	return kept(t, a, err, fetched)
}

func card() hardware.Finding {
	return hardware.Finding{
		ProductName: "Karta graficzna GeForce RTX 4070 SUPER 12GB", ProductURL: "https://www.ceneo.pl/161482093",
		OfferCount: 26, PriceLow: 2649, PriceHigh: 5039.7,
		Offers: []hardware.Offer{
			{Store: "podzespoly.example", StoreLabel: "Podzespoły Łódź", Price: 2649, URL: "https://www.ceneo.pl/Click/Offer/?e=Zm9v&a=2"},
			{Store: "swiat-grafik", StoreLabel: "Świat Grafik", Price: 2699.99},
		},
	}
}

func price(t *testing.T, f hardware.Finding, fetched time.Time) *hardware.Answer {
	t.Helper()
	a, err := hardware.EncodePrice("ceneo.pl", f, fetched)
	return kept(t, a, err, fetched)
}

// kept is a as the domain publishes a success.
func kept(t *testing.T, a *hardware.Answer, err error, fetched time.Time) *hardware.Answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	a.FetchedAt, a.ExpiresAt, a.Shareable = fetched, fetched.Add(24*time.Hour), true
	return a
}
