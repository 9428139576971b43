package settings

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// Checker is a struct of settings that checks its own values.
type Checker interface {
	// Check returns a problem for every value that makes no sense. Its text begins
	// with the variable's name and a colon.
	Check() []error
}

// notReported returns those of problems whose variable is not among the reported
// ones. The field of a value that did not parse is zero, which would be reported a
// second time.
func notReported(problems, reported []error) []error {
	return slices.DeleteFunc(problems, func(problem error) bool {
		name, _, _ := strings.Cut(problem.Error(), ":")
		return slices.ContainsFunc(reported, func(r error) bool { return strings.HasPrefix(r.Error(), name+": ") })
	})
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
