package performance

import (
	"context"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
)

// SyncPerformance handles POST /api/oauth/provider_search/sync-performance.
func (s *Service) SyncPerformance(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.Log, "Statystyki profilu firmy zostały odświeżone.",
		func(ctx context.Context, companyID int64) (any, error) {
			return s.Sync(ctx, companyID)
		})
}
