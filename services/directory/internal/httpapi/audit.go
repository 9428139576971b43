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
	company, audit, err := a.latest(c, refOf(id, c.QueryParam("slug")))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, auditResponse{ofCompany: describeCompany(company), Audit: fullAudit(audit)})
}

// auditBySlug answers GET /api/bizprofile/audit/{slug}.
func (a *API) auditBySlug(c echo.Context) error {
	company, audit, err := a.latest(c, directory.CompanyRef{Slug: pathParam(c, "slug")})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, shortAuditResponse{ofCompany: describeCompany(company), Audit: shortAudit(audit)})
}

func (a *API) latest(c echo.Context, ref directory.CompanyRef) (directory.Company, directory.Audit, error) {
	company, audit, err := a.Audits.Latest(c.Request().Context(), ref)
	if fault.Is(err, directory.CodeNoAudit) {
		err = withCompany(err, company)
	}
	return company, audit, err
}

// runAudit answers POST /api/bizprofile/audit.
func (a *API) runAudit(c echo.Context, actor directory.Actor) error {
	request, err := bindJSON(c, auditRequest{Save: true, FetchExternal: true})
	if err != nil {
		return err
	}
	company, audit, fetch, err := a.Audits.Trigger(c.Request().Context(), actor, directory.AuditRequest{
		Company: refOf(request.CompanyID, request.Slug), Save: request.Save,
		FetchExternal: request.FetchExternal, ForceRefresh: request.ForceRefresh,
	})
	if err != nil && fault.From(err).Kind == fault.Internal {
		return withCompany(err, company)
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

// refOf names a company by its id, which is nil when it is not given, or its slug.
func refOf(id *int64, slug string) directory.CompanyRef {
	return directory.CompanyRef{ID: id, Slug: slug}
}
