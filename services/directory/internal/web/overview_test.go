package web

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
)

// TestFollowersOfBothChannels checks that a sum is as old as the older of its channels, and
// stale if either is.
func TestFollowersOfBothChannels(t *testing.T) {
	t.Parallel()
	older := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	newer := older.Add(time.Minute)
	read := func(pair provider.Pair, at time.Time, stale bool) panel {
		of := measure{Value: "10", known: []chartPoint{{At: at, Value: 10}}}
		return panel{channel: channelOf(pair), SyncedAt: at, Stale: stale, Measures: []measure{of}}
	}
	for name, panels := range map[string][]panel{
		"the older is stale": {read(provider.PagesPair, newer, false), read(provider.PhotosPair, older, true)},
		"the newer is stale": {read(provider.PagesPair, newer, true), read(provider.PhotosPair, older, false)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			followers := headlines(panels, span{Days: 28})[3]
			if !followers.Stale {
				t.Error("not stale")
			}
			if !followers.AsOf.Equal(older) {
				t.Errorf("as of %s", followers.AsOf)
			}
		})
	}
}
