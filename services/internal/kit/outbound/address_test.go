package outbound

import (
	"errors"
	"net/netip"
	"testing"
)

func TestIsPublic(t *testing.T) {
	tests := map[string]bool{
		"8.8.8.8":              true,
		"93.184.215.14":        true,
		"172.15.255.255":       true,
		"172.32.0.1":           true,
		"100.63.255.255":       true,
		"100.128.0.1":          true,
		"2606:4700:4700::1111": true,
		"2a00:1450:4025::8b":   true,
		"::ffff:8.8.8.8":       true,

		"127.0.0.1":               false, // loopback
		"127.255.255.254":         false,
		"::1":                     false,
		"10.0.0.1":                false, // RFC 1918
		"172.16.0.1":              false,
		"172.31.255.255":          false,
		"192.168.1.1":             false,
		"100.64.0.1":              false, // shared address space (CGNAT)
		"100.127.255.255":         false,
		"169.254.169.254":         false, // link-local, metadata of clouds
		"fe80::1":                 false,
		"fe80::1%eth0":            false,
		"0.0.0.0":                 false, // unspecified, this network
		"0.1.2.3":                 false,
		"::":                      false,
		"224.0.0.1":               false, // multicast
		"ff02::1":                 false,
		"255.255.255.255":         false, // broadcast, reserved
		"240.0.0.1":               false,
		"192.0.0.8":               false, // protocol assignments
		"192.0.2.1":               false, // documentation
		"198.51.100.1":            false,
		"203.0.113.1":             false,
		"2001:db8::1":             false,
		"3fff::1":                 false,
		"198.18.0.1":              false, // benchmarking
		"2001:2::1":               false,
		"192.88.99.1":             false, // 6to4 relays
		"fc00::1":                 false, // unique local
		"fd00:ec2::254":           false,
		"fd00::1%eth0":            false,
		"fec0::1":                 false, // site-local
		"100::1":                  false, // discard-only
		"::ffff:127.0.0.1":        false, // embedded IPv4
		"::ffff:127.0.0.1%eth0":   false,
		"::ffff:10.0.0.1":         false,
		"::ffff:169.254.169.254":  false,
		"::127.0.0.1":             false,
		"64:ff9b::7f00:1":         false,
		"64:ff9b::7f00:1%eth0":    false,
		"64:ff9b:1::a00:1":        false,
		"2002:7f00:1::":           false,
		"2002:a00:1::1":           false,
		"2002:7f00:1::%eth0":      false,
		"2001:0:4136:e378::":      false, // Teredo
		"2001:4860:4860::88%eth0": false, // a public address has no zone
	}
	for address, want := range tests {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("isPublic(%s) = %t, want %t", address, got, want)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("isPublic of no address = true")
	}
}

func TestIsInner(t *testing.T) {
	tests := map[string]bool{
		"sandbox":              true,
		"localhost":            true,
		"LOCALHOST":            true,
		"api.localhost":        true,
		"x.local":              true,
		"x.local.":             true,
		"X.LOCAL":              true,
		"db.svc.cluster.local": true,
		"api.internal":         true,
		"api.test":             true,
		"127.0.0.1":            true,
		"10.1.2.3":             true,
		"::1":                  true,
		"fd00::1":              true,

		"ceneo.pl":                false,
		"www.userbenchmark.com.":  false,
		"local.pl":                false,
		"x.local.example.com":     false,
		"mylocal.com":             false,
		"8.8.8.8":                 false,
		"2606:4700:4700::1111":    false,
		"127.1":                   false,
		"127.0.0.1.nip.io":        false,
		"www.userbenchmark.local": true,
		"":                        false,
		".":                       false,
	}
	for host, want := range tests {
		if got := IsInner(host); got != want {
			t.Errorf("IsInner(%q) = %t, want %t", host, got, want)
		}
	}
}

func TestRefusePrivate(t *testing.T) {
	tests := map[string]bool{ // address → refused
		"8.8.8.8:443":              false,
		"[2606:4700::1111]:443":    false,
		"127.0.0.1:80":             true,
		"[::ffff:10.0.0.1]:80":     true,
		"[fe80::1%eth0]:80":        true,
		"/run/docker.sock":         true,
		"www.userbenchmark.com:80": true,
	}
	for address, want := range tests {
		err := refusePrivate("tcp", address, nil)
		if got := errors.Is(err, ErrPrivateAddress); got != want || !want && err != nil {
			t.Errorf("refusePrivate(%s) = %v, want refusal %t", address, err, want)
		}
	}
}
