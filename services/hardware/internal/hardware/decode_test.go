package hardware_test

import (
	"reflect"
	"testing"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

func TestRankingIsDecodedAsItWasEncoded(t *testing.T) {
	for _, rows := range [][]hardware.Row{
		{},
		{{Type: "GPU", Brand: "Nvidia", Model: `RTX "5090"`, Rank: 1, Benchmark: 183.5, Samples: 3, URL: "https://gpu.example/?a=1&b=2"}, {Rank: 2}},
	} {
		a, err := hardware.EncodeRanking("site.example", rows)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Ranking(); err != nil || !reflect.DeepEqual(got, rows) {
			t.Errorf("%+v, %v, want %+v", got, err, rows)
		}
	}
}

func TestPriceIsDecodedAsItWasEncoded(t *testing.T) {
	at := time.Date(2026, time.November, 21, 12, 0, 0, 5e6, time.UTC)
	a, err := hardware.EncodePrice("prices.example", twoOffers, at)
	if err != nil {
		t.Fatal(err)
	}
	want := hardware.PriceResult{Source: "prices.example", Finding: twoOffers, ScrapedAt: at}
	want.Partial = false // is not told to anybody
	if got, err := a.Price(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if a, err = hardware.EncodePrice("prices.example", hardware.Finding{ProductURL: "https://prices.example/"}, at); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Price(); err != nil || got.Note == "" || len(got.Offers) > 0 {
		t.Errorf("nothing matched: %+v, %v", got, err)
	}
}

func TestUnreadableAnswers(t *testing.T) {
	for _, payload := range []string{"", ",", `,"offers":1}`, "{]"} {
		a := &hardware.Answer{Payload: []byte(payload)}
		if p, err := a.Price(); err == nil {
			t.Errorf("price of %q: %+v", payload, p)
		}
		if rows, err := a.Ranking(); payload != "" && err == nil {
			t.Errorf("ranking of %q: %+v", payload, rows)
		}
	}
}
