package store_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
)

// TestLimitsAfterTheClockWentBack: who had used up a limit is not shut out until the
// old time comes again; a replica whose clock is a little ahead is counted.
func TestLimitsAfterTheClockWentBack(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		limits := []directory.Limit{{Kind: "login", Subject: "a@example.test", Max: 1, Window: 15 * time.Minute}}
		for _, step := range []struct {
			at   time.Duration
			want bool
		}{{0, true}, {-time.Minute, false}, {-13 * time.Hour, true}, {-13*time.Hour + time.Minute, false}} {
			if state := must(db.Store.TakeLimits(t.Context(), limits, storetest.Time.Add(step.at)))(t); state.OK != step.want {
				t.Errorf("at %s: %+v", step.at, state)
			}
		}
	})
}
