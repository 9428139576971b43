package audit

import (
	"context"
	"slices"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	// profileFresh is how long a fetched profile is used instead of fetching it again.
	profileFresh = 24 * time.Hour
	// profileKept is how long a fetched profile is used if it cannot be fetched again.
	profileKept = 30 * 24 * time.Hour
)

// Fetch is the result of refreshing a company's external profile, as the API returns it.
type Fetch struct {
	Success bool     `json:"success"` // external data are available
	Steps   []Step   `json:"steps"`
	Data    *Profile `json:"data"`  // nil without success
	Error   *string  `json:"error"` // Polish; nil with success
}

// Step is one source that was read.
type Step struct {
	Step    string `json:"step"`    // the source, or "save" if the profile could not be stored
	Status  string `json:"status"`  // one of the constants below
	Message string `json:"message"` // the same in Polish
}

// Values of a step's status.
const (
	StepOK       = "ok"        // read now
	StepReused   = "reused"    // read before, and fresh
	StepSkipped  = "skipped"   // not connected or not configured
	StepNotFound = "not_found" // the source does not have the company
	StepFailed   = "failed"
)

// profileOf returns the profile that an audit of c scores: the fetched one; otherwise the
// last one, if nothing is to be fetched or a source failed; otherwise the company's own
// record. Fetch is nil if nothing was to be fetched.
func (s *Service) profileOf(ctx context.Context, c company.Company, r Request, requestID string) (*Profile, *Fetch, error) {
	stored, err := s.profile(ctx, c.ID)
	known := !fault.Is(err, CodeNoProfile)
	if err != nil && known {
		return nil, nil, err
	}
	now := s.options.Now()
	age := now.Sub(stored.FetchedAt)
	if !r.FetchExternal {
		if known && age < profileKept {
			return &stored, nil, nil
		}
		return fromRecord(c, now), nil, nil
	}
	f := refresh{Service: s, company: c, requestID: requestID, now: now, result: Fetch{Steps: []Step{}}}
	if known && !r.ForceRefresh && age < profileFresh {
		f.fresh = &stored
	}
	f.run(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, &f.result, ctx.Err()
	case f.result.Data != nil:
		return f.result.Data, &f.result, nil
	case known && f.has(StepFailed) && age < profileKept:
		return &stored, &f.result, nil
	}
	return fromRecord(c, now), &f.result, nil
}

// refresh fetches the external profile of one company once. A failure on the way is a
// step of the result, and is only logged.
type refresh struct {
	*Service
	company   company.Company
	fresh     *Profile // fetched before and still fresh; nil if it is to be fetched again
	requestID string
	now       time.Time
	result    Fetch
}

// run reads the chosen location, and the public place if there is no location or if it
// leaves photos and reviews open. The first that is found is the source.
func (f *refresh) run(ctx context.Context) {
	location := f.location(ctx)
	place := f.place(ctx, location)
	p := location
	switch {
	case p == nil:
		p = place
	case place != nil:
		p.fill(place)
	}
	if p == nil {
		f.result.Error = new("Nie udało się pobrać danych z zewnętrznych źródeł.")
		return
	}
	f.result.Success, f.result.Data = true, p
	if !f.has(StepOK) {
		return // nothing new to store
	}
	err := f.SaveProfile(ctx, f.company.ID, p)
	if err == nil && p.PlaceID != "" && p.PlaceID != f.company.PlaceID {
		err = company.New(f.options.DB).SetPlaceID(ctx, f.company.ID, p.PlaceID)
	}
	if err != nil {
		f.add("save", StepFailed, "Pobranych danych nie udało się zapisać.")
		f.options.Log.ErrorContext(ctx, "profile not saved", "company", f.company.ID, "error", err, "request_id", f.requestID)
	}
}

// location reads the chosen location, unless the fresh profile is of it.
func (f *refresh) location(ctx context.Context) *Profile {
	locations := f.options.Locations
	if f.fresh != nil && f.fresh.Source == FromLocation && locations.IsChosen(ctx, f.company.ID, f.fresh.Location) {
		return f.reuse()
	}
	name, b, err := locations.ReadChosen(ctx, f.company.ID)
	if !f.read(ctx, FromLocation, err) {
		return nil
	}
	return fromLocation(name, b, f.now)
}

// place reads the public place if the location leaves something open that only the place
// can report, unless the fresh profile is of it.
func (f *refresh) place(ctx context.Context, location *Profile) *Profile {
	c, find := f.company, f.options.FindPlace
	query := google.PlaceQuery{PlaceID: c.PlaceID, Name: c.Name, Address: c.Address, Phone: c.Phone, Website: c.Website}
	switch {
	case location != nil && (location.CanReport(FieldPhotos) || find == nil):
		return nil
	case location != nil && location.PlaceID != "":
		query.PlaceID = location.PlaceID
	case location != nil:
	case find == nil:
		f.add(string(FromPlace), StepSkipped, "Odczyt publicznych wizytówek nie jest skonfigurowany.")
		return nil
	case f.fresh != nil && f.fresh.Source == FromPlace && f.fresh.PlaceID == c.PlaceID:
		return f.reuse()
	}
	b, err := find(ctx, query)
	if !f.read(ctx, FromPlace, err) {
		return nil
	}
	return fromPlace(b, f.now)
}

// sourceNames are the external sources in the genitive.
var sourceNames = map[Source]string{FromLocation: "profilu firmy", FromPlace: "publicznej wizytówki"}

func (f *refresh) reuse() *Profile {
	f.add(string(f.fresh.Source), StepReused, "Użyto danych z "+sourceNames[f.fresh.Source]+" pobranych w ciągu ostatnich 24 godzin.")
	return f.fresh
}

// read adds the step of reading a source, and reports whether it succeeded.
func (f *refresh) read(ctx context.Context, source Source, err error) bool {
	name := sourceNames[source]
	switch {
	case err == nil:
		f.add(string(source), StepOK, "Dane z "+name+" zostały pobrane.")
	case fault.Is(err, connection.CodeNoConnection):
		f.add(string(source), StepSkipped, "Profil firmy nie jest połączony albo nie wybrano lokalizacji.")
	case fault.Is(err, provider.CodeGone):
		f.add(string(source), StepNotFound, "Nie znaleziono "+name+".")
	default:
		f.add(string(source), StepFailed, "Nie udało się pobrać danych z "+name+". "+fault.From(err).Message)
		f.options.Log.WarnContext(ctx, "profile not read", "source", source, "company", f.company.ID, "error", err, "request_id", f.requestID)
	}
	return err == nil
}

func (f *refresh) add(step, status, message string) {
	f.result.Steps = append(f.result.Steps, Step{Step: step, Status: status, Message: message})
}

func (f *refresh) has(status string) bool {
	return slices.ContainsFunc(f.result.Steps, func(s Step) bool { return s.Status == status })
}
