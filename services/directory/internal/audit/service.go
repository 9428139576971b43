// Package audit scores the business profiles of companies: it fetches a profile from
// Google or takes the company's record, applies the published rules, and stores and
// returns the audits.
package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"strconv"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/internal/kit/fault"
)

// Service runs and returns audits. It is safe for concurrent use.
type Service struct {
	db        *database.DB
	companies *company.Companies
	locations *location.Service
	places    *google.Places // nil without a key
	limits    *limit.Limits
	now       func() time.Time
	log       *slog.Logger
	metrics   *metrics.Metrics
}

// New returns a Service. Without places, audits do not know photos and reviews.
func New(db *database.DB, locations *location.Service, places *google.Places, now func() time.Time, log *slog.Logger,
	metrics *metrics.Metrics,
) *Service {
	return &Service{
		db: db, companies: company.New(db), locations: locations, places: places, limits: limit.New(db),
		now: now, log: log, metrics: metrics,
	}
}

// ForScans returns a copy whose requests wait for those that a person waits for, with such a
// copy of the locations.
func (s *Service) ForScans(locations *location.Service) *Service {
	c := *s
	c.locations, c.places = locations, s.places.ForScans()
	return &c
}

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

// Result is an audit that was run, with its company.
type Result struct {
	Company company.Company
	Audit   Audit
	Fetch   *Fetch // nil if the external profile was not to be refreshed
}

// Run audits a company. It checks in this order, each with its fault: the request
// (missing_parameters), the active company (company_not_found), the actor's right to
// edit it (not_allowed), the actor's limit (audit_limit). A use of the limit is counted
// there, and returned if the audit fails. Failures to refresh the external profile are
// logged and listed in the result, but are no errors. The company comes with every error
// from not_allowed on.
func (s *Service) Run(ctx context.Context, by account.Actor, r Request) (Result, error) {
	result, err := s.triggered(ctx, by, r)
	s.metrics.Audit(err)
	return result, err
}

func (s *Service) triggered(ctx context.Context, by account.Actor, r Request) (result Result, err error) {
	if result.Company, err = s.company(ctx, r.Company); err != nil {
		return Result{}, err
	}
	if err = by.MayEdit(result.Company.ID); err != nil {
		return result, err
	}
	if err = s.limits.Take(ctx, s.now(), CodeLimit, limitOf(by)); err != nil {
		return result, err
	}
	result.Audit, result.Fetch, err = s.run(ctx, result.Company, r, by)
	if err == nil {
		return result, nil
	}
	if failed := s.limits.Return(context.WithoutCancel(ctx), limitOf(by)); failed != nil {
		s.log.ErrorContext(ctx, "use of the audit limit not returned",
			"company", result.Company.ID, "error", failed, "request_id", by.RequestID)
	}
	return result, err
}

func (s *Service) run(ctx context.Context, c company.Company, r Request, by account.Actor) (Audit, *Fetch, error) {
	sources, err := s.sources(ctx, c)
	if err != nil {
		return Audit{}, nil, err
	}
	sources.log = sources.log.With("request_id", by.RequestID)
	p, fetch := sources.profile(ctx, r)
	if ctx.Err() != nil {
		return Audit{}, fetch, ctx.Err()
	}
	a := s.assess(sources, p)
	if by.User.ID != 0 {
		a.TriggeredBy = &by.User.ID
	}
	if r.Save {
		err = s.Save(ctx, &a)
	}
	return a, fetch, err
}

// assess scores p.
func (s *Service) assess(from *sources, p *Profile) Audit {
	p.keyless = s.places == nil
	a := Assess(p)
	a.CompanyID = from.company.ID
	a.At = from.now
	a.Sources = from.read()
	a.LogoPresent = a.LogoPresent || from.company.LogoURL != ""
	a.CoverPresent = a.CoverPresent || from.company.CoverPhotoURL != ""
	return a
}

// RunWeekly is a scan's audit of a company whose location is chosen. It reports false if
// the company was audited in its current week. It is exempt from rate limits. A location
// that cannot be read is an error, and no audit, because without it the score would look
// changed.
func (s *Service) RunWeekly(ctx context.Context, companyID int64) (worked bool, err error) {
	now := s.now()
	last, err := s.latest(ctx, companyID)
	if err != nil && !fault.Is(err, CodeNoAudit) {
		return false, err
	}
	if !last.At.Before(weekOf(companyID, now)) {
		return false, nil
	}
	c, err := s.company(ctx, CompanyRef{ID: &companyID})
	if fault.Is(err, company.CodeNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sources, err := s.sources(ctx, c)
	if err != nil {
		return false, err
	}
	p, err := sources.newLocation(ctx)
	if err != nil {
		return false, err
	}
	a := s.assess(sources, p)
	return s.save(ctx, &a, weekOf(companyID, now))
}

// Left returns how many audits the actor may still run.
func (s *Service) Left(ctx context.Context, actor account.Actor) (limit.State, error) {
	return s.limits.Peek(ctx, s.now(), limitOf(actor))
}

// limitOf allows 20 audits in any hour for a user or an operator.
func limitOf(actor account.Actor) limit.Limit {
	return limit.Limit{Kind: "audit", Subject: actor.Subject(), Max: 20, Window: time.Hour}
}

// company finds an active company.
func (s *Service) company(ctx context.Context, ref CompanyRef) (company.Company, error) {
	return find(ctx, ref, s.companies.ByID, s.companies.BySlug)
}

// found finds an active company to show its audits.
func (s *Service) found(ctx context.Context, ref CompanyRef) (company.Found, error) {
	return find(ctx, ref, s.companies.FoundByID, s.companies.FoundBySlug)
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
	if err != nil {
		return c, err
	}
	if !c.Active() {
		return c, company.CodeNotFound.Fault()
	}
	return c, nil
}

// week is how often a scan audits a company.
const week = 7 * 24 * time.Hour

// weekOf returns when the company's current week began. Each company has weeks of its own,
// by a hash of its id, so that the audits of all are spread over the week.
func weekOf(companyID int64, now time.Time) time.Time {
	hash := sha256.Sum256(strconv.AppendInt(nil, companyID, 10))
	offset := time.Duration(binary.BigEndian.Uint32(hash[:])) % (week / time.Second) * time.Second
	return now.Add(-offset).Truncate(week).Add(offset)
}
