// Package settings reads a service's configuration from environment variables and reports all problems at once.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Load fills the flat struct that dst points to from environ, in the form of os.Environ. An empty variable counts
// as absent. A Secret may be given as NAME_FILE, the path of a file; line breaks at its end are dropped.
//
// The error contains all values that do not parse, all variables with one of the prefixes that no field declares,
// and the errors of the method Check() []error, if dst has one. The texts of Check begin with the variable and a
// colon. If a Service of Kubernetes is named like a prefix, every pod has undeclared variables (SHOP_PORT and
// SHOP_SERVICE_HOST for SHOP_), unless it sets enableServiceLinks to false.
func Load(dst any, environ []string, prefixes ...string) error {
	vars := env.ToMap(environ)
	structType := reflect.TypeOf(dst).Elem()
	fields := declaredFields(structType)
	problems := readFiles(vars, fields)
	problems = append(problems, unknownVariables(vars, fields, prefixes)...)
	slices.SortFunc(problems, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	maps.DeleteFunc(vars, func(_, value string) bool { return value == "" })
	if err := env.ParseWithOptions(dst, env.Options{Environment: vars}); err != nil {
		problems = append(problems, parseErrors(err, structType)...)
	}
	if checker, ok := dst.(interface{ Check() []error }); ok {
		problems = append(problems, notReported(checker.Check(), problems)...)
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("the settings have problems:\n%w", errors.Join(problems...))
}

// declaredFields returns the variables, and whether each is a Secret.
func declaredFields(t reflect.Type) map[string]bool {
	fields := map[string]bool{}
	for field := range t.Fields() {
		if name := variable(field); name != "" {
			fields[name] = field.Type == reflect.TypeFor[Secret]()
		}
	}
	return fields
}

func variable(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("env"), ",")
	return name
}

// List returns a line for each setting of the struct defaults, with its default: that of its
// tag, or the value of the field, which Load keeps if the variable is absent.
func List(defaults any) string {
	var lines strings.Builder
	for field, value := range reflect.ValueOf(defaults).Fields() {
		text := field.Tag.Get("envDefault")
		switch value := value.Interface().(type) {
		case string:
			text += value
		case []string:
			text += strings.Join(value, ",")
		}
		fmt.Fprintf(&lines, "  %s=%s\n", variable(field), text)
	}
	return lines.String()
}

// readFiles replaces each NAME_FILE of a secret by NAME with the content of the file.
func readFiles(vars map[string]string, fields map[string]bool) (problems []error) {
	for name, secret := range fields {
		if !secret {
			continue
		}
		path := vars[name+"_FILE"]
		delete(vars, name+"_FILE")
		switch {
		case path == "":
		case vars[name] != "":
			problems = append(problems, fmt.Errorf("%s and %s_FILE are both set; keep one", name, name))
		default:
			content, err := os.ReadFile(path) // #nosec G304 -- the operator names the file
			if err != nil {
				problems = append(problems, fmt.Errorf("%s_FILE: %w", name, err))
			}
			vars[name] = strings.TrimRight(string(content), "\r\n")
		}
	}
	return problems
}

func unknownVariables(vars map[string]string, fields map[string]bool, prefixes []string) (problems []error) {
	for name := range vars {
		i := slices.IndexFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		if _, known := fields[name]; known || i < 0 || vars[name] == "" {
			continue
		}
		problems = append(problems, fmt.Errorf("%s is not a setting%s", name, suggestion(name, prefixes[i], fields)))
	}
	return problems
}

// suggestion returns the setting that shares the longest beginning with name, if it is longer than prefix.
func suggestion(name, prefix string, fields map[string]bool) string {
	best, length := "", len(prefix)
	for field := range fields {
		n := commonPrefix(name, field)
		isEarlier := n == length && field < best // in the alphabet, so that the result is the same each time
		if n > length || isEarlier {
			best, length = field, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// commonPrefix returns the length of the common beginning.
func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// parseErrors returns an error for each variable, under its name instead of that of its field.
func parseErrors(err error, structType reflect.Type) []error {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return []error{err}
	}
	for i, problem := range all.Errors {
		var unparsed env.ParseError
		if !errors.As(problem, &unparsed) {
			continue
		}
		if field, ok := structType.FieldByName(unparsed.Name); ok {
			all.Errors[i] = fmt.Errorf("%s: %w", variable(field), unparsed.Err)
		}
	}
	return all.Errors
}

// notReported removes problems of variables that did not parse: Check sees them as zero.
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

// IsWebURL reports whether u is an http or https URL with a host and without a user.
func IsWebURL(u *url.URL) bool {
	return u != nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

var origin = regexp.MustCompile(`^https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?$`)

// IsOrigin reports whether s is an origin as browsers send it: http or https, a host in lower case, and a port
// unless it is the scheme's own.
func IsOrigin(s string) bool {
	if strings.HasPrefix(s, "http:") && strings.HasSuffix(s, ":80") {
		return false
	}
	if strings.HasPrefix(s, "https:") && strings.HasSuffix(s, ":443") {
		return false
	}
	return origin.MatchString(s)
}

// Secret prints as "[set]" or "". In a struct it must be an exported field, because package fmt ignores the
// methods of unexported ones.
type Secret string

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[set]"
}

// Format implements fmt.Formatter for all verbs.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

// MarshalText is for encoders and slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// CheckFolder returns an error unless files can be created in folder, or folder in its nearest existing parent.
func CheckFolder(folder string) error {
	for {
		probe, err := os.CreateTemp(folder, ".doctor-*")
		if err == nil {
			return errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
		above := filepath.Dir(folder)
		if !errors.Is(err, fs.ErrNotExist) || above == folder {
			return err
		}
		folder = above
	}
}

// Legal is the operator's addresses, which every page links to.
type Legal struct {
	Privacy, Terms *url.URL // http or https; may be nil
	Contact        string   // e-mail address or http(s) URL; may be empty
}

// Check returns an error for each invalid address, with the name of its setting.
func (l Legal) Check(prefix string) (problems []error) {
	for name, u := range map[string]*url.URL{"PRIVACY_URL": l.Privacy, "TERMS_URL": l.Terms} {
		if u != nil && !IsWebURL(u) {
			problems = append(problems, fmt.Errorf("%s%s: must be an http(s) address", prefix, name))
		}
	}
	if l.Contact != "" && l.ContactHref() == "" {
		problems = append(problems, fmt.Errorf("%sCONTACT: must be an e-mail address or an http(s) address", prefix))
	}
	return problems
}

// ContactHref returns the link to the contact, or an empty string if it is invalid.
func (l Legal) ContactHref() string {
	if u, _ := url.Parse(l.Contact); IsWebURL(u) {
		return u.String()
	}
	if a, err := mail.ParseAddress(l.Contact); err == nil && a.Address == l.Contact {
		return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(l.Contact)}).String()
	}
	return ""
}

// Missing returns the settings that are not set. Google reviews an app only if its home page links to the privacy
// policy.
func (l Legal) Missing(prefix string) (names []string) {
	for _, setting := range []struct {
		name string
		set  bool
	}{{"PRIVACY_URL", l.Privacy != nil}, {"TERMS_URL", l.Terms != nil}, {"CONTACT", l.Contact != ""}} {
		if !setting.set {
			names = append(names, prefix+setting.name)
		}
	}
	return names
}
