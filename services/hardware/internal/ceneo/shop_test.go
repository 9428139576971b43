package ceneo

import (
	"testing"
)

func TestShopsAreNamedByDomainElseBySlug(t *testing.T) {
	tests := []struct{ address, label, store, shown string }{
		{"x-kom.pl", "", "x-kom.pl", "x-kom.pl"},
		{"https://www.Morele.net/sklep?x=1", "Morele", "morele.net", "Morele"},
		{"//neonet.pl/", "", "neonet.pl", "neonet.pl"},
		{"", "Media Expert", "media-expert", "Media Expert"},
		{"", "Sklep „Żółw” Łódź", "sklep-zolw-lodz", "Sklep „Żółw” Łódź"},
		{"", "komputronik.pl", "komputronik.pl", "komputronik.pl"},
		{"red", "", "", ""}, // by way of the aggregator
		{"red", "Sklep", "sklep", "Sklep"},
		{"Sklep nr. 1", "Sklep nr. 1", "sklep-nr.-1", "Sklep nr. 1"}, // the text of a logo
		{"", "", "", ""},
	}
	for _, tt := range tests {
		got := shopOffer(tt.address, tt.label, 1)
		if got.Store != tt.store || got.StoreLabel != tt.shown {
			t.Errorf("shopOffer(%q, %q) = %q, %q", tt.address, tt.label, got.Store, got.StoreLabel)
		}
	}
}
