package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/site"
)

// panel is what pages show of one channel.
type panel struct {
	channel
	Connected   bool
	Ready       bool // the visitor may sync
	Span        span
	Account     string
	Link        string // of the account; may be empty
	SyncedAt    time.Time
	FailedAt    time.Time // when a sync after SyncedAt failed; zero if none did
	Failure     string    // why it failed, in Polish
	Former      bool      // the figures are of the page or location chosen before
	Stale       bool      // nothing new has come for long
	Todo        *todo     // nil if the channel works
	Message     *site.Message
	Measures    []measure // of the days
	Period      string    // of the measures; empty if they are as of the sync
	Figures     []figure  // without a chart
	FiguresOf   string    // the period of the figures, in Polish
	Totals      []figure  // of the account since it exists, as of the sync
	Posts       []meta.Medium
	Queries     []google.SearchQuery
	Keywords    []google.Keyword
	Month       string    // of the keywords, e.g. "października 2026"
	Unavailable []string  // what the provider no longer supports
	Unread      string    // why some figures could not be read
	KeptFrom    time.Time // when the oldest of those were read; zero if there are none

	of string // id of the account whose figures these are
}

type figure struct{ Name, Value string }

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

func (h *Handlers) read(ctx context.Context, companyID int64, p *panel) error {
	first, last := p.Span.read(h.DB.Now())
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
	search, err := h.Statistics.Search(ctx, companyID)
	if noted(p, search) {
		p.showSearch(search.Data)
	}
	return err
}

// noted notes when and of which account r was read, and reports whether it has figures.
func noted[T any](p *panel, r statistics.Reading[T]) bool {
	p.of, p.SyncedAt = r.AccountID, r.SyncedAt
	return r.Data != nil
}

func (p *panel) add(m measure) {
	p.Measures = append(p.Measures, m)
	if points := m.points(); len(points) > 0 {
		p.Period = period(points[0].At, points[len(points)-1].At)
	}
}

// performanceDelay is how many days the newest figures of a location are old at most.
const performanceDelay = 10

func (p *panel) showPerformance(f statistics.Figures) {
	total := func(id, name string, value func(google.PerformanceDay) int) measure {
		return total(p.ID+id, name, pointsOf(f.Series(value)), p.Span)
	}
	p.add(total("-wyswietlenia", "Wyświetlenia w wyszukiwarce i Mapach", google.PerformanceDay.Impressions))
	p.add(total("-dzialania", "Działania klientów", google.PerformanceDay.Actions))
	p.FiguresOf = p.Period
	p.addFigure(total("", "Telefony", func(d google.PerformanceDay) int { return d.Calls }))
	p.addFigure(total("", "Pytania o drogę", func(d google.PerformanceDay) int { return d.Directions }))
	p.addFigure(total("", "Wejścia na stronę", func(d google.PerformanceDay) int { return d.Website }))
	p.addFigure(total("", "Wiadomości", func(d google.PerformanceDay) int { return d.Messages }))
	p.addFigure(total("", "Rezerwacje", func(d google.PerformanceDay) int { return d.Bookings }))
	p.Keywords = f.Data.Keywords
	month, err := time.Parse("2006-01", f.Data.Month)
	if err != nil {
		return
	}
	_, p.Month, _ = strings.Cut(site.Date(month), "\u00a0")
}

func (p *panel) showSearch(data *statistics.Search) {
	p.Account = strings.TrimPrefix(data.Site, "sc-domain:")
	clicks, impressions := map[string]int{}, map[string]int{}
	for _, day := range slices.Concat(data.Earlier, data.Days) {
		clicks[day.Day], impressions[day.Day] = day.Clicks, day.Impressions
	}
	from := data.From
	if data.Earlier != nil {
		to, _ := time.Parse(time.DateOnly, data.To)
		from = to.AddDate(0, 0, 1-2*slices.Max(dayChoices)).Format(time.DateOnly)
	}
	p.add(total(p.ID+"-klikniecia", "Kliknięcia", everyDay(from, data.To, clicks), p.Span))
	p.add(total(p.ID+"-wyswietlenia", "Wyświetlenia", everyDay(from, data.To, impressions), p.Span))
	p.FiguresOf = "Ostatnie 28 dni"
	p.Figures = []figure{
		{"Współczynnik kliknięć", site.Number(100*data.CTR, 1) + "%"},
		{"Średnia pozycja", site.Number(data.Position, 1)},
	}
	p.Queries = data.Queries
}

func (p *panel) showPage(data *social.PageData, followers []statistics.Point, days map[string][]statistics.Point) {
	p.Account, p.Link = data.Name, data.Link
	p.addFollowers(followers)
	p.addDays(total(p.ID+"-wyswietlenia", labels["page_media_view"], byDay(days["page_media_view"]), p.Span))
	p.FiguresOf = p.Period
	const people = "page_total_media_view_unique" // not added up, because the same people come on many days
	p.addFigure(mean("", labels[people]+", średnio dziennie", byDay(days[people]), p.Span))
	for _, metric := range []string{
		"page_views_total", "page_post_engagements", "page_daily_follows_unique", "page_daily_unfollows_unique",
	} {
		p.addFigure(total("", labels[metric], byDay(days[metric]), p.Span))
	}
	p.Totals = []figure{{"Polubienia strony", site.Count(data.FanCount)}}
	p.showReading(data.Unavailable, data.MetricsReading)
}

const postsShown = 5

func (p *panel) showPhotos(data *social.PhotoData, followers []statistics.Point, days map[string][]statistics.Point) {
	p.Account = "@" + data.Profile.Username
	p.addFollowers(followers)
	p.addDays(mean(p.ID+"-zasieg", labels["reach"], byDay(days["reach"]), p.Span))
	p.FiguresOf = "Ostatnie 30 dni"
	for _, name := range slices.Sorted(maps.Keys(data.Insights)) {
		if value, ok := data.Insights[name].(float64); ok && labels[name] != "" {
			p.Figures = append(p.Figures, figure{labels[name], site.Number(value, 0)})
		}
	}
	p.Figures = append(p.Figures, figure{"Zaangażowanie", site.Number(data.Engagement.Rate, 2) + "%"})
	p.Totals = []figure{{"Publikacje", site.Count(data.Profile.MediaCount)}}
	p.Posts = data.Media[:min(len(data.Media), postsShown)]
	p.showReading(data.Unavailable, data.MetricsReading)
}

func (p *panel) addFollowers(past []statistics.Point) {
	p.Measures = append(p.Measures, level(p.ID+"-obserwujacy", "Obserwujący", pointsOf(past), p.Span))
}

func (p *panel) addDays(m measure) {
	if m.Value != "" {
		p.add(m)
	}
}

func (p *panel) addFigure(m measure) {
	if m.Value != "" {
		p.Figures = append(p.Figures, figure{m.Name, m.Value})
	}
}

func (p *panel) showReading(unavailable []string, r social.MetricsReading) {
	for _, name := range unavailable {
		p.Unavailable = append(p.Unavailable, cmp.Or(labels[name], name))
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
