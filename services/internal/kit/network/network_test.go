package network_test

import (
	"testing"

	"backend.example/services/internal/kit/network"
)

func TestNetworks(t *testing.T) {
	for address, want := range map[string]struct{ client, site string }{
		"192.0.2.1":              {"192.0.2.1", "192.0.2.1"},
		"::ffff:192.0.2.1":       {"192.0.2.1", "192.0.2.1"},
		"2001:db8:1:2ff:3:4:5:6": {"2001:db8:1:200::/56", "2001:db8:1::/48"},
		"2001:db8:1:300::1":      {"2001:db8:1:300::/56", "2001:db8:1::/48"},
		"fe80::1%eth0":           {"fe80::/56", "fe80::/48"},
		"":                       {"", ""},
		"unknown":                {"unknown", "unknown"},
	} {
		if got := network.OfClient(address); got != want.client {
			t.Errorf("OfClient(%q) = %q, want %q", address, got, want.client)
		}
		if got := network.Site(address); got != want.site {
			t.Errorf("Site(%q) = %q, want %q", address, got, want.site)
		}
	}
}
