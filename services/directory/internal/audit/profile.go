package audit

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
)

// Source is where the data of a profile come from.
type Source string

// The sources, best first.
const (
	FromLocation Source = "business_profile"
	FromPlace    Source = "places"
	FromRecord   Source = "company_record"
)

// Field is a checked field of an audit.
type Field string

// The checked fields in the order in which pages show them.
const (
	FieldName        Field = "name"
	FieldAddress     Field = "address"
	FieldPhone       Field = "phone"
	FieldWebsite     Field = "website"
	FieldHours       Field = "hours"
	FieldCategories  Field = "categories"
	FieldPhotos      Field = "photos"
	FieldDescription Field = "description"
	FieldServices    Field = "services"
	FieldReviews     Field = "reviews"
)

// Found repeats for queries which fields an audit found, in full or in part.
type Found struct {
	HasName        bool `json:"has_name"`
	HasAddress     bool `json:"has_address"`
	HasPhone       bool `json:"has_phone"`
	HasWebsite     bool `json:"has_website"`
	HasHours       bool `json:"has_hours"`
	HasCategories  bool `json:"has_categories"`
	HasPhotos      bool `json:"has_photos"`
	HasDescription bool `json:"has_description"`
	HasServices    bool `json:"has_services"`
	HasReviews     bool `json:"has_reviews"`
}

func (a *Audit) found() Found {
	return Found{
		HasName: a.has(FieldName), HasAddress: a.has(FieldAddress), HasPhone: a.has(FieldPhone),
		HasWebsite: a.has(FieldWebsite), HasHours: a.has(FieldHours),
		HasCategories: a.has(FieldCategories), HasPhotos: a.has(FieldPhotos),
		HasDescription: a.has(FieldDescription), HasServices: a.has(FieldServices), HasReviews: a.has(FieldReviews),
	}
}

func (a *Audit) has(f Field) bool {
	return slices.Contains([]string{StatusComplete, StatusPartial}, a.Fields[f].Status)
}

// Profile is the data that an audit scores. Its JSON is that of the API.
type Profile struct {
	Source          Source    `json:"source"`
	Reports         []Field   `json:"tells"` // fields that the source can report; the others are unknown, not missing
	google.Business           // normalized
	LogoPresent     bool      `json:"logo_present"`
	CoverPresent    bool      `json:"cover_photo_present"`
	FetchedAt       time.Time `json:"fetched_at"`
	Location        string    `json:"-"` // resource name of the chosen location; empty if there was none

	keyless bool // places cannot be read at all
}

// common lists the fields that every source can report.
var common = []Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories}

// fromLocation returns the profile of the location with that resource name, which has
// neither photos nor reviews.
func fromLocation(name string, b google.Business, now time.Time) *Profile {
	p := newProfile(FromLocation, b, now, FieldDescription, FieldServices)
	p.Location = name
	return p
}

// fromPlace returns the profile of a public place. It has no services, and reports a
// description only if there is one: Google writes summaries itself, for few places, so
// a missing one says nothing about what the owner wrote.
func fromPlace(b google.Business, now time.Time) *Profile {
	more := []Field{FieldPhotos, FieldReviews}
	if b.Description != "" {
		more = append(more, FieldDescription)
	}
	return newProfile(FromPlace, b, now, more...)
}

// fromRecord returns the profile that the company's record in the directory holds.
func fromRecord(c company.Company, now time.Time) *Profile {
	p := newProfile(FromRecord, google.Business{
		PlaceID: c.PlaceID, Name: c.Name, Address: c.Address, Phone: c.Phone, Website: c.Website,
		Categories:  c.Categories,
		Hours:       strings.FieldsFunc(c.Hours, func(r rune) bool { return r == '\n' || r == ';' }),
		Description: c.Description, Services: c.Services,
	}, now, FieldDescription, FieldServices)
	p.LogoPresent, p.CoverPresent = c.LogoURL != "", c.CoverPhotoURL != ""
	return p
}

func newProfile(source Source, b google.Business, now time.Time, more ...Field) *Profile {
	tidy(&b)
	reports := slices.DeleteFunc(append(slices.Clone(common), more...), func(f Field) bool {
		switch f {
		case FieldAddress:
			return b.NoAddress
		case FieldHours:
			return b.NoHours
		case FieldCategories:
			return source == FromPlace && len(b.Categories) == 0
		}
		return false
	})
	return &Profile{Source: source, Reports: reports, Business: b, FetchedAt: now}
}

// tidy removes blanks around values, blank and repeated list entries, and nil lists.
func tidy(b *google.Business) {
	for _, s := range []*string{&b.Name, &b.Address, &b.Phone, &b.Website, &b.Description} {
		*s = strings.TrimSpace(*s)
	}
	for _, list := range []*[]string{&b.Hours, &b.Categories, &b.Services} {
		*list = distinct(*list)
	}
}

func distinct(list []string) []string {
	kept := []string{}
	for _, s := range list {
		s = strings.TrimSpace(s)
		if s != "" && !slices.ContainsFunc(kept, func(k string) bool { return strings.EqualFold(k, s) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

// CanReport reports whether the source can report f.
func (p *Profile) CanReport(f Field) bool { return slices.Contains(p.Reports, f) }

// fill adds from q the fields that p cannot report.
func (p *Profile) fill(q *Profile) {
	take := map[Field]func(){
		FieldName:        func() { p.Name = q.Name },
		FieldAddress:     func() { p.Address = q.Address },
		FieldPhone:       func() { p.Phone = q.Phone },
		FieldWebsite:     func() { p.Website = q.Website },
		FieldHours:       func() { p.Hours = q.Hours },
		FieldCategories:  func() { p.Categories = q.Categories },
		FieldPhotos:      func() { p.PhotoCount = q.PhotoCount },
		FieldDescription: func() { p.Description = q.Description },
		FieldServices:    func() { p.Services = q.Services },
		FieldReviews:     func() { p.ReviewCount, p.AverageRating = q.ReviewCount, q.AverageRating },
	}
	for _, field := range q.Reports {
		if !p.CanReport(field) {
			take[field]()
			p.Reports = append(p.Reports, field)
		}
	}
	if p.PlaceID == "" {
		p.PlaceID = q.PlaceID
	}
}

// plainName reports whether a name is neither a lone sign nor a text.
func plainName(name string) bool {
	n := characters(name)
	return n >= 2 && n <= 80 && strings.ContainsFunc(name, unicode.IsLetter)
}

var (
	postalCode = regexp.MustCompile(`\b\d{2}-\d{3}\b`)
	// houseNumber is a word and the number at the end: "Długa 12A/4", "al. 3 Maja 7 lok. 2".
	houseNumber = regexp.MustCompile(`(?i)\pL\S*\s+\d+\s?\pL?(\s?[/-]\s?\d+\pL?)?(,?\s+(lok|m|pok)\b.*)?$`)
	streetWord  = regexp.MustCompile(`(?i)^(ul|al|os|pl|ulica|aleja|aleje|osiedle|plac)(\.|\s|$)`)
	country     = regexp.MustCompile(`(?i)^(polska|poland)$`)
)

// addressParts counts which of these an address on one line has: number of the house,
// Polish postal code, town.
func addressParts(address string) int {
	var number, code, town bool
	for _, part := range strings.FieldsFunc(address, func(r rune) bool { return r == ',' || r == '\n' }) {
		street := strings.TrimSpace(part)
		if at := postalCode.FindStringIndex(part); at != nil {
			code = true
			town = town || isTown(part[at[1]:])
			street = strings.TrimSpace(part[:at[0]])
		}
		switch {
		case houseNumber.MatchString(street):
			number = true
		case isTown(street):
			town = true
		}
	}
	count := 0
	for _, has := range []bool{number, code, town} {
		if has {
			count++
		}
	}
	return count
}

// isTown reports whether a part of an address can be a town.
func isTown(part string) bool {
	part = strings.TrimSpace(part)
	isName := characters(part) >= 2 && strings.ContainsFunc(part, unicode.IsLetter)
	if !isName || strings.ContainsFunc(part, unicode.IsDigit) {
		return false
	}
	return !streetWord.MatchString(part) && !country.MatchString(part)
}

var (
	phoneFiller = regexp.MustCompile(`[\s\pZ().\-–/]`)
	phoneForm   = regexp.MustCompile(`^((\+48|0048)?[1-9]\d{8}|(\+|00)([1-35-9]\d|4[0-79])\d{6,13})$`)
)

// validPhone accepts a Polish number of nine digits, with or without the country,
// and any other number that has its country (ITU-T E.164: at most 15 digits).
func validPhone(phone string) bool {
	return phoneForm.MatchString(phoneFiller.ReplaceAllString(phone, ""))
}

// websiteScheme returns https, or http also for a bare host. It is empty if website is no
// address of a website.
func websiteScheme(website string) string {
	if !strings.Contains(website, "://") {
		website = "http://" + website
	}
	u, err := url.Parse(website)
	switch {
	case err != nil, u.User != nil, !strings.Contains(strings.Trim(u.Hostname(), "."), "."):
		return ""
	case u.Scheme != "https" && u.Scheme != "http":
		return ""
	}
	return u.Scheme
}
