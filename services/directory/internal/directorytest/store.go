package directorytest

import (
	"context"
	"sync/atomic"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/fault"
)

// Store is a real store whose methods fail as a test says: Fail holds, by the name
// of a method, the error that it answers.
type Store struct {
	*store.Store
	Fail map[string]error

	During map[string]func() // runs before the method of that name, which forgets it
	Locks  atomic.Int64      // uses of LockConnection and RenewConnection
}

// Connection implements directory.ConnectionStore, as do the next.
func (s *Store) Connection(ctx context.Context, companyID int64, p directory.Pair) (directory.Connection, error) {
	if err := s.Fail["Connection"]; err != nil {
		return directory.Connection{}, err
	}
	return s.Store.Connection(ctx, companyID, p)
}

// Connections fails or lists a company's connections.
func (s *Store) Connections(ctx context.Context, companyID int64) ([]directory.Connection, error) {
	if err := s.Fail["Connections"]; err != nil {
		return nil, err
	}
	return s.Store.Connections(ctx, companyID)
}

// SaveConnection fails or saves.
func (s *Store) SaveConnection(ctx context.Context, c *directory.Connection, keep func(before directory.Connection, c *directory.Connection),
	e directory.Entry,
) error {
	if during := s.During["SaveConnection"]; during != nil {
		delete(s.During, "SaveConnection")
		during()
	}
	if err := s.Fail["SaveConnection"]; err != nil {
		return err
	}
	return s.Store.SaveConnection(ctx, c, keep, e)
}

// LockConnection counts its uses.
func (s *Store) LockConnection(ctx context.Context, companyID int64, p directory.Pair,
	change func(context.Context, *directory.Connection) (*directory.Entry, error),
) (directory.Connection, error) {
	s.Locks.Add(1)
	return s.Store.LockConnection(ctx, companyID, p, change)
}

// RenewConnection counts its uses.
func (s *Store) RenewConnection(ctx context.Context, companyID int64, p directory.Pair,
	change func(context.Context, *directory.Connection) (*directory.Entry, error),
) (directory.Connection, error) {
	s.Locks.Add(1)
	return s.Store.RenewConnection(ctx, companyID, p, change)
}

// GrantShared fails or answers.
func (s *Store) GrantShared(ctx context.Context, c directory.Connection) (bool, error) {
	if err := s.Fail["GrantShared"]; err != nil {
		return false, err
	}
	return s.Store.GrantShared(ctx, c)
}

// Record fails or records.
func (s *Store) Record(ctx context.Context, e directory.Entry) error {
	if err := s.Fail["Record"]; err != nil {
		return err
	}
	return s.Store.Record(ctx, e)
}

// Limits are those of a Store, which may fail.
type Limits struct {
	*limit.Limits
	store *Store
}

// Take fails or counts.
func (l Limits) Take(ctx context.Context, now time.Time, tooMany fault.Code, limits ...limit.Limit) error {
	if err := l.store.Fail["TakeLimits"]; err != nil {
		return err
	}
	return l.Limits.Take(ctx, now, tooMany, limits...)
}

// UserByEmail fails or finds a user.
func (s *Store) UserByEmail(ctx context.Context, email string) (directory.User, error) {
	if err := s.Fail["UserByEmail"]; err != nil {
		return directory.User{}, err
	}
	return s.Store.UserByEmail(ctx, email)
}

// Company fails or finds.
func (s *Store) Company(ctx context.Context, id int64) (directory.Company, error) {
	if err := s.Fail["Company"]; err != nil {
		return directory.Company{}, err
	}
	return s.Store.Company(ctx, id)
}
