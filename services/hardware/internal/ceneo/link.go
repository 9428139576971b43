package ceneo

import (
	"fmt"
	"net/url"
	"strings"
)

// absolute resolves a link of a page against its base. It is empty for anything but
// a web address without user information.
func absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		strings.ContainsAny(u.Host, notInURL) {
		return ""
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	address := u.String()
	if _, err := url.Parse(address); err != nil {
		return "" // net/url reads "//0::0", and cannot read the address that it makes of it
	}
	return address
}

// notInURL are the visible ASCII characters that are not allowed in an address (RFC
// 3986, section 2). net/url accepts them in hosts and queries.
const notInURL = "\"<>\\^`{|}"

// escapeQuery percent-encodes what is not allowed in a query, as a browser does.
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
