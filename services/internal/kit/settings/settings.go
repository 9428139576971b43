// Package settings reads a service's configuration from environment variables into one
// struct and reports all problems at once. Secrets may come from a file and are never
// printed. A variable with a prefix of the service that no field declares is an error.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Load fills the flat struct that dst points to from environ, which has the form of
// os.Environ. An empty variable counts as absent. Each Secret field may be given as
// NAME_FILE, the path of a file; line breaks at its end are dropped. The returned error
// contains all values that do not parse, the variables with one of the prefixes that no
// field declares, and the errors of the method Check() []error, if dst has one. Their texts
// begin with the name of the variable and a colon.
//
// Kubernetes adds such variables (SHOP_PORT and SHOP_SERVICE_HOST for SHOP_) to every pod
// if a Service is named like a prefix, unless the pod sets enableServiceLinks to false.
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

// declaredFields returns the variables of the struct type, and whether each is a Secret.
func declaredFields(t reflect.Type) map[string]bool {
	fields := map[string]bool{}
	for field := range t.Fields() {
		if name := variable(field); name != "" {
			fields[name] = field.Type == reflect.TypeFor[Secret]()
		}
	}
	return fields
}

// variable returns the environment variable of a field.
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

// unknownVariables returns an error for each variable with one of the prefixes that no field
// declares and that is not empty.
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

// suggestion returns the declared setting that has the longest beginning in common with
// name, if it is longer than prefix.
func suggestion(name, prefix string, fields map[string]bool) string {
	best, length := "", len(prefix)
	for field := range fields {
		if n := commonPrefix(name, field); n > length || n == length && field < best {
			best, length = field, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// parseErrors splits the parser's aggregate into one error for each variable, and replaces
// the names of fields by those of variables.
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

// notReported returns the problems whose variable has not been reported: if a value does
// not parse, its field is zero, which Check would report again.
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

// IsOrigin reports whether s is an origin as browsers send it: http or https, a host in lower
// case, a port unless it is the scheme's own, and nothing else.
func IsOrigin(s string) bool {
	ownPort := strings.HasPrefix(s, "http:") && strings.HasSuffix(s, ":80") || strings.HasPrefix(s, "https:") &&
		strings.HasSuffix(s, ":443")
	return origin.MatchString(s) && !ownPort
}

// Secret is a setting that prints as "[set]" or "". Reveal returns its value. In a struct it
// must be an exported field, because package fmt ignores the methods of unexported ones.
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

// Format hides the value from all verbs of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

// MarshalText hides the value from encoders and slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
