// Package network tells which network addresses are one client's. It reads no request
// and knows no proxies.
package network

import "net/netip"

// OfClient is what one client has to itself: an IPv4 address, or 64 bits of an IPv6
// address, of which it may use any other at will (RFC 6177). What is no address is
// returned as it is.
func OfClient(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
