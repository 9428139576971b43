// Package audit scores the business profiles of companies by the published rules, and stores
// and returns the audits.
package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

// Service runs and returns audits. It is safe for concurrent use.
type Service struct {
	db        *database.DB
	companies *company.Companies
	locations *location.Service
	places    *google.Places // nil without a key
	limits    *limit.Limits
	log       *slog.Logger
	metrics   *metrics.Metrics
}

// New returns a Service. Without places, audits do not know photos and reviews.
func New(db *database.DB, locations *location.Service, places *google.Places, log *slog.Logger,
	metrics *metrics.Metrics,
) *Service {
	return &Service{
		db: db, companies: company.New(db), locations: locations, places: places, limits: limit.New(db),
		log: log, metrics: metrics,
	}
}

// ForScans returns a copy whose requests wait for those that a person waits for.
func (s *Service) ForScans(locations *location.Service) *Service {
	c := *s
	c.locations, c.places = locations, s.places.ForScans()
	return &c
}

// CompanyRef names a company by its id, which takes precedence, or its slug.
type CompanyRef struct {
	ID   *int64
	Slug string
}

// Request is which company to audit, and how.
type Request struct {
	Company       CompanyRef
	Save          bool
	FetchExternal bool
	ForceRefresh  bool
}

// Result is an audit that was run.
type Result struct {
	Company company.Company
	Audit   Audit
	Fetch   *Fetch
}

// Run audits a company. The faults, in this order: missing_parameters, company_not_found,
// not_allowed, audit_limit, a use of which is returned if the audit fails. Failures to refresh
// the external profile are no errors. The company comes with every error from not_allowed on.
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
	if err = s.limits.Take(ctx, s.db.Now(), CodeLimit, limitOf(by)); err != nil {
		return result, err
	}
	result.Audit, result.Fetch, err = s.run(ctx, result.Company, r, by)
	if err != nil {
		s.returnUse(ctx, by, result.Company.ID)
	}
	return result, err
}

func (s *Service) returnUse(ctx context.Context, by account.Actor, companyID int64) {
	err := s.limits.Return(context.WithoutCancel(ctx), limitOf(by))
	if err != nil {
		s.log.ErrorContext(ctx, "use of the audit limit not returned",
			"company", companyID, "error", err, "request_id", by.RequestID)
	}
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
	a := sources.assess(p)
	if by.User.ID != 0 {
		a.TriggeredBy = &by.User.ID
	}
	if r.Save {
		err = s.Save(ctx, &a)
	}
	return a, fetch, err
}

// RunWeekly is a scan's audit of a company whose location is chosen, exempt from the limit. It
// reports false if the company was audited in its current week. A location that cannot be
// read is an error, because without it the score would look changed.
func (s *Service) RunWeekly(ctx context.Context, companyID int64) (worked bool, err error) {
	begin := weekOf(companyID, s.db.Now())
	done, err := auditedSince(s.db.Read(ctx), companyID, begin)
	if err != nil || done {
		return false, err
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
	a := sources.assess(p)
	return s.save(ctx, &a, begin)
}

// Left returns how many audits the actor may still run.
func (s *Service) Left(ctx context.Context, actor account.Actor) (limit.State, error) {
	return s.limits.Peek(ctx, s.db.Now(), limitOf(actor))
}

// limitOf allows 20 audits in any hour for a user or an operator.
func limitOf(actor account.Actor) limit.Limit {
	return limit.Limit{Kind: "audit", Subject: actor.Subject(), Max: 20, Window: time.Hour}
}

func (s *Service) company(ctx context.Context, ref CompanyRef) (c company.Company, err error) {
	switch {
	case ref.ID != nil:
		c, err = s.companies.ByID(ctx, *ref.ID)
	case ref.Slug != "":
		c, err = s.companies.BySlug(ctx, ref.Slug)
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

const week = 7 * 24 * time.Hour

// weekOf returns when the current week of a company began; a hash spreads them over the week.
func weekOf(companyID int64, now time.Time) time.Time {
	hash := sha256.Sum256(strconv.AppendInt(nil, companyID, 10))
	offset := time.Duration(binary.BigEndian.Uint32(hash[:])) % (week / time.Second) * time.Second
	return now.Add(-offset).Truncate(week).Add(offset)
}

// Latest returns the newest audit of an active company. The faults are missing_parameters,
// company_not_found, and no_audit, which comes with the company.
func (s *Service) Latest(ctx context.Context, ref CompanyRef) (company.Found, Audit, error) {
	c, err := s.company(ctx, ref)
	if err != nil {
		return company.Found{}, Audit{}, err
	}
	var a Audit
	err = s.db.Read(ctx).Where("company_id = ?", c.ID).Order("id DESC").Take(&a).Error
	return c.Found(), a, database.NotFound(err, CodeNoAudit)
}

// History returns up to n of the company's audits, newest first: those before the audit with
// the id before, unless that is 0.
func (s *Service) History(ctx context.Context, slug string, before int64, n int) (company.Found, []Audit, error) {
	c, err := s.company(ctx, CompanyRef{Slug: slug})
	if err != nil {
		return company.Found{}, nil, err
	}
	query := s.db.Read(ctx).Where("company_id = ?", c.ID).Order("id DESC").Limit(n)
	if before != 0 {
		query = query.Where("id < ?", before)
	}
	var audits []Audit
	err = query.Find(&audits).Error
	return c.Found(), audits, err
}

// Newest returns date, score and category of the newest audit of each company that has one.
func (s *Service) Newest(ctx context.Context, companyIDs []int64) (map[int64]Audit, error) {
	var audits []Audit
	err := s.db.Read(ctx).Select("id, company_id, audit_date, completeness_score, score_category").
		Where("id IN (SELECT MAX(id) FROM profile_audits WHERE company_id IN ? GROUP BY company_id)", companyIDs).
		Find(&audits).Error
	newest := make(map[int64]Audit, len(audits))
	for _, a := range audits {
		newest[a.CompanyID] = a
	}
	return newest, err
}

// Audited lists the slugs of the active companies that have an audit.
func (s *Service) Audited(ctx context.Context) (slugs []string, err error) {
	var ids []int64
	if err := s.db.Read(ctx).Model(&Audit{}).Distinct("company_id").Pluck("company_id", &ids).Error; err != nil {
		return nil, err
	}
	for part := range slices.Chunk(ids, 500) {
		found, err := s.companies.Numbered(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if c.Active() {
				slugs = append(slugs, c.Slug)
			}
		}
	}
	return slugs, nil
}

// TableName implements gorm's schema.Tabler.
func (Audit) TableName() string { return "profile_audits" }

// AfterFind implements gorm's callback.
func (a *Audit) AfterFind(*gorm.DB) error {
	a.At, a.DataAt = a.At.UTC(), a.DataAt.UTC()
	a.complete()
	return nil
}

// EventCompleted is the type of the event about a stored audit.
const EventCompleted = "audit.completed"

type completed struct {
	CompanyID int64   `json:"company_id"`
	AuditID   int64   `json:"audit_id"`
	Score     float64 `json:"completeness_score"`
	Category  string  `json:"score_category"`
	Coverage  float64 `json:"coverage"`
	Source    Source  `json:"audit_source"`
	Version   string  `json:"audit_version"`
}

// Save adds a, sets its ID, and publishes audit.completed in the same transaction.
func (s *Service) Save(ctx context.Context, a *Audit) error {
	_, err := s.save(ctx, a, time.Time{})
	return err
}

// save adds nothing if the company has an audit since a time that is not zero: another worker
// has finished the same weekly audit meanwhile.
func (s *Service) save(ctx context.Context, a *Audit, since time.Time) (added bool, err error) {
	a.At, a.DataAt = s.db.At(a.At), s.db.At(a.DataAt)
	a.complete()
	err = s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if !since.IsZero() {
			if err := s.db.Queue(tx, "weekly audit "+strconv.FormatInt(a.CompanyID, 10)); err != nil {
				return err
			}
			done, err := auditedSince(tx, a.CompanyID, since)
			if err != nil || done {
				return err
			}
		}
		if err := tx.Create(a).Error; err != nil {
			return err
		}
		added = true
		return webhook.Publish(s.db, tx, EventCompleted, a.CompanyID, completed{
			a.CompanyID, a.ID, a.Score, a.Category, a.Coverage, a.Source, a.Version,
		})
	})
	if err != nil {
		return false, fmt.Errorf("save audit: %w", err)
	}
	return added, nil
}

func auditedSince(db *gorm.DB, companyID int64, since time.Time) (bool, error) {
	var n int64
	err := db.Model(&Audit{}).Where("company_id = ? AND audit_date >= ?", companyID, database.Instant(since)).
		Count(&n).Error
	return n > 0, err
}
