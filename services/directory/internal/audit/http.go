package audit

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

type ofCompany struct {
	Success     bool   `json:"success"`
	CompanyID   int64  `json:"company_id"`
	CompanyName string `json:"company_name"`
	CompanySlug string `json:"company_slug"`
}

func describe(c company.Found) ofCompany {
	return ofCompany{Success: true, CompanyID: c.ID, CompanyName: c.Name, CompanySlug: c.Slug}
}

type report[T any] struct {
	ofCompany
	Audit T `json:"audit"`
}

// Report returns the full response about an audit.
func Report(c company.Found, a Audit) any { return report[Audit]{describe(c), a} }

// Get handles GET /api/bizprofile/audit?company_id=&slug=.
func (s *Service) Get(c echo.Context) error {
	id, err := httpapi.QueryCompanyID(c, "company_id")
	if err != nil {
		return err
	}
	company, a, err := s.Latest(c.Request().Context(), CompanyRef{ID: id, Slug: c.QueryParam("slug")})
	if err != nil {
		return withoutAudit(c, err, company)
	}
	return httpapi.JSONWithETag(c, Report(company, a))
}

type shortAudit struct {
	ID int64     `json:"id"`
	At time.Time `json:"audit_date"`
	Outcome
	Fields          map[Field]FieldStatus `json:"fields_status"`
	Recommendations []Recommendation      `json:"recommendations"`
}

// GetBySlug handles GET /api/bizprofile/audit/{slug}.
func (s *Service) GetBySlug(c echo.Context) error {
	company, a, err := s.Latest(c.Request().Context(), CompanyRef{Slug: httpapi.PathParam(c, "slug")})
	if err != nil {
		return withoutAudit(c, err, company)
	}
	return httpapi.JSONWithETag(c, report[shortAudit]{
		describe(company), shortAudit{a.ID, a.At, a.Outcome, a.Fields, a.Recommendations},
	})
}

type failure struct {
	Success     bool   `json:"success"`
	Error       string `json:"error"`
	CompanyID   int64  `json:"company_id"`
	CompanyName string `json:"company_name"`
}

func withoutAudit(c echo.Context, err error, company company.Found) error {
	if !fault.Is(err, CodeNoAudit) {
		return err
	}
	return c.JSON(http.StatusNotFound,
		failure{Error: CodeNoAudit.Text, CompanyID: company.ID, CompanyName: company.Name})
}

const (
	historyDefault = 20
	historyMax     = 100
)

type historyResponse struct {
	ofCompany
	Audits     []pastAudit `json:"audits"`
	NextBefore *int64      `json:"next_before"`
}

type pastAudit struct {
	ID int64     `json:"id"`
	At time.Time `json:"audit_date"`
	Outcome
	Source   Source  `json:"audit_source"`
	Version  string  `json:"audit_version"`
	Coverage float64 `json:"coverage"`
	Subject  Subject `json:"subject"`
}

// GetHistory handles GET /api/bizprofile/audit/{slug}/history?before=&limit=.
func (s *Service) GetHistory(c echo.Context) error {
	before, err := httpapi.QueryID(c, "before")
	if err != nil {
		return err
	}
	limit, err := httpapi.QueryID(c, "limit")
	if err != nil {
		return err
	}
	if limit == 0 {
		limit = historyDefault
	}
	n := int(min(limit, historyMax))
	company, audits, err := s.History(c.Request().Context(), httpapi.PathParam(c, "slug"), before, n+1)
	if err != nil {
		return err
	}
	response := historyResponse{ofCompany: describe(company), Audits: []pastAudit{}}
	if len(audits) > n { // one more than asked for, so there is another page
		audits = audits[:n]
		response.NextBefore = &audits[n-1].ID
	}
	for _, a := range audits {
		response.Audits = append(response.Audits,
			pastAudit{a.ID, a.At, a.Outcome, a.Source, a.Version, a.Coverage, a.Subject})
	}
	return httpapi.JSONWithETag(c, response)
}

type runRequest struct {
	CompanyID     *int64 `body:"company_id"`
	Slug          string `body:"slug"`
	Save          bool   `body:"save"`
	FetchExternal bool   `body:"fetch_external"`
	ForceRefresh  bool   `body:"force_refresh"`
}

type runResponse struct {
	ofCompany
	Message     string    `json:"message"`
	Version     string    `json:"audit_version"`
	TriggeredBy string    `json:"triggered_by"`
	TriggeredAt time.Time `json:"triggered_at"`
	Saved       bool      `json:"saved"`
	Audit       newAudit  `json:"audit"`
	Fetch       *Fetch    `json:"google_fetch,omitempty"`
}

type newAudit struct {
	DataAt time.Time `json:"data_at"`
	Outcome
	Fields          map[Field]FieldStatus `json:"fields_status"`
	Recommendations []Recommendation      `json:"recommendations"`
	LogoPresent     bool                  `json:"logo_present"`
	CoverPresent    bool                  `json:"cover_photo_present"`
	PlaceID         string                `json:"place_id"`
	Coverage        float64               `json:"coverage"`
	Signals         []google.Signal       `json:"signals"`
	Holidays        []string              `json:"holidays_without_hours"`
	Subject         Subject               `json:"subject"`
	Sources         []Step                `json:"sources"`
}

// Post handles POST /api/bizprofile/audit.
func (s *Service) Post(c echo.Context, actor account.Actor) error {
	r, err := httpapi.BindJSON(c, runRequest{Save: true, FetchExternal: true})
	if err != nil {
		return err
	}
	result, err := s.Run(c.Request().Context(), actor, Request{
		Company: CompanyRef{ID: r.CompanyID, Slug: r.Slug},
		Save:    r.Save, FetchExternal: r.FetchExternal, ForceRefresh: r.ForceRefresh,
	})
	if err != nil {
		return s.failed(c, err, result.Company)
	}
	a := result.Audit
	return c.JSON(http.StatusOK, runResponse{
		ofCompany: describe(result.Company.Found()), Message: "Audyt profilu firmy został zakończony.",
		Version: a.Version, TriggeredBy: actor.User.Email, TriggeredAt: a.At, Saved: r.Save, Fetch: result.Fetch,
		Audit: newAudit{
			a.DataAt, a.Outcome, a.Fields, a.Recommendations, a.LogoPresent, a.CoverPresent, a.PlaceID, a.Coverage,
			a.Signals, a.Holidays, a.Subject, a.Sources,
		},
	})
}

// failed writes the response of an audit that failed for a reason of our own, which names the
// company. That of a database that does not respond is left to the error handler.
func (s *Service) failed(c echo.Context, err error, of company.Company) error {
	ctx, f := c.Request().Context(), fault.From(err)
	if f.Kind != fault.Internal || of.ID == 0 {
		return err
	}
	if ctx.Err() != nil || s.ping(ctx) != nil {
		return err
	}
	s.log.ErrorContext(ctx, "audit failed", "company", of.ID, "error", err,
		"request_id", httpx.RequestID(c))
	httpx.SetCode(c, f.Code)
	return c.JSON(http.StatusInternalServerError, failure{Error: f.Message, CompanyID: of.ID, CompanyName: of.Name})
}

const serviceName = "bizprofile-audit"

type health struct {
	Status    string `json:"status"`
	Service   string `json:"service"`
	Version   string `json:"version,omitempty"`
	Available bool   `json:"available"`
	Error     string `json:"error,omitempty"`
}

// Health handles GET /api/bizprofile/audit/health.
func (s *Service) Health(c echo.Context) error {
	if err := s.ping(c.Request().Context()); err != nil {
		s.log.WarnContext(c.Request().Context(), "audits are not available", "error", err)
		httpx.SetCode(c, CodeUnavailable.Name)
		return c.JSON(http.StatusServiceUnavailable,
			health{Status: "unavailable", Service: serviceName, Error: CodeUnavailable.Text})
	}
	return c.JSON(http.StatusOK, health{Status: "ok", Service: serviceName, Version: Version, Available: true})
}

func (s *Service) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return s.db.Ping(ctx)
}

// Available turns an internal error into the fault audit_unavailable if the database does
// not respond.
func (s *Service) Available(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if err != nil && fault.From(err).Kind == fault.Internal && s.ping(c.Request().Context()) != nil {
			return CodeUnavailable.Wrap(err)
		}
		return err
	}
}
