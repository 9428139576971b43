package web

import (
	"context"
	"encoding/csv"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

type figuresView struct {
	Company company.Company
	Days    []site.Link // to other spans
	Span    span
	Path    string
	MayEdit bool
	Panels  []panel
}

func (h *Handlers) figuresOf(c echo.Context, v visitor, path string) (view figuresView, err error) {
	ctx, days := c.Request().Context(), spanOf(c, h.DB.Now())
	company, err := h.Companies.ByID(ctx, *v.User.CompanyID)
	if err != nil {
		return view, err
	}
	status, err := h.Connections.Status(ctx, v.Actor)
	if err != nil {
		return view, err
	}
	view = figuresView{Company: company, Days: days.links(path), Span: days, Path: path, MayEdit: v.canEdit(company.ID)}
	view.Panels, err = h.panels(ctx, company.ID, status, view.MayEdit, days)
	return view, err
}

// Sentence says what happened in the span, from the first figure of each channel that has one.
func (v figuresView) Sentence() string {
	var parts []string
	for _, p := range v.Panels {
		if len(p.Measures) == 0 || p.Stale {
			continue
		}
		m := p.Measures[0]
		if m.Value == "" {
			continue
		}
		part := p.Pair.Name() + ": " + strings.ToLower(m.Name[:1]) + m.Name[1:] + " " + m.Value
		if m.Trend != "" {
			part += ", " + m.Change
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

func (h *Handlers) statistics(c echo.Context, v visitor) error {
	if v.User.CompanyID == nil {
		return h.withoutCompany(c, v, "Statystyki")
	}
	view, err := h.figuresOf(c, v, statisticsPath)
	if err != nil {
		return err
	}
	shown := page{name: "statistics", title: "Statystyki", taken: true}
	message, place := h.takeMessage(c, v)
	shown.message = message
	if i := slices.IndexFunc(view.Panels, func(p panel) bool { return p.ID == place }); i >= 0 {
		view.Panels[i].Message, shown.message = message, nil
		shown.title = message.Text + " – " + shown.title
	}
	shown.data = view
	return h.write(c, v, shown)
}

func (h *Handlers) panels(
	ctx context.Context, companyID int64, status map[string]connection.ServiceStatus, mayEdit bool, days span,
) ([]panel, error) {
	panels := make([]panel, len(channels))
	for i, ch := range channels {
		p := &panels[i]
		p.channel, p.Span = ch, days
		s := status[p.Pair.String()]
		p.Connected = s.Connected
		works := s.Connected && !s.Broken
		p.Ready = mayEdit && works && p.isChosen(s)
		if err := h.read(ctx, companyID, p); err != nil {
			return nil, err
		}
		if !s.NeedsReconnect && s.State.FailedAt.After(p.SyncedAt) {
			p.FailedAt, p.Failure = s.State.FailedAt, string(s.State.Reason)
		}
		p.Former = p.isFormer(s)
		p.Stale = p.Former || h.isStale(s, p.SyncedAt)
		p.Todo = todoOf(status, p)
	}
	return panels, nil
}

// isFormer reports whether the figures are of another account than the chosen one.
func (p *panel) isFormer(s connection.ServiceStatus) bool {
	chosen := s.Property
	if s.Chosen && p.Choice != nil && !p.Choice.Optional {
		chosen = string(s.AccountID)
	}
	return chosen != "" && p.of != "" && p.of != chosen
}

// staleAfter is how old the newest figures may be: the scan reads them every day.
const staleAfter = 72 * time.Hour

func (h *Handlers) isStale(s connection.ServiceStatus, readAt time.Time) bool {
	if readAt.IsZero() {
		return false
	}
	return !s.Connected || s.Broken || h.DB.Now().Sub(readAt) > staleAfter
}

// Action is where the form that syncs goes.
func (p panel) Action() string { return statisticsPath + "/" + p.ID }

// HasRoom reports whether the figures fit beside the measures.
func (p panel) HasRoom() bool { return len(p.Measures) < 2 && len(p.Figures)+len(p.Totals) > 0 }

type dayTable struct {
	Names []string
	Rows  []dayRow // newest first
}

// dayRow has a value for each name, nil if there is none.
type dayRow struct {
	Day    time.Time
	Values []*float64
}

// Table returns the values of all measures by the day.
func (p panel) Table() (table dayTable) {
	newestFirst := func(row dayRow, day time.Time) int { return day.Compare(row.Day) }
	for i, m := range p.Measures {
		table.Names = append(table.Names, m.Name)
		for _, point := range m.points() {
			at, found := slices.BinarySearchFunc(table.Rows, point.At, newestFirst)
			if !found {
				row := dayRow{point.At, make([]*float64, len(p.Measures))}
				table.Rows = slices.Insert(table.Rows, at, row)
			}
			table.Rows[at].Values[i] = &point.Value
		}
	}
	return table
}

func (h *Handlers) statisticsTable(c echo.Context, v visitor) error {
	id, isTable := strings.CutSuffix(c.Param("kanal"), ".csv")
	if !isTable || v.User.CompanyID == nil {
		return echo.ErrNotFound
	}
	view, err := h.figuresOf(c, v, statisticsPath)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(view.Panels, func(p panel) bool { return p.ID == id })
	if i < 0 {
		return echo.ErrNotFound
	}
	table := view.Panels[i].Table()
	lines := [][]string{append([]string{"Dzień"}, table.Names...)}
	for _, row := range table.Rows {
		line := []string{row.Day.Format(time.DateOnly)}
		for _, value := range row.Values {
			text := ""
			if value != nil {
				text = strconv.FormatFloat(math.Round(10**value)/10, 'f', -1, 64)
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	header.Set(echo.HeaderContentDisposition, `attachment; filename="`+view.Company.Slug+"-"+id+`.csv"`)
	c.Response().WriteHeader(http.StatusOK)
	return csv.NewWriter(c.Response()).WriteAll(lines)
}

func (h *Handlers) syncChannel(c echo.Context, _ visitor, companyID int64) error {
	i := slices.IndexFunc(channels, func(ch channel) bool { return ch.ID == c.Param("kanal") })
	if i < 0 {
		return echo.ErrNotFound
	}
	outcome, err := h.sync(c.Request().Context(), companyID, channels[i].Pair)
	return h.finishAt(c, statisticsPath+spanOf(c, h.DB.Now()).Query()+"#"+channels[i].ID, outcome, err)
}

func (h *Handlers) sync(ctx context.Context, companyID int64, p provider.Pair) (outcome string, err error) {
	state := social.MetricsComplete
	switch p {
	case provider.ProfilePair:
		_, err = h.Statistics.SyncPerformance(ctx, companyID)
	case provider.AnalyticsPair:
		_, err = h.Statistics.SyncSearch(ctx, companyID)
	case provider.PagesPair:
		var data social.PageData
		data, err = h.Social.SyncPage(ctx, companyID)
		state = data.State
	case provider.PhotosPair:
		var data social.PhotoData
		data, err = h.Social.SyncPhotos(ctx, companyID)
		state = data.State
	default:
		err = connection.CodeInvalidPair.Fault()
	}
	if state != social.MetricsComplete {
		return "synced_in_part", err
	}
	return string(p.Service) + "_synced", err
}

func (h *Handlers) withoutCompany(c echo.Context, v visitor, title string) error {
	return h.show(c, v, "no-company", title, struct {
		Title string
		Admin bool
	}{title, v.User.CanAccessAdminPanel()})
}

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
