package searchstats

import (
	"context"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
)

// SyncAnalytics handles POST /api/oauth/provider_search/sync-analytics.
func (s *Service) SyncAnalytics(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.Log, "Statystyki wyszukiwarki zostały odświeżone.",
		func(ctx context.Context, companyID int64) (any, error) {
			return s.Sync(ctx, companyID)
		})
}
