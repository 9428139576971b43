package ceneo

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"backend.example/services/hardware/internal/lookup"
)

// baseURL is the address of the one site that a source may ask. The host's name
// may have a leading "www." or not.
type baseURL struct{ *url.URL }

// domain is the host's name as answers show it, e.g. "ceneo.pl".
func (b baseURL) domain() string { return bareHost(b.URL) }

// hosts are the two spellings of the host's name.
func (b baseURL) hosts() []string { return []string{b.domain(), "www." + b.domain()} }

// address is the base URL followed by path, which may hold escapes.
func (b baseURL) address(path string) string {
	return b.Scheme + "://" + b.Host + b.root() + "/" + path
}

// root is the path of the base URL without a slash at its end.
func (b baseURL) root() string { return strings.TrimRight(b.EscapedPath(), "/") }

// contains reports whether u belongs to the site: it has the same host, scheme and
// port, or https in place of http on their standard ports.
func (b baseURL) contains(u *url.URL) bool {
	if bareHost(u) != b.domain() || u.User != nil {
		return false
	}
	upgrade := b.Scheme == "http" && u.Scheme == "https" && b.Port() == "" && u.Port() == ""
	return upgrade || u.Scheme == b.Scheme && portOf(u) == portOf(b.URL)
}

// check returns the fault for an address outside the site.
func (b baseURL) check(u *url.URL) error {
	if b.contains(u) {
		return nil
	}
	return lookup.Changed(fmt.Errorf("%s://%s is outside %s", u.Scheme, u.Host, b.Host))
}

func bareHost(u *url.URL) string {
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// errRedirects is the cause of a fault when a site redirects without end.
var errRedirects = errors.New("too many redirects")

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 5
