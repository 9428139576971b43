package googleapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Mask is the top-level fields of an answer that a client asked for, by their JSON
// names. The real APIs take paths below them too, some only these.
type Mask []string

// ParseMask splits a mask at its commas.
func ParseMask(text string) Mask { return strings.Split(text, ",") }

// Unknown returns the first name that is no field of the struct of shape, as its JSON
// tags name them, and whether there is one.
func (m Mask) Unknown(shape any) (name string, found bool) {
	var known []string
	for field := range reflect.TypeOf(shape).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known = append(known, name)
	}
	i := slices.IndexFunc(m, func(name string) bool { return !slices.Contains(known, name) })
	if i < 0 {
		return "", false
	}
	return m[i], true
}

// Apply returns the masked fields of value as a JSON object. A field without a value
// is absent, as value's own JSON form leaves it out.
func (m Mask) Apply(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding a masked value: %w", err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("decoding a masked value: %w", err)
	}
	masked := map[string]any{}
	for _, name := range m {
		if field, found := whole[name]; found {
			masked[name] = field
		}
	}
	return masked, nil
}
