package directory

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"backend.example/services/directory/internal/limit"
)

// AuditStore keeps what audits read and what they found. It is an interface
// because a database is outside of the domain.
type AuditStore interface {
	Company(ctx context.Context, id int64) (Company, error)
	CompanyBySlug(ctx context.Context, slug string) (Company, error)
	SetPlaceID(ctx context.Context, companyID int64, placeID string) error

	// Profile is the external profile as it was last fetched, or the fault no_profile.
	Profile(ctx context.Context, companyID int64) (Profile, error)
	SaveProfile(ctx context.Context, companyID int64, p Profile) error

	SaveAudit(ctx context.Context, a *Audit) error
	LatestAudit(ctx context.Context, companyID int64) (Audit, error)
	AuditHistory(ctx context.Context, companyID, before int64, n int) ([]Audit, error)
}

// AuditOptions are what an Audits works with.
type AuditOptions struct {
	Store     AuditStore
	Limits    Limits
	Locations *Locations
	FindPlace FindPlace // nil: not configured
	Now       func() time.Time
	Log       *slog.Logger
	Ended     func(error) // hears how each triggered audit ended; may be nil
}

// Audits checks business profiles and keeps what it found.
type Audits struct{ options AuditOptions }

// NewAudits returns an Audits.
func NewAudits(options AuditOptions) *Audits { return &Audits{options} }

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

// Latest returns the company's newest audit. The faults are missing_parameters,
// company_not_found, also for a company that is not active, and no_audit, which
// comes with the company.
func (a *Audits) Latest(ctx context.Context, ref CompanyRef) (Company, Audit, error) {
	c, err := a.activeCompany(ctx, ref)
	if err != nil {
		return Company{}, Audit{}, err
	}
	audit, err := a.options.Store.LatestAudit(ctx, c.ID)
	return c, audit, err
}

// History returns up to n of the company's audits, newest first: those before the audit
// with the id before, or the newest if before is 0.
func (a *Audits) History(ctx context.Context, slug string, before int64, n int) (Company, []Audit, error) {
	c, err := a.activeCompany(ctx, CompanyRef{Slug: slug})
	if err != nil {
		return Company{}, nil, err
	}
	audits, err := a.options.Store.AuditHistory(ctx, c.ID, before, n)
	return c, audits, err
}

// Trigger audits a company. Its checks come in this order, each with its fault:
// the request (missing_parameters), the active company (company_not_found), the
// actor's right to edit it (not_allowed), the actor's limit (audit_limit). A use
// of the limit is counted there, so that a refused request costs nothing and a
// failed audit costs one. A company of which nothing is known is the fault
// no_profile_data. Fetch is nil when the external profile was not to be
// refreshed; that it failed is no error. The company comes with every error from
// not_allowed on.
func (a *Audits) Trigger(ctx context.Context, actor Actor, r AuditRequest) (c Company, audit Audit, fetch *Fetch, err error) {
	if a.options.Ended != nil {
		defer func() { a.options.Ended(err) }()
	}
	if c, err = a.activeCompany(ctx, r.Company); err != nil {
		return Company{}, Audit{}, nil, err
	}
	if err = actor.MayEdit(c.ID); err != nil {
		return c, Audit{}, nil, err
	}
	if err = a.takeLimit(ctx, actor); err != nil {
		return c, Audit{}, nil, err
	}
	audit, fetch, err = a.run(ctx, c, r, actor)
	return c, audit, fetch, err
}

// run audits c for an actor; the scan and operators have no id of a user.
func (a *Audits) run(ctx context.Context, c Company, r AuditRequest, actor Actor) (Audit, *Fetch, error) {
	profile, fetch, err := a.profileOf(ctx, c, r, actor.RequestID)
	if err != nil {
		return Audit{}, fetch, err
	}
	audit, err := Assess(profile)
	if err != nil {
		return Audit{}, fetch, err
	}
	audit.CompanyID, audit.At = c.ID, a.options.Now()
	if actor.User.ID != 0 {
		audit.TriggeredBy = &actor.User.ID
	}
	audit.LogoPresent = audit.LogoPresent || c.LogoURL != ""
	audit.CoverPresent = audit.CoverPresent || c.CoverPhotoURL != ""
	if r.Save {
		err = a.options.Store.SaveAudit(ctx, &audit)
	}
	return audit, fetch, err
}

// Audits of one user, or of one operator, in any hour.
const (
	auditsMax   = 20
	auditWindow = time.Hour
)

// Left tells how many audits the actor may still run.
func (a *Audits) Left(ctx context.Context, actor Actor) (limit.State, error) {
	return a.options.Limits.Peek(ctx, a.options.Now(), auditLimit(actor))
}

func (a *Audits) takeLimit(ctx context.Context, actor Actor) error {
	return a.options.Limits.Take(ctx, a.options.Now(), CodeAuditLimit, auditLimit(actor))
}

func auditLimit(actor Actor) limit.Limit {
	subject := strconv.FormatInt(actor.User.ID, 10)
	if actor.operator {
		subject = actor.Name
	}
	return limit.Limit{Kind: "audit", Subject: subject, Max: auditsMax, Window: auditWindow}
}

// activeCompany finds a company that the audits can see.
func (a *Audits) activeCompany(ctx context.Context, ref CompanyRef) (c Company, err error) {
	switch {
	case ref.ID != nil:
		c, err = a.options.Store.Company(ctx, *ref.ID)
	case ref.Slug != "":
		c, err = a.options.Store.CompanyBySlug(ctx, ref.Slug)
	default:
		err = CodeMissingParameters.Fault()
	}
	if err == nil && !c.Active() {
		err = CodeCompanyNotFound.Fault()
	}
	return c, err
}
