package directory_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

// oldRows counts down the old rows of each kind.
type oldRows struct {
	left  map[string]int64
	asked map[string]time.Time
	err   error
}

func (o *oldRows) remove(kind string, t time.Time, n int) (int64, error) {
	o.asked[kind] = t
	taken := min(o.left[kind], int64(n))
	o.left[kind] -= taken
	return taken, o.err
}

func (o *oldRows) DeleteReadingsBefore(_ context.Context, t time.Time, n int) (int64, error) {
	return o.remove("readings", t, n)
}

func (o *oldRows) DeleteAuditsBefore(_ context.Context, t time.Time, n int) (int64, error) {
	return o.remove("audits", t, n)
}

func (o *oldRows) DeleteTrailBefore(_ context.Context, t time.Time, n int) (int64, error) {
	return o.remove("trail", t, n)
}

func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	rows := &oldRows{left: map[string]int64{"readings": 2500, "audits": 7, "trail": 7}, asked: map[string]time.Time{}}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	retention := directory.Retention{Readings: 30 * day, Trail: 60 * day}
	directory.Prune(t.Context(), rows, retention, now, logger)
	if want := map[string]int64{"readings": 0, "audits": 7, "trail": 0}; !reflect.DeepEqual(rows.left, want) {
		t.Errorf("left %v, want %v", rows.left, want)
	}
	if want := map[string]time.Time{"readings": now.Add(-30 * day), "trail": now.Add(-60 * day)}; !reflect.DeepEqual(rows.asked, want) {
		t.Errorf("asked for %v, want %v", rows.asked, want)
	}
	rows.err = errors.New("away")
	directory.Prune(t.Context(), rows, retention, now, logger)
	if strings.Count(log.String(), "old rows not deleted") != 2 {
		t.Errorf("log: %s", &log)
	}
}
