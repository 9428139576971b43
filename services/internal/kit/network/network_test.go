package network_test

import (
	"testing"

	"backend.example/services/internal/kit/network"
)

func TestOfClient(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1::/56", "2001:db8:1:2::": "2001:db8:1::/56",
		"2001:db8:1:103::1": "2001:db8:1:100::/56", "fe80::1%eth0": "fe80::/56", "": "", "unknown": "unknown",
	} {
		if got := network.OfClient(address); got != want {
			t.Errorf("%q counts for %q, want %q", address, got, want)
		}
	}
}
