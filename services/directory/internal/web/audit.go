package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

const auditsShown = 30

type auditView struct {
	Company company.Found
	Own     bool         // of the visitor's own company
	Result  *auditResult // nil: no audit yet
	Again   *runAgain    // nil: the visitor may not run an audit
	Past    []pastView   // newest first
	Chart   *lineChart   // nil: less than two audits
}

type runAgain struct{ limit.State }

type pastView struct {
	At           time.Time
	Score        string
	Grade        grade
	Incomparable string // why it does not compare with the one before
}

func (h *Handlers) ownAudit(c echo.Context, v visitor) error {
	if v.User.CompanyID == nil {
		return h.withoutCompany(c, v, "Audyt")
	}
	company, err := h.Companies.ByID(c.Request().Context(), *v.User.CompanyID)
	if err != nil {
		return err
	}
	return h.showAudit(c, v, company.Slug, http.StatusOK)
}

// findAudit leads from GET /audyt?firma= to the audit of the only company with that name or slug, else
// to the home page with those found.
func (h *Handlers) findAudit(c echo.Context) error {
	text := strings.TrimSpace(c.QueryParam("firma"))
	if text == "" {
		return c.Redirect(http.StatusSeeOther, "/")
	}
	found, more, err := h.Companies.SearchActive(c.Request().Context(), text)
	if err != nil {
		return err
	}
	if len(found) == 1 {
		return c.Redirect(http.StatusSeeOther, auditPath(found[0].Slug))
	}
	status := http.StatusOK
	if len(found) == 0 {
		status = http.StatusNotFound
	}
	return h.showHome(c, status, homeView{Ready: true, Searched: true, Text: text, Found: found, More: more})
}

func auditPath(slug string) string { return "/audyt/" + url.PathEscape(slug) }

func (h *Handlers) audit(c echo.Context, v visitor) error {
	return h.showAudit(c, v, c.Param("slug"), http.StatusNotFound)
}

// showAudit shows a company's audits; without is the status when there are none.
func (h *Handlers) showAudit(c echo.Context, v visitor, slug string, without int) error {
	ctx, status := c.Request().Context(), http.StatusOK
	company, audits, err := h.Audits.History(ctx, slug, 0, auditsShown)
	if err != nil {
		return err
	}
	view := auditView{Company: company, Own: v.User.CompanyID != nil && *v.User.CompanyID == company.ID}
	if v.canEdit(company.ID) {
		left, err := h.Audits.Left(ctx, v.Actor)
		if err != nil {
			return err
		}
		view.Again = &runAgain{left}
	}
	if len(audits) == 0 {
		status = without
	} else {
		view.fill(audits)
		if view.Again != nil {
			view.Result.addActions(audits[0])
		}
	}
	shown := page{name: "audit", title: "Audyt: " + company.Name, status: status, data: view}
	if view.Result != nil {
		shown.description = "Wizytówka firmy " + company.Name + " w Google: " + view.Result.Gauge.Text +
			" na 100 punktów. Zobacz, co jest kompletne, a co warto poprawić."
		shown.canonical = auditPath(company.Slug)
	}
	return h.write(c, v, shown)
}

func (view *auditView) fill(audits []audit.Audit) {
	shown := resultOf(audits[0])
	view.Result = &shown
	var points []chartPoint
	for i, a := range audits {
		reason := ""
		if i+1 < len(audits) {
			reason, _ = incomparable(a, audits[i+1])
		}
		view.Past = append(view.Past, pastView{
			At: a.At, Score: site.Figure(a.Score), Grade: gradeOf(a.Category), Incomparable: reason,
		})
		points = append(points, chartPoint{At: a.At, Value: a.Score, Break: reason})
	}
	view.Result.Incomparable = view.Past[0].Incomparable
	slices.Reverse(points)
	chart := newLineChart("historia", "Wynik audytu w czasie", 100, time.Time{}, time.Time{}, points)
	if len(chart.Points) > 1 {
		view.Chart = chart
	}
}

func (h *Handlers) runAudit(c echo.Context, v visitor) error {
	return h.auditNow(c, v, audit.CompanyRef{Slug: c.Param("slug")})
}

// auditNow reads Google again, because a person who runs an audit has usually changed something there.
func (h *Handlers) auditNow(c echo.Context, v visitor, of audit.CompanyRef) error {
	ctx := c.Request().Context()
	result, err := h.Audits.Run(ctx, v.Actor, audit.Request{
		Company: of, Save: true, FetchExternal: true, ForceRefresh: true,
	})
	target := auditPath(result.Company.Slug)
	if id := v.User.CompanyID; id != nil && *id == result.Company.ID {
		target = ownAuditPath
	}
	if fault.Is(err, company.CodeNotFound) {
		return err
	}
	if err != nil {
		return h.refused(c, target, err)
	}
	_, newest, err := h.Audits.History(ctx, result.Company.Slug, 0, 2)
	if err != nil {
		return err
	}
	outcome := "audit_done"
	failed := func(s audit.Step) bool { return s.Status == audit.StepFailed }
	switch {
	case !result.Fetch.Success:
		outcome = "audit_unfetched"
	case slices.ContainsFunc(result.Fetch.Steps, failed):
		outcome = "audit_in_part"
	}
	if len(newest) == 2 {
		if _, apart := incomparable(newest[0], newest[1]); apart != "" { // also if nothing was fetched
			outcome = apart
		}
	}
	return h.redirect(c, target, outcome)
}
