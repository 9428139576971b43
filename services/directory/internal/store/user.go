package store

import (
	"context"

	"backend.example/services/directory/internal/account"
)

// Users returns the users in the database.
func (s *Store) Users() *account.Users { return account.NewUsers(s.DB) }

// UserByEmail is account.ByEmail.
func (s *Store) UserByEmail(ctx context.Context, email string) (account.User, error) {
	return s.Users().ByEmail(ctx, email)
}
