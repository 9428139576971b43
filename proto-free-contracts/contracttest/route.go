package contracttest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// RequireRoutes compares the routes that a service registered with the document in
// both directions. A route is a method, a space and a path whose parameters are
// written ":name", as in "GET /api/prices/:aggregator". Methods that are not in upper
// case are ignored: a router registers its handler for unknown paths that way.
func (c *Checker) RequireRoutes(tb testing.TB, registered []string) {
	tb.Helper()
	documented := c.operations()
	served := map[string]bool{}
	for _, route := range registered {
		method, path, ok := strings.Cut(route, " ")
		if !ok {
			tb.Errorf("route %q: want a method, a space and a path", route)
			continue
		}
		if method == strings.ToUpper(method) {
			served[operationName(method, braced(path))] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(served)) {
		if !documented[name] {
			tb.Errorf("route %s is not in the document", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documented)) {
		if !served[name] {
			tb.Errorf("operation %s has no route", name)
		}
	}
}

// operations is the set of the document's operations by name.
func (c *Checker) operations() map[string]bool {
	names := map[string]bool{}
	for path, item := range c.document.Paths.Map() {
		for method := range item.Operations() {
			names[operationName(method, path)] = true
		}
	}
	return names
}

// braced writes the ":name" segments of a path as "{name}".
func braced(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if name, ok := strings.CutPrefix(segment, ":"); ok {
			segments[i] = "{" + name + "}"
		}
	}
	return strings.Join(segments, "/")
}
