package erasure_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

// TestPrune checks that rows older than the settings say are deleted, except the newest
// audit of each company, and that a kind without a setting stays.
func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	storetest.Each(t, func(t *testing.T, db storetest.Database) {
		s, ctx, now := db.Store, t.Context(), time.Now()
		audits := audit.New(audit.Options{DB: s.DB})
		a, b := storetest.AddCompany(t, s, "a"), storetest.AddCompany(t, s, "b")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, age := range []time.Duration{100 * day, 99 * day, 98 * day, day} {
			at := now.Add(-age)
			must(history.Save(ctx, s.DB, storetest.Reading(a.ID, at)))
			must(audits.Save(ctx, &audit.Audit{CompanyID: a.ID, Category: "poor", At: at}))
			must(s.Record(ctx, trail.Entry{CompanyID: a.ID, Action: "refresh", At: at}))
		}
		must(audits.Save(ctx, &audit.Audit{CompanyID: b.ID, Category: "poor", At: now.Add(-200 * day)}))
		left := func() [3]int {
			_, readings, err := history.Read[struct{}](ctx, s.DB, a.ID, provider.SocialPages)
			must(err)
			_, ofA, err := audits.History(ctx, a.Slug, 0, 9)
			must(err)
			lines, err := s.Trail(ctx, trail.Search{CompanyID: a.ID, Limit: 9})
			must(err)
			return [3]int{len(readings), len(ofA), len(lines)}
		}
		must(erasure.Prune(ctx, s.DB, erasure.Retention{}, now))
		must(erasure.PruneReadings(ctx, s.DB, now.Add(-98*day-time.Hour), 1))
		if got, want := left(), [3]int{2, 4, 4}; got != want {
			t.Errorf("left %v, want %v after two batches", got, want)
		}
		must(erasure.Prune(ctx, s.DB, erasure.Retention{Readings: 50 * day, Trail: 50 * day}, now))
		if got, want := left(), [3]int{1, 4, 1}; got != want {
			t.Errorf("left %v, want %v", got, want)
		}
		must(erasure.Prune(ctx, s.DB, erasure.Retention{Audits: 50 * day}, now))
		if got, want := left(), [3]int{1, 1, 1}; got != want {
			t.Errorf("left %v, want %v", got, want)
		}
		if _, ofB, err := audits.History(ctx, b.Slug, 0, 9); err != nil || len(ofB) != 1 {
			t.Errorf("%d audits of the other company, %v", len(ofB), err)
		}
		err := erasure.Prune(ctx, s.DB, erasure.Retention{Trail: time.Hour}, now) // the database keeps young lines
		if got := left(); got[2] != 1 || err == nil {
			t.Errorf("left %v, %v", got, err)
		}
	})
}
