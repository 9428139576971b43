package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// Audits checks business profiles and keeps what it found.
type Audits interface {
	Latest(ctx context.Context, ref directory.CompanyRef) (directory.Company, directory.Audit, error)
	History(ctx context.Context, slug string, before int64, n int) (directory.Company, []directory.Audit, error)
	Trigger(ctx context.Context, actor directory.Actor, r directory.AuditRequest) (directory.Company, directory.Audit, *directory.Fetch, error)
}

// audit answers GET /api/bizprofile/audit?company_id=&slug=.
func (a *API) audit(c echo.Context) error {
	id, err := queryID(c, "company_id")
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
	if fault.Is(err, "no_audit") {
		err = withCompany(err, company)
	}
	return company, audit, err
}

// runAudit answers POST /api/bizprofile/audit.
func (a *API) runAudit(c echo.Context, actor directory.Actor) error {
	request, err := readAuditRequest(c)
	if err != nil {
		return err
	}
	company, audit, fetch, err := a.Audits.Trigger(c.Request().Context(), actor, request)
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

func readAuditRequest(c echo.Context) (r directory.AuditRequest, err error) {
	body, err := readJSON(c)
	if err != nil {
		return r, err
	}
	id, err := body.id("company_id")
	if err != nil {
		return r, err
	}
	slug, err := body.text("slug")
	if err != nil {
		return r, err
	}
	r.Company = refOf(id, slug)
	if r.Save, err = body.flag("save", true); err != nil {
		return r, err
	}
	if r.FetchExternal, err = body.flag("fetch_external", true); err != nil {
		return r, err
	}
	r.ForceRefresh, err = body.flag("force_refresh", false)
	return r, err
}

// refOf names a company by its id, which is 0 when it is not given, or its slug.
func refOf(id int64, slug string) directory.CompanyRef {
	if id == 0 {
		return directory.CompanyRef{Slug: slug}
	}
	return directory.CompanyRef{ID: &id, Slug: slug}
}

// queryID reads a positive integer of the query, 0 when it is absent or empty.
func queryID(c echo.Context, name string) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return 0, nil
	}
	id, ok := parseID(text)
	if !ok {
		return 0, fault.New(fault.Invalid, "invalid_parameter", "Nieprawidłowa wartość parametru "+name+".")
	}
	return id, nil
}
