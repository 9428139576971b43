package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

type overviewView struct {
	figuresView
	Todos     []todo     // most urgent first
	Headlines []headline // four
	Audit     *auditResult
}

type headline struct {
	measure
	Href  string
	AsOf  time.Time
	Stale bool
	Empty string // why there is no value
}

func (h *Handlers) overview(c echo.Context, v visitor) error {
	if v.User.CompanyID == nil {
		if v.User.CanAccessAdminPanel() {
			return c.Redirect(http.StatusSeeOther, companiesPath)
		}
		return h.withoutCompany(c, v, "Przegląd")
	}
	read, err := h.figuresOf(c, v, overviewPath)
	if err != nil {
		return err
	}
	view := overviewView{figuresView: read, Todos: urgentFirst(read.Panels),
		Headlines: headlines(read.Panels, read.Span)}
	if view.Audit, err = h.auditSummary(c.Request().Context(), read.Company, read.MayEdit); err != nil {
		return err
	}
	return h.show(c, v, "overview", "Przegląd", view)
}

func headlines(panels []panel, days span) []headline {
	find := func(pair provider.Pair, i int, name, empty string) headline {
		shown := headline{Empty: empty, Href: statisticsPath + days.Query() + "#" + channelOf(pair).ID}
		for _, p := range panels {
			if p.Pair != pair {
				continue
			}
			if i < len(p.Measures) {
				shown.measure = p.Measures[i]
				shown.AsOf, shown.Stale = p.SyncedAt, p.Stale
			}
			if p.Connected && p.Todo != nil {
				shown.Empty = p.Todo.Text
			}
		}
		shown.Name = name
		return shown
	}
	const connectProfile = "Pojawi się, gdy połączysz Profil Firmy w Google."
	followers := find(provider.PagesPair, 0, "Obserwujący", "Pojawi się, gdy połączysz Facebooka lub Instagram.")
	insta := find(provider.PhotosPair, 0, followers.Name, followers.Empty)
	switch {
	case len(followers.known) == 0:
		followers = insta
	case len(insta.known) > 0:
		both := together(followers.known, insta.known)
		followers.measure = level("", "Obserwujący na Facebooku i Instagramie", both, days)
		followers.Stale = followers.Stale || insta.Stale
		if insta.AsOf.Before(followers.AsOf) {
			followers.AsOf = insta.AsOf
		}
	}
	return []headline{
		find(provider.ProfilePair, 0, "Wyświetlenia profilu w Google", connectProfile),
		find(provider.ProfilePair, 1, "Telefony, trasy i inne działania", connectProfile),
		find(provider.AnalyticsPair, 0, "Wejścia na stronę z wyszukiwarki",
			"Pojawi się, gdy połączysz Google Search Console."),
		followers,
	}
}

const stepsShown = 3

// auditSummary returns the newest audit with the advice that gains the most; nil if there is none.
func (h *Handlers) auditSummary(ctx context.Context, c company.Company, mayEdit bool) (*auditResult, error) {
	_, newest, err := h.Audits.Latest(ctx, audit.CompanyRef{ID: &c.ID})
	if fault.Is(err, audit.CodeNoAudit) || fault.Is(err, company.CodeNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := resultOf(newest)
	if mayEdit {
		v.addActions(newest)
	}
	v.Advice = v.Advice[:min(len(v.Advice), stepsShown)]
	return &v, nil
}
