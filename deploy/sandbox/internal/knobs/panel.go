// Package knobs owns the switches that change what a stand-in answers while it
// runs: which a site has, their values, and the JSON form in which the control
// address sets and shows them. Cut connections, delays and other faults of any
// site stay in faults; what a knob does stays in the stand-in.
package knobs

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Kind is the form of a knob's value.
type Kind string

// The kinds, each with its JSON form and its value when it is off.
const (
	Switch Kind = "switch" // true or false; off: false
	List   Kind = "list"   // a list of strings; off: empty
	Number Kind = "number" // a whole number, not negative; off: 0
)

// Definition is a knob with what it does, in Polish, for the control page.
type Definition struct {
	Name string
	Kind Kind
	Text string
}

// Panel holds the knobs of one site. It is safe for concurrent use.
type Panel struct {
	definitions []Definition

	mu     sync.Mutex
	values map[string]any // bool, []string or int; absent when off
}

// NewPanel returns a panel with every knob off.
func NewPanel(definitions ...Definition) *Panel {
	return &Panel{definitions: definitions, values: make(map[string]any)}
}

// Definitions lists the knobs in their order.
func (p *Panel) Definitions() []Definition { return slices.Clone(p.definitions) }

// On reports whether a Switch is on.
func (p *Panel) On(name string) bool { return p.get(name).(bool) }

// List returns the value of a List.
func (p *Panel) List(name string) []string { return slices.Clone(p.get(name).([]string)) }

// Number returns the value of a Number.
func (p *Panel) Number(name string) int { return p.get(name).(int) }

// Values returns every knob by name, those that are off as well.
func (p *Panel) Values() map[string]any {
	values := make(map[string]any, len(p.definitions))
	for _, definition := range p.definitions {
		values[definition.Name] = p.get(definition.Name)
	}
	return values
}

// Reset takes every knob off.
func (p *Panel) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.values)
}

// get returns the value of a knob. A name that the panel does not have is a
// mistake in the stand-in and panics.
func (p *Panel) get(name string) any {
	definition, found := p.find(name)
	if !found {
		panic("knobs: no knob " + name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if value, set := p.values[name]; set {
		return value
	}
	return definition.Kind.off()
}

func (p *Panel) find(name string) (Definition, bool) {
	i := slices.IndexFunc(p.definitions, func(d Definition) bool { return d.Name == name })
	if i < 0 {
		return Definition{}, false
	}
	return p.definitions[i], true
}

func (k Kind) off() any {
	switch k {
	case Switch:
		return false
	case List:
		return []string{}
	default:
		return 0
	}
}

// read decodes a value of the kind.
func (k Kind) read(text json.RawMessage) (any, error) {
	switch k {
	case Switch:
		var on bool
		err := json.Unmarshal(text, &on)
		return on, err
	case List:
		list := []string{}
		err := json.Unmarshal(text, &list)
		return list, err
	default:
		var number int
		if err := json.Unmarshal(text, &number); err != nil {
			return nil, err
		}
		if number < 0 {
			return nil, fmt.Errorf("%d is negative", number)
		}
		return number, nil
	}
}
