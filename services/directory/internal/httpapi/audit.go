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

// audit answers GET /api/bizprofile/audit?company_id=&slug=.
func (a *API) audit(c echo.Context) error {
	id, err := queryCompanyID(c, "company_id")
	if err != nil {
		return err
	}
	return a.latest(c, directory.CompanyRef{ID: id, Slug: c.QueryParam("slug")}, "full", DescribeAudit)
}

// DescribeAudit is the answer about an audit, for the encoder.
func DescribeAudit(c directory.CompanyHead, audit directory.Audit) any {
	return auditResponse{ofCompany: describeCompany(c), Audit: fullAudit(audit)}
}

// auditBySlug answers GET /api/bizprofile/audit/{slug}.
func (a *API) auditBySlug(c echo.Context) error {
	return a.latest(c, directory.CompanyRef{Slug: pathParam(c, "slug")}, "short", func(company directory.CompanyHead, audit directory.Audit) any {
		return shortAuditResponse{ofCompany: describeCompany(company), Audit: shortAudit(audit)}
	})
}

// latest answers with the body of the newest audit, in one of its forms.
func (a *API) latest(c echo.Context, ref directory.CompanyRef, form string, body func(directory.CompanyHead, directory.Audit) any) error {
	company, ids, err := a.Audits.IDs(c.Request().Context(), ref, 0, 1)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return withCompany(directory.CodeNoAudit.Fault(), company)
	}
	return a.answerAudits(c, company, ids, form, func(audits []directory.Audit) any {
		return body(company, audits[0])
	})
}

// runAudit answers POST /api/bizprofile/audit.
func (a *API) runAudit(c echo.Context, actor directory.Actor) error {
	request, err := bindJSON(c, auditRequest{Save: true, FetchExternal: true})
	if err != nil {
		return err
	}
	company, audit, fetch, err := a.Audits.Trigger(c.Request().Context(), actor, directory.AuditRequest{
		Company: directory.CompanyRef{ID: request.CompanyID, Slug: request.Slug}, Save: request.Save,
		FetchExternal: request.FetchExternal, ForceRefresh: request.ForceRefresh,
	})
	if err != nil && fault.From(err).Kind == fault.Internal {
		return withCompany(err, company.Head())
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, auditRunResponse{
		ofCompany: describeCompany(company.Head()), Message: "Audyt profilu firmy został zakończony.",
		AuditVersion: audit.Version, TriggeredBy: actor.User.Email, TriggeredAt: audit.At, Saved: request.Save,
		Audit: auditRunOf(audit), Fetch: describeFetch(fetch),
	})
}
