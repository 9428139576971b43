package contracttest

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Run runs the tests of a package and returns their exit code, or 1 if all passed and a documented response never
// occurred. With -run, -skip, -list or -fuzz, only a part of the tests runs, and coverage is not checked.
//
// TestMain calls it with the method Run of its *testing.M.
func (c *Checker) Run(tests func() int) int {
	flag.Parse() // which testing.M would do later
	code := tests()
	isPartial := slices.ContainsFunc([]string{"run", "skip", "list", "fuzz"}, func(name string) bool {
		return flag.Lookup("test."+name).Value.String() != ""
	})
	if code != 0 || isPartial {
		return code
	}
	missing := c.Missing()
	for _, name := range missing {
		fmt.Fprintf(os.Stderr, "contract: never exercised: %s\n", name)
	}
	return min(len(missing), 1)
}

// Missing returns the documented responses that have not occurred, sorted. Their names consist of operation and
// status, as in "GET /api/prices/{aggregator} 200". If the examples of a response have codes, each code counts, as
// in "GET /api/prices/{aggregator} 400 query_too_short". The names of general responses begin with their kind, as
// in "unknown-path 404".
func (c *Checker) Missing() (missing []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for operation, documented := range c.operations() {
		for status, ref := range documented.Responses.Map() {
			name := operation + " " + status
			codes := exampleCodes(ref.Value)
			if len(codes) == 0 && !c.seen[name] {
				missing = append(missing, name)
			}
			for _, code := range codes {
				if !c.seen[name+" "+code] {
					missing = append(missing, name+" "+code)
				}
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// cover records that a response has occurred.
func (c *Checker) cover(operation, status string, response *openapi3.Response, body []byte) {
	name := operation + " " + status
	if len(exampleCodes(response)) > 0 {
		var failure struct {
			Code string `json:"code"`
		}
		_ = json.Unmarshal(body, &failure) // checkResponse reports it
		name += " " + failure.Code
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[name] = true
}

// exampleCodes returns the values of the field code in a response's examples.
func exampleCodes(response *openapi3.Response) []string {
	var codes []string
	for _, media := range response.Content {
		for _, example := range media.Examples {
			fields, _ := example.Value.Value.(map[string]any)
			if code, ok := fields["code"].(string); ok {
				codes = append(codes, code)
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// RequireRoutes compares the routes that a service registered with the document in both directions. A route is a
// method, a space and a path whose parameters are written ":name", as in "GET /api/prices/:aggregator". Methods
// that are not in upper case are ignored: a router registers its handler for unknown paths that way.
func (c *Checker) RequireRoutes(tb testing.TB, registered []string) {
	tb.Helper()
	documented := c.operations()
	missing := maps.Clone(documented)
	for _, route := range slices.Sorted(slices.Values(registered)) {
		method, path, _ := strings.Cut(route, " ")
		if method != strings.ToUpper(method) {
			continue
		}
		name := method + " " + pathParameter.ReplaceAllString(path, "/{$1}")
		if documented[name] == nil {
			tb.Errorf("route %s is not in the document", name)
		}
		delete(missing, name)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if c.general[name] == nil {
			tb.Errorf("operation %s has no route", name)
		}
	}
}

var pathParameter = regexp.MustCompile("/:([^/]+)")
