package web

import (
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/site"
)

// searchQuery is a line of the table of queries.
type searchQuery struct{ Query, Clicks, Impressions, Position string }

func (p *panel) showSearch(data *statistics.Search) {
	p.Account, p.SyncedAt = strings.TrimPrefix(data.Site, "sc-domain:"), data.SyncedAt
	clicks, impressions := map[string]int{}, map[string]int{}
	from := data.From
	if to, err := time.Parse(time.DateOnly, data.To); err == nil && data.Earlier != nil {
		from = to.AddDate(0, 0, 1-2*slices.Max(dayChoices)).Format(time.DateOnly)
	}
	for _, day := range slices.Concat(data.Earlier, data.Days) {
		clicks[day.Day], impressions[day.Day] = day.Clicks, day.Impressions
	}
	p.Measures = []measure{
		total(p.ID+"-klikniecia", "Kliknięcia", everyDay(from, data.To, clicks), p.Span),
		total(p.ID+"-wyswietlenia", "Wyświetlenia", everyDay(from, data.To, impressions), p.Span),
	}
	p.showPeriod(p.Measures[0])
	p.FiguresOf = "Ostatnie 28 dni"
	p.Figures = []figure{
		{"Współczynnik kliknięć", site.Number(100*data.CTR, 1) + "%"},
		{"Średnia pozycja", site.Number(data.Position, 1)},
	}
	for _, q := range data.Queries {
		p.Queries = append(p.Queries, searchQuery{
			q.Query, site.Count(q.Clicks), site.Count(q.Impressions), site.Number(q.Position, 1),
		})
	}
}

// showPeriod says of which days a measure is.
func (p *panel) showPeriod(m measure) {
	if points := m.points(); len(points) > 0 {
		p.Period = period(points[0].At, points[len(points)-1].At)
	}
}

// actionParts are what people do with a profile.
var actionParts = []struct {
	name  string
	value func(google.PerformanceDay) int
}{
	{"Telefony", func(d google.PerformanceDay) int { return d.Calls }},
	{"Pytania o drogę", func(d google.PerformanceDay) int { return d.Directions }},
	{"Wejścia na stronę", func(d google.PerformanceDay) int { return d.Website }},
	{"Wiadomości", func(d google.PerformanceDay) int { return d.Messages }},
	{"Rezerwacje", func(d google.PerformanceDay) int { return d.Bookings }},
}

// performanceDelay is how many days the newest figures of a location are old at most.
const performanceDelay = 10

func (p *panel) showPerformance(f statistics.Figures) {
	p.SyncedAt = f.SyncedAt
	series := func(value func(google.PerformanceDay) int) []chartPoint { return pointsOf(f.Series(value)) }
	p.Measures = []measure{
		total(p.ID+"-wyswietlenia", "Wyświetlenia w wyszukiwarce i Mapach",
			series(google.PerformanceDay.Impressions), p.Span),
		total(p.ID+"-dzialania", "Działania klientów", series(google.PerformanceDay.Actions), p.Span),
	}
	p.showPeriod(p.Measures[0])
	p.FiguresOf = p.Period
	for _, part := range actionParts {
		p.Figures = append(p.Figures, figure{part.name, total("", "", series(part.value), p.Span).Value})
	}
	for _, k := range f.Data.Keywords {
		shown := searchQuery{Query: k.Keyword, Impressions: site.Count(k.Impressions)}
		if k.Fewer {
			shown.Impressions = "mniej niż " + shown.Impressions
		}
		p.Keywords = append(p.Keywords, shown)
	}
	if month, err := time.Parse("2006-01", f.Data.Month); err == nil {
		_, p.Month, _ = strings.Cut(site.Date(month), "\u00a0")
	}
}
