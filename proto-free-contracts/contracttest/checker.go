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
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"

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
	kindOptions     = "options"      // OPTIONS on a documented path; other-method if the document has no entry
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
	params map[string]string
}

// find returns the target of r.
func (c *Checker) find(r *http.Request) (target, error) {
	route, params, err := c.router.FindRoute(r)
	if err == nil {
		for name, value := range params { // percent-encoded
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
