package site_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/site"
)

// plain replaces non-breaking spaces.
func plain(s string) string { return strings.ReplaceAll(s, "\u00a0", "_") }

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0, 0, "0"}, {7.25, 1, "7,2"}, {2649, 2, "2649,00"}, {9999.994, 2, "9999,99"}, {9999.996, 2, "10_000,00"},
		{1234567.5, 1, "1_234_567,5"}, {-12.5, 1, "−12,5"}, {-0.001, 2, "0,00"},
	} {
		if got := plain(site.Number(test.v, test.decimals)); got != test.want {
			t.Errorf("Number(%v, %d) = %q, want %q", test.v, test.decimals, got, test.want)
		}
	}
	if got := plain(site.Money(10999.9)); got != "10_999,90_zł" {
		t.Errorf("Money: %q", got)
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{
		0: "0_ofert", 1: "1_oferta", 2: "2_oferty", 4: "4_oferty", 5: "5_ofert", 11: "11_ofert", 12: "12_ofert",
		14: "14_ofert", 21: "21_ofert", 22: "22_oferty", 112: "112_ofert", 124: "124_oferty", 12345: "12_345_ofert",
	} {
		if got := plain(site.Plural(n, "oferta", "oferty", "ofert")); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestWait(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0_s", 0: "0_s", time.Millisecond: "1_s", 11 * time.Second: "11_s", 119 * time.Second: "119_s",
		2 * time.Minute: "2_min", 10 * time.Minute: "10_min", 119*time.Minute + time.Second: "2_godz.", 24 * time.Hour: "24_godz.",
	} {
		if got := plain(site.Wait(d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestMomentsArePolish(t *testing.T) {
	if got := plain(site.Moment(moment)); got != "22_listopada 2026, 00:05" {
		t.Errorf("Moment: %q", got)
	}
	if got := plain(site.Date(time.Date(2026, time.July, 1, 21, 59, 0, 0, time.UTC))); got != "1_lipca 2026" {
		t.Errorf("Date in summer: %q", got)
	}
}
