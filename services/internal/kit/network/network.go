// Package network maps network addresses to clients.
package network

import "net/netip"

// OfClient returns the network of one client: an IPv4 address or an IPv6 /56 prefix, as a household has
// (RIPE-690). Other text is returned unchanged.
func OfClient(address string) string { return prefix(address, 56) }

// Site returns the network of one site with many clients: an IPv4 address or an IPv6 /48 prefix.
func Site(address string) string { return prefix(address, 48) }

func prefix(address string, bits int) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Is4() {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, bits).Masked().String()
}
