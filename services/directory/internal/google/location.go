package google

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
)

const profileMask = "name,title,phoneNumbers,categories,storefrontAddress,websiteUri,regularHours,serviceArea," +
	"openInfo,metadata,profile,serviceItems,specialHours"

// location is a Business Profile location
// (https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations).
type location struct {
	Name         string `json:"name"`
	Title        string `json:"title"`
	StoreCode    string `json:"storeCode"`
	WebsiteURI   string `json:"websiteUri"`
	PhoneNumbers struct {
		PrimaryPhone string `json:"primaryPhone"`
	} `json:"phoneNumbers"`
	Categories struct {
		Primary    category   `json:"primaryCategory"`
		Additional []category `json:"additionalCategories"`
	} `json:"categories"`
	StorefrontAddress postalAddress `json:"storefrontAddress"`
	ServiceArea       struct {
		BusinessType string `json:"businessType"` // CUSTOMER_LOCATION_ONLY or CUSTOMER_AND_BUSINESS_LOCATION
	} `json:"serviceArea"`
	RegularHours struct {
		Periods []locationPeriod `json:"periods"`
	} `json:"regularHours"`
	OpenInfo struct {
		Status string `json:"status"` // OPEN, CLOSED_PERMANENTLY or CLOSED_TEMPORARILY
	} `json:"openInfo"`
	Metadata struct {
		PlaceID string `json:"placeId"`
		MapsURI string `json:"mapsUri"`

		HasVoiceOfMerchant bool `json:"hasVoiceOfMerchant"` // the owner's edits count
		HasPendingEdits    bool `json:"hasPendingEdits"`
		HasGoogleUpdated   bool `json:"hasGoogleUpdated"`
	} `json:"metadata"`
	SpecialHours struct {
		Periods []specialPeriod `json:"specialHourPeriods"`
	} `json:"specialHours"`
	Profile struct {
		Description string `json:"description"`
	} `json:"profile"`
	ServiceItems []serviceItem `json:"serviceItems"`
}

type category struct {
	DisplayName  string `json:"displayName"`
	ServiceTypes []struct {
		ID          string `json:"serviceTypeId"`
		DisplayName string `json:"displayName"`
	} `json:"serviceTypes"`
}

type serviceItem struct {
	Structured struct {
		TypeID string `json:"serviceTypeId"` // "job_type_id:oil_change"
	} `json:"structuredServiceItem"`
	FreeForm struct {
		Label struct {
			DisplayName string `json:"displayName"`
		} `json:"label"`
	} `json:"freeFormServiceItem"`
}

// FindLocation reads one of Locations. The fault is provider_gone or provider_permission if the owner of
// the token does not manage it.
func (s *Client) FindLocation(ctx context.Context, accessToken, name string) (Location, error) {
	l, err := s.location(ctx, accessToken, name, locationMask)
	return l.toLocation(account{}), err
}

func (s *Client) location(ctx context.Context, accessToken, name, mask string) (l location, err error) {
	if !locationName.MatchString(name) {
		return l, provider.Gone(errors.New("not a location's resource name"))
	}
	if err := s.get(ctx, accessToken, searchBusinessURL+name, url.Values{"readMask": {mask}}, &l); err != nil {
		return location{}, err
	}
	if l.Name != name {
		return location{}, missingName("location")
	}
	return l, nil
}

// ReadLocation reads the location with that resource name ("locations/123").
func (s *Client) ReadLocation(ctx context.Context, accessToken, name string) (b Business, err error) {
	defer func() { s.options.Metrics.Call(string(provider.Search), "location", err) }()
	l, err := s.location(ctx, accessToken, name, profileMask)
	if err != nil {
		return Business{}, err
	}
	b = l.business()
	if !l.Metadata.HasVoiceOfMerchant {
		b.Signals = slices.Insert(b.Signals, 0, s.voiceSignals(ctx, accessToken, name)...)
	}
	return b, nil
}

// FindChoice reads what is stored with a chosen location.
func (s *Client) FindChoice(ctx context.Context, accessToken, name string) (provider.Choice, error) {
	b, err := s.ReadLocation(ctx, accessToken, name)
	return provider.Choice{ID: name, Name: b.Name, Address: b.Address, PlaceID: b.PlaceID}, err
}

func (l *location) business() Business {
	b := Business{
		PlaceID: l.Metadata.PlaceID, Name: l.Title, Address: l.StorefrontAddress.line(),
		Phone:   l.PhoneNumbers.PrimaryPhone,
		Website: l.WebsiteURI, Categories: l.categories(), Description: strings.TrimSpace(l.Profile.Description),
		Services: l.services(),
		NoHours:  l.OpenInfo.Status == "CLOSED_PERMANENTLY", Signals: l.signals(),
		SpecialDays: specialDays(l.SpecialHours.Periods),
	}
	if !b.NoHours {
		b.Hours = weekLines(locationOpenings(l.RegularHours.Periods))
	}
	b.NoAddress = l.ServiceArea.BusinessType == "CUSTOMER_LOCATION_ONLY" && b.Address == ""
	return b
}

func (l *location) allCategories() []category {
	return append([]category{l.Categories.Primary}, l.Categories.Additional...)
}

func (l *location) categories() (names []string) {
	for _, c := range l.allCategories() {
		if c.DisplayName != "" {
			names = append(names, c.DisplayName)
		}
	}
	return names
}

func (l *location) services() []string {
	catalogue := map[string]string{}
	for _, c := range l.allCategories() {
		for _, t := range c.ServiceTypes {
			catalogue[t.ID] = t.DisplayName
		}
	}
	var names []string
	for _, item := range l.ServiceItems {
		name := item.FreeForm.Label.DisplayName
		if id := item.Structured.TypeID; name == "" {
			name = cmp.Or(catalogue[id], strings.ReplaceAll(strings.TrimPrefix(id, "job_type_id:"), "_", " "))
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// searchVerificationsURL is the address of the Verifications API
// (https://developers.google.com/my-business/reference/verifications/rest/v1/locations/getVoiceOfMerchantState).
const searchVerificationsURL = "https://mybusinessverifications.googleapis.com/v1/"

// voiceSignals returns why the owner's edits do not count. Not every app may use the API that knows it; without an
// answer, the usual cause is assumed: the owner is not verified.
func (s *Client) voiceSignals(ctx context.Context, accessToken, name string) []Signal {
	var state struct { // at most one of the objects: what the owner has to do, or to wait for
		HasVoiceOfMerchant       bool      `json:"hasVoiceOfMerchant"`
		WaitForVoiceOfMerchant   *struct{} `json:"waitForVoiceOfMerchant"`
		ResolveOwnershipConflict *struct{} `json:"resolveOwnershipConflict"`
		ComplyWithGuidelines     *struct{} `json:"complyWithGuidelines"`
	}
	err := s.get(ctx, accessToken, searchVerificationsURL+name+"/VoiceOfMerchantState", nil, &state)
	switch {
	case err != nil:
		return []Signal{SignalNotVerified}
	case state.HasVoiceOfMerchant:
		return nil
	case state.WaitForVoiceOfMerchant != nil:
		return []Signal{SignalUnderReview}
	case state.ResolveOwnershipConflict != nil:
		return []Signal{SignalDuplicate}
	case state.ComplyWithGuidelines != nil:
		return []Signal{SignalSuspended}
	}
	return []Signal{SignalNotVerified}
}

func (l *location) signals() []Signal {
	signals := []Signal{}
	if l.Metadata.HasPendingEdits {
		signals = append(signals, SignalEditsPending)
	}
	if l.Metadata.HasGoogleUpdated {
		signals = append(signals, SignalChanged)
	}
	return signals
}

type specialPeriod struct {
	StartDate apiDate  `json:"startDate"`
	EndDate   *apiDate `json:"endDate"` // nil: the same day
}

type apiDate struct {
	Year  int        `json:"year"`
	Month time.Month `json:"month"`
	Day   int        `json:"day"`
}

func (d apiDate) time() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// specialDaysMax is how many days of one period are read, so that an end far ahead does no harm.
const specialDaysMax = 31

func specialDays(periods []specialPeriod) []time.Time {
	var days []time.Time
	for _, p := range periods {
		day, end := p.StartDate.time(), p.StartDate.time()
		if p.EndDate != nil {
			end = p.EndDate.time()
		}
		for n := 0; n < specialDaysMax && !day.After(end); n++ {
			days = append(days, day)
			day = day.AddDate(0, 0, 1)
		}
	}
	return days
}

// Business is what Google publishes about a location of its owner or a place.
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

// Signal is what an owner should know about a profile. It does not count for the score.
type Signal string

// The signals of a location.
const (
	SignalSuspended    Signal = "suspended"         // Google hides the profile until it follows the guidelines
	SignalNotVerified  Signal = "not_verified"      // the owner has not been verified
	SignalUnderReview  Signal = "under_review"      // the owner is verified, Google still reviews the profile
	SignalDuplicate    Signal = "duplicate"         // another profile of the same place has an owner
	SignalEditsPending Signal = "edits_pending"     // edits of the owner are not published yet
	SignalChanged      Signal = "changed_by_google" // what is published differs from what the owner wrote
)

// WebsiteHost returns the host of an address, in Punycode and without "www.", or nothing.
func WebsiteHost(address string) string {
	return strings.TrimPrefix(parseSite(address).host, "www.")
}

// postalAddress is google.type.PostalAddress
// (https://github.com/googleapis/googleapis/blob/master/google/type/postal_address.proto).
type postalAddress struct {
	PostalCode   string   `json:"postalCode"`
	Locality     string   `json:"locality"`
	AddressLines []string `json:"addressLines"`
}

func (a postalAddress) line() string {
	var parts []string
	for _, part := range append(slices.Clone(a.AddressLines), a.PostalCode+" "+a.Locality) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
