// Package upstream owns what every fake of an outside site has besides its answers:
// the request log, the fault injector, the toggles, the counters and the register of
// secrets, with which people and tests steer and watch it. What a site answers stays
// in its own package.
package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Site is what a fake consists of.
type Site struct {
	Name    string // on the control address
	Title   string // Polish, for the admin page
	Handler http.Handler
	Links   []Link      // pages worth opening first
	Faults  []FaultKind // its own, besides those of every site
	Spared  []string    // path prefixes that only a fault with a match can hit

	Toggles *Toggles   // nil: none
	Secrets *Secrets   // nil: it gives none out
	State   func() any // what it remembers of its clients, written as JSON without secrets; nil: nothing
	Reset   func()     // forgets all of that
	Actions []Action   // what can be done to it
}

// Link is an address within a site.
type Link struct {
	Path string // encoded, begins with /
	Text string // Polish
}

// Action is one way to change what a site remembers.
type Action struct {
	Name string // part of an address, e.g. "expire-access-tokens"
	Text string // Polish
	// Do reads its options from a JSON object, or from nothing, and returns what is
	// written as the JSON answer. An error is a mistake in the options.
	Do func(options io.Reader) (any, error)
}

// ReadOptions reads the options of an Action into target: one JSON object without
// unknown fields, or nothing at all, which leaves target as it is.
func ReadOptions(options io.Reader, target any) error {
	if err := readObject(options, target); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// readObject decodes exactly one JSON object without unknown fields.
func readObject(text io.Reader, target any) error {
	decoder := json.NewDecoder(io.LimitReader(text, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		return fmt.Errorf("not a valid JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("followed by more text: send one JSON object")
	}
	return nil
}

const maxBody = 16 << 10

// Fake is one outside site that can be steered. It is safe for concurrent use.
type Fake struct {
	Site
	Injector *Injector
	Log      *Log

	handler http.Handler
}

// New returns the fake of a site.
func New(site Site) *Fake {
	f := &Fake{Site: site, Injector: newInjector(site), Log: NewLog(site.Name, time.Now)}
	f.handler = f.Log.Record(f.Injector.Wrap(site.Handler, time.After))
	return f
}

// ServeHTTP answers as the site does, or as the fault says that is on.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.handler.ServeHTTP(w, r) }

// SetFault makes the site misbehave, in the place of an earlier fault. It panics for
// a fault that the site does not know.
func (f *Fake) SetFault(fault Fault) { must(f.Injector.Set(fault)) }

// ClearFault takes the fault off.
func (f *Fake) ClearFault() { f.Injector.Clear() }

// SetToggle changes a toggle that the README lists: a bool, a []string or an int. It
// panics for another name or type.
func (f *Fake) SetToggle(name string, value any) {
	text, err := json.Marshal(map[string]any{name: value})
	must(err)
	must(f.Toggles.Set(strings.NewReader(string(text))))
}

// Do performs an action that the README lists, such as "revoke-grants". Options are a
// JSON object or empty. It panics for another action or wrong options.
func (f *Fake) Do(action, options string) {
	for _, a := range f.Actions {
		if a.Name == action {
			_, err := a.Do(strings.NewReader(options))
			must(err)
			return
		}
	}
	panic(fmt.Sprintf("upstream: %s has no action %s", f.Name, action))
}

// Requests lists what was asked so far, oldest first. Codes, tokens and keys in an
// address are masked.
func (f *Fake) Requests() []Request { return f.Log.Requests() }

// ClearRequests forgets them.
func (f *Fake) ClearRequests() { f.Log.Clear() }

func must(err error) {
	if err != nil {
		panic(err)
	}
}
