package directory

import (
	"context"
	"time"
)

const (
	// profileFresh is how long a fetched profile is as good as a new one.
	profileFresh = 24 * time.Hour
	// profileKept is how long a fetched profile is better than none, when it cannot
	// be fetched anew.
	profileKept = 30 * 24 * time.Hour
)

// fetcher refreshes the external profile of one company, once.
type fetcher struct {
	*Audits
	company   Company
	fresh     *Profile // fetched before, and still fresh; nil: to be fetched anew
	requestID string
	result    Fetch
}

// fetch refreshes c's external profile; its failures are only logged.
func (a *Audits) fetch(ctx context.Context, c Company, stored *Profile, r AuditRequest, requestID string) *Fetch {
	f := fetcher{Audits: a, company: c, requestID: requestID}
	if stored != nil && !r.ForceRefresh && a.age(stored) < profileFresh {
		f.fresh = stored
	}
	f.refresh(ctx)
	return &f.result
}

// refresh reads the chosen location, and the public place when there is none or when
// it leaves photos and reviews open. The first that answers is the source.
func (f *fetcher) refresh(ctx context.Context) {
	p := f.location(ctx)
	switch {
	case p == nil:
		p = f.place(ctx)
	case !p.Knows(FieldPhotos) && f.findPlace != nil:
		f.complete(ctx, p)
	}
	if p == nil {
		f.result.Error = "Nie udało się pobrać danych z zewnętrznych źródeł."
		return
	}
	if f.result.has(StepOK) {
		f.keep(ctx, p)
	}
	p.Location = "" // told to nobody
	f.result.Success, f.result.Data = true, p
}

// location reads the chosen location, unless the fresh profile is of it.
func (f *fetcher) location(ctx context.Context) *Profile {
	if f.fresh != nil && f.fresh.Source == FromBusinessProfile && f.stillChosen(ctx) {
		return f.reuse()
	}
	return f.read(ctx, FromBusinessProfile, func() (Profile, error) { return f.locations.ReadChosen(ctx, f.company.ID) })
}

// stillChosen reports whether the location of the fresh profile is the chosen one.
func (f *fetcher) stillChosen(ctx context.Context) bool {
	c, err := f.store.Connection(ctx, f.company.ID, profilePair)
	return err == nil && c.Active && c.Chosen == ChosenLocation && c.AccountID == f.fresh.Location
}

// place reads the public place, unless the fresh profile is of it.
func (f *fetcher) place(ctx context.Context) *Profile {
	if f.findPlace == nil {
		f.result.add(string(FromPlaces), StepSkipped, "Odczyt publicznych wizytówek nie jest skonfigurowany.")
		return nil
	}
	if f.fresh != nil && f.fresh.Source == FromPlaces && f.fresh.PlaceID == f.company.PlaceID {
		return f.reuse()
	}
	return f.find(ctx, f.company)
}

// complete adds to a location what only its place tells.
func (f *fetcher) complete(ctx context.Context, p *Profile) {
	c := f.company
	if p.PlaceID != "" {
		c.PlaceID = p.PlaceID
	}
	if place := f.find(ctx, c); place != nil {
		p.complete(place)
	}
}

func (f *fetcher) find(ctx context.Context, c Company) *Profile {
	return f.read(ctx, FromPlaces, func() (Profile, error) { return f.findPlace(ctx, c) })
}

func (f *fetcher) read(ctx context.Context, source ProfileSource, read func() (Profile, error)) *Profile {
	p, err := read()
	switch f.result.noteRead(source, err) {
	case StepOK:
		return p.normal()
	case StepFailed:
		f.log.WarnContext(ctx, "profile not read", "source", source, "company", f.company.ID, "error", err, "request_id", f.requestID)
	}
	return nil
}

func (f *fetcher) reuse() *Profile {
	f.result.noteReused(f.fresh.Source)
	return f.fresh.normal()
}

// keep stores what was fetched, and the place for the next time.
func (f *fetcher) keep(ctx context.Context, p *Profile) {
	err := f.store.SaveProfile(ctx, f.company.ID, *p)
	if err == nil && p.PlaceID != "" && p.PlaceID != f.company.PlaceID {
		err = f.store.SetPlaceID(ctx, f.company.ID, p.PlaceID)
	}
	if err != nil {
		f.result.add("save", StepFailed, "Pobranych danych nie udało się zapisać.")
		f.log.ErrorContext(ctx, "profile not saved", "company", f.company.ID, "error", err, "request_id", f.requestID)
	}
}
