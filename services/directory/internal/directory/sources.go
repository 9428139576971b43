package directory

import (
	"context"
	"slices"
	"strings"
	"time"

	"backend.example/services/internal/kit/fault"
)

// stored is the external profile as it was last fetched; nil when it never was.
func (a *Audits) stored(ctx context.Context, companyID int64) (*Profile, error) {
	p, err := a.store.Profile(ctx, companyID)
	if fault.Is(err, "no_profile") {
		return nil, nil
	}
	return &p, err
}

func (a *Audits) age(p *Profile) time.Duration { return a.now().Sub(p.FetchedAt) }

// source is what an audit reads: the profile that was fetched, else the last one
// when there was no fetch or a source failed, else the company's own record.
func (a *Audits) source(c Company, stored *Profile, f *Fetch) *Profile {
	switch {
	case f != nil && f.Data != nil:
		return f.Data
	case stored != nil && (f == nil || f.has(StepFailed)) && a.age(stored) < profileKept:
		return stored
	}
	return c.profile(a.now())
}

// recordTells are the fields that a company's record has a place for.
var recordTells = []Field{
	FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories, FieldDescription, FieldServices,
}

// profile is the company's record as an audit reads it.
func (c *Company) profile(now time.Time) *Profile {
	p := Profile{
		Source: FromCompanyRecord, Tells: recordTells, PlaceID: c.PlaceID, Name: c.Name, Address: c.Address, Phone: c.Phone,
		Website: c.Website, Hours: strings.FieldsFunc(c.Hours, func(r rune) bool { return r == '\n' || r == ';' }),
		Categories: c.Categories, Description: c.Description, Services: c.Services,
		LogoPresent: c.LogoURL != "", CoverPresent: c.CoverPhotoURL != "", FetchedAt: now,
	}
	return p.normal()
}

// normal is a copy of p without blanks around values, blank or repeated list
// entries, and nil lists.
func (p Profile) normal() *Profile {
	for _, s := range []*string{&p.Name, &p.Address, &p.Phone, &p.Website, &p.Description} {
		*s = strings.TrimSpace(*s)
	}
	for _, list := range []*[]string{&p.Hours, &p.Categories, &p.Services} {
		*list = distinct(*list)
	}
	p.Tells = slices.Clone(p.Tells)
	return &p
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

// complete takes from q the fields that p does not tell.
func (p *Profile) complete(q *Profile) {
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
	for _, field := range q.Tells {
		if !p.Knows(field) {
			take[field]()
			p.Tells = append(p.Tells, field)
		}
	}
	if p.PlaceID == "" {
		p.PlaceID = q.PlaceID
	}
	p.LogoPresent, p.CoverPresent = p.LogoPresent || q.LogoPresent, p.CoverPresent || q.CoverPresent
}
