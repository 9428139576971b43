package web

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/site"
)

// panel shows the statistics of one channel, which is a service of a provider.
type panel struct {
	ID          string // in addresses
	Pair        provider.Pair
	Connected   bool
	Ready       bool // the visitor may sync
	Span        span // the days that are shown
	Account     string
	Link        string // of the account; empty: none
	SyncedAt    time.Time
	FailedAt    time.Time // of a later sync; zero: none failed
	Failure     string    // why it failed, in Polish
	Former      bool      // the figures are of the page or location chosen before
	Stale       bool      // nothing new has come for long
	Todo        *todo     // nil: the channel works
	Message     *site.Message
	Measures    []measure // of the days
	Period      string    // of the measures; empty: as of the sync
	Figures     []figure  // those that the provider has for its own period only
	FiguresOf   string    // this period
	Totals      []figure  // of the account since it exists, as of the sync
	Posts       []meta.Medium
	Queries     []searchQuery
	Keywords    []searchQuery // with impressions alone
	Month       string        // of the keywords, e.g. "października 2026"
	Unavailable []string      // what the provider no longer supports
	Unread      string        // why some figures could not be read
	KeptFrom    time.Time     // when the oldest of those were read; zero: there are none

	of string // the account at the provider
}

// figure is a number with its name.
type figure struct {
	Name  string
	Value string
}

// labels are the names of the provider's metrics.
var labels = map[string]string{
	"page_media_view":              "Wyświetlenia treści",
	"page_total_media_view_unique": "Odbiorcy treści",
	"page_post_engagements":        "Reakcje na wpisy",
	"page_views_total":             "Odsłony strony",
	"page_daily_follows_unique":    "Nowi obserwujący",
	"page_daily_unfollows_unique":  "Rezygnacje z obserwowania",
	"views":                        "Wyświetlenia",
	"accounts_engaged":             "Zaangażowane konta",
	"total_interactions":           "Interakcje",
	"likes":                        "Polubienia",
	"comments":                     "Komentarze",
	"shares":                       "Udostępnienia",
	"saves":                        "Zapisy",
	"replies":                      "Odpowiedzi",
	"reposts":                      "Ponowne udostępnienia",
	"profile_links_taps":           "Kliknięcia w linki profilu",
	"profile_views":                "Wejścia na profil",
	"website_clicks":               "Kliknięcia w adres strony",
	"reach":                        "Zasięg",
	"follower_count":               "Nowi obserwujący",
}

// channels are the services with figures, in the order of the page. Their ids are anchors.
var channels = []provider.Pair{provider.ProfilePair, provider.AnalyticsPair, provider.PagesPair, provider.PhotosPair}

// figuresView is what a page shows of all channels.
type figuresView struct {
	Company company.Company
	Days    []site.Link // to other spans
	Span    span
	Path    string
	MayEdit bool
	Panels  []panel
}

// figuresOf reads the figures of the visitor's company, for a page with links to other days.
func (h *Handlers) figuresOf(c echo.Context, v visitor, path string) (view figuresView, err error) {
	ctx, days := c.Request().Context(), spanOf(c, h.Now())
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
		if len(p.Measures) > 0 && p.Measures[0].Value != "" && !p.Stale {
			m := p.Measures[0]
			part := p.Pair.Name() + ": " + strings.ToLower(m.Name[:1]) + m.Name[1:] + " " + m.Value
			if m.Change != "" && m.Trend != "" {
				part += ", " + m.Change
			}
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// statistics shows GET /konto/statystyki?okres=. The result of a form is shown at its channel.
func (h *Handlers) statistics(c echo.Context, v visitor) error {
	if v.User.CompanyID == nil {
		return h.withoutCompany(c, v, "Statystyki")
	}
	view, err := h.figuresOf(c, v, statisticsPath)
	if err != nil {
		return err
	}
	outcome := h.takeOutcome(c)
	shown := page{name: "statistics", title: "Statystyki", visitor: v, taken: true}
	if n, place, ok := noticeOf(outcome); ok {
		shown.message = messageOf(n, v)
		if i := slices.IndexFunc(view.Panels, func(p panel) bool { return p.ID == place }); i >= 0 {
			view.Panels[i].Message, shown.message = shown.message, nil
			shown.title = n.Text + " – " + shown.title
		}
	}
	shown.data = view
	return h.show(c, http.StatusOK, shown)
}

// panels are the channels of a company with the figures of so many days.
func (h *Handlers) panels(
	ctx context.Context, companyID int64, status map[string]connection.ServiceStatus, mayEdit bool, days span,
) ([]panel, error) {
	panels := make([]panel, len(channels))
	for i, pair := range channels {
		p := &panels[i]
		s := status[pair.String()]
		_, chosen := choices[pair]
		p.ID = anchors[pair]
		p.Pair = pair
		p.Span = days
		p.Connected = s.Connected
		p.Ready = mayEdit && s.Connected && !s.Broken && (s.Chosen || !chosen || pair == provider.PhotosPair)
		if err := h.read(ctx, companyID, p); err != nil {
			return nil, err
		}
		if !s.NeedsReconnect && s.State.FailedAt.After(p.SyncedAt) {
			p.FailedAt, p.Failure = s.State.FailedAt, s.State.Reason
		}
		p.Former = isFormer(s, chosen && s.Chosen, p.of)
		p.Stale = p.Former || h.stale(s, p.SyncedAt)
		p.Todo = todoOf(status, p)
	}
	return panels, nil
}

// isFormer reports whether figures are of another page, location or property than the chosen
// one.
func isFormer(s connection.ServiceStatus, chosen bool, of string) bool {
	want := s.Property
	if chosen {
		want = s.AccountID
	}
	return want != "" && of != "" && of != want
}

// read fills a panel with what was read last.
func (h *Handlers) read(ctx context.Context, companyID int64, p *panel) error {
	first, last := p.Span.read(h.Now())
	switch p.Pair {
	case provider.ProfilePair:
		figures, err := h.Statistics.Figures(ctx, companyID, first, last)
		if noted(p, figures.Reading) {
			p.showPerformance(figures)
		}
		return err
	case provider.PagesPair:
		page, followers, err := h.Social.PageStatistics(ctx, companyID)
		if err != nil || !noted(p, page) {
			return err
		}
		days, err := h.Statistics.Days(ctx, companyID, provider.SocialPages, page.AccountID, first, last)
		p.showPage(page.Data, followers, days)
		return err
	case provider.PhotosPair:
		photos, followers, err := h.Social.PhotoStatistics(ctx, companyID)
		if err != nil || !noted(p, photos) {
			return err
		}
		days, err := h.Statistics.Days(ctx, companyID, provider.SocialPhotos, photos.AccountID, first, last)
		p.showPhotos(photos.Data, followers, days)
		return err
	}
	search, _, err := h.Statistics.Search(ctx, companyID)
	if noted(p, search) {
		p.showSearch(search.Data)
	}
	return err
}

// noted fills a panel with the account of the figures, and reports whether there are any.
func noted[T any](p *panel, r statistics.Reading[T]) bool {
	p.of = r.AccountID
	return r.Data != nil
}

// pageParts are the figures of a page by day, besides its views.
var pageParts = []struct {
	metric string
	value  func(id, name string, points []chartPoint, days span) measure
}{
	{"page_total_media_view_unique", mean}, // the same people on many days
	{"page_views_total", total},
	{"page_post_engagements", total},
	{"page_daily_follows_unique", total},
	{"page_daily_unfollows_unique", total},
}

func (p *panel) showPage(data *social.PageData, followers []statistics.Point, days map[string][]statistics.Point) {
	p.Account = data.Name
	p.Link = data.Link
	p.SyncedAt = data.SyncedAt
	p.showFollowers(followers)
	views := byDay(days["page_media_view"])
	p.showDays(total(p.ID+"-wyswietlenia", labels["page_media_view"], views, p.Span))
	p.FiguresOf = p.Period
	for _, part := range pageParts {
		m := part.value("", labels[part.metric], byDay(days[part.metric]), p.Span)
		if m.Value != "" {
			p.Figures = append(p.Figures, figure{strings.TrimSuffix(m.Name+", "+m.Unit, ", "), m.Value})
		}
	}
	p.Totals = []figure{{"Polubienia strony", site.Count(data.FanCount)}}
	p.showReading(data.Unavailable, data.MetricsReading)
}

// showDays adds a measure by day, if there is any day.
func (p *panel) showDays(m measure) {
	if m.Value == "" {
		return
	}
	p.Measures = append(p.Measures, m)
	p.showPeriod(m)
}

// newestPosts is how many posts of an account are shown.
const newestPosts = 5

func (p *panel) showPhotos(data *social.PhotoData, followers []statistics.Point,
	days map[string][]statistics.Point) {
	p.Account, p.SyncedAt = "@"+data.Profile.Username, data.SyncedAt
	p.showFollowers(followers)
	p.showDays(mean(p.ID+"-zasieg", labels["reach"], byDay(days["reach"]), p.Span))
	p.FiguresOf = "Ostatnie 30 dni"
	p.showMetrics(data.Insights)
	p.Figures = append(p.Figures, figure{"Zaangażowanie", site.Number(data.Engagement.Rate, 2) + "%"})
	p.Totals = []figure{{"Publikacje", site.Count(data.Profile.MediaCount)}}
	p.Posts = data.Media[:min(len(data.Media), newestPosts)]
	p.showReading(data.Unavailable, data.MetricsReading)
}

// showReading says which metrics are missing, and why.
func (p *panel) showReading(unavailable []string, r social.MetricsReading) {
	for _, name := range unavailable {
		if label, ok := labels[name]; ok {
			name = label
		}
		p.Unavailable = append(p.Unavailable, name)
	}
	if r.Reason != nil {
		p.Unread = *r.Reason
	}
	for _, at := range r.KeptFrom {
		if p.KeptFrom.IsZero() || at.Before(p.KeptFrom) {
			p.KeptFrom = at
		}
	}
}

// showMetrics adds the metrics that have a label and one value.
func (p *panel) showMetrics(metrics map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if value, ok := metrics[name].(float64); ok && labels[name] != "" {
			p.Figures = append(p.Figures, figure{labels[name], site.Number(value, 0)})
		}
	}
}

func (p *panel) showFollowers(past []statistics.Point) {
	p.Measures = append(p.Measures, level(p.ID+"-obserwujacy", "Obserwujący", pointsOf(past), p.Span))
}

// Action is where the form that syncs goes.
func (p panel) Action() string { return statisticsPath + "/" + p.ID }

// HasRoom reports whether the figures fit beside the measures.
func (p panel) HasRoom() bool { return len(p.Measures) < 2 && len(p.Figures)+len(p.Totals) > 0 }

// dayTable is what the charts of a panel show, for reading.
type dayTable struct {
	Names []string
	Rows  []dayRow // newest first
}

type dayRow struct {
	Day    time.Time
	Values []string
}

// Table returns the values of all measures by the day.
func (p panel) Table() dayTable {
	var table dayTable
	for i, m := range p.Measures {
		table.Names = append(table.Names, m.Name)
		for _, point := range m.points() {
			newestFirst := func(row dayRow, day time.Time) int { return day.Compare(row.Day) }
			at, found := slices.BinarySearchFunc(table.Rows, point.At, newestFirst)
			if !found {
				missing := slices.Repeat([]string{"brak"}, len(p.Measures))
				table.Rows = slices.Insert(table.Rows, at, dayRow{Day: point.At, Values: missing})
			}
			table.Rows[at].Values[i] = site.Figure(point.Value)
		}
	}
	return table
}

// points are those of the chart, if there is one.
func (m measure) points() []chartPoint {
	if m.Chart == nil {
		return nil
	}
	return m.Chart.Points
}

// syncChannel answers POST /konto/statystyki/{kanal}.
func (h *Handlers) syncChannel(c echo.Context, _ visitor, companyID int64) error {
	i := slices.IndexFunc(channels, func(p provider.Pair) bool { return anchors[p] == c.Param("kanal") })
	if i < 0 {
		return echo.ErrNotFound
	}
	outcome, err := h.sync(c.Request().Context(), companyID, channels[i])
	return h.finishAt(c, statisticsPath+spanOf(c, h.Now()).Query()+"#"+anchors[channels[i]], outcome, err)
}

// sync reads the figures of a service and returns the outcome for the page.
func (h *Handlers) sync(ctx context.Context, companyID int64, p provider.Pair) (outcome string, err error) {
	state := social.MetricsComplete
	switch p {
	case provider.ProfilePair:
		outcome = "performance_synced"
		_, err = h.Statistics.SyncPerformance(ctx, companyID)
	case provider.AnalyticsPair:
		outcome = "analytics_synced"
		_, err = h.Statistics.SyncSearch(ctx, companyID)
	case provider.PagesPair:
		outcome = "page_synced"
		var data social.PageData
		data, err = h.Social.SyncPage(ctx, companyID)
		state = data.State
	case provider.PhotosPair:
		outcome = "photos_synced"
		var data social.PhotoData
		data, err = h.Social.SyncPhotos(ctx, companyID)
		state = data.State
	default:
		err = connection.CodeInvalidPair.Fault()
	}
	if state != social.MetricsComplete {
		outcome = "synced_in_part"
	}
	return outcome, err
}

// withoutCompany is a page for those who have none.
func (h *Handlers) withoutCompany(c echo.Context, v visitor, title string) error {
	return h.show(c, http.StatusOK, page{name: "no-company", title: title, visitor: v, data: struct {
		Title string
		Admin bool
	}{title, v.User.CanAccessAdminPanel()}})
}
