package directorytest

import (
	"context"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/storetest"
)

// Store is a real store. Fail holds, by the name of a query that a feature gets as a
// function, the error that the query returns.
type Store struct {
	*storetest.Store
	Fail map[string]error
}

// UserByEmail fails or finds a user.
func (s *Store) UserByEmail(ctx context.Context, email string) (account.User, error) {
	if err := s.Fail["UserByEmail"]; err != nil {
		return account.User{}, err
	}
	return s.Store.UserByEmail(ctx, email)
}

// Company fails or finds a company.
func (s *Store) Company(ctx context.Context, id int64) (company.Company, error) {
	if err := s.Fail["Company"]; err != nil {
		return company.Company{}, err
	}
	return s.Store.Company(ctx, id)
}
