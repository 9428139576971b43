package store

import (
	"context"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
)

// Store has the queries of the features. It is safe for concurrent use.
type Store struct {
	*database.DB

	// OnChange is called in the transaction in which a connection changes; it may be nil.
	OnChange func(tx *gorm.DB, c, before connection.Connection) error
}

// Open opens the database of url.
func Open(ctx context.Context, url string, keys *database.Keyring, options ...database.Option) (*Store, error) {
	db, err := database.Open(ctx, url, keys, options...)
	if err != nil {
		return nil, err
	}
	return &Store{DB: db}, nil
}
