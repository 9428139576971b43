package settings

import (
	"net"
	"net/url"
	"strings"
)

// Checker is a struct of settings that knows which values make no sense.
type Checker interface {
	// Check returns a problem for every such value; its text begins with the
	// variable's name and a colon.
	Check() []error
}

// unnamed returns those of problems whose variable known does not speak of: a
// value that did not parse is zero, and says no more.
func unnamed(problems []error, known error) (fresh []error) {
	for _, problem := range problems {
		name, _, _ := strings.Cut(problem.Error(), ":")
		if known == nil || !strings.Contains(known.Error(), name+": ") {
			fresh = append(fresh, problem)
		}
	}
	return fresh
}

// IsAddress reports whether s is host:port; the host may be empty.
func IsAddress(s string) bool {
	_, _, err := net.SplitHostPort(s)
	return err == nil
}

// IsWebURL reports whether u is an http or https address with a host and without
// a user.
func IsWebURL(u *url.URL) bool {
	return u != nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
