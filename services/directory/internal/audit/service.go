// Package audit scores the business profiles of companies: it fetches a profile from
// Google or takes the company's record, applies the published rules, and stores and
// returns the audits.
package audit

import (
	"context"
	"log/slog"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
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
func (s *Service) Latest(ctx context.Context, ref CompanyRef) (company.Company, Audit, error) {
	c, err := s.company(ctx, ref)
	if err != nil {
		return company.Company{}, Audit{}, err
	}
	a, err := s.latest(ctx, c.ID)
	return c, a, err
}

// History returns up to n of the company's audits, newest first: those before the audit
// with the id before, or the newest if before is 0.
func (s *Service) History(ctx context.Context, slug string, before int64, n int) (company.Company, []Audit, error) {
	c, err := s.company(ctx, CompanyRef{Slug: slug})
	if err != nil {
		return company.Company{}, nil, err
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
	profile, fetch, err := s.profileOf(ctx, c, r, by.RequestID)
	if err != nil {
		return Audit{}, fetch, err
	}
	a, err := Assess(profile)
	if err != nil {
		return Audit{}, fetch, err
	}
	a.CompanyID, a.At = c.ID, s.options.Now()
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

// interval is how old the last audit of a company is when a scan makes another.
const interval = 7 * 24 * time.Hour

// RunWeekly is a scan's audit of a company whose location is chosen. It reports false if
// the company was audited within the week. It is exempt from rate limits. A location
// that cannot be read is an error, and no audit, because without it the score would look
// changed.
func (s *Service) RunWeekly(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.company(ctx, CompanyRef{ID: &companyID})
	if fault.Is(err, company.CodeNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	now := s.options.Now()
	last, err := s.latest(ctx, companyID)
	switch {
	case err == nil && now.Sub(last.At) < interval:
		return false, nil
	case err != nil && !fault.Is(err, CodeNoAudit):
		return false, err
	}
	name, location, err := s.options.Locations.ReadChosen(ctx, companyID)
	if err != nil {
		return true, err
	}
	if err := s.SaveProfile(ctx, companyID, fromLocation(name, location, now)); err != nil {
		return true, err
	}
	_, _, err = s.run(ctx, c, Request{Save: true, FetchExternal: true}, account.Actor{})
	return true, err
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
func (s *Service) company(ctx context.Context, ref CompanyRef) (c company.Company, err error) {
	switch {
	case ref.ID != nil:
		c, err = company.New(s.options.DB).ByID(ctx, *ref.ID)
	case ref.Slug != "":
		c, err = company.New(s.options.DB).BySlug(ctx, ref.Slug)
	default:
		err = CodeMissingParameters.Fault()
	}
	if err == nil && !c.Active() {
		err = company.CodeNotFound.Fault()
	}
	return c, err
}
