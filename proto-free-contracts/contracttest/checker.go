// Package contracttest checks handler tests against an OpenAPI document of this module:
// every exchange must match it, every documented response must occur, and the registered
// routes must be the documented ones.
//
// One checker serves all tests of a package:
//
//	var checker = contracttest.New(contracts.Hardware())
//
//	func TestMain(m *testing.M) { os.Exit(checker.Run(m.Run)) }
//
//	func TestPrices(t *testing.T) {
//		server := httptest.NewServer(checker.Wrap(t, handler))
//		...
//	}
//
// SendRandom sends thousands of valid and invalid requests, which it makes from the document.
package contracttest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Checker compares exchanges with one document and records which of its responses have occurred. It is safe for
// concurrent use.
type Checker struct {
	document *openapi3.T
	router   routers.Router
	general  map[string]*openapi3.Operation // responses to requests without an operation, by kind

	mu   sync.Mutex
	seen map[string]bool // names of responses, see Missing
}

// New returns a checker for an OpenAPI 3.1 document in YAML or JSON. It panics if the document is invalid, because
// no test can run without it.
func New(document []byte) *Checker {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err == nil {
		err = doc.Validate(loader.Context)
	}
	if err != nil {
		panic(fmt.Sprintf("contracttest: %v", err))
	}
	general := generalResponses(doc)
	doc.Servers = nil // exchanges are matched by path on any host
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		panic(fmt.Sprintf("contracttest: %v", err))
	}
	return &Checker{document: doc, router: router, general: general, seen: map[string]bool{}}
}

// Kinds of requests that have no operation.
const (
	kindUnknownPath = "unknown-path" // no documented path
	kindOtherMethod = "other-method" // a documented path with an undocumented method
	kindOptions     = "options"      // OPTIONS on a documented path; optional, otherwise kindOtherMethod
)

// generalResponses returns an operation for each kind in the root field x-general-responses, which maps a kind to a
// map from statuses to names of components/responses.
func generalResponses(doc *openapi3.T) map[string]*openapi3.Operation {
	operations := map[string]*openapi3.Operation{}
	kinds, _ := doc.Extensions["x-general-responses"].(map[string]any)
	for kind, names := range kinds {
		responses := openapi3.NewResponses()
		for status, name := range names.(map[string]any) {
			responses.Set(status, doc.Components.Responses[name.(string)])
		}
		operations[kind] = &openapi3.Operation{Responses: responses}
	}
	return operations
}

// target is the operation of a request. A kind of general responses is one, too.
type target struct {
	name   string // "GET /api/prices/{aggregator}", or the kind
	route  *routers.Route
	params map[string]string // of the path, decoded
}

// find returns the target of r.
func (c *Checker) find(r *http.Request) (target, error) {
	route, params, err := c.router.FindRoute(r)
	if err == nil {
		for name, value := range params {
			if plain, err := url.PathUnescape(value); err == nil {
				params[name] = plain
			}
		}
		return target{r.Method + " " + route.Path, route, params}, nil
	}
	kind := kindOtherMethod
	if errors.Is(err, routers.ErrPathNotFound) {
		kind = kindUnknownPath
	} else if r.Method == http.MethodOptions && c.general[kindOptions] != nil {
		kind = kindOptions
	}
	if c.general[kind] == nil {
		return target{}, fmt.Errorf("the request has no operation, and the document has no general response %q", kind)
	}
	return target{kind, &routers.Route{Spec: c.document, PathItem: &openapi3.PathItem{}, Operation: c.general[kind]},
		nil}, nil
}

// operations returns the operations of the document and its general responses by name.
func (c *Checker) operations() map[string]*openapi3.Operation {
	all := maps.Clone(c.general)
	for path, item := range c.document.Paths.Map() {
		for method, operation := range item.Operations() {
			all[method+" "+path] = operation
		}
	}
	return all
}

// Run runs the tests of a package and returns their exit code, or 1 if all passed and a documented response never
// occurred. With -run, -skip, -list or -fuzz, only a part of the tests runs, and coverage is not checked.
//
// TestMain calls it with m.Run.
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
