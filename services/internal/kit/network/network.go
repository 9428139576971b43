// Package network maps network addresses to clients.
package network

import "net/netip"

// OfClient returns the network of one client: an IPv4 address or an IPv6 /56 prefix, which
// is what a household has (RFC 6177). Text that is not an address is returned unchanged.
func OfClient(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 56).Masked().String()
}
