// Package audit scores the business profiles of companies: it fetches a profile from
// Google or takes the company's record, applies the published rules, and stores and
// returns the audits.
package audit

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Options configure a Service.
type Options struct {
	DB        *database.DB
	Locations *location.Service
	// FindPlace reads the public place of a company with the service's own key. It is nil
	// if there is no key.
	FindPlace func(ctx context.Context, q google.PlaceQuery) (google.Business, error)
	Now       func() time.Time
	Log       *slog.Logger
	OnFinish  func(error) // is called after each triggered audit; may be nil
}

// Service runs and returns audits. It is safe for concurrent use.
type Service struct {
	options Options
	limits  *limit.Limits
}

// New returns a Service.
func New(options Options) *Service { return &Service{options, limit.New(options.DB)} }

// CompanyRef names a company by its id or its slug; the id takes precedence.
type CompanyRef struct {
	ID   *int64
	Slug string
}

// Request is which company to audit, and how.
type Request struct {
	Company       CompanyRef
	Save          bool // store the audit
	FetchExternal bool // refresh the external profile first
	ForceRefresh  bool // even if it is fresh
}

// Latest returns the company's newest audit. The faults are missing_parameters,
// company_not_found, also for a company that is not active, and no_audit, which comes
// with the company.
func (s *Service) Latest(ctx context.Context, ref CompanyRef) (company.Found, Audit, error) {
	c, err := s.found(ctx, ref)
	if err != nil {
		return company.Found{}, Audit{}, err
	}
	a, err := s.latest(ctx, c.ID)
	return c, a, err
}

// History returns up to n of the company's audits, newest first: those before the audit
// with the id before, or the newest if before is 0.
func (s *Service) History(ctx context.Context, slug string, before int64, n int) (company.Found, []Audit, error) {
	c, err := s.found(ctx, CompanyRef{Slug: slug})
	if err != nil {
		return company.Found{}, nil, err
	}
	audits, err := s.history(ctx, c.ID, before, n)
	return c, audits, err
}

// Run audits a company. It checks in this order, each with its fault: the request
// (missing_parameters), the active company (company_not_found), the actor's right to
// edit it (not_allowed), the actor's limit (audit_limit). A use of the limit is counted
// there, so that a refused request costs nothing and a failed audit costs one. A company
// without any data is the fault no_profile_data. Fetch is nil if the external profile was
// not to be refreshed; a failed refresh is no error. The company comes with every error
// from not_allowed on.
func (s *Service) Run(ctx context.Context, by account.Actor, r Request) (c company.Company, a Audit, fetch *Fetch, err error) {
	if s.options.OnFinish != nil {
		defer func() { s.options.OnFinish(err) }()
	}
	if c, err = s.company(ctx, r.Company); err != nil {
		return company.Company{}, Audit{}, nil, err
	}
	if err = by.MayEdit(c.ID); err != nil {
		return c, Audit{}, nil, err
	}
	if err = s.limits.Take(ctx, s.options.Now(), CodeLimit, limitOf(by)); err != nil {
		return c, Audit{}, nil, err
	}
	a, fetch, err = s.run(ctx, c, r, by)
	return c, a, fetch, err
}

// run audits c for an actor, who is zero for a scan.
func (s *Service) run(ctx context.Context, c company.Company, r Request, by account.Actor) (Audit, *Fetch, error) {
	profile, steps, fetch, err := s.profileOf(ctx, c, r, by.RequestID)
	if err != nil {
		return Audit{}, fetch, err
	}
	profile.keyless = s.options.FindPlace == nil
	a, err := Assess(profile)
	if err != nil {
		return Audit{}, fetch, err
	}
	a.CompanyID, a.At, a.Sources = c.ID, s.options.Now(), steps
	if by.User.ID != 0 {
		a.TriggeredBy = &by.User.ID
	}
	a.LogoPresent = a.LogoPresent || c.LogoURL != ""
	a.CoverPresent = a.CoverPresent || c.CoverPhotoURL != ""
	if r.Save {
		err = s.Save(ctx, &a)
	}
	return a, fetch, err
}

// RunWeekly is a scan's audit of a company whose location is chosen. It reports false if
// the company was audited in its current week. It is exempt from rate limits. A location
// that cannot be read is an error, and no audit, because without it the score would look
// changed.
func (s *Service) RunWeekly(ctx context.Context, companyID int64) (worked bool, err error) {
	now := s.options.Now()
	if last, err := s.latestDate(ctx, companyID); err != nil || !last.Before(weekOf(companyID, now)) {
		return false, err
	}
	c, err := s.company(ctx, CompanyRef{ID: &companyID})
	if fault.Is(err, company.CodeNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	chosen, err := s.options.Locations.Chosen(ctx, companyID)
	if err != nil {
		return false, err
	}
	location, err := s.options.Locations.Read(ctx, chosen)
	if err != nil {
		return false, err
	}
	if err := s.keep(ctx, c, chosen, fromLocation(chosen.AccountID, location, now)); err != nil {
		return false, err
	}
	_, _, err = s.run(ctx, c, Request{Save: true, FetchExternal: true}, account.Actor{})
	return err == nil, err
}

// Left returns how many audits the actor may still run.
func (s *Service) Left(ctx context.Context, actor account.Actor) (limit.State, error) {
	return s.limits.Peek(ctx, s.options.Now(), limitOf(actor))
}

// limitOf allows 20 audits in any hour for a user or an operator.
func limitOf(actor account.Actor) limit.Limit {
	return limit.Limit{Kind: "audit", Subject: actor.Subject(), Max: 20, Window: time.Hour}
}

// company finds an active company.
func (s *Service) company(ctx context.Context, ref CompanyRef) (company.Company, error) {
	companies := company.New(s.options.DB)
	return find(ctx, ref, companies.ByID, companies.BySlug)
}

// found finds an active company to show its audits.
func (s *Service) found(ctx context.Context, ref CompanyRef) (company.Found, error) {
	companies := company.New(s.options.DB)
	return find(ctx, ref, companies.FoundByID, companies.FoundBySlug)
}

func find[C interface{ Active() bool }](ctx context.Context, ref CompanyRef,
	byID func(context.Context, int64) (C, error), bySlug func(context.Context, string) (C, error),
) (c C, err error) {
	switch {
	case ref.ID != nil:
		c, err = byID(ctx, *ref.ID)
	case ref.Slug != "":
		c, err = bySlug(ctx, ref.Slug)
	default:
		err = CodeMissingParameters.Fault()
	}
	if err == nil && !c.Active() {
		err = company.CodeNotFound.Fault()
	}
	return c, err
}

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

// Step is how one source was read, or why it was not used.
type Step struct {
	Step    string `json:"step"`    // the source, or "save" if the profile could not be stored
	Status  string `json:"status"`  // one of the constants below
	Message string `json:"message"` // the same in Polish
}

// Values of a step's status.
const (
	StepOK       = "ok"        // read now
	StepReused   = "reused"    // read before
	StepSkipped  = "skipped"   // not connected, not configured or not to be read
	StepNotFound = "not_found" // the source does not have the company
	StepFailed   = "failed"
)

// profileOf returns the profile that an audit of c scores: the fetched one; otherwise the
// last one, if nothing is to be fetched or a source failed; otherwise the company's own
// record. It never returns a profile of a location that is no longer the chosen one. Fetch
// is nil if nothing was to be fetched.
func (s *Service) profileOf(ctx context.Context, c company.Company, r Request, requestID string) (p *Profile, steps []Step, fetch *Fetch, err error) {
	f := refresh{Service: s, company: c, requestID: requestID, now: s.options.Now(), result: Fetch{Steps: []Step{}}}
	if f.chosen, err = s.options.Locations.Chosen(ctx, c.ID); err != nil && !fault.Is(err, connection.CodeNoConnection) {
		return nil, nil, nil, err
	}
	stored, err := s.profile(ctx, c.ID)
	if err != nil && !fault.Is(err, CodeNoProfile) {
		return nil, nil, nil, err
	}
	age := f.now.Sub(stored.FetchedAt)
	kept := err == nil && f.isAbout(&stored) && age < profileKept
	if kept && age < profileFresh && !r.ForceRefresh {
		f.fresh = &stored
	}
	if r.FetchExternal {
		f.run(ctx)
		fetch = &f.result
	} else {
		f.add(string(FromLocation), StepSkipped, "Nie zlecono pobierania danych.")
		f.add(string(FromPlace), StepSkipped, "Nie zlecono pobierania danych.")
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, fetch, ctx.Err()
	case f.result.Data != nil:
		p = f.result.Data
	case kept && (fetch == nil || f.has(StepFailed)):
		p = &stored
		f.add(string(p.Source), StepReused, "Użyto danych z "+sourceNames[p.Source]+" pobranych wcześniej.")
	default:
		p = fromRecord(c, f.now)
	}
	steps = slices.DeleteFunc(slices.Clone(f.result.Steps), func(step Step) bool { return step.Step == stepSave })
	return p, steps, fetch, nil
}

// stepSave is the step of storing what was read.
const stepSave = "save"

// refresh fetches the external profile of one company once. A failure on the way is a
// step of the result, and is only logged.
type refresh struct {
	*Service
	company   company.Company
	chosen    connection.Connection // zero if no location is chosen
	fresh     *Profile              // fetched before and still fresh; nil if it is to be fetched again
	requestID string
	now       time.Time
	result    Fetch
}

// isAbout reports whether p is of the chosen location, or of the company's place if there
// is none.
func (f *refresh) isAbout(p *Profile) bool {
	if f.hasLocation() || p.Location != "" {
		return p.Location == f.chosen.AccountID
	}
	return f.company.PlaceID == "" || p.PlaceID == f.company.PlaceID
}

func (f *refresh) hasLocation() bool { return f.chosen.Chosen == connection.ChosenLocation }

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
	if err := f.keep(ctx, f.company, f.chosen, p); err != nil {
		f.add(stepSave, StepFailed, "Pobranych danych nie udało się zapisać.")
		f.options.Log.ErrorContext(ctx, "profile not saved", "company", f.company.ID, "error", err, "request_id", f.requestID)
	}
}

// keep stores a fetched profile, and the id of its place with the location that it is
// about: the chosen one, or the company's own.
func (s *Service) keep(ctx context.Context, c company.Company, chosen connection.Connection, p *Profile) error {
	if err := s.SaveProfile(ctx, c.ID, p); err != nil {
		return err
	}
	if p.Location == "" {
		if p.PlaceID == "" || p.PlaceID == c.PlaceID {
			return nil
		}
		return company.New(s.options.DB).SetPlaceID(ctx, c.ID, p.PlaceID)
	}
	read := connection.Choice{Name: chosen.AccountName, Address: chosen.AccountAddress, PlaceID: cmp.Or(p.PlaceID, chosen.PlaceID)}
	if p.Source == FromLocation {
		read.Name, read.Address = p.Name, p.Address
	}
	return s.options.Locations.Keep(ctx, chosen, read)
}

// location reads the chosen location, unless the fresh profile is of it.
func (f *refresh) location(ctx context.Context) *Profile {
	switch {
	case !f.hasLocation():
		f.add(string(FromLocation), StepSkipped, "Profil firmy nie jest połączony albo nie wybrano lokalizacji.")
		return nil
	case f.fresh != nil && f.fresh.Source == FromLocation:
		return f.reuse()
	}
	b, err := f.options.Locations.Read(ctx, f.chosen)
	if !f.read(ctx, FromLocation, err) {
		return nil
	}
	return fromLocation(f.chosen.AccountID, b, f.now)
}

// place reads the public place if the location leaves something open that only the place
// can report, unless the fresh profile is of it. In place of a location that cannot be
// read, it is used only if it has the company's name.
func (f *refresh) place(ctx context.Context, location *Profile) *Profile {
	find := f.options.FindPlace
	switch {
	case location != nil && (location.CanReport(FieldPhotos) || find == nil):
		return nil
	case find == nil:
		f.add(string(FromPlace), StepSkipped, "Odczyt publicznych wizytówek nie jest skonfigurowany.")
		return nil
	case location == nil && f.fresh != nil && f.fresh.Source == FromPlace:
		return f.reuse()
	}
	b, err := find(ctx, f.placeQuery(location))
	if err == nil && location == nil && f.hasLocation() && !google.SameName(f.company.Name, b.Name) {
		f.add(string(FromPlace), StepNotFound, "Publiczna wizytówka wybranej lokalizacji ma inną nazwę niż firma.")
		return nil
	}
	if !f.read(ctx, FromPlace, err) {
		return nil
	}
	p := fromPlace(b, f.now)
	p.Location = f.chosen.AccountID
	return p
}

// placeQuery describes the place of the location, as it was read now or when it was last
// read, or of the company if no location is chosen.
func (f *refresh) placeQuery(location *Profile) google.PlaceQuery {
	switch c := f.company; {
	case location != nil:
		return google.PlaceQuery{
			PlaceID: cmp.Or(location.PlaceID, f.chosen.PlaceID), Name: location.Name, Address: location.Address,
			Phone: location.Phone, Website: location.Website,
		}
	case f.hasLocation():
		return google.PlaceQuery{PlaceID: f.chosen.PlaceID, Name: f.chosen.AccountName, Address: f.chosen.AccountAddress}
	default:
		return google.PlaceQuery{PlaceID: c.PlaceID, Name: c.Name, Address: c.Address, Phone: c.Phone, Website: c.Website}
	}
}

// sourceNames are the external sources in the genitive.
var sourceNames = map[Source]string{FromLocation: "profilu firmy", FromPlace: "publicznej wizytówki"}

func (f *refresh) reuse() *Profile {
	f.add(string(f.fresh.Source), StepReused, "Użyto danych z "+sourceNames[f.fresh.Source]+" pobranych w ciągu ostatnich 24 godzin.")
	return f.fresh
}

// atGoogle leaves the one provider of profiles in the texts of package provider, which name
// both.
var atGoogle = strings.NewReplacer("Facebook lub Google", "Google", "Facebooka lub Google", "Google")

// read adds the step of reading a source, and reports whether it succeeded.
func (f *refresh) read(ctx context.Context, source Source, err error) bool {
	name := sourceNames[source]
	switch {
	case err == nil:
		f.add(string(source), StepOK, "Dane z "+name+" zostały pobrane.")
	case fault.Is(err, provider.CodeGone):
		f.add(string(source), StepNotFound, "Nie znaleziono "+name+".")
	default:
		f.add(string(source), StepFailed, "Nie udało się pobrać danych z "+name+". "+atGoogle.Replace(fault.From(err).Message))
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
