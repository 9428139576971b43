package cache

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
)

// noon is when the answers of these tests were fetched.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 123456789, time.UTC)

type outcome = lookup.Outcome[rankings.Ranking]

// samples are outcomes as the domain makes them.
func samples() map[string]outcome {
	kept := lookup.Lifetime{FetchedAt: noon, ExpiresAt: noon.Add(24 * time.Hour), Shareable: true}
	ranking := rankings.Ranking{Source: "example.com", Rows: []rankings.Row{
		{Type: "GPU", Brand: "Nvidia", Model: `RTX "5090" <&>`, Rank: 1, Benchmark: 424.25, Samples: 3, URL: "https://example.com/?a=1&b=2"}, {Rank: 2},
	}}
	return map[string]outcome{
		"ranking":       {Answer: &rankings.Answer{Value: ranking, Lifetime: kept}},
		"not kept":      {Answer: &rankings.Answer{Value: ranking, Lifetime: lookup.Lifetime{FetchedAt: noon}}},
		"empty ranking": {Answer: &rankings.Answer{Value: rankings.Ranking{Source: "local-fallback", Rows: []rankings.Row{}}}},
		"fault": {Fault: &fault.Error{
			Kind: fault.Unavailable, Code: "throttle_queue_full", Message: "Spróbuj ponownie za chwilę.", RetryAfter: 1500 * time.Millisecond,
		}},
		"internal fault": {Fault: &fault.Error{Code: "internal"}},
		"forgotten":      {Forgotten: true},
	}
}

// A match holds a whole price.
func TestCodecKeepsAMatchWhole(t *testing.T) {
	want := lookup.Outcome[prices.Match]{Answer: &lookup.Answer[prices.Match]{
		Value: prices.Match{Number: "1", Key: "offers:example.pl:1", Price: prices.Price{
			Source: "example.pl", ScrapedAt: noon, Note: "Nie znaleziono.", Finding: prices.Finding{
				ProductName: "X", ProductURL: "https://example.pl/1", OfferCount: 26, PriceLow: 1.25, PriceHigh: 2.5, Partial: true,
				Offers: []prices.Offer{{
					Store: "a.example", StoreLabel: "A & B", Title: "X (nowy)", Price: 1.25, PriceWithDelivery: 10.24, Stock: prices.OnOrder, ShopRating: 4.5,
					URL: "https://example.pl/Click",
				}, {Stock: prices.InStock}, {Stock: prices.StockUnknown}},
				Alternatives: []prices.Alternative{{ProductName: "Y", ProductURL: "https://example.pl/2", PriceLow: 3, OfferCount: 4}},
			},
		}},
		Lifetime: lookup.Lifetime{FetchedAt: noon, ExpiresAt: noon.Add(time.Hour), Shareable: true},
	}}
	data, err := encodeOutcome(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decodeOutcome[prices.Match](data); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func encoded(t testing.TB, o outcome) []byte {
	t.Helper()
	data, err := encodeOutcome(o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCodecRoundTrip(t *testing.T) {
	for name, want := range samples() {
		got, err := decodeOutcome[rankings.Ranking](encoded(t, want))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestCodecKeepsTheCauseToItself(t *testing.T) {
	o := outcome{Fault: fault.Wrap(errors.New("dial tcp 10.0.0.1: refused"), fault.Upstream, "source_unavailable", "Źródło nie odpowiada.")}
	got, err := decodeOutcome[rankings.Ranking](encoded(t, o))
	if err != nil {
		t.Fatal(err)
	}
	if got.Fault.Err != nil || got.Fault.Code != o.Fault.Code {
		t.Fatalf("got %+v, want the fault without its cause", got.Fault)
	}
}

// TestCodecRefusesDamage cuts every sample everywhere, and changes every byte.
func TestCodecRefusesDamage(t *testing.T) {
	for name, o := range samples() {
		whole := encoded(t, o)
		for n := range whole {
			if _, err := decodeOutcome[rankings.Ranking](whole[:n]); !errors.Is(err, errFormat) {
				t.Errorf("%s cut to %d of %d bytes: error %v", name, n, len(whole), err)
			}
			changed := slices.Clone(whole)
			changed[n] ^= 0x20
			if _, err := decodeOutcome[rankings.Ranking](changed); !errors.Is(err, errFormat) {
				t.Errorf("%s with byte %d changed: error %v", name, n, err)
			}
		}
		if _, err := decodeOutcome[rankings.Ranking](append(whole, '}')); !errors.Is(err, errFormat) {
			t.Errorf("%s with a byte more: error %v", name, err)
		}
	}
}

func TestCodecRefusesForeignFormats(t *testing.T) {
	newer := encoded(t, samples()["ranking"])
	newer[0] = format + 1
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "json": []byte(`{"value":{}}`), "newer format": newer,
		"no json":              framed([]byte("{{")),
		"neither of the two":   framed([]byte("{}")),
		"another kind":         framed([]byte(`{"value":{"Source":1}}`)),
		"time is not readable": framed([]byte(`{"value":{},"fetchedAt":"noon"}`)),
	} {
		if _, err := decodeOutcome[rankings.Ranking](data); !errors.Is(err, errFormat) {
			t.Errorf("%s: error %v, want %v", name, err, errFormat)
		}
	}
}

func TestAnswerIsNotAFault(t *testing.T) {
	if a, err := decodeAnswer[rankings.Ranking](encoded(t, samples()["fault"])); !errors.Is(err, errFormat) {
		t.Fatalf("a kept fault was read as answer %+v, error %v", a, err)
	}
}

// framed puts the format and the right checksum before body.
func framed(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{format}, crc32.ChecksumIEEE(body)), body...)
}

// FuzzDecodeOutcome feeds the decoder bytes as they are and with a checksum that
// fits. Whatever it accepts can be encoded again.
func FuzzDecodeOutcome(f *testing.F) {
	for _, o := range samples() {
		f.Add(encoded(f, o))
		f.Add(encoded(f, o)[prefixLength:])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, input := range [][]byte{data, framed(data)} {
			o, err := decodeOutcome[rankings.Ranking](input)
			if err != nil {
				continue
			}
			if hasOutcome := o.Answer != nil || o.Fault != nil; hasOutcome == o.Forgotten || o.Answer != nil && o.Fault != nil {
				t.Fatalf("accepted as %+v: want one of an answer, a fault and that it is forgotten", o)
			}
			again, err := encodeOutcome(o)
			if err != nil {
				continue // a year that JSON cannot write
			}
			if twice, err := decodeOutcome[rankings.Ranking](again); err != nil || !reflect.DeepEqual(o, twice) {
				t.Fatalf("%+v became %+v, error %v", o, twice, err)
			}
		}
	})
}
