package erasure

import (
	"log/slog"
	"os"
)

// NewLogThat returns a log with another function to sync its files.
func NewLogThat(path string, sync func(*os.File) error) *Log {
	return &Log{path, slog.New(slog.DiscardHandler), sync}
}
