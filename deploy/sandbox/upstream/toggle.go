package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Toggle changes what a site answers while it runs.
type Toggle struct {
	Name string
	Text string // Polish: what it does
	Off  any    // its value when it is off: false, an empty []string or 0
}

// Toggles are those of one site. They are safe for concurrent use.
type Toggles struct {
	list []Toggle

	mu     sync.Mutex
	values map[string]any // of those that were changed
}

// NewToggles returns the toggles with every one off.
func NewToggles(list ...Toggle) *Toggles {
	return &Toggles{list: list, values: make(map[string]any)}
}

// List returns the toggles in their order.
func (t *Toggles) List() []Toggle { return slices.Clone(t.list) }

// On is the value of a toggle that is a bool.
func (t *Toggles) On(name string) bool { return t.get(name).(bool) }

// Strings is the value of a toggle that is a list.
func (t *Toggles) Strings(name string) []string { return slices.Clone(t.get(name).([]string)) }

// Number is the value of a toggle that is a number.
func (t *Toggles) Number(name string) int { return t.get(name).(int) }

// Values returns every toggle by name, those that are off as well.
func (t *Toggles) Values() map[string]any {
	values := make(map[string]any, len(t.list))
	for _, toggle := range t.list {
		values[toggle.Name] = t.get(toggle.Name)
	}
	return values
}

// Reset takes every toggle off.
func (t *Toggles) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.values)
}

// get returns the value of a toggle. A name that there is not is a mistake in the
// site and panics.
func (t *Toggles) get(name string) any {
	toggle, found := t.find(name)
	if !found {
		panic("upstream: no toggle " + name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if value, changed := t.values[name]; changed {
		return value
	}
	return toggle.Off
}

func (t *Toggles) find(name string) (Toggle, bool) {
	i := slices.IndexFunc(t.list, func(toggle Toggle) bool { return toggle.Name == name })
	if i < 0 {
		return Toggle{}, false
	}
	return t.list[i], true
}

// Set reads one JSON object of values, e.g. {"quota_zero": true}. Toggles that it does
// not name keep their value. On an error, which names every problem, nothing changes.
func (t *Toggles) Set(body io.Reader) error {
	var wanted map[string]json.RawMessage
	if err := readObject(body, &wanted); err != nil {
		return fmt.Errorf("the toggles are %w", err)
	}
	values := make(map[string]any, len(wanted))
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		toggle, found := t.find(name)
		if !found {
			problems = append(problems, fmt.Errorf("toggle %q is not one of: %s", name, strings.Join(t.names(), ", ")))
			continue
		}
		value := reflect.New(reflect.TypeOf(toggle.Off))
		if err := json.Unmarshal(wanted[name], value.Interface()); err != nil || string(wanted[name]) == "null" {
			problems = append(problems, fmt.Errorf("toggle %s takes a %T", name, toggle.Off))
			continue
		}
		values[name] = value.Elem().Interface()
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.Copy(t.values, values)
	return nil
}

func (t *Toggles) names() []string {
	var names []string
	for _, toggle := range t.list {
		names = append(names, toggle.Name)
	}
	return names
}
