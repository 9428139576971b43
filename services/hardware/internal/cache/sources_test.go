package cache

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/redistest"
)

// TestSourceStores holds both stores to the same rules.
func TestSourceStores(t *testing.T) {
	for name, store := range map[string]fetch.SourceStore{
		"memory": &fetch.MemoryStore{}, "redis": NewSources(redistest.Client(t), slog.New(slog.DiscardHandler)),
	} {
		t.Run(name, func(t *testing.T) {
			until := time.Now().Add(time.Hour)
			for _, p := range []fetch.Pause{
				{Until: until, Code: "long"}, {Until: until.Add(-time.Minute), Code: "short"},
			} {
				store.SetPause(t.Context(), "source", p)
			}
			got := store.Pause(t.Context(), "source")
			want := fetch.Pause{Until: until, Code: "long"}
			if diff := cmp.Diff(want, got, cmpopts.EquateApproxTime(time.Second)); diff != "" {
				t.Errorf("pause (-want +got):\n%s", diff)
			}
			var counts []int
			for _, id := range []string{"a", "b", "b", "c"} {
				counts = append(counts, store.AddFailure(t.Context(), "source", id, time.Minute))
			}
			store.ClearFailures(t.Context(), "source")
			counts = append(counts, store.AddFailure(t.Context(), "source", "d", time.Minute))
			if diff := cmp.Diff([]int{1, 2, 2, 3, 1}, counts); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}
