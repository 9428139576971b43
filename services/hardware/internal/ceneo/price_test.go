package ceneo

import (
	"testing"
)

func TestPricesInEverySpelling(t *testing.T) {
	shown := map[string]float64{
		"2 892,28": 2892.28, "2\u00a0892,28 zł": 2892.28, "2\u202f892,28zł": 2892.28, "2\u2009892,28": 2892.28,
		"1.049,99": 1049.99, "1 049": 1049, "449": 449, "449,-": 449, "449,5": 449.5, "12.345.678": 0, "1.049": 1049,
		"": 0, "zł": 0, "0,00": 0, "-5": 0, "1e5": 0, "12abc": 0, "NaN": 0, "Inf": 0, ",": 0, "99999999999": 0,
	}
	for s, want := range shown {
		if got, ok := parseShownPrice(s); got != want || ok != (want != 0) {
			t.Errorf("parseShownPrice(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
	attributes := map[string]float64{
		"2892.28": 2892.28, "449": 449, "664.990": 664.99, "1049.0000": 1049, "2892,28": 2892.28, "0.1": 0.1,
		"": 0, "abc": 0, ".": 0, "-1": 0,
	}
	for s, want := range attributes {
		if got, ok := parseAttrPrice(s); got != want || ok != (want != 0) {
			t.Errorf("parseAttrPrice(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
}
