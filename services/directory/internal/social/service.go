package social

import (
	"log/slog"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/meta"
)

// Service lets companies choose their page and syncs it. It is safe for concurrent use.
type Service struct {
	store       *connection.Store
	connections *connection.Service
	client      *meta.Client
	strict      bool // choosing a page requires the right to edit the company, more than the contract
	now         func() time.Time
	log         *slog.Logger
}

// New returns a Service. It updates the publishing configuration when a connection's page
// changes. If strict is set, choosing pages requires the right to edit the company; the
// contract requires a login only.
func New(
	store *connection.Store, connections *connection.Service, client *meta.Client, strict bool,
	now func() time.Time, log *slog.Logger,
) *Service {
	s := &Service{store: store, connections: connections, client: client, strict: strict, now: now, log: log}
	store.OnChange = s.followPage
	return s
}

// ForScans returns a copy whose requests wait for those that a person waits for, with such a
// copy of the connections.
func (s *Service) ForScans(connections *connection.Service) *Service {
	c := *s
	c.connections, c.client = connections, s.client.ForScans()
	return &c
}
