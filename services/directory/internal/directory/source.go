package directory

import (
	"context"
	"time"

	"backend.example/services/internal/kit/fault"
)

const (
	// profileFresh is how long a fetched profile is as good as a new one.
	profileFresh = 24 * time.Hour
	// profileKept is how long a fetched profile is better than none, when it cannot
	// be fetched anew.
	profileKept = 30 * 24 * time.Hour
)

// profileOf is what an audit of c reads: the profile that was fetched, else the
// last one when there was no fetch or a source failed, else the company's own
// record. Fetch is nil when nothing was to be fetched.
func (a *Audits) profileOf(ctx context.Context, c Company, r AuditRequest, requestID string) (*Profile, *Fetch, error) {
	stored, err := a.options.Store.Profile(ctx, c.ID)
	known := !fault.Is(err, CodeNoProfile)
	if err != nil && known {
		return nil, nil, err
	}
	now := a.options.Now()
	age := now.Sub(stored.FetchedAt)
	if !r.FetchExternal {
		if known && age < profileKept {
			return &stored, nil, nil
		}
		return recordProfile(&c, now), nil, nil
	}
	f := refresh{AuditOptions: a.options, company: c, requestID: requestID}
	if known && !r.ForceRefresh && age < profileFresh {
		f.fresh = &stored
	}
	f.run(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, &f.result, ctx.Err()
	case f.result.Data != nil:
		return f.result.Data, &f.result, nil
	case known && f.result.has(StepFailed) && age < profileKept:
		return &stored, &f.result, nil
	}
	return recordProfile(&c, now), &f.result, nil
}

// refresh fetches the external profile of one company, once. What fails on the way
// is a step of the result, and is only logged.
type refresh struct {
	AuditOptions
	company   Company
	fresh     *Profile // fetched before, and still fresh; nil: to be fetched anew
	requestID string
	result    Fetch
}

// run reads the chosen location, and the public place when there is none or when
// it leaves photos and reviews open. The first that answers is the source.
func (f *refresh) run(ctx context.Context) {
	location := f.location(ctx)
	place := f.place(ctx, location)
	p := location
	switch {
	case p == nil:
		p = place
	case place != nil:
		p.complete(place)
	}
	if p == nil {
		f.result.Error = "Nie udało się pobrać danych z zewnętrznych źródeł."
		return
	}
	p = p.normal()
	f.result.Success, f.result.Data = true, p
	if !f.result.has(StepOK) {
		return // nothing new to keep
	}
	err := f.Store.SaveProfile(ctx, f.company.ID, *p)
	if err == nil && p.PlaceID != "" && p.PlaceID != f.company.PlaceID {
		err = f.Store.SetPlaceID(ctx, f.company.ID, p.PlaceID)
	}
	if err != nil {
		f.result.add("save", StepFailed, "Pobranych danych nie udało się zapisać.")
		f.Log.ErrorContext(ctx, "profile not saved", "company", f.company.ID, "error", err, "request_id", f.requestID)
	}
}

// location reads the chosen location, unless the fresh profile is of it.
func (f *refresh) location(ctx context.Context) *Profile {
	if f.fresh != nil && f.fresh.Source == FromBusinessProfile && f.Locations.isChosen(ctx, f.company.ID, f.fresh.Location) {
		return f.reuse()
	}
	p, err := f.Locations.ReadChosen(ctx, f.company.ID)
	return f.note(ctx, FromBusinessProfile, p, err)
}

// place reads the public place where the location leaves something open that only
// the place tells, unless the fresh profile is of it.
func (f *refresh) place(ctx context.Context, location *Profile) *Profile {
	c := f.company
	switch {
	case location != nil && (location.Knows(FieldPhotos) || f.FindPlace == nil):
		return nil
	case location != nil && location.PlaceID != "":
		c.PlaceID = location.PlaceID
	case location != nil:
	case f.FindPlace == nil:
		f.result.add(string(FromPlaces), StepSkipped, "Odczyt publicznych wizytówek nie jest skonfigurowany.")
		return nil
	case f.fresh != nil && f.fresh.Source == FromPlaces && f.fresh.PlaceID == c.PlaceID:
		return f.reuse()
	}
	p, err := f.FindPlace(ctx, c)
	return f.note(ctx, FromPlaces, p, err)
}

func (f *refresh) reuse() *Profile {
	f.result.noteReused(f.fresh.Source)
	return f.fresh
}

// note adds the step of reading a source, and returns what it told.
func (f *refresh) note(ctx context.Context, source ProfileSource, p Profile, err error) *Profile {
	switch f.result.noteRead(source, err) {
	case StepOK:
		return &p
	case StepFailed:
		f.Log.WarnContext(ctx, "profile not read", "source", source, "company", f.company.ID, "error", err, "request_id", f.requestID)
	}
	return nil
}
