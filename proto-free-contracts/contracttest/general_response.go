package contracttest

import (
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// generalExtension is the root field of a document with the answers to requests that
// have no operation. It maps a kind to a map from statuses to names of
// components/responses.
const generalExtension = "x-general-responses"

// Kinds of requests that have no operation.
const (
	kindUnknownPath = "unknown-path" // no documented path
	kindOtherMethod = "other-method" // a documented path, with a method it does not have
	kindOptions     = "options"      // OPTIONS on a documented path; without an entry it is other-method
)

// generalResponses makes an operation of each kind in the extension, and none when a
// document is without it.
func generalResponses(doc *openapi3.T) (map[string]*openapi3.Operation, error) {
	operations := map[string]*openapi3.Operation{}
	extension, ok := doc.Extensions[generalExtension]
	if !ok {
		return operations, nil
	}
	kinds, ok := extension.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: want a map of kinds, have %T", generalExtension, extension)
	}
	for kind, answers := range kinds {
		if !slices.Contains([]string{kindUnknownPath, kindOtherMethod, kindOptions}, kind) {
			return nil, fmt.Errorf("%s: unknown kind %q", generalExtension, kind)
		}
		responses, err := namedResponses(doc, answers)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", generalExtension, kind, err)
		}
		operations[kind] = &openapi3.Operation{Responses: responses}
	}
	return operations, nil
}

// namedResponses resolves a map of statuses to names of components/responses.
func namedResponses(doc *openapi3.T, answers any) (*openapi3.Responses, error) {
	names, ok := answers.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("want a map of statuses, have %T", answers)
	}
	responses := openapi3.NewResponses()
	for status, name := range names {
		component, ok := name.(string)
		if !ok || doc.Components == nil || doc.Components.Responses[component] == nil {
			return nil, fmt.Errorf("%s: components/responses has no entry %v", status, name)
		}
		responses.Set(status, doc.Components.Responses[component])
	}
	return responses, nil
}
