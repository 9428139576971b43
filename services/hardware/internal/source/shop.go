package source

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"backend.example/services/hardware/internal/hardware"
)

// shopOffer names the shop of an offer by its address and its label, of which
// one may be empty. Store is empty when both are.
func shopOffer(address, label string, price float64) hardware.Offer {
	domain := domainOf(address)
	return hardware.Offer{Store: cmp.Or(domain, slug(label)), StoreLabel: cmp.Or(label, domain), Price: price}
}

// domainOf cuts scheme, "www." and path off a shop's address.
func domainOf(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "//"), "/")
	host, _, _ = strings.Cut(host, "?")
	return strings.TrimPrefix(host, "www.")
}

// slug makes a name fit for an identifier: "Media Expert" is "media-expert",
// "morele.net" stays.
func slug(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		r = plainPolish(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
		gap = false
	}
	return strings.Trim(b.String(), ".-")
}

// plainPolish strips the diacritic of a lower-case Polish letter.
func plainPolish(r rune) rune {
	const marked, plain = "ąćęłńóśźż", "acelnoszz"
	if i := strings.IndexRune(marked, r); i >= 0 {
		return rune(plain[i/2]) // every marked letter takes two bytes
	}
	return r
}

// absolute resolves a link of a page; anything but a web address is empty.
func absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsAny(u.Host, notInURL) {
		return ""
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	address := u.String()
	if _, err := url.Parse(address); err != nil {
		return "" // net/url takes "//0::0", and not the address that it makes of it
	}
	return address
}

// notInURL are the visible ASCII characters that no address holds (RFC 3986,
// section 2). net/url leaves them in hosts and queries.
const notInURL = "\"<>\\^`{|}"

// escapeQuery percent-encodes what a query must not hold, as a browser does.
func escapeQuery(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c <= ' ' || c > '~' || strings.IndexByte(notInURL, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
