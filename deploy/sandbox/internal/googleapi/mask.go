package googleapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Mask is the fields of an answer that a client asked for: paths of JSON names,
// such as "displayName.text". A path stands for all that is below it.
type Mask []string

// ParseMask splits a mask at its commas.
func ParseMask(text string) Mask { return strings.Split(text, ",") }

// Has reports whether the mask has the path itself, and not only a part of it.
func (m Mask) Has(path string) bool {
	for _, p := range m {
		if p == path || p == "*" {
			return true
		}
	}
	return false
}

// Unknown returns the first path that does not lead to a field of the struct of
// shape, as its JSON tags name them, and whether there is one. "*" leads to all.
func (m Mask) Unknown(shape any) (path string, found bool) {
	for _, path := range m {
		if path != "*" && !leads(reflect.TypeOf(shape), strings.Split(path, ".")) {
			return path, true
		}
	}
	return "", false
}

func leads(shape reflect.Type, path []string) bool {
	if len(path) == 0 {
		return true
	}
	for shape.Kind() == reflect.Slice || shape.Kind() == reflect.Pointer {
		shape = shape.Elem()
	}
	if shape.Kind() != reflect.Struct {
		return false
	}
	for i := range shape.NumField() {
		if name, _, _ := strings.Cut(shape.Field(i).Tag.Get("json"), ","); name == path[0] {
			return leads(shape.Field(i).Type, path[1:])
		}
	}
	return false
}

// Apply returns the masked fields of value as a JSON object. A field without a
// value is absent, as value's own JSON form leaves it out.
func (m Mask) Apply(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding a masked value: %w", err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("decoding a masked value: %w", err)
	}
	if m.Has("*") {
		return whole, nil
	}
	masked := map[string]any{}
	for _, path := range m {
		take(masked, whole, strings.Split(path, "."))
	}
	return masked, nil
}

// take copies what is at path from one object into the other, through lists too.
func take(to, from map[string]any, path []string) {
	value, found := from[path[0]]
	if !found {
		return
	}
	if len(path) == 1 {
		to[path[0]] = value
		return
	}
	switch value := value.(type) {
	case map[string]any:
		inner, ok := to[path[0]].(map[string]any)
		if !ok {
			inner = map[string]any{}
		}
		take(inner, value, path[1:])
		if len(inner) > 0 {
			to[path[0]] = inner
		}
	case []any:
		to[path[0]] = takeEach(to[path[0]], value, path[1:])
	}
}

func takeEach(to any, from []any, path []string) []any {
	list, ok := to.([]any)
	if !ok {
		list = make([]any, len(from))
		for i := range list {
			list[i] = map[string]any{}
		}
	}
	for i, entry := range from {
		object, isObject := entry.(map[string]any)
		inner, isOpen := list[i].(map[string]any)
		if isObject && isOpen {
			take(inner, object, path)
		}
	}
	return list
}
