package store_test

import (
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

func TestProfile(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddCompany(t, s, "a")
		wantFault(t, errorOf(s.Profile(ctx, c.ID)), fault.NotFound, "no_profile")
		first := directory.Profile{
			Source: directory.FromPlaces, Tells: []directory.Field{directory.FieldName}, PlaceID: "p", Name: "Łąka \x00 🦔",
			Hours: []string{"pn 8–16"}, PhotoCount: 3, AverageRating: 4.3, LogoPresent: true, FetchedAt: databasetest.Time,
		}
		second := directory.Profile{Source: directory.FromBusinessProfile, FetchedAt: databasetest.Time.Add(time.Hour)}
		for _, p := range []directory.Profile{first, second} {
			ok(t, s.SaveProfile(ctx, c.ID, p))
			p.FetchedAt = storetest.Kept(p.FetchedAt)
			requireEqual(t, "read", p, must(s.Profile(ctx, c.ID))(t))
		}
	})
}

func TestAudit(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		u := storetest.AddUser(t, s, "a")
		wantFault(t, errorOf(s.LatestAudit(ctx, *u.CompanyID)), fault.NotFound, "no_audit")
		full := directory.Audit{
			CompanyID: *u.CompanyID, At: databasetest.Time, Score: 72.123456789012345, Category: "good",
			Fields: map[directory.Field]directory.FieldStatus{
				directory.FieldName:  {Status: "complete", Value: new("Łąka"), Score: 10, MaxScore: 10},
				directory.FieldHours: {Status: "partial", Score: 3.5, MaxScore: 10, Recommendation: "Uzupełnij godziny."},
				directory.FieldPhone: {Status: "missing", MaxScore: 8},
			},
			Recommendations: []directory.Recommendation{{Field: directory.FieldPhone, Priority: "high", Points: 8, Text: "Dodaj telefon."}},
			PhotoCount:      4, ReviewCount: 9, AverageRating: new(4.7), PlaceID: "p", Source: directory.FromPlaces, Version: "1.0",
			LogoPresent: true, CoverPresent: true, TriggeredBy: &u.ID,
		}
		bare := directory.Audit{CompanyID: *u.CompanyID, At: databasetest.Time.Add(-time.Hour), Category: "poor", Source: directory.FromCompanyRecord, Version: "1.0"}
		ok(t, s.SaveAudit(ctx, &full))
		ok(t, s.SaveAudit(ctx, &bare))
		if full.ID == 0 || bare.ID <= full.ID || !full.At.Equal(storetest.Kept(databasetest.Time)) {
			t.Errorf("ids %d, %d, at %v", full.ID, bare.ID, full.At)
		}
		bare.Fields, bare.Recommendations = map[directory.Field]directory.FieldStatus{}, []directory.Recommendation{}
		requireEqual(t, "latest", bare, must(s.LatestAudit(ctx, *u.CompanyID))(t))
		requireEqual(t, "history", []directory.Audit{bare, full}, must(s.AuditHistory(ctx, *u.CompanyID, 0, 5))(t))
		requireEqual(t, "history of one", []directory.Audit{bare}, must(s.AuditHistory(ctx, *u.CompanyID, 0, 1))(t))
		var name, hours, phone, website bool
		row := db.Raw(t).QueryRowContext(ctx, "SELECT has_name, has_hours, has_phone, has_website FROM profile_audits ORDER BY id LIMIT 1")
		ok(t, row.Scan(&name, &hours, &phone, &website))
		if !name || !hours || phone || website {
			t.Errorf("has_name %v, has_hours %v, has_phone %v, has_website %v", name, hours, phone, website)
		}
	})
}

// TestAuditHistory pages through the audits of one company.
func TestAuditHistory(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		mine, other := storetest.AddCompany(t, s, "a"), storetest.AddCompany(t, s, "b")
		for _, c := range []directory.Company{mine, other, mine, mine} {
			ok(t, s.SaveAudit(ctx, &directory.Audit{CompanyID: c.ID, Category: "poor"}))
		}
		for _, test := range []struct {
			before int64
			n      int
			want   []int64
		}{
			{0, 5, []int64{4, 3, 1}}, {0, 1, []int64{4}}, {0, 0, nil}, {4, 5, []int64{3, 1}}, {3, 5, []int64{1}}, {1, 5, nil},
		} {
			if ids := idsOf(must(s.AuditHistory(ctx, mine.ID, test.before, test.n))(t)); !slices.Equal(ids, test.want) {
				t.Errorf("%d before %d: %v, want %v", test.n, test.before, ids, test.want)
			}
		}
	})
}

func idsOf(audits []directory.Audit) (ids []int64) {
	for _, a := range audits {
		ids = append(ids, a.ID)
	}
	return ids
}
