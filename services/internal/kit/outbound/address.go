package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"
)

// ErrPrivateAddress is returned by a dial to an address that is not public.
var ErrPrivateAddress = errors.New("address is not public")

// canonical returns a host name in lower case without a final dot.
func canonical(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// IsInner reports whether host is private by its name: a private IP address, a name without
// a dot, or one under a special-use domain (RFC 6761, RFC 6762, RFC 9476 and the
// private-use ".internal").
func IsInner(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return !isPublic(ip)
	}
	name := canonical(host)
	if !strings.Contains(name, ".") {
		return name != ""
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "localhost", "local", "internal", "test", "alt":
		return true
	}
	return false
}

// refusePrivate is the Control of a net.Dialer, which receives resolved addresses.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %q", ErrPrivateAddress, address)
	}
	if !isPublic(ap.Addr()) {
		return fmt.Errorf("%w: %s", ErrPrivateAddress, ap.Addr())
	}
	return nil
}

// globalUnicast6 contains every public IPv6 address (RFC 4291, section 2.4, as
// assigned by IANA). It does not contain addresses that embed an IPv4 one (::/96,
// 64:ff9b::/96), nor addresses with a zone.
var globalUnicast6 = netip.MustParsePrefix("2000::/3")

// special contains the address blocks that neither globalUnicast6 nor net/netip excludes
// (IANA IPv4 and IPv6 Special-Purpose Address Registries).
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
}

// isPublic reports whether ip can be reached on the Internet.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !globalUnicast6.Contains(ip) {
		return false
	}
	for _, block := range special {
		if block.Contains(ip) {
			return false
		}
	}
	return true
}
