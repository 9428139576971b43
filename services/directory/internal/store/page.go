package store

import (
	"context"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// SelectPage runs change on a connection and stores the result, a line of the audit
// trail and what also writes in one transaction; if one of them fails, nothing is
// written. change must be quick. OnChange is not called. The fault is no_connection;
// those of change pass. It returns the connection as stored.
func (s *Store) SelectPage(ctx context.Context, companyID int64, p provider.Pair, change func(*connection.Connection) error,
	e trail.Entry, also func(tx *gorm.DB) error,
) (c connection.Connection, err error) {
	err = s.lockPair(ctx, companyID, p, func(tx *gorm.DB) error {
		before, err := s.takeConnection(database.ForUpdate(ofPair(tx, companyID, p)))
		if err != nil {
			return err
		}
		c = clone(before)
		if err := change(&c); err != nil {
			return err
		}
		if err := s.update(tx, &c, before, &e); err != nil {
			return err
		}
		return also(tx)
	})
	if err != nil {
		return connection.Connection{}, failure("select page", err, nil)
	}
	return c, nil
}
