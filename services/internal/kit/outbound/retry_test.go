package outbound_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"backend.example/services/internal/kit/outbound"
)

func TestAfter(t *testing.T) {
	now := time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)
	tests := map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"30":                            30 * time.Second,
		" 30 ":                          30 * time.Second,
		"2147483647":                    2147483647 * time.Second,
		"2147483648":                    0,
		"99999999999999999999":          0,
		"-30":                           0,
		"1.5":                           0,
		"soon":                          0,
		"Sat, 21 Nov 2026 10:01:30 GMT": 90 * time.Second,
		"Sat, 21 Nov 2026 09:00:00 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT": math.MaxInt64,
	}
	for value, want := range tests {
		if got := outbound.RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("After(%q) = %v, want %v", value, got, want)
		}
	}
	if got := outbound.RetryAfter(http.Header{}, now); got != 0 {
		t.Errorf("After without a header = %v, want 0", got)
	}
}
