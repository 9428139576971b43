package ceneo

import (
	"testing"
)

func TestBaseURLContainsItsOwnHostOnly(t *testing.T) {
	tests := []struct {
		base, address string
		want          bool
	}{
		{"https://www.ceneo.pl", "https://www.ceneo.pl/1", true},
		{"https://www.ceneo.pl", "https://ceneo.pl/1", true},
		{"https://ceneo.pl", "https://WWW.Ceneo.pl:443/1", true},
		{"http://ceneo.pl", "https://ceneo.pl/1", true},
		{"https://ceneo.pl", "http://ceneo.pl/1", false},
		{"https://ceneo.pl", "https://ceneo.pl:8443/", false},
		{"https://ceneo.pl", "https://m.ceneo.pl/", false},
		{"https://ceneo.pl", "https://ceneo.pl.evil.example/", false},
		{"https://ceneo.pl", "https://user@ceneo.pl/", false},
		{"https://ceneo.pl", "ftp://ceneo.pl/", false},
		{"http://127.0.0.1:9000", "http://127.0.0.1:9001/", false},
		{"http://127.0.0.1:9000", "https://127.0.0.1:9000/", false},
	}
	for _, tt := range tests {
		if got := (baseURL{mustParse(t, tt.base)}).contains(mustParse(t, tt.address)); got != tt.want {
			t.Errorf("%s contains %s: %t", tt.base, tt.address, got)
		}
	}
}

func TestBaseURLAddresses(t *testing.T) {
	for base, want := range map[string][2]string{
		"https://www.ceneo.pl":         {"ceneo.pl", "https://www.ceneo.pl/155"},
		"https://www.ceneo.pl/":        {"ceneo.pl", "https://www.ceneo.pl/155"},
		"http://127.0.0.1:9000/prices": {"127.0.0.1", "http://127.0.0.1:9000/prices/155"},
	} {
		if s := (baseURL{mustParse(t, base)}); s.domain() != want[0] || s.address("155") != want[1] {
			t.Errorf("%s: %q, %q", base, s.domain(), s.address("155"))
		}
	}
}
