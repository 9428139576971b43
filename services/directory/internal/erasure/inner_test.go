package erasure

import (
	"context"
	"log/slog"
	"os"
	"time"

	"backend.example/services/directory/internal/database"
)

// NewLogThat returns a log with another function to sync its files.
func NewLogThat(path string, sync func(*os.File) error) *Log {
	return &Log{path, slog.New(slog.DiscardHandler), sync}
}

// PruneReadings deletes the readings before a time in batches of that size.
func PruneReadings(ctx context.Context, db *database.DB, before time.Time, batch int) error {
	return prune(ctx, db, pruneReadings, before, batch)
}
