package google

import (
	"net/url"
	"strings"
	"time"
)

// Business is what Google publishes about a business, as a location of its owner or as a
// public place.
type Business struct {
	PlaceID       string   `json:"place_id"`
	Name          string   `json:"name"`
	Address       string   `json:"address"`
	Phone         string   `json:"phone"`
	Website       string   `json:"website"`
	Hours         []string `json:"hours"` // one readable line for each day with hours
	Categories    []string `json:"categories"`
	Description   string   `json:"description"`
	Services      []string `json:"services"`
	PhotoCount    int      `json:"photo_count"` // Places returns at most 10
	ReviewCount   int      `json:"review_count"`
	AverageRating float64  `json:"average_rating"` // 1.0 to 5.0; zero without reviews

	// Neither the address of a business that only visits its customers nor the hours of
	// one that is closed for good are missing.
	NoAddress bool `json:"-"`
	NoHours   bool `json:"-"`

	Signals     []Signal    `json:"-"` // nil for a place, which has none
	SpecialDays []time.Time `json:"-"` // with hours of their own, each as its midnight in UTC
}

// Signal is something about a profile that its owner should know and that does not
// count for its score.
type Signal string

// The signals that a location reports.
const (
	SignalSuspended    Signal = "suspended"         // Google hides the profile until it follows the guidelines
	SignalNotVerified  Signal = "not_verified"      // the owner has not been verified
	SignalEditsPending Signal = "edits_pending"     // edits of the owner are not published yet
	SignalChanged      Signal = "changed_by_google" // what is published differs from what the owner wrote
)

// WebsiteHost returns the host of a website's address, which may lack its scheme,
// without "www.". It is empty if the address has none.
func WebsiteHost(address string) string {
	address = strings.TrimSpace(address)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}
