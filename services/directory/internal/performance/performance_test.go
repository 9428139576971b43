package performance_test

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/performance"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var profilePair = directorytest.ProfilePair

func day(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

// choose connects the company's profile with a chosen location.
func choose(s *directorytest.Service, location string) {
	s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Scopes: []string{directorytest.Scope},
		Chosen: connection.ChosenLocation, AccountID: location,
	})
}

func located(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	choose(s, "locations/1")
	return s
}

func TestSyncPerformance(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		choose(s, "locations/1")
		sync := func() performance.Data {
			t.Helper()
			s.Now = s.Now.Add(time.Minute)
			data, err := s.Performance.Sync(t.Context(), s.Company.ID)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		stored := func(first, last string) performance.Figures {
			t.Helper()
			f, err := s.Performance.Figures(t.Context(), s.Company.ID, day(first), day(last))
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		if f := stored("2026-01-01", "2026-12-31"); f.Data != nil || f.Days != nil {
			t.Errorf("before the first sync: %+v", f)
		}
		performed := s.Search.Performed
		got := sync()
		want := performance.Data{
			Performance: performed, From: "2026-11-16", To: "2026-11-17", Impressions: 100, Calls: 2, Directions: 4,
			Website: 5, Messages: 1, Bookings: 3, SyncedAt: s.Now,
		}
		want.Location = "locations/1"
		f := stored("2026-11-01", "2026-11-17")
		if !reflect.DeepEqual(got, want) || f.Count != 100 {
			t.Fatalf("synced %+v, want %+v, stored %+v", got, want, f)
		}
		if !reflect.DeepEqual(*f.Data, want) || !reflect.DeepEqual(f.Days, performed.Days) {
			t.Errorf("synced %+v, want %+v, stored %+v", got, want, f)
		}
		// The next one reads the last 28 days again; figures that were late replace the
		// earlier ones, and keywords that are not there yet do not.
		s.Search.Performed.Days = []google.PerformanceDay{
			{Day: "2026-11-17", Calls: 9}, {Day: "2026-11-18", MapsDesktop: 1, MapsMobile: 2},
		}
		s.Search.Performed.Month, s.Search.Performed.Keywords = "2026-11", []google.Keyword{}
		for range 2 {
			if got := sync(); got.Month != "2026-10" || !reflect.DeepEqual(got.Keywords, performed.Keywords) ||
				got.To != "2026-11-18" {
				t.Errorf("synced %+v", got)
			}
		}
		f = stored("2026-11-17", "2026-11-18")
		calls, maps := f.Series(func(d google.PerformanceDay) int { return d.Calls }),
			f.Series(google.PerformanceDay.OnMaps)
		if !reflect.DeepEqual(f.Days, s.Search.Performed.Days) ||
			!slices.Equal(calls, []history.Point{{At: day("2026-11-17"), Count: 9}, {At: day("2026-11-18")}}) ||
			maps[1].Count != 3 {
			t.Errorf("stored %+v, calls %v, maps %v", f.Days, calls, maps)
		}
		if days := stored("2026-01-01", "2026-11-17").Days; len(days) != 2 || days[0] != performed.Days[0] {
			t.Errorf("stored %+v", days)
		}
		// Another location has its own figures, and is read from the beginning.
		choose(s, "locations/2")
		sync()
		if f := stored("2026-01-01", "2026-12-31"); f.AccountID != "locations/2" || len(f.Days) != 2 ||
			f.Data.Month != "2026-11" {
			t.Errorf("of another location: %+v", f)
		}
		queries := []google.PerformanceQuery{
			{Location: "locations/1"}, {Location: "locations/1", From: day("2026-10-21"), Month: "2026-10"},
			{Location: "locations/1", From: day("2026-10-22"), Month: "2026-10"}, {Location: "locations/2"},
		}
		if !reflect.DeepEqual(s.Search.Queried, queries) {
			t.Errorf("asked %v, want %v", s.Search.Queried, queries)
		}
	})
}

// TestBackfill stores many days at once, and sums up the last 28.
func TestBackfill(t *testing.T) {
	s := located(t)
	s.Search.Performed.Days = nil
	for i := range 540 {
		s.Search.Performed.Days = append(s.Search.Performed.Days,
			google.PerformanceDay{Day: day("2025-01-01").AddDate(0, 0, i).Format(time.DateOnly), Calls: 1})
	}
	got, err := s.Performance.Sync(t.Context(), s.Company.ID)
	if err != nil || got.Calls != 28 {
		t.Fatalf("synced %+v, %v", got, err)
	}
	if got.From != "2026-05-28" || got.To != "2026-06-24" {
		t.Fatalf("synced %+v, %v", got, err)
	}
	if len(got.Days) != 28 {
		t.Errorf("synced %+v, %v", got, err)
	}
	if f, err := s.Performance.Figures(t.Context(), s.Company.ID, day("2025-01-01"), day("2026-12-31")); err != nil ||
		len(f.Days) != 540 {
		t.Errorf("stored %d days, %v", len(f.Days), err)
	}
}

func TestLocationWithoutFiguresYet(t *testing.T) {
	s := located(t)
	s.Search.Performed = google.Performance{Days: []google.PerformanceDay{}, Month: "2026-10",
		Keywords: []google.Keyword{}}
	for range 2 {
		if got, err := s.Performance.Sync(t.Context(), s.Company.ID); err != nil || got.From+got.To != "" ||
			got.Days == nil {
			t.Errorf("synced %+v, %v", got, err)
		}
	}
	if q := s.Search.Queried[1]; !q.From.IsZero() || q.Month != "" {
		t.Errorf("asked %+v", q)
	}
}

// TestKeywordsOfTheNextMonth replace those of the month before, and a month with a single one
// is known.
func TestKeywordsOfTheNextMonth(t *testing.T) {
	s := located(t)
	for _, month := range []string{"2026-10", "2026-11", "2026-12"} {
		s.Search.Performed.Month, s.Search.Performed.Keywords = month,
			[]google.Keyword{{Keyword: "chleb na " + month, Impressions: 20}}
		got, err := s.Performance.Sync(t.Context(), s.Company.ID)
		if err != nil || got.Month != month || !slices.Equal(got.Keywords, s.Search.Performed.Keywords) {
			t.Errorf("synced %+v, %v", got, err)
		}
		s.Now = s.Now.Add(30 * 24 * time.Hour)
	}
	if asked := []string{s.Search.Queried[0].Month, s.Search.Queried[1].Month,
		s.Search.Queried[2].Month}; !slices.Equal(asked, []string{"", "2026-10", "2026-11"}) {
		t.Errorf("known months %q", asked)
	}
}

// TestScanPerformance reads the figures every day, beside the weekly audit.
func TestScanPerformance(t *testing.T) {
	s := located(t)
	for i := range 2 {
		result, err := s.Scan.Run(t.Context(), nil)
		if err != nil || result.Synced == 0 {
			t.Fatalf("scan: %+v, %v, asked %v", result, err, s.Search.Queried)
		}
		if result.Failed != 0 || len(s.Search.Queried) != i+1 {
			t.Errorf("scan: %+v, %v, asked %v", result, err, s.Search.Queried)
		}
		s.Now = s.Now.Add(24 * time.Hour)
	}
	s.Search.Fail["ReadPerformance"] = provider.Gone(errors.New("403"))
	if result, err := s.Scan.Run(t.Context(), nil); err != nil || result.Synced != 0 || result.Failed != 0 {
		t.Errorf("scan of a location without figures: %+v, %v", result, err)
	}
}

func TestPerformanceFails(t *testing.T) {
	s := directorytest.New(t)
	fails := func(kind fault.Kind, code string) {
		t.Helper()
		_, err := s.Performance.Sync(t.Context(), s.Company.ID)
		directorytest.WantFault(t, err, kind, code)
	}
	fails(fault.NotFound, connection.CodeNoConnection.Name)
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1"})
	fails(fault.NotFound, performance.CodeNoLocation.Name)
	choose(s, "locations/1")
	for _, tt := range []struct {
		err  error
		kind fault.Kind
		code string
	}{
		{provider.Denied(errors.New("scope")), fault.Internal, provider.CodePermission.Name},
		{provider.Gone(errors.New("403")), fault.NotFound, performance.CodeNoFigures.Name},
	} {
		s.Search.Fail["ReadPerformance"] = tt.err
		fails(tt.kind, tt.code)
		if c := s.Stored(profilePair); c.NeedsUser() {
			t.Errorf("marked %+v", c.Denied)
		}
	}
	delete(s.Search.Fail, "ReadPerformance")
	if _, err := s.Performance.Sync(t.Context(), s.Company.ID); err != nil {
		t.Error(err)
	}
	s.Now = s.Now.Add(time.Minute)
	s.Search.During["ReadPerformance"] = func() {
		s.Search.During, s.Search.Token.AccessToken = nil,
			"access-2"
		choose(s, "locations/2")
	}
	fails(fault.Internal, connection.CodeConnectionChanged.Name)
	if r, err := s.Performance.Latest(t.Context(), s.Company.ID); err != nil || r.AccountID != "locations/1" ||
		!r.Failure().IsZero() {
		t.Errorf("latest %+v, %v", r, err)
	}
}

// TestScanOfALocationThatCannotBeRead is no work done, and a sync that cannot be stored fails.
func TestScanOfALocationThatCannotBeRead(t *testing.T) {
	s := directorytest.New(t)
	worked, err := s.Performance.Scan(t.Context(), s.Company.ID)
	directorytest.WantFault(t, err, fault.NotFound, connection.CodeNoConnection.Name)
	choose(s, "locations/1")
	s.Search.Fail["ReadPerformance"] = provider.Temporary(errors.New("503"))
	again, err := s.Performance.Scan(t.Context(), s.Company.ID)
	directorytest.WantFault(t, err, fault.Internal, provider.CodeTemporary.Name)
	if worked || again {
		t.Errorf("worked %t, %t", worked, again)
	}
	delete(s.Search.Fail, "ReadPerformance")
	s.FailInserts("social_statistics_history")
	if _, err := s.Performance.Sync(t.Context(), s.Company.ID); err == nil {
		t.Error("figures that could not be stored were synced")
	}
}

// TestDisabledAPI checks that an API that the operator has not enabled stops neither the
// audits nor anything else of the provider.
func TestDisabledAPI(t *testing.T) {
	s := located(t)
	if _, err := s.Performance.Sync(t.Context(), s.Company.ID); err != nil {
		t.Fatal(err)
	}
	s.Now = s.Now.Add(time.Minute)
	s.Search.Fail["ReadPerformance"] = provider.NotSetUp(errors.New("SERVICE_DISABLED"))
	_, err := s.Performance.Sync(t.Context(), s.Company.ID)
	directorytest.WantFault(t, err, fault.Internal, provider.CodeOperator.Name)
	result, err := s.Scan.Run(t.Context(), nil)
	pauses, pausesErr := s.Scan.Pauses(t.Context())
	if err != nil || result.Synced != 1 {
		t.Fatalf("scan: %+v, %v, paused %v, %v", result, err, pauses, pausesErr)
	}
	if result.Failed != 1 || pausesErr != nil {
		t.Fatalf("scan: %+v, %v, paused %v, %v", result, err, pauses, pausesErr)
	}
	if len(pauses) != 0 {
		t.Errorf("scan: %+v, %v, paused %v, %v", result, err, pauses, pausesErr)
	}
	if r, err := s.Performance.Latest(t.Context(), s.Company.ID); err != nil || !r.Failure().Equal(s.Now) {
		t.Errorf("failure at %s, %v", r.Failure(), err)
	}
}
