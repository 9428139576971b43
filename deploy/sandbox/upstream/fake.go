// Package upstream owns what every fake of an outside site has besides its answers:
// the request log, the fault injector, the toggles and the actions with which a test
// steers it. A test serves a Fake in process, as an http.Handler.
package upstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/requestlog"
	"backend.example/deploy/sandbox/internal/standin"
)

// logCapacity is how many requests a fake of its own keeps.
const logCapacity = 10_000

// Fault is one way to misbehave; its Kind is one of those that the README lists.
type Fault = faults.Fault

// Request is one request as it reached a fake.
type Request = requestlog.Entry

// Fake is one outside site. It is safe for concurrent use.
type Fake struct {
	standin.StandIn

	faults  *faults.Board
	log     *requestlog.Log
	handler http.Handler
}

// New returns the fake of a site with a request log and faults of its own.
func New(site standin.StandIn) *Fake {
	f := &Fake{StandIn: site, faults: faults.NewBoard(site.Site), log: requestlog.New(logCapacity, time.Now)}
	f.handler = f.log.Record(site.Site.Name, f.faults.Inject(site.Site.Name, time.After, site.Handler))
	return f
}

// ServeHTTP answers as the site does, or as the fault says that is on.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.handler.ServeHTTP(w, r) }

// SetFault makes the site misbehave, in the place of an earlier fault. It panics for
// a fault that the site does not know.
func (f *Fake) SetFault(fault Fault) {
	if err := f.faults.Set(f.Site.Name, fault); err != nil {
		panic(err)
	}
}

// ClearFault takes the fault off.
func (f *Fake) ClearFault() {
	if err := f.faults.Clear(f.Site.Name); err != nil {
		panic(err)
	}
}

// SetToggle changes a toggle that the README lists: a bool, a []string or an int. It
// panics for another name or type.
func (f *Fake) SetToggle(name string, value any) {
	text, err := json.Marshal(map[string]any{name: value})
	if err == nil {
		err = f.Knobs.Set(strings.NewReader(string(text)))
	}
	if err != nil {
		panic(err)
	}
}

// Do performs an action that the README lists, such as "revoke-grants". Options are a
// JSON object or empty. It panics for another action or wrong options.
func (f *Fake) Do(action, options string) {
	for _, a := range f.Memory.Actions() {
		if a.Name == action {
			if _, err := a.Do(strings.NewReader(options)); err != nil {
				panic(err)
			}
			return
		}
	}
	panic(fmt.Sprintf("upstream: %s has no action %s", f.Site.Name, action))
}

// Requests lists what was asked so far, oldest first; codes, tokens and keys in an
// address are masked.
func (f *Fake) Requests() []Request { return f.log.Entries("") }

// ClearRequests forgets them.
func (f *Fake) ClearRequests() { f.log.Clear() }
