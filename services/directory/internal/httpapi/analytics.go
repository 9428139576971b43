package httpapi

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

// searchDataBody is a directory.SearchData.
type searchDataBody struct {
	Site        string            `json:"site"`
	From        string            `json:"from"`
	To          string            `json:"to"`
	Clicks      int               `json:"clicks"`
	Impressions int               `json:"impressions"`
	CTR         float64           `json:"ctr"`
	Position    float64           `json:"position"`
	Days        []searchDayBody   `json:"days"`
	Queries     []searchQueryBody `json:"queries"`
	SyncedAt    time.Time         `json:"synced_at"`
}

type searchDayBody struct {
	Day         string  `json:"day"`
	Clicks      int     `json:"clicks"`
	Impressions int     `json:"impressions"`
	Position    float64 `json:"position"`
}

type searchQueryBody struct {
	Query       string  `json:"query"`
	Clicks      int     `json:"clicks"`
	Impressions int     `json:"impressions"`
	CTR         float64 `json:"ctr"`
	Position    float64 `json:"position"`
}

// SyncAnalytics answers POST /api/oauth/provider_search/sync-analytics.
func (a *API) SyncAnalytics(c echo.Context, actor directory.Actor) error {
	return a.sync(c, actor, "Statystyki wyszukiwarki zostały odświeżone.", func(ctx context.Context, companyID int64) (any, error) {
		data, err := a.Analytics.Sync(ctx, companyID)
		return describeSearchData(data), err
	})
}

func describeSearchData(data directory.SearchData) *searchDataBody {
	body := searchDataBody{
		Site: data.Site, From: data.From, To: data.To, Clicks: data.Clicks, Impressions: data.Impressions, CTR: data.CTR, Position: data.Position,
		Days: []searchDayBody{}, Queries: []searchQueryBody{}, SyncedAt: data.SyncedAt,
	}
	for _, day := range data.Days {
		body.Days = append(body.Days, searchDayBody(day))
	}
	for _, query := range data.Queries {
		body.Queries = append(body.Queries, searchQueryBody(query))
	}
	return &body
}
