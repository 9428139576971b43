// Package standin owns the shape that every stand-in of an outside site has:
// what the sandbox needs in order to listen for it, break it, steer it and show
// it on the control page. How a site answers stays in the package of the site.
package standin

import (
	"io"
	"net/http"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/knobs"
)

// StandIn is one outside site that the sandbox plays.
type StandIn struct {
	Site    faults.Site // name, kinds of faults, spared paths
	Title   string      // Polish, for the control page
	Handler http.Handler
	Links   []Link       // pages worth opening first
	Knobs   *knobs.Panel // nil: none
	Memory  Memory       // nil: it remembers nothing of its clients
}

// Link is an address within a stand-in.
type Link struct {
	Path string // encoded, begins with /
	Text string // Polish
}

// Memory is what a stand-in remembers of its clients, as the control address
// shows and changes it. It is safe for concurrent use.
type Memory interface {
	// State returns what is written as a JSON object. No secret stands in it.
	State() any
	// Forget makes it as it was at the start.
	Forget()
	// Actions lists what can be done to it.
	Actions() []Action
}

// Action is one way to change a Memory.
type Action struct {
	Name string // part of an address, e.g. "expire-access-tokens"
	Text string // Polish
	// Do reads its options from a JSON object, or from nothing, and returns what
	// is written as the JSON answer. An error is a mistake in the options.
	Do func(options io.Reader) (any, error)
}
