package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	profileFresh = 24 * time.Hour      // a stored profile is not fetched again before this age
	profileKept  = 30 * 24 * time.Hour // up to this age it stands in for one that cannot be fetched
)

// Fetch is the result of refreshing a company's external profile.
type Fetch struct {
	Success bool     `json:"success"`
	Steps   []Step   `json:"steps"`
	Data    *Profile `json:"data"`
	Error   *string  `json:"error"`
}

// Step is how one source was read, or why it was not used.
type Step struct {
	Step    Source `json:"step"` // or "save" if the profile could not be stored
	Status  string `json:"status"`
	Message string `json:"message"`
}

// Values of a step's status.
const (
	StepOK       = "ok"        // read now
	StepReused   = "reused"    // read before
	StepSkipped  = "skipped"   // not connected, not configured or not to be read
	StepNotFound = "not_found" // the source does not have the company
	StepFailed   = "failed"
)

const stepSave Source = "save"

// sources reads the profile of one company for one audit. A failure is a step, and is only logged.
type sources struct {
	service *Service
	company company.Company
	chosen  connection.Connection
	stored  *Profile // the last one of the same business; nil if there is none or it is too old
	steps   []Step
	now     time.Time
	log     *slog.Logger
}

func (s *Service) sources(ctx context.Context, c company.Company) (*sources, error) {
	from := &sources{service: s, company: c, steps: []Step{}, now: s.db.Now(), log: s.log.With("company", c.ID)}
	var err error
	from.chosen, err = s.locations.Chosen(ctx, c.ID)
	if err != nil && !fault.Is(err, connection.CodeNoConnection) {
		return nil, err
	}
	stored, err := s.profile(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	if stored != nil && from.isAbout(stored) && from.now.Sub(stored.FetchedAt) < profileKept {
		from.stored = stored
	}
	return from, nil
}

// isAbout reports whether p is of the chosen location, or else of the company's place.
func (f *sources) isAbout(p *Profile) bool {
	if f.hasLocation() || p.Location != "" {
		return p.Location == f.chosen.AccountID
	}
	return f.company.PlaceID == "" || p.PlaceID == f.company.PlaceID
}

func (f *sources) hasLocation() bool { return f.chosen.Chosen == connection.ChosenLocation }

// profile returns what an audit scores: the fetched profile; else the last one, if nothing is to be
// fetched or a source failed; else the company's record. Fetch is nil if nothing was to be fetched.
func (f *sources) profile(ctx context.Context, r Request) (p *Profile, fetch *Fetch) {
	if r.FetchExternal {
		var fresh *Profile
		if f.stored != nil && !r.ForceRefresh && f.now.Sub(f.stored.FetchedAt) < profileFresh {
			fresh = f.stored
		}
		location, _ := f.location(ctx, fresh)
		p = f.completed(ctx, location, fresh)
		fetch = &Fetch{Success: p != nil, Data: p}
	} else {
		for _, source := range []Source{FromLocation, FromPlace} {
			f.add(source, StepSkipped, "Nie zlecono pobierania danych.")
		}
	}
	switch {
	case p != nil:
	case f.stored != nil && (fetch == nil || f.has(StepFailed)):
		p = f.reuse(f.stored, "wcześniej.")
	default:
		p = fromRecord(f.company, f.now)
	}
	if fetch == nil {
		return p, nil
	}
	if !fetch.Success {
		fetch.Error = new("Nie udało się pobrać danych z zewnętrznych źródeł.")
	}
	fetch.Steps = f.steps
	return p, fetch
}

func (f *sources) newLocation(ctx context.Context) (*Profile, error) {
	if !f.hasLocation() {
		return nil, connection.CodeNoConnection.Fault()
	}
	location, err := f.location(ctx, nil)
	if err != nil {
		return nil, err
	}
	return f.completed(ctx, location, nil), nil
}

// completed adds the public place to a location, which may be nil, and stores what is new.
func (f *sources) completed(ctx context.Context, location, fresh *Profile) *Profile {
	place := f.place(ctx, location, fresh)
	p := location
	switch {
	case p == nil:
		p = place
	case place != nil:
		p.fill(place)
	}
	if p == nil || !f.has(StepOK) {
		return p
	}
	if err := f.keep(ctx, p); err != nil {
		f.add(stepSave, StepFailed, "Pobranych danych nie udało się zapisać.")
		f.log.ErrorContext(ctx, "profile not saved", "error", err)
	}
	return p
}

func (f *sources) location(ctx context.Context, fresh *Profile) (*Profile, error) {
	if !f.hasLocation() {
		f.add(FromLocation, StepSkipped, "Profil firmy nie jest połączony albo nie wybrano lokalizacji.")
		return nil, nil
	}
	if fresh != nil && fresh.Source == FromLocation {
		return f.reuse(fresh, withinADay), nil
	}
	b, err := f.service.locations.Read(ctx, f.chosen)
	f.record(ctx, FromLocation, err)
	if err != nil {
		return nil, err
	}
	return fromLocation(f.chosen.AccountID, b, f.now), nil
}

// place reads the public place if the location could not be read or does not report photos and reviews. It stands in
// for a location that cannot be read only if it has the company's name.
func (f *sources) place(ctx context.Context, location, fresh *Profile) *Profile {
	places := f.service.places
	switch {
	case location != nil && (places == nil || slices.Contains(location.Reports, FieldPhotos)):
		return nil
	case places == nil:
		f.add(FromPlace, StepSkipped, "Odczyt publicznych wizytówek nie jest skonfigurowany.")
		return nil
	case location == nil && fresh != nil && fresh.Source == FromPlace:
		return f.reuse(fresh, withinADay)
	}
	b, err := places.FindPlace(ctx, f.placeQuery(location))
	standsIn := location == nil && f.hasLocation()
	if err == nil && standsIn && !google.SameName(f.company.Name, b.Name) {
		f.add(FromPlace, StepNotFound, "Publiczna wizytówka wybranej lokalizacji ma inną nazwę niż firma.")
		return nil
	}
	f.record(ctx, FromPlace, err)
	if err != nil {
		return nil
	}
	p := fromPlace(b, f.now)
	p.Location = f.chosen.AccountID
	return p
}

func (f *sources) placeQuery(location *Profile) google.PlaceQuery {
	c := f.company
	switch {
	case location != nil:
		return google.PlaceQuery{
			PlaceID: cmp.Or(location.PlaceID, f.chosen.PlaceID), Name: location.Name, Address: location.Address,
			Phone: location.Phone, Website: location.Website,
		}
	case f.hasLocation():
		return google.PlaceQuery{
			PlaceID: f.chosen.PlaceID, Name: f.chosen.AccountName, Address: f.chosen.AccountAddress,
		}
	}
	return google.PlaceQuery{PlaceID: c.PlaceID, Name: c.Name, Address: c.Address, Phone: c.Phone, Website: c.Website}
}

// sourceNames are the external sources in the genitive.
var sourceNames = map[Source]string{FromLocation: "Profilu Firmy", FromPlace: "publicznej wizytówki"}

const withinADay = "w ciągu ostatnich 24 godzin."

func (f *sources) reuse(p *Profile, when string) *Profile {
	f.add(p.Source, StepReused, "Użyto danych z "+sourceNames[p.Source]+" pobranych "+when)
	return p
}

func (f *sources) record(ctx context.Context, source Source, err error) {
	name := sourceNames[source]
	switch {
	case err == nil:
		f.add(source, StepOK, "Dane z "+name+" zostały pobrane.")
	case fault.Is(err, provider.CodeGone):
		f.add(source, StepNotFound, "Nie znaleziono "+name+".")
	default:
		reason := fault.From(provider.Named("Google", err)).Message
		f.add(source, StepFailed, "Nie udało się pobrać danych z "+name+". "+reason)
		f.log.WarnContext(ctx, "profile not read", "source", source, "error", err)
	}
}

func (f *sources) add(step Source, status, message string) {
	f.steps = append(f.steps, Step{Step: step, Status: status, Message: message})
}

func (f *sources) has(status string) bool {
	return slices.ContainsFunc(f.steps, func(s Step) bool { return s.Status == status })
}

func (f *sources) assess(p *Profile) Audit {
	p.keyless = f.service.places == nil
	a := Assess(p)
	a.CompanyID = f.company.ID
	a.At = f.now
	a.Sources = slices.DeleteFunc(slices.Clone(f.steps), func(s Step) bool { return s.Step == stepSave })
	a.LogoPresent = f.company.LogoURL != ""
	a.CoverPresent = f.company.CoverPhotoURL != ""
	return a
}

func (f *sources) keep(ctx context.Context, p *Profile) error {
	if err := f.service.saveProfile(ctx, f.company.ID, p); err != nil {
		return err
	}
	if p.Location == "" {
		if p.PlaceID == "" || p.PlaceID == f.company.PlaceID {
			return nil
		}
		return f.service.companies.SetPlaceID(ctx, f.company.ID, p.PlaceID)
	}
	read := provider.Choice{
		Name: f.chosen.AccountName, Address: f.chosen.AccountAddress, PlaceID: cmp.Or(p.PlaceID, f.chosen.PlaceID),
	}
	if p.Source == FromLocation {
		read.Name, read.Address = p.Name, p.Address
	}
	return f.service.locations.Keep(ctx, f.chosen, read)
}

type profileRow struct {
	CompanyID int64 `gorm:"primaryKey;autoIncrement:false"`
	Source    Source
	PlaceID   string
	Data      storedProfile `gorm:"serializer:json"`
	FetchedAt time.Time
}

// storedProfile is a Profile with what the API does not return.
type storedProfile struct {
	Profile
	Location    string          `json:"location,omitempty"`
	Signals     []google.Signal `json:"signals"`
	SpecialDays []time.Time     `json:"special_days"`
}

// TableName implements gorm's schema.Tabler.
func (profileRow) TableName() string { return "company_profiles" }

func (s *Service) saveProfile(ctx context.Context, companyID int64, p *Profile) error {
	p.FetchedAt = s.db.At(p.FetchedAt)
	return s.db.Write(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&profileRow{
		CompanyID: companyID, Source: p.Source, PlaceID: p.PlaceID, FetchedAt: p.FetchedAt,
		Data: storedProfile{Profile: *p, Location: p.Location, Signals: p.Signals, SpecialDays: p.SpecialDays},
	}).Error
}

// profile returns the stored profile of a company, nil if there is none, or bad_profile.
func (s *Service) profile(ctx context.Context, companyID int64) (*Profile, error) {
	var row profileRow
	err := s.db.Read(ctx).Where("company_id = ?", companyID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	_, isType := errors.AsType[*json.UnmarshalTypeError](err)
	if isSyntax || isType {
		return nil, CodeBadProfile.Wrap(err)
	}
	p := row.Data.Profile
	p.Location = row.Data.Location
	p.Signals = row.Data.Signals
	p.SpecialDays = row.Data.SpecialDays
	return &p, err
}
