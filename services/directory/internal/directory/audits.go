package directory

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"backend.example/services/internal/kit/fault"
)

// AuditStore is what audits need of the repository.
type AuditStore interface {
	Limits
	// PeekLimit is TakeLimits of one limit, without a use.
	PeekLimit(ctx context.Context, l Limit, now time.Time) (LimitState, error)

	Company(ctx context.Context, id int64) (Company, error)
	CompanyBySlug(ctx context.Context, slug string) (Company, error)
	SetPlaceID(ctx context.Context, companyID int64, placeID string) error
	Connection(ctx context.Context, companyID int64, p Pair) (Connection, error)

	// Profile is the external profile as it was last fetched, or the fault no_profile.
	Profile(ctx context.Context, companyID int64) (Profile, error)
	SaveProfile(ctx context.Context, companyID int64, p Profile) error

	SaveAudit(ctx context.Context, a *Audit) error
	LatestAudit(ctx context.Context, companyID int64) (Audit, error)
	AuditHistory(ctx context.Context, companyID, before int64, n int) ([]Audit, error)
}

// ProfileReader reads a company's chosen business-profile location. The fault
// no_connection says that there is none.
type ProfileReader interface {
	ReadChosen(ctx context.Context, companyID int64) (Profile, error)
}

// Audits checks business profiles and keeps what it found.
type Audits struct {
	store     AuditStore
	locations ProfileReader
	findPlace FindPlace // nil: not configured
	now       func() time.Time
	log       *slog.Logger
}

// NewAudits returns an Audits.
func NewAudits(store AuditStore, locations ProfileReader, findPlace FindPlace, now func() time.Time, log *slog.Logger) *Audits {
	return &Audits{store: store, locations: locations, findPlace: findPlace, now: now, log: log}
}

// CompanyRef names a company by its id or its slug; the id takes precedence.
type CompanyRef struct {
	ID   *int64
	Slug string
}

// AuditRequest says which company to audit, and how.
type AuditRequest struct {
	Company       CompanyRef
	Save          bool // keep the audit
	FetchExternal bool // refresh the external profile first
	ForceRefresh  bool // even when it is fresh
}

// Audits of one user, in any hour.
const (
	auditsMax   = 20
	auditWindow = time.Hour
)

// Latest returns the company's newest audit. The faults are missing_parameters,
// no_company, also for a company that is not active, and no_audit, which comes
// with the company.
func (a *Audits) Latest(ctx context.Context, ref CompanyRef) (Company, Audit, error) {
	c, err := a.active(ctx, ref)
	if err != nil {
		return Company{}, Audit{}, err
	}
	audit, err := a.store.LatestAudit(ctx, c.ID)
	return c, audit, err
}

// History lists n of the company's audits before the one with the id before, or
// the newest where that is 0, newest first.
func (a *Audits) History(ctx context.Context, slug string, before int64, n int) (Company, []Audit, error) {
	c, err := a.active(ctx, CompanyRef{Slug: slug})
	if err != nil {
		return Company{}, nil, err
	}
	audits, err := a.store.AuditHistory(ctx, c.ID, before, n)
	return c, audits, err
}

// Trigger audits a company. Its checks come in this order, each with its fault:
// the request (missing_parameters), the active company (no_company), the actor's
// right to edit it (not_allowed), the actor's limit (audit_limit). A use of the
// limit is counted there, so that a refused request costs nothing and a failed
// audit costs one. A company of which nothing is known is the fault
// no_profile_data. Fetch is nil when the external profile was not to be
// refreshed; that it failed is no error. The company comes with every error from
// not_allowed on.
func (a *Audits) Trigger(ctx context.Context, actor Actor, r AuditRequest) (Company, Audit, *Fetch, error) {
	c, err := a.active(ctx, r.Company)
	if err != nil {
		return Company{}, Audit{}, nil, err
	}
	if !actor.User.CanEditCompany(c.ID) {
		return c, Audit{}, nil, fault.New(fault.Forbidden, "not_allowed", "Brak uprawnień do edycji tej firmy.")
	}
	if err := a.take(ctx, actor.User.ID); err != nil {
		return c, Audit{}, nil, err
	}
	audit, fetch, err := a.run(ctx, actor, c, r)
	return c, audit, fetch, err
}

// Left tells how many audits the actor may still run.
func (a *Audits) Left(ctx context.Context, actor Actor) (LimitState, error) {
	return a.store.PeekLimit(ctx, auditLimit(actor.User.ID), a.now())
}

func auditLimit(userID int64) Limit {
	return Limit{Kind: "audit", Subject: strconv.FormatInt(userID, 10), Max: auditsMax, Window: auditWindow}
}

func (a *Audits) take(ctx context.Context, userID int64) error {
	state, err := a.store.TakeLimits(ctx, []Limit{auditLimit(userID)}, a.now())
	if err != nil {
		return err
	}
	if !state.OK {
		return fault.New(fault.Limited, "audit_limit",
			"Wykorzystano limit audytów na godzinę. Spróbuj ponownie później.").After(state.RetryAfter)
	}
	return nil
}

// active finds a company that the audits can see.
func (a *Audits) active(ctx context.Context, ref CompanyRef) (c Company, err error) {
	switch {
	case ref.ID != nil:
		c, err = a.store.Company(ctx, *ref.ID)
	case ref.Slug != "":
		c, err = a.store.CompanyBySlug(ctx, ref.Slug)
	default:
		err = fault.New(fault.Invalid, "missing_parameters", "Należy podać company_id lub slug.")
	}
	if err == nil && !c.Active() {
		err = fault.New(fault.NotFound, "no_company", "Nie znaleziono firmy.")
	}
	return c, err
}

func (a *Audits) run(ctx context.Context, actor Actor, c Company, r AuditRequest) (Audit, *Fetch, error) {
	stored, err := a.stored(ctx, c.ID)
	if err != nil {
		return Audit{}, nil, err
	}
	var fetch *Fetch
	if r.FetchExternal {
		fetch = a.fetch(ctx, c, stored, r, actor.RequestID)
		if err := ctx.Err(); err != nil {
			return Audit{}, fetch, err
		}
	}
	audit, err := Assess(a.source(c, stored, fetch))
	if err != nil {
		return Audit{}, fetch, err
	}
	audit.CompanyID, audit.At, audit.TriggeredBy = c.ID, a.now(), &actor.User.ID
	audit.LogoPresent = audit.LogoPresent || c.LogoURL != ""
	audit.CoverPresent = audit.CoverPresent || c.CoverPhotoURL != ""
	if r.Save {
		err = a.store.SaveAudit(ctx, &audit)
	}
	return audit, fetch, err
}
