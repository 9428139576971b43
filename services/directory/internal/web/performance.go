package web

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/performance"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/site"
)

// performance are the panel of the company's location, none as long as nothing is there to
// see or to sync.
func (h *Handlers) performance(ctx context.Context, companyID int64, ready bool) ([]panel, error) {
	now := h.Now()
	f, err := h.Performance.Figures(ctx, companyID, now.AddDate(0, -3, 0), now)
	if err != nil || !ready && f.Data == nil {
		return nil, err
	}
	shown := panel{
		ID: "profil", Pair: provider.ProfilePair, Title: "Statystyki Profilu Firmy w Google", Action: integrationsPath + "/statystyki/profil",
		Ready: ready, FailedAt: f.Failure(),
	}
	if f.Data != nil {
		shown.showPerformance(f)
	}
	return []panel{shown}, nil
}

func (p *panel) showPerformance(f performance.Figures) {
	p.SyncedAt = f.Data.SyncedAt
	if p.Period = "Google nie podał jeszcze żadnych danych."; f.Data.To != "" {
		p.Period = "Liczby obejmują dni od " + f.Data.From + " do " + f.Data.To + ". Google podaje je z kilkudniowym opóźnieniem."
	}
	series := func(value func(google.PerformanceDay) int) []chartPoint {
		return withBreaks(pointsOf(f.Series(value)), dayGap, noDays)
	}
	impressions := series(google.PerformanceDay.Impressions)
	p.Main = []mainFigure{
		daily(p.ID+"-wyswietlenia", figure{"Wyświetlenia", site.Count(f.Data.Impressions)}, impressions),
		daily(p.ID+"-telefony", figure{"Kliknięcia w numer telefonu", site.Count(f.Data.Calls)}, series(func(d google.PerformanceDay) int { return d.Calls })),
		daily(p.ID+"-trasy", figure{"Prośby o trasę", site.Count(f.Data.Directions)}, series(func(d google.PerformanceDay) int { return d.Directions })),
		daily(p.ID+"-strona", figure{"Kliknięcia w adres strony", site.Count(f.Data.Website)}, series(func(d google.PerformanceDay) int { return d.Website })),
	}
	p.Figures = []figure{{"Kliknięcia w wysłanie wiadomości", site.Count(f.Data.Messages)}, {"Rezerwacje", site.Count(f.Data.Bookings)}}
	if len(impressions) > 1 {
		p.Charts = append(p.Charts, chartOf(p.ID+"-wyswietlenia", "Wyświetlenia dziennie", impressions))
	}
	if month, err := time.Parse("2006-01", f.Data.Month); err == nil {
		p.Month = month.Format("01.2006")
	}
	for _, k := range f.Data.Keywords {
		count := site.Count(k.Impressions)
		if k.Fewer {
			count = "mniej niż " + count
		}
		p.Keywords = append(p.Keywords, figure{k.Keyword, count})
	}
}

// syncPerformance answers POST /konto/integracje/statystyki/profil.
func (h *Handlers) syncPerformance(c echo.Context, _ visitor, companyID int64) error {
	_, err := h.Performance.Sync(c.Request().Context(), companyID)
	return h.synced(c, "performance_synced", social.MetricsComplete, err)
}
