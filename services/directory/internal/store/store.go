package store

import (
	"context"

	"backend.example/services/directory/internal/database"
)

// Store has the queries of the features. It is safe for concurrent use.
type Store struct{ *database.DB }

// Open opens the database of url.
func Open(ctx context.Context, url string, keys *database.Keyring, options ...database.Option) (*Store, error) {
	db, err := database.Open(ctx, url, keys, options...)
	if err != nil {
		return nil, err
	}
	return &Store{db}, nil
}
