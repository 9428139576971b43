package store_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/store/storetest"
)

// TestDeleteOldRows: of the old rows as many as are asked for go, oldest first; the
// newest audit of each company stays however old it is.
func TestDeleteOldRows(t *testing.T) {
	const day = 24 * time.Hour
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx, now := db.Store, t.Context(), time.Now()
		a, b := storetest.AddCompany(t, s, "a"), storetest.AddCompany(t, s, "b")
		for _, age := range []time.Duration{100 * day, 99 * day, 98 * day, day} {
			at := now.Add(-age)
			ok(t, history.Save(ctx, s.DB, storetest.Reading(a.ID, at)))
			ok(t, audits(s).Save(ctx, &audit.Audit{CompanyID: a.ID, Category: "poor", At: at}))
			ok(t, s.Record(ctx, directory.Entry{CompanyID: a.ID, Action: "refresh", At: at}))
		}
		ok(t, audits(s).Save(ctx, &audit.Audit{CompanyID: b.ID, Category: "poor", At: now.Add(-200 * day)}))
		for _, want := range []int64{2, 1, 0} {
			before := now.Add(-50 * day)
			requireEqual(t, "readings", want, must(s.DeleteReadingsBefore(ctx, before, 2))(t))
			requireEqual(t, "audits", want, must(s.DeleteAuditsBefore(ctx, before, 2))(t))
			requireEqual(t, "trail", want, must(s.DeleteTrailBefore(ctx, before, 2))(t))
		}
		newest, readings, err := history.Read[struct{}](ctx, s.DB, a.ID, directory.SocialPages)
		ok(t, err)
		trail := must(s.Trail(ctx, directory.TrailSearch{CompanyID: a.ID, Limit: 9}))(t)
		_, left, err := audits(s).History(ctx, a.Slug, 0, 9)
		ok(t, err)
		if len(readings) != 1 || newest.Data == nil || len(trail) != 1 || len(left) != 1 || left[0].At.Before(now.Add(-2*day)) {
			t.Errorf("left: %d readings, %d lines, audits %+v", len(readings), len(trail), left)
		}
		latestAudit(t, s, b.ID)
		if _, err := s.DeleteTrailBefore(ctx, now, 9); err == nil {
			t.Error("the database lets go of a young line")
		}
	})
}
