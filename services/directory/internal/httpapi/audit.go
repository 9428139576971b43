package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

type auditRequest struct {
	CompanyID     *int64 `body:"company_id"`
	Slug          string `body:"slug"`
	Save          bool   `body:"save"`
	FetchExternal bool   `body:"fetch_external"`
	ForceRefresh  bool   `body:"force_refresh"`
}

// Audit answers GET /api/bizprofile/audit?company_id=&slug=.
func (a *API) Audit(c echo.Context) error {
	id, err := QueryCompanyID(c, "company_id")
	if err != nil {
		return err
	}
	company, audit, err := a.Audits.Latest(c.Request().Context(), directory.CompanyRef{ID: id, Slug: c.QueryParam("slug")})
	if err != nil {
		return withoutAudit(err, company)
	}
	return JSONWithETag(c, DescribeAudit(company, audit))
}

// withoutAudit adds the company to the fault that it has no audit.
func withoutAudit(err error, company directory.Company) error {
	if fault.Is(err, directory.CodeNoAudit) {
		return WithCompany(err, company)
	}
	return err
}

// DescribeAudit is the answer about an audit, for the encoder.
func DescribeAudit(c directory.Company, audit directory.Audit) any {
	return auditResponse{ofCompany: describeCompany(c), Audit: fullAudit(audit)}
}

// AuditBySlug answers GET /api/bizprofile/audit/{slug}.
func (a *API) AuditBySlug(c echo.Context) error {
	company, audit, err := a.Audits.Latest(c.Request().Context(), directory.CompanyRef{Slug: PathParam(c, "slug")})
	if err != nil {
		return withoutAudit(err, company)
	}
	return JSONWithETag(c, shortAuditResponse{ofCompany: describeCompany(company), Audit: shortAudit(audit)})
}

// RunAudit answers POST /api/bizprofile/audit.
func (a *API) RunAudit(c echo.Context, actor directory.Actor) error {
	request, err := BindJSON(c, auditRequest{Save: true, FetchExternal: true})
	if err != nil {
		return err
	}
	company, audit, fetch, err := a.Audits.Trigger(c.Request().Context(), actor, directory.AuditRequest{
		Company: directory.CompanyRef{ID: request.CompanyID, Slug: request.Slug}, Save: request.Save,
		FetchExternal: request.FetchExternal, ForceRefresh: request.ForceRefresh,
	})
	if err != nil && fault.From(err).Kind == fault.Internal {
		return WithCompany(err, company)
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, auditRunResponse{
		ofCompany: describeCompany(company), Message: "Audyt profilu firmy został zakończony.",
		AuditVersion: audit.Version, TriggeredBy: actor.User.Email, TriggeredAt: audit.At, Saved: request.Save,
		Audit: auditRunOf(audit), Fetch: describeFetch(fetch),
	})
}
