package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Observe makes s tell each statement, with its values, that it sends.
func (s *Store) Observe(seen func(statement string)) {
	session := &gorm.Session{Logger: observer{logger.Discard, seen}}
	s.read, s.write = s.read.Session(session), s.write.Session(session)
}

// WriteByReading sends a write over the connections that read.
func (s *Store) WriteByReading(ctx context.Context) error {
	return s.read.WithContext(ctx).Exec("DELETE FROM sessions").Error
}

type observer struct {
	logger.Interface
	seen func(string)
}

func (o observer) Trace(_ context.Context, _ time.Time, statement func() (string, int64), _ error) {
	text, _ := statement()
	o.seen(text)
}
