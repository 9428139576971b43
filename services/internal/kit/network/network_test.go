package network_test

import (
	"testing"

	"backend.example/services/internal/kit/network"
)

func TestNetworks(t *testing.T) {
	for address, want := range map[string][2]string{ // client, site
		"192.0.2.1":              {"192.0.2.1", "192.0.2.1"},
		"::ffff:192.0.2.1":       {"192.0.2.1", "192.0.2.1"},
		"2001:db8:1:2ff:3:4:5:6": {"2001:db8:1:200::/56", "2001:db8:1::/48"},
		"2001:db8:1:300::1":      {"2001:db8:1:300::/56", "2001:db8:1::/48"},
		"fe80::1%eth0":           {"fe80::/56", "fe80::/48"},
		"":                       {"", ""},
		"unknown":                {"unknown", "unknown"},
	} {
		if got := [2]string{network.OfClient(address), network.Site(address)}; got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
