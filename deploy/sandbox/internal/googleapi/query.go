package googleapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// Query reads the query of a request that may hold only the named parameters, and each
// of them once. alt=json and prettyPrint are system parameters that may stand anywhere.
func Query(r *http.Request, names ...string) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, Invalid("Request query cannot be parsed.")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case name == "alt" && query.Get(name) == "json", name == "prettyPrint":
		case !slices.Contains(names, name):
			refusal := Invalid("Invalid JSON payload received. Unknown name %q: Cannot bind query parameter. Field '%s' could not be found in request message.", name, name)
			refusal.Field = name
			return nil, refusal
		case len(query[name]) > 1:
			return nil, InvalidField(name, fmt.Sprintf("parameter %q is repeated", name))
		}
	}
	return query, nil
}
