package contracts_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// loaded caches the results of load by document.
var loaded sync.Map

func load(t *testing.T, document []byte) *openapi3.T {
	t.Helper()
	if doc, ok := loaded.Load(string(document)); ok {
		return doc.(*openapi3.T)
	}
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	loaded.Store(string(document), doc)
	return doc
}

// overlooked returns the breaking changes that oasdiff has no rule for: another server, a
// parameter with another serialization or one that may no longer be empty, and an object
// of a request that no longer accepts unknown fields.
func overlooked(base, revision *openapi3.T) (found []string) {
	if len(base.Servers) > 0 && (len(revision.Servers) == 0 || base.Servers[0].URL != revision.Servers[0].URL) {
		found = append(found, "server-changed: "+base.Servers[0].URL)
	}
	for path, was := range base.Paths.Map() {
		is := revision.Paths.Value(path)
		if is == nil {
			continue
		}
		for method, operation := range was.Operations() {
			if now := is.GetOperation(method); now != nil {
				for _, what := range append(narrowedParameters(was, operation, is, now), closedBodies(operation, now)...) {
					found = append(found, fmt.Sprintf("%s (%s %s)", what, method, path))
				}
			}
		}
	}
	return found
}

func narrowedParameters(was *openapi3.PathItem, before *openapi3.Operation, is *openapi3.PathItem, now *openapi3.Operation) (found []string) {
	for _, ref := range append(was.Parameters[:len(was.Parameters):len(was.Parameters)], before.Parameters...) {
		old := ref.Value
		parameter := is.Parameters.GetByInAndName(old.In, old.Name)
		if parameter == nil {
			parameter = now.Parameters.GetByInAndName(old.In, old.Name)
		}
		if parameter == nil {
			continue
		}
		if old.AllowEmptyValue && !parameter.AllowEmptyValue {
			found = append(found, "empty-value-refused: "+old.Name)
		}
		if serialization(old) != serialization(parameter) {
			found = append(found, "serialization-changed: "+old.Name)
		}
	}
	return found
}

func serialization(p *openapi3.Parameter) openapi3.SerializationMethod {
	method, err := p.SerializationMethod()
	if err != nil {
		return openapi3.SerializationMethod{}
	}
	return *method
}

func closedBodies(before, now *openapi3.Operation) (found []string) {
	if before.RequestBody == nil || now.RequestBody == nil {
		return nil
	}
	for kind, media := range before.RequestBody.Value.Content {
		if same := now.RequestBody.Value.Content[kind]; same != nil && media.Schema != nil && same.Schema != nil {
			found = append(found, closed(media.Schema.Value, same.Schema.Value, kind)...)
		}
	}
	return found
}

// closed returns the objects of a request that accepted unknown fields and no longer do.
func closed(was, is *openapi3.Schema, at string) (found []string) {
	if open(was) && !open(is) {
		found = append(found, "object-closed: "+at)
	}
	for name, property := range was.Properties {
		if same := is.Properties[name]; same != nil {
			found = append(found, closed(property.Value, same.Value, at+"/"+name)...)
		}
	}
	if was.Items != nil && is.Items != nil {
		found = append(found, closed(was.Items.Value, is.Items.Value, at+"/items")...)
	}
	return found
}

func open(s *openapi3.Schema) bool {
	return s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has
}
