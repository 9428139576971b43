package knobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const maxBody = 16 << 10

// Set reads exactly one JSON object of knob values, e.g. {"quota_zero": true}.
// Knobs that it does not name keep their value. On an error, which names every
// problem, nothing is changed.
func (p *Panel) Set(body io.Reader) error {
	decoder := json.NewDecoder(io.LimitReader(body, maxBody))
	var wanted map[string]json.RawMessage
	if err := decoder.Decode(&wanted); err != nil || wanted == nil {
		return errors.Join(errors.New("knobs are not a valid JSON object"), err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("knobs are followed by more text: send one JSON object")
	}
	values, err := p.read(wanted)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(p.values, values)
	return nil
}

func (p *Panel) read(wanted map[string]json.RawMessage) (map[string]any, error) {
	values := make(map[string]any, len(wanted))
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		definition, found := p.find(name)
		if !found {
			problems = append(problems, fmt.Errorf("knob %q is not one of: %s", name, p.names()))
			continue
		}
		value, err := definition.Kind.read(wanted[name])
		if err != nil || string(wanted[name]) == "null" {
			problems = append(problems, fmt.Errorf("knob %s takes a %s", name, definition.Kind))
			continue
		}
		values[name] = value
	}
	return values, errors.Join(problems...)
}

func (p *Panel) names() string {
	names := make([]string, 0, len(p.definitions))
	for _, definition := range p.definitions {
		names = append(names, definition.Name)
	}
	return strings.Join(names, ", ")
}
