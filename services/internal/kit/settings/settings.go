// Package settings reads a service's configuration from environment variables
// into one struct and reports every problem at once.
//
// It owns the rules that both services share: secrets may come from a file,
// secrets never print, and a variable with one of the service's prefixes that
// no field declares is a spelling mistake. What the settings mean stays in the
// services.
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
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Load fills the flat struct that dst points to from environ ("NAME=value" lines,
// as os.Environ gives them); an empty variable counts as absent. Each Secret field
// may be given as NAME_FILE, the path of a file that holds it; line breaks at its
// end are dropped. A variable that starts with one of the prefixes and belongs to
// no field is an error, and so is every value that does not parse: the returned
// error names them all, and those of a Checker.
//
// Kubernetes adds such variables to every pod beside a Service that is named like
// a prefix (SHOP_PORT and SHOP_SERVICE_HOST for SHOP_), unless the pod sets
// enableServiceLinks to false.
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
	if checker, ok := dst.(Checker); ok {
		problems = append(problems, notReported(checker.Check(), problems)...)
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("the settings have problems:\n%w", errors.Join(problems...))
}

// declaredFields maps each variable name of the struct type to whether it is a Secret.
func declaredFields(t reflect.Type) map[string]bool {
	fields := map[string]bool{}
	for field := range t.Fields() {
		if name := variable(field); name != "" {
			fields[name] = field.Type == reflect.TypeFor[Secret]()
		}
	}
	return fields
}

// variable names the environment variable of a field.
func variable(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("env"), ",")
	return name
}

// readFiles replaces each NAME_FILE of a secret by NAME with the file's content.
func readFiles(vars map[string]string, fields map[string]bool) (problems []error) {
	for name, secret := range fields {
		if !secret {
			continue
		}
		path := vars[name+"_FILE"]
		delete(vars, name+"_FILE")
		if path == "" {
			continue
		}
		if vars[name] != "" {
			problems = append(problems, fmt.Errorf("%s and %s_FILE are both set; keep one", name, name))
			continue
		}
		content, err := os.ReadFile(path) // #nosec G304 -- the operator names the file
		if err != nil {
			problems = append(problems, fmt.Errorf("%s_FILE: %w", name, err))
			continue
		}
		vars[name] = strings.TrimRight(string(content), "\r\n")
	}
	return problems
}

// unknownVariables reports every variable with one of the prefixes that no field declares.
func unknownVariables(vars map[string]string, fields map[string]bool, prefixes []string) (problems []error) {
	for name := range vars {
		i := slices.IndexFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		if _, known := fields[name]; known || i < 0 {
			continue
		}
		problems = append(problems, fmt.Errorf("%s is not a setting%s", name, suggestion(name, prefixes[i], fields)))
	}
	return problems
}

// suggestion names the declared setting with the longest beginning in common with
// name. The prefix alone is not enough.
func suggestion(name, prefix string, fields map[string]bool) string {
	best, length := "", len(prefix)
	for field := range fields {
		if n := commonPrefix(name, field); n > length || n == length && best != "" && field < best {
			best, length = field, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// parseErrors splits the parser's aggregate into one error for each variable. The
// parser names the field of the struct; people know the variable.
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
