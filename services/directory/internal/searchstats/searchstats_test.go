package searchstats_test

import (
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/searchstats"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// searching is a service whose company, at https://piekarnia.example, has connected its
// search figures.
func searching(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	s.Connect(
		connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: "access-1", RefreshToken: "refresh-1",
			Scopes: []string{directorytest.Scope}},
	)
	return s
}

func TestSyncAnalytics(t *testing.T) {
	s := searching(t)
	got, err := s.Analytics.Sync(t.Context(), s.Company.ID)
	want := searchstats.Data{SearchData: s.Search.Searched}
	want.Site = "sc-domain:piekarnia.example"
	want.Clicks = 4
	want.Impressions = 400
	want.CTR = 0.01
	want.Position = 7
	want.SyncedAt = s.Now
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("Sync = %+v, %v, want %+v", got, err, want)
	}
	s.Now = s.Now.Add(24 * time.Hour)
	if result, err := s.Scan.Run(t.Context(), nil); err != nil || result.Synced != 1 || result.Failed != 0 {
		t.Errorf("scan: %+v, %v", result, err)
	}
	want.SyncedAt = s.Now
	kept, clicks, err := s.Analytics.Statistics(t.Context(), s.Company.ID)
	if err != nil || !reflect.DeepEqual(*kept.Data, want) {
		t.Fatalf("kept %+v with %v, %v", kept, clicks, err)
	}
	if kept.AccountID != want.Site || kept.Count != 4 {
		t.Fatalf("kept %+v with %v, %v", kept, clicks, err)
	}
	if len(clicks) != 2 || clicks[0].Count != 4 {
		t.Errorf("kept %+v with %v, %v", kept, clicks, err)
	}
}

func TestAnalyticsWithoutFigures(t *testing.T) {
	s := searching(t)
	s.Search.Searched = google.SearchData{From: "2026-10-22", To: "2026-11-18"}
	if got, err := s.Analytics.Sync(t.Context(), s.Company.ID); err != nil || got.CTR != 0 || got.Position != 0 {
		t.Errorf("Sync = %+v, %v", got, err)
	}
}

func TestAnalyticsOfOneImpression(t *testing.T) {
	s := searching(t)
	s.Search.Searched.Days = []google.SearchDay{{Day: "2026-11-18", Clicks: 1, Impressions: 1, Position: 3}}
	if got, err := s.Analytics.Sync(t.Context(), s.Company.ID); err != nil || got.CTR != 1 || got.Position != 3 {
		t.Errorf("Sync = %+v, %v", got, err)
	}
}

// TestScanOfASiteThatCannotBeRead is no work done, and a sync that cannot be stored fails.
func TestScanOfASiteThatCannotBeRead(t *testing.T) {
	s := directorytest.New(t)
	scan := func(kind fault.Kind, code string) {
		t.Helper()
		worked, err := s.Analytics.Scan(t.Context(), s.Company.ID)
		if directorytest.WantFault(t, err, kind, code); worked {
			t.Error("worked")
		}
	}
	scan(fault.NotFound, connection.CodeNoConnection.Name)
	s.Connect(
		connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: "access-1", RefreshToken: "refresh-1"},
	)
	for _, function := range []string{"Sites", "ReadSearch"} {
		s.Search.Fail[function] = provider.Temporary(errors.New("503"))
		scan(fault.Internal, provider.CodeTemporary.Name)
		delete(s.Search.Fail, function)
	}
	s.Store.Fail["Company"] = provider.Temporary(errors.New("database is away"))
	scan(fault.Internal, provider.CodeTemporary.Name)
	delete(s.Store.Fail, "Company")
	s.FailInserts("social_statistics_history")
	if _, err := s.Analytics.Sync(t.Context(), s.Company.ID); err == nil {
		t.Error("figures that could not be stored were synced")
	}
}

func TestAnalyticsFail(t *testing.T) {
	s := searching(t)
	s.Search.Sites = nil
	result, err := s.Scan.Run(t.Context(), nil)
	if err != nil || result.Failed != 0 {
		t.Fatalf("scan without a site: %+v, %v", result, err)
	}
	if result.Synced != 0 || result.Left != 0 {
		t.Errorf("scan without a site: %+v, %v", result, err)
	}
	s.Search.Sites = []string{"sc-domain:piekarnia.example"}
	s.Search.Fail["ReadSearch"] = provider.Denied(errors.New("403"))
	_, err = s.Analytics.Sync(t.Context(), s.Company.ID)
	directorytest.WantFault(t, err, fault.NotFound, searchstats.CodeNoSite.Name)
	if c := s.Stored(directorytest.AnalyticsPair); c.NeedsUser() {
		t.Errorf("the refusal of one property marks the connection: %+v", c)
	}
}
