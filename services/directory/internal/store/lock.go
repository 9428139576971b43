package store

import (
	"context"
	"fmt"
)

// Exclusively runs fn unless another caller, here or in another replica, is
// running one under the same name; ran reports whether it did. A replica that
// loses its connection to PostgreSQL meanwhile loses its claim, too.
func (s *Store) Exclusively(ctx context.Context, name string, fn func(ctx context.Context) error) (ran bool, err error) {
	release, ok, err := s.engine.acquire(ctx, "exclusively "+name, false)
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	if !ok {
		return false, nil
	}
	defer release()
	return true, fn(ctx)
}
