package contracttest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Checker compares exchanges with one document and remembers which of its answers
// have occurred. It is safe for concurrent use.
type Checker struct {
	document *openapi3.T
	router   routers.Router
	general  map[string]*openapi3.Operation // answers to requests without an operation, by kind

	mu   sync.Mutex
	seen map[string]bool // names of documented answers, see answerName
}

// New makes a checker of an OpenAPI 3.1 document in YAML or JSON. It panics when the
// document is not valid, because no test can run without it.
func New(document []byte) *Checker {
	c, err := load(document)
	if err != nil {
		panic(fmt.Sprintf("contracttest: %v", err))
	}
	return c
}

func load(document []byte) (*Checker, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("load document: %w", err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, fmt.Errorf("validate document: %w", err)
	}
	general, err := generalResponses(doc)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // exchanges are matched by path, whatever host serves them
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("route document: %w", err)
	}
	return &Checker{document: doc, router: router, general: general, seen: map[string]bool{}}, nil
}

// target is the operation that a request is for. A request without one belongs to a
// kind of general responses, which is an operation as well.
type target struct {
	name   string // "GET /api/prices/{aggregator}", or the kind
	route  *routers.Route
	params map[string]string
}

// find returns the target of r, or an error when the document has none.
func (c *Checker) find(r *http.Request) (target, error) {
	route, params, err := c.router.FindRoute(r)
	if err == nil {
		return target{name: operationName(r.Method, route.Path), route: route, params: decoded(params)}, nil
	}
	kind := c.kindOf(r, err)
	operation, ok := c.general[kind]
	if !ok {
		return target{}, fmt.Errorf("the request has no operation, and the document has no general response %q", kind)
	}
	return target{name: kind, route: &routers.Route{Spec: c.document, PathItem: &openapi3.PathItem{}, Operation: operation}}, nil
}

func (c *Checker) kindOf(r *http.Request, err error) string {
	if errors.Is(err, routers.ErrPathNotFound) {
		return kindUnknownPath
	}
	if _, documented := c.general[kindOptions]; documented && r.Method == http.MethodOptions {
		return kindOptions
	}
	return kindOtherMethod
}

// decoded decodes path parameters, which the router returns percent-encoded.
func decoded(params map[string]string) map[string]string {
	values := make(map[string]string, len(params))
	for name, value := range params {
		values[name] = value
		if plain, err := url.PathUnescape(value); err == nil {
			values[name] = plain
		}
	}
	return values
}

func operationName(method, path string) string { return method + " " + path }
