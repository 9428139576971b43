package directorytest

import (
	"context"
	"sync/atomic"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/trail"
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

// Connection implements connection.ConnectionStore, as do the next.
func (s *Store) Connection(ctx context.Context, companyID int64, p provider.Pair) (connection.Connection, error) {
	if err := s.Fail["Connection"]; err != nil {
		return connection.Connection{}, err
	}
	return s.Store.Connection(ctx, companyID, p)
}

// Connections fails or lists a company's connections.
func (s *Store) Connections(ctx context.Context, companyID int64) ([]connection.Connection, error) {
	if err := s.Fail["Connections"]; err != nil {
		return nil, err
	}
	return s.Store.Connections(ctx, companyID)
}

// SaveConnection fails or saves.
func (s *Store) SaveConnection(ctx context.Context, c *connection.Connection, keep func(before connection.Connection, c *connection.Connection),
	e trail.Entry,
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
func (s *Store) LockConnection(ctx context.Context, companyID int64, p provider.Pair,
	change func(context.Context, *connection.Connection) (*trail.Entry, error),
) (connection.Connection, error) {
	s.Locks.Add(1)
	return s.Store.LockConnection(ctx, companyID, p, change)
}

// RenewConnection counts its uses.
func (s *Store) RenewConnection(ctx context.Context, companyID int64, p provider.Pair,
	change func(context.Context, *connection.Connection) (*trail.Entry, error),
) (connection.Connection, error) {
	s.Locks.Add(1)
	return s.Store.RenewConnection(ctx, companyID, p, change)
}

// GrantShared fails or answers.
func (s *Store) GrantShared(ctx context.Context, c connection.Connection) (bool, error) {
	if err := s.Fail["GrantShared"]; err != nil {
		return false, err
	}
	return s.Store.GrantShared(ctx, c)
}

// Record fails or records.
func (s *Store) Record(ctx context.Context, e trail.Entry) error {
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
func (s *Store) UserByEmail(ctx context.Context, email string) (account.User, error) {
	if err := s.Fail["UserByEmail"]; err != nil {
		return account.User{}, err
	}
	return s.Store.UserByEmail(ctx, email)
}

// Company fails or finds.
func (s *Store) Company(ctx context.Context, id int64) (company.Company, error) {
	if err := s.Fail["Company"]; err != nil {
		return company.Company{}, err
	}
	return s.Store.Company(ctx, id)
}
