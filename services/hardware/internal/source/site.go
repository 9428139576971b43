package source

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"backend.example/services/hardware/internal/hardware"
)

// site is the one host that a source may be asked at: its base URL, with or
// without a leading "www.".
type site struct{ base *url.URL }

// domain is the host's name as answers show it, e.g. "ceneo.pl".
func (s site) domain() string { return bareHost(s.base) }

// hosts are the two spellings of the host's name.
func (s site) hosts() []string { return []string{s.domain(), "www." + s.domain()} }

// address is base with path behind it. path may hold escapes.
func (s site) address(path string) string {
	return s.base.Scheme + "://" + s.base.Host + s.root() + "/" + path
}

// root is the path of the base URL without a slash at its end.
func (s site) root() string { return strings.TrimRight(s.base.EscapedPath(), "/") }

// holds reports whether u belongs to the site: the same host, scheme and port,
// or https in place of http on their standard ports.
func (s site) holds(u *url.URL) bool {
	if bareHost(u) != s.domain() || u.User != nil {
		return false
	}
	upgrade := s.base.Scheme == "http" && u.Scheme == "https" && s.base.Port() == "" && u.Port() == ""
	return upgrade || u.Scheme == s.base.Scheme && portOf(u) == portOf(s.base)
}

// check returns the fault for an address outside the site.
func (s site) check(u *url.URL) error {
	if s.holds(u) {
		return nil
	}
	return hardware.Changed(fmt.Errorf("%s://%s is outside %s", u.Scheme, u.Host, s.base.Host))
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

// errRedirects is the cause of a fault when a site sends us round and round.
var errRedirects = errors.New("too many redirects")

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 5
