package audit_test

import (
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/internal/kit/fault"
)

func onEachDatabase(t *testing.T, test func(t *testing.T, db databasetest.Database, s *audit.Service)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, db, audit.New(audit.Options{DB: db.DB})) })
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantStored compares the result of a query with want.
func wantStored(t *testing.T, db databasetest.Database, query, want string) {
	t.Helper()
	var got string
	ok(t, db.Raw(t).QueryRowContext(t.Context(), query).Scan(&got))
	if got != want {
		t.Errorf("%s: %s\nwant %s", query, got, want)
	}
}

func TestProfileIsStored(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database, s *audit.Service) {
		id, at := db.AddCompany(t, "a"), database.Instant(databasetest.Time)
		if _, err := s.StoredProfile(t.Context(), id); !fault.Is(err, audit.CodeNoProfile) {
			t.Errorf("err = %v, want no_profile", err)
		}
		odd := audit.Profile{Source: audit.FromPlace, Business: google.Business{Name: "Łąka \x00 🦔"}, FetchedAt: databasetest.Time.Add(time.Hour)}
		full := audit.Profile{
			Source: audit.FromLocation, Reports: []audit.Field{audit.FieldName}, Location: "locations/1", LogoPresent: true, CoverPresent: true,
			Business: google.Business{
				PlaceID: "p", Name: "n", Address: "a", Phone: "1", Website: "s", Hours: []string{"h"}, Categories: []string{"c"},
				Description: "d", Services: []string{"u"}, PhotoCount: 1, ReviewCount: 2, AverageRating: 4.5,
				Signals: []google.Signal{google.SignalChanged}, SpecialDays: []time.Time{at},
			},
			FetchedAt: databasetest.Time,
		}
		for _, p := range []audit.Profile{odd, full} {
			ok(t, s.SaveProfile(t.Context(), id, &p))
			if stored, err := s.StoredProfile(t.Context(), id); err != nil || !reflect.DeepEqual(stored, p) {
				t.Errorf("stored %+v, %v, want %+v", stored, err, p)
			}
		}
	})
}

func TestAuditIsStored(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database, s *audit.Service) {
		ctx, u := t.Context(), directorytest.AddUser(t, directorytest.NewStore(db.DB), "a")
		ref := audit.CompanyRef{ID: u.CompanyID}
		full := audit.Audit{
			CompanyID: *u.CompanyID, At: databasetest.Time, Score: 72.123456789012345, Category: "good",
			Fields: map[audit.Field]audit.FieldStatus{
				audit.FieldName:  {Status: "complete", Value: new("Łąka"), Score: 10, MaxScore: 10},
				audit.FieldHours: {Status: "partial", Score: 3.5, MaxScore: 10, Recommendation: "Uzupełnij godziny."},
				audit.FieldPhone: {Status: "unknown", MaxScore: 8},
			},
			Recommendations: []audit.Recommendation{{Field: audit.FieldPhone, Priority: "high", Points: 8, Text: "Dodaj telefon."}},
			PhotoCount:      4, ReviewCount: 9, AverageRating: new(4.7), PlaceID: "p", Source: audit.FromPlace, Version: "1.0",
			LogoPresent: true, CoverPresent: true, TriggeredBy: &u.ID, Signals: []google.Signal{google.SignalSuspended, audit.SignalNoSpecialHours},
			Location: "locations/1", Subject: audit.Subject{Name: "Łąka"},
			Sources: []audit.Step{{Step: "places", Status: audit.StepSkipped, Message: "Nie zlecono pobierania danych."}},
		}
		ok(t, s.Save(ctx, &full))
		if full.ID == 0 || !full.At.Equal(database.Instant(databasetest.Time)) || full.Coverage != 71.4 {
			t.Errorf("saved %+v", full)
		}
		if _, stored, err := s.Latest(ctx, ref); err != nil || !reflect.DeepEqual(stored, full) {
			t.Errorf("stored %+v, %v, want %+v", stored, err, full)
		}
		wantStored(t, db, "SELECT recommendations FROM profile_audits", `[{"field":"phone","priority":"high","points":8,"text":"Dodaj telefon."}]`)
		wantStored(t, db, "SELECT signals FROM profile_audits", `["suspended","special_hours_missing"]`)
		wantStored(t, db, "SELECT fields_status FROM profile_audits", `{"hours":{"status":"partial","value":null,"score":3.5,"max_score":10,"recommendation":"Uzupełnij godziny."},`+
			`"name":{"status":"complete","value":"Łąka","score":10,"max_score":10,"recommendation":""},`+
			`"phone":{"status":"unknown","value":null,"score":0,"max_score":8,"recommendation":""}}`)
		wantStored(t, db, "SELECT count(*) FROM profile_audits WHERE has_name AND has_hours AND NOT has_phone AND NOT has_website", "1")
		bare := audit.Audit{CompanyID: *u.CompanyID, At: databasetest.Time.Add(-time.Hour), Category: "poor", Source: audit.FromRecord, Version: "1.0"}
		ok(t, s.Save(ctx, &bare))
		for _, n := range []int{-1, 0, 1} {
			if _, list, err := s.History(ctx, "a", 0, n); err != nil || len(list) != max(n, 0) {
				t.Errorf("history of %d: %+v, %v", n, list, err)
			}
		}
		want := audit.Audit{
			ID: full.ID + 1, CompanyID: *u.CompanyID, At: full.At.Add(-time.Hour), Category: "poor", Source: audit.FromRecord, Version: "1.0",
			Fields: map[audit.Field]audit.FieldStatus{}, Recommendations: []audit.Recommendation{}, Sources: []audit.Step{},
		}
		if _, stored, err := s.Latest(ctx, ref); err != nil || !reflect.DeepEqual(stored, want) {
			t.Errorf("stored %+v, %v, want %+v", stored, err, want)
		}
	})
}

func TestSavedAuditIsPublished(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database, s *audit.Service) {
		id := db.AddCompany(t, "a")
		db.Exec(t, "INSERT INTO webhooks (url, secret, old_secret, disabled, created_at) VALUES ('https://hook.example', '', '', '', ?)", databasetest.Time)
		ok(t, s.Save(t.Context(), &audit.Audit{
			CompanyID: id, At: databasetest.Time, Score: 62.5, Category: "needs_work", Source: audit.FromPlace, Version: "1.0",
			Fields: map[audit.Field]audit.FieldStatus{
				audit.FieldName: {Status: audit.StatusComplete, MaxScore: 10}, audit.FieldPhone: {Status: audit.StatusUnknown, MaxScore: 30},
			},
		}))
		wantStored(t, db, "SELECT type || data FROM webhook_deliveries", `audit.completed{"company_id":1,"audit_id":1,`+
			`"completeness_score":62.5,"score_category":"needs_work","coverage":25,"audit_source":"places","audit_version":"1.0"}`)
	})
}
