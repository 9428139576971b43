package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"backend.example/services/directory/internal/directory"
)

// Observe makes s tell each statement, with its values, that it sends.
func (s *Store) Observe(seen func(statement string)) {
	session := &gorm.Session{Logger: observer{logger.Discard, seen}}
	s.read, s.write = s.read.Session(session), s.write.Session(session)
}

// SetPostgresConns makes the pool smaller.
func (s *Store) SetPostgresConns(n int) { s.engine.(*postgresEngine).pool.SetMaxOpenConns(n) }

// WriteByReading sends a write over the connections that read.
func (s *Store) WriteByReading(ctx context.Context) error {
	return s.read.WithContext(ctx).Exec("DELETE FROM sessions").Error
}

// PostgresLimits tells how many connections there may be, how many of them changes
// may hold, and how long the server waits for one that is idle in a transaction.
func (s *Store) PostgresLimits(ctx context.Context) (conns, changes int, idle string, err error) {
	p := s.engine.(*postgresEngine)
	err = s.read.WithContext(ctx).Raw("SHOW idle_in_transaction_session_timeout").Row().Scan(&idle)
	return p.pool.Stats().MaxOpenConnections, cap(p.changes[directory.ProviderSocial]), idle, err
}

// DiscardStatements makes the server forget what it has prepared.
func (s *Store) DiscardStatements(ctx context.Context) error {
	return s.write.WithContext(ctx).Exec("DEALLOCATE ALL").Error
}

type observer struct {
	logger.Interface
	seen func(string)
}

func (o observer) Trace(_ context.Context, _ time.Time, statement func() (string, int64), _ error) {
	text, _ := statement()
	o.seen(text)
}

// MoveInBatches is Move with batches of so many rows.
func MoveInBatches(ctx context.Context, from, to *Store, batch int, progress func(MoveProgress)) error {
	return moveInBatches(ctx, from, to, batch, progress)
}

// ExportSection is the section that a table is in.
func ExportSection(table string) string {
	for _, e := range exportSections {
		if e.table == table {
			return e.section
		}
	}
	return ""
}

// HurryUp makes an SQLite file's writer wait for others no longer than a moment.
func (s *Store) HurryUp(ctx context.Context) error {
	return s.write.WithContext(ctx).Exec("PRAGMA busy_timeout = 10").Error
}
