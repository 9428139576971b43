package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ErrUnknownSite tells that no stand-in has the name.
var ErrUnknownSite = errors.New("unknown site")

// Definition is a kind with what it does, in Polish, for the control page.
type Definition struct {
	Kind  Kind
	Text  string
	Coded bool // takes the code of an error of the site, and a subcode
}

// Common returns the kinds that the middleware plays for every site.
func Common() []Definition {
	return []Definition{
		{Kind: Down, Text: "zrywa połączenie bez odpowiedzi"},
		{Kind: Slow, Text: "odpowiada poprawnie, ale po delay_ms milisekundach"},
		{Kind: Status, Text: "odpowiada kodem status, na życzenie z Retry-After (retry_after sekund)"},
		{Kind: Redirect, Text: "odpowiada 302 na adres location"},
		{Kind: Truncated, Text: "zrywa połączenie w połowie treści"},
		{Kind: Garbage, Text: "odpowiada 200 i przypadkowymi bajtami"},
		{Kind: Huge, Text: "odpowiada treścią, która nigdy się nie kończy"},
	}
}

// Site is what the board has to know of a stand-in.
type Site struct {
	Name   string
	Kinds  []Definition // all that it accepts
	Spared []string     // path prefixes that only a fault with a match can hit
}

// Board holds at most one fault per site. It is safe for concurrent use.
type Board struct {
	sites []Site

	mu     sync.Mutex
	active map[string]Fault
}

// NewBoard returns a board of the sites with no fault on.
func NewBoard(sites ...Site) *Board {
	return &Board{sites: sites, active: make(map[string]Fault)}
}

// Names returns the names of the sites in their order.
func (b *Board) Names() []string {
	names := make([]string, 0, len(b.sites))
	for _, site := range b.sites {
		names = append(names, site.Name)
	}
	return names
}

// Set puts a fault on a site in the place of an earlier one. The error is
// ErrUnknownSite or names every problem of the fault.
func (b *Board) Set(name string, fault Fault) error {
	site, err := b.site(name)
	if err != nil {
		return err
	}
	if err := errors.Join(site.accepts(fault), fault.validate()); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.active[name] = fault
	return nil
}

// Get returns the fault that is on, or nil.
func (b *Board) Get(name string) (*Fault, error) {
	if _, err := b.site(name); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if fault, on := b.active[name]; on {
		return &fault, nil
	}
	return nil, nil
}

// Clear takes the fault off a site; there need not be one.
func (b *Board) Clear(name string) error {
	if _, err := b.site(name); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.active, name)
	return nil
}

// take returns the fault for a request and counts it.
func (b *Board) take(site Site, path string) (Fault, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fault, on := b.active[site.Name]
	if !on || !site.reaches(fault, path) {
		return Fault{}, false
	}
	if fault.Times == 1 {
		delete(b.active, site.Name)
	} else if fault.Times > 1 {
		left := fault
		left.Times--
		b.active[site.Name] = left
	}
	return fault, true
}

func (b *Board) site(name string) (Site, error) {
	for _, site := range b.sites {
		if site.Name == name {
			return site, nil
		}
	}
	return Site{}, fmt.Errorf("%w: %q", ErrUnknownSite, name)
}

func (s Site) accepts(fault Fault) error {
	names := make([]string, 0, len(s.Kinds))
	for _, definition := range s.Kinds {
		if definition.Kind == fault.Kind {
			return definition.acceptsCodes(fault)
		}
		names = append(names, string(definition.Kind))
	}
	return fmt.Errorf("kind %q is not one of: %s", fault.Kind, strings.Join(names, ", "))
}

func (d Definition) acceptsCodes(fault Fault) error {
	switch {
	case !d.Coded && (fault.Code != 0 || fault.Subcode != 0):
		return fmt.Errorf("code and subcode are not for kind %s", d.Kind)
	case d.Coded && (fault.Code < 1 || fault.Subcode < 0):
		return fmt.Errorf("code must be positive for kind %s, and subcode must not be negative", d.Kind)
	}
	return nil
}

func (s Site) reaches(fault Fault, path string) bool {
	if fault.Match != "" {
		return strings.HasPrefix(path, fault.Match)
	}
	return !slices.ContainsFunc(s.Spared, func(prefix string) bool {
		return strings.HasPrefix(path, prefix)
	})
}
