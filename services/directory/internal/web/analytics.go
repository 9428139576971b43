package web

import (
	"context"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/searchstats"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/site"
)

// searchQuery is a line of the table of queries.
type searchQuery struct{ Query, Clicks, Impressions, Position string }

// analytics are the panel of the company's website, none as long as nothing is there to
// see or to sync.
func (h *Handlers) analytics(ctx context.Context, companyID int64, ready bool) ([]panel, error) {
	latest, past, err := h.Analytics.Statistics(ctx, companyID)
	if err != nil || !ready && latest.Data == nil {
		return nil, err
	}
	shown := panel{
		ID: "wyszukiwarka", Pair: provider.AnalyticsPair, Title: provider.AnalyticsPair.Name(), Action: integrationsPath + "/statystyki/wyszukiwarka",
		Ready: ready, FailedAt: latest.Failure(),
	}
	if latest.Data != nil {
		shown.showSearch(latest.Data, past)
	}
	return []panel{shown}, nil
}

func (p *panel) showSearch(data *searchstats.Data, past []history.Point) {
	p.Account, p.SyncedAt = strings.TrimPrefix(data.Site, "sc-domain:"), data.SyncedAt
	p.Period = "Dane od " + data.From + " do " + data.To + "; nowszych dostawca jeszcze nie podał."
	var clicks, impressions []chartPoint
	for _, day := range data.Days {
		if at, err := time.Parse(time.DateOnly, day.Day); err == nil {
			clicks = append(clicks, chartPoint{At: at, Value: float64(day.Clicks)})
			impressions = append(impressions, chartPoint{At: at, Value: float64(day.Impressions)})
		}
	}
	clicks, impressions = withBreaks(clicks, dayGap, noDays), withBreaks(impressions, dayGap, noDays)
	p.Main = []mainFigure{
		daily(p.ID+"-klikniecia", figure{"Kliknięcia", site.Count(data.Clicks)}, clicks),
		daily(p.ID+"-wyswietlenia", figure{"Wyświetlenia", site.Count(data.Impressions)}, impressions),
	}
	p.Figures = []figure{
		{"Współczynnik kliknięć", site.Number(100*data.CTR, 1) + "\u00a0%"}, {"Średnia pozycja", site.Number(data.Position, 1)},
	}
	if len(clicks) > 1 {
		p.Charts = append(p.Charts, chartOf(p.ID+"-klikniecia", "Kliknięcia dziennie", clicks),
			chartOf(p.ID+"-wyswietlenia", "Wyświetlenia dziennie", impressions))
	}
	if points := pointsOf(past); len(points) > 1 {
		p.Charts = append(p.Charts, chartOf(p.ID+"-historia", "Kliknięcia w 28 dni, w kolejnych odczytach", points))
	}
	for _, q := range data.Queries {
		p.Queries = append(p.Queries, searchQuery{q.Query, site.Count(q.Clicks), site.Count(q.Impressions), site.Number(q.Position, 1)})
	}
}

// daily is a figure with its trend by the day.
func daily(id string, f figure, points []chartPoint) mainFigure {
	shown := mainFigure{figure: f}
	if _, change := weekly(points); change != "" {
		shown.Change = "średnio dziennie w tygodniu: " + change
	}
	if len(points) > 1 {
		spark := sparkOf(id, f.Name, points)
		shown.Spark = &spark
	}
	return shown
}

// syncAnalytics answers POST /konto/integracje/statystyki/wyszukiwarka.
func (h *Handlers) syncAnalytics(c echo.Context, _ visitor, companyID int64) error {
	_, err := h.Analytics.Sync(c.Request().Context(), companyID)
	return h.synced(c, "analytics_synced", social.MetricsComplete, err)
}
