package demo

import "strings"

// Business is one place of business. Empty values are facts that its owner never
// gave.
type Business struct {
	Slug        string // its name in addresses, and here
	Name        string
	StoreCode   string // only of chains
	Street      string // with the number
	PostalCode  string
	City        string
	Voivodeship string
	Latitude    float64
	Longitude   float64
	Phone       string // international, "+48 12 000 10 01"
	Website     string
	Categories  []Category // the main one first
	Hours       Week
	Description string
	Services    []Service
	Photos      int // how many its owner and customers have uploaded
	Rating      float64
	ReviewCount int
	Reviews     []Review // the newest
	Status      Status
	ComesToYou  bool // works at its customers' and shows no address
}

// Category is a trade, in the words of the provider's two catalogues.
type Category struct {
	ID        string // in business profiles, e.g. "gcid:bakery"
	Name      string // Polish
	PlaceType string // among public places, e.g. "bakery"
}

// Service is something that a business offers.
type Service struct {
	Name   string // Polish
	TypeID string // e.g. "job_type_id:oil_change" when it is from the catalogue of its main category
}

// Review is what a customer wrote.
type Review struct {
	Author string
	Stars  int // 1 to 5
	Text   string
	Days   int // how long ago
}

// Status is whether a business works.
type Status string

// The states.
const (
	Open              Status = ""
	ClosedTemporarily Status = "CLOSED_TEMPORARILY"
	ClosedForGood     Status = "CLOSED_PERMANENTLY"
)

// placeIDLength is that of the usual ids of places.
const placeIDLength = 27

// PlaceID is the business's id among public places; business profiles name it too.
func (b Business) PlaceID() string {
	id := "ChIJdemo-" + b.Slug
	return id + strings.Repeat("_", max(0, placeIDLength-len(id)))
}

// Address is the address in one line, as people write it; empty when it shows none.
func (b Business) Address() string {
	if b.ComesToYou {
		return ""
	}
	return b.Street + ", " + b.PostalCode + " " + b.City
}

// Businesses lists every business there is.
func Businesses() []Business {
	businesses := Companies()
	businesses = append(businesses, Oddities()...)
	return append(businesses, Chain()...)
}

// Companies lists those that the directory's demo data hold too, under the same
// names and addresses, with the second shop of the first one.
func Companies() []Business {
	return []Business{bakery(), bakeryBranch(), workshop(), studio(), bookshop()}
}
