// Package statistics keeps the figures by day of what companies have connected. It reads those of
// locations and websites; package social reads those of pages and photos, see [Save].
package statistics

import (
	"log/slog"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/httpapi"
)

// Service syncs the figures of locations and websites. It is safe for concurrent use.
type Service struct {
	db          *database.DB
	companies   *company.Companies
	connections *connection.Service
	client      *google.Client
	log         *slog.Logger
}

// New returns a Service.
func New(
	db *database.DB, companies *company.Companies, connections *connection.Service, client *google.Client,
	log *slog.Logger,
) *Service {
	return &Service{db: db, companies: companies, connections: connections, client: client, log: log}
}

// ForScans returns a copy whose requests wait for those that a person waits for.
func (s *Service) ForScans(connections *connection.Service) *Service {
	c := *s
	c.connections, c.client = connections, s.client.ForScans()
	return &c
}

// PostAnalytics handles POST /api/oauth/provider_search/sync-analytics.
func (s *Service) PostAnalytics(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.log, "Statystyki wyszukiwarki zostały odświeżone.", s.SyncSearch)
}

// PostPerformance handles POST /api/oauth/provider_search/sync-performance.
func (s *Service) PostPerformance(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.log, "Statystyki profilu firmy zostały odświeżone.", s.SyncPerformance)
}
