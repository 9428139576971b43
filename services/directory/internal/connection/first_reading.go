package connection

import (
	"context"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
)

// queueReading inserts a job that reads c, which was before, at once if it has a new grant or
// a new choice. Where something has to be chosen first, the choice does that.
func (s *Store) queueReading(tx *gorm.DB, c, before Connection) error {
	if !c.Active || c.needsChoice() || c.readsLike(&before) {
		return nil
	}
	return jobs.New(s.DB).Insert(tx, jobs.Reading{ConnectionID: c.ID})
}

// needsChoice reports whether nothing can be read before a page or a location is chosen.
func (c *Connection) needsChoice() bool {
	chooses := c.Pair == provider.PagesPair || c.Pair == provider.ProfilePair
	return chooses && c.Chosen == ChosenNothing
}

// readsLike reports whether the same is read with the same grant through c and other.
func (c *Connection) readsLike(other *Connection) bool {
	return c.Active == other.Active && c.sameGrant(other) && c.sameChoice(other)
}

// ByID returns a connection, active or not, or the fault no_connection.
func (s *Store) ByID(ctx context.Context, id int64) (Connection, error) {
	return s.take(s.Read(ctx).Where("id = ?", id))
}

// StillReads reports whether the connection of c reads the same as c. It stays so until tx
// ends.
func (s *Store) StillReads(tx *gorm.DB, c Connection) (bool, error) {
	now, err := s.take(database.ForUpdate(tx.Where("id = ?", c.ID)))
	return c.readsLike(&now), err
}
