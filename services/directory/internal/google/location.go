package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
)

// profileMask names the fields that an audit reads.
const profileMask = "name,title,phoneNumbers,categories,storefrontAddress,websiteUri,regularHours,serviceArea," +
	"openInfo,metadata,profile,serviceItems,specialHours"

// location is a Business Profile location
// (https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations).
// The API leaves empty values out.
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

// FindLocation reads the location with that resource name as Locations lists it, whatever
// account it belongs to. One that the owner of the token does not manage is the fault Gone
// or Denied.
func (s *Client) FindLocation(ctx context.Context, accessToken, name string) (Location, error) {
	if !locationName.MatchString(name) {
		return Location{}, provider.Gone(errors.New("not a location's resource name"))
	}
	var l location
	if err := s.get(ctx, accessToken, searchBusinessURL+name, url.Values{"readMask": {locationMask}}, &l); err != nil {
		return Location{}, err
	}
	if l.Name != name {
		return Location{}, missingName("location")
	}
	return l.toLocation(account{}), nil
}

// ReadLocation reads the location with that resource name ("locations/123").
func (s *Client) ReadLocation(ctx context.Context, accessToken, name string) (b Business, err error) {
	defer func() { s.called("location", err) }()
	if !locationName.MatchString(name) {
		return Business{}, provider.Gone(errors.New("not a location's resource name"))
	}
	var l location
	if err := s.get(ctx, accessToken, searchBusinessURL+name, url.Values{"readMask": {profileMask}}, &l); err != nil {
		return Business{}, err
	}
	if l.Name != name {
		return Business{}, missingName("location")
	}
	b = l.business()
	if !l.Metadata.HasVoiceOfMerchant {
		b.Signals = append(append([]Signal{}, s.voiceSignals(ctx, accessToken, name)...), b.Signals...)
	}
	return b, nil
}

// FindChoice reads what is stored with a chosen location.
func (s *Client) FindChoice(ctx context.Context, accessToken, name string) (provider.Choice, error) {
	b, err := s.ReadLocation(ctx, accessToken, name)
	return provider.Choice{ID: name, Name: b.Name, Address: b.Address, PlaceID: b.PlaceID}, err
}

// business maps the location to the common form of Google's profiles.
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

func (l *location) categories() []string {
	var names []string
	for _, c := range append([]category{l.Categories.Primary}, l.Categories.Additional...) {
		if c.DisplayName != "" {
			names = append(names, c.DisplayName)
		}
	}
	return names
}

// services lists the services by name. Those of the provider's catalogue have their
// names in the categories; those that the owner added have their own.
func (l *location) services() []string {
	catalogue := map[string]string{}
	for _, c := range append([]category{l.Categories.Primary}, l.Categories.Additional...) {
		for _, t := range c.ServiceTypes {
			catalogue[t.ID] = t.DisplayName
		}
	}
	var names []string
	for _, item := range l.ServiceItems {
		name := item.FreeForm.Label.DisplayName
		if id := item.Structured.TypeID; name == "" && id != "" {
			if name = catalogue[id]; name == "" {
				name = strings.ReplaceAll(strings.TrimPrefix(id, "job_type_id:"), "_", " ")
			}
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

// voiceOfMerchant is the state of a location. At most one of the objects is there: what the
// owner has to do, or to wait for.
type voiceOfMerchant struct {
	HasVoiceOfMerchant       bool      `json:"hasVoiceOfMerchant"`
	WaitForVoiceOfMerchant   *struct{} `json:"waitForVoiceOfMerchant"`
	ResolveOwnershipConflict *struct{} `json:"resolveOwnershipConflict"`
	ComplyWithGuidelines     *struct{} `json:"complyWithGuidelines"`
}

// voiceSignals returns why the owner's edits do not count, if they do not. If the API does
// not respond, the usual cause is assumed: not every app may use it, and the profile itself
// was read.
func (s *Client) voiceSignals(ctx context.Context, accessToken, name string) []Signal {
	var state voiceOfMerchant
	err := s.get(ctx, accessToken, searchVerificationsURL+name+"/VoiceOfMerchantState", nil, &state)
	if err != nil {
		return []Signal{SignalNotVerified}
	}
	switch {
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

// signals returns what the location itself reports; it is never nil.
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

// specialPeriod is a time with hours of its own, closed ones, too.
type specialPeriod struct {
	StartDate apiDate  `json:"startDate"`
	EndDate   *apiDate `json:"endDate"` // nil: the same day
}

// apiDate is a date of the API.
type apiDate struct {
	Year  int        `json:"year"`
	Month time.Month `json:"month"`
	Day   int        `json:"day"`
}

func (d apiDate) time() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// specialDaysMax bounds what one period may name.
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
	SignalUnderReview  Signal = "under_review"      // the owner is verified, Google still reviews the profile
	SignalDuplicate    Signal = "duplicate"         // another profile of the same place has an owner
	SignalEditsPending Signal = "edits_pending"     // edits of the owner are not published yet
	SignalChanged      Signal = "changed_by_google" // what is published differs from what the owner wrote
)

// WebsiteHost returns the host of a website's address, which may lack its scheme, in
// Punycode and without "www.". It is empty if the address has none.
func WebsiteHost(address string) string {
	return strings.TrimPrefix(parseSite(address).host, "www.")
}

const (
	minutesPerDay  = 24 * 60
	minutesPerWeek = 7 * minutesPerDay
)

var weekdays = []string{"poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota", "niedziela"}

// clock is a time of day. The APIs leave zeros out, so {} is midnight. 24:00 is the
// midnight at the end of a day.
type clock struct {
	Hours   int `json:"hours"`
	Minutes int `json:"minutes"`
}

// opening is a time from opening to closing, in minutes since the start of Monday.
// One that lasts over midnight or over the end of the week ends in the next day or
// week, so to is always after from.
type opening struct{ from, to int }

// locationPeriod is an opening of a Business Profile location.
type locationPeriod struct {
	OpenDay   string `json:"openDay"` // MONDAY …
	OpenTime  clock  `json:"openTime"`
	CloseDay  string `json:"closeDay"`
	CloseTime clock  `json:"closeTime"`
}

func locationOpenings(periods []locationPeriod) []opening {
	days := []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"}
	var openings []opening
	for _, p := range periods {
		o, ok := newOpening(slices.Index(days, p.OpenDay), p.OpenTime, slices.Index(days, p.CloseDay), p.CloseTime)
		if ok {
			openings = append(openings, o)
		}
	}
	return openings
}

// placePeriod is an opening of a place
// (https://developers.google.com/maps/documentation/places/web-service/reference/rest/v1/places#OpeningHours).
type placePeriod struct {
	Open  placePoint  `json:"open"`
	Close *placePoint `json:"close"` // nil: open all the time
}

type placePoint struct {
	Day    int `json:"day"` // 0 is Sunday
	Hour   int `json:"hour"`
	Minute int `json:"minute"`
}

// fromMonday returns the day counted from Monday, which is 0. It is -1 for a number
// that is no day of the week.
func (p placePoint) fromMonday() int {
	return slices.Index([]int{1, 2, 3, 4, 5, 6, 0}, p.Day)
}

func placeOpenings(periods []placePeriod) []opening {
	var openings []opening
	for _, p := range periods {
		if p.Close == nil {
			return []opening{{0, minutesPerWeek}}
		}
		o, ok := newOpening(p.Open.fromMonday(), clock{p.Open.Hour, p.Open.Minute},
			p.Close.fromMonday(), clock{p.Close.Hour, p.Close.Minute})
		if ok {
			openings = append(openings, o)
		}
	}
	return openings
}

// newOpening makes an opening; days count from Monday, which is 0. One that ends
// when it starts lasts a day. ok is false for a day or a time that does not exist.
func newOpening(openDay int, open clock, closeDay int, end clock) (o opening, ok bool) {
	for _, day := range []int{openDay, closeDay} {
		if day < 0 || day > 6 {
			return opening{}, false
		}
	}
	for _, c := range []clock{open, end} {
		isMinute := c.Minutes >= 0 && c.Minutes <= 59
		if c.Hours < 0 || !isMinute || c.Hours*60+c.Minutes > minutesPerDay {
			return opening{}, false
		}
	}
	o.from = openDay*minutesPerDay + open.Hours*60 + open.Minutes
	daysLater := (closeDay - openDay + 7) % 7
	o.to = (openDay+daysLater)*minutesPerDay + end.Hours*60 + end.Minutes
	if o.to <= o.from {
		o.to += minutesPerDay
	}
	return o, true
}

// weekLines writes one line for each day with an opening, Monday first:
// "wtorek: 08:00–12:00, 13:00–18:00" or "wtorek: całą dobę". An opening of less than
// a day belongs to the day on which it begins ("piątek: 20:00–02:00"). A longer one
// is cut at each midnight.
func weekLines(openings []opening) []string {
	var days [7][]opening
	for _, o := range openings {
		for _, part := range o.perDay() {
			day := part.from / minutesPerDay % 7
			start := part.from - part.from%minutesPerDay
			days[day] = append(days[day], opening{part.from - start, part.to - start})
		}
	}
	var lines []string
	for i, day := range days {
		if len(day) > 0 {
			lines = append(lines, weekdays[i]+": "+dayText(day))
		}
	}
	return lines
}

func (o opening) perDay() []opening {
	if o.to-o.from < minutesPerDay {
		return []opening{o}
	}
	var parts []opening
	for from := o.from; from < o.to; {
		to := min(from-from%minutesPerDay+minutesPerDay, o.to)
		parts = append(parts, opening{from, to})
		from = to
	}
	return parts
}

// dayText writes the openings of one day. Those that touch or overlap become one.
func dayText(openings []opening) string {
	slices.SortFunc(openings, func(a, b opening) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	joined := openings[:1]
	for _, o := range openings[1:] {
		if last := &joined[len(joined)-1]; o.from <= last.to {
			last.to = max(last.to, o.to)
		} else {
			joined = append(joined, o)
		}
	}
	if joined[0].from == 0 && joined[0].to >= minutesPerDay {
		return "całą dobę"
	}
	var texts []string
	for _, o := range joined {
		texts = append(texts, timeText(o.from)+"–"+timeText(o.to))
	}
	return strings.Join(texts, ", ")
}

// timeText writes minutes since the start of a day as a time. The end of the day is
// 24:00; a time of the next day is written as the clock shows it then.
func timeText(minutes int) string {
	if minutes > minutesPerDay {
		minutes -= minutesPerDay
	}
	return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
}

// postalAddress is google.type.PostalAddress, the address of Business Profile and
// Places
// (https://github.com/googleapis/googleapis/blob/master/google/type/postal_address.proto).
type postalAddress struct {
	PostalCode   string   `json:"postalCode"`
	Locality     string   `json:"locality"`
	AddressLines []string `json:"addressLines"`
}

// line writes the address on one line: "ul. Długa 12, 00-238 Warszawa".
func (a postalAddress) line() string {
	var parts []string
	for _, part := range append(slices.Clone(a.AddressLines), a.PostalCode+" "+a.Locality) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
