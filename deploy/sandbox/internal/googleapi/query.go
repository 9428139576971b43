package googleapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Query reads the query of a request that may hold only the named parameters, and
// each of them once; those whose name ends in "[]" may be repeated. alt=json and
// prettyPrint are system parameters that may stand anywhere.
func Query(r *http.Request, names ...string) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, Invalid("Request query cannot be parsed.")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case slices.Contains(names, name+"[]"):
		case name == "alt" && query.Get(name) == "json", name == "prettyPrint":
		case !slices.Contains(names, name):
			return nil, unknownName(name)
		case len(query[name]) > 1:
			return nil, InvalidField(name, fmt.Sprintf("parameter %q is repeated", name))
		}
	}
	return query, nil
}

func unknownName(name string) Refusal {
	refusal := Invalid("Invalid JSON payload received. Unknown name %q: Cannot bind query parameter. Field '%s' could not be found in request message.", name, name)
	refusal.Field = name
	return refusal
}

// number reads a whole number of the query between low and high; absent is the
// fallback.
func number(query url.Values, name string, low, high, fallback int) (int, error) {
	text := query.Get(name)
	if text == "" {
		return fallback, nil
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < low || value > high {
		return 0, InvalidField(name, fmt.Sprintf("%s must be between %d and %d", name, low, high))
	}
	return value, nil
}
