// Package network owns who and what there is in the social network that the
// sandbox plays: which pages the people of package demo manage, the photo accounts
// linked to them, their media, and the figures of all of these at any time. The
// figures are invented by a fixed recipe and grow with the date, so that two starts
// show the same and a chart over some days shows a line that moves. How the Graph
// API words any of it, and who may see what, stays in package social.
package network

import (
	"slices"
)

// Network is everybody and everything. It never changes.
type Network struct {
	people []Person
	pages  []Page
	photos []Photo
	byID   map[string]any // Person, Page or Photo
}

// New returns the network.
func New() *Network {
	n := &Network{photos: photos(), byID: make(map[string]any)}
	n.pages = pages(n.photos)
	n.people = people(n.pages)
	for _, person := range n.people {
		n.byID[person.ID] = person
	}
	for _, page := range n.pages {
		n.byID[page.ID] = page
	}
	for _, photo := range n.photos {
		n.byID[photo.ID] = photo
	}
	return n
}

// People lists everybody, in the order of package demo.
func (n *Network) People() []Person { return slices.Clone(n.people) }

// Pages lists every page.
func (n *Network) Pages() []Page { return slices.Clone(n.pages) }

// Person returns the person with that id.
func (n *Network) Person(id string) (Person, bool) {
	person, found := n.byID[id].(Person)
	return person, found
}

// Page returns the page with that id.
func (n *Network) Page(id string) (Page, bool) {
	page, found := n.byID[id].(Page)
	return page, found
}

// Photo returns the photo account with that id.
func (n *Network) Photo(id string) (Photo, bool) {
	photo, found := n.byID[id].(Photo)
	return photo, found
}
