package statistics_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

const (
	bakery = "locations/1002519486895516595"
	branch = "locations/6223914851933285135"
	site   = "https://piekarnia-kowalski.example/"
)

// connected returns a service whose company has connected both services of Google, with the
// bakery as its location.
func connected(t *testing.T, with ...string) *apptest.App {
	t.Helper()
	a := apptest.New(t, with...)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, "anna")
	anna.Connect(provider.AnalyticsPair, "anna")
	chooseLocation(a, bakery)
	return a
}

func chooseLocation(a *apptest.App, location string) {
	a.T.Helper()
	a.Browser(a.Anna).Post("/api/oauth/provider_search/select-location", apptest.Body{"location_name": location}).
		Want(http.StatusOK)
}

// setCalls scripts the daily calls of a location, and that it has no keywords.
func setCalls(a *apptest.App, location string, calls map[string]int) {
	var values []string
	for day, n := range calls {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			a.T.Fatal(err)
		}
		values = append(values, fmt.Sprintf(`{"date":{"year":%d,"month":%d,"day":%d},"value":"%d"}`,
			at.Year(), at.Month(), at.Day(), n))
	}
	a.Google.SetReply("GET /v1/"+location+":fetchMultiDailyMetricsTimeSeries", fake.Reply{
		Body: `{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[{"dailyMetric":"CALL_CLICKS",` +
			`"timeSeries":{"datedValues":[` + strings.Join(values, ",") + `]}}]}]}`,
	})
	setKeyword(a, location, "")
}

// setKeyword scripts the only keyword of a location; an empty one is none.
func setKeyword(a *apptest.App, location, keyword string) {
	list := ""
	if keyword != "" {
		list = `{"searchKeyword":"` + keyword + `","insightsValue":{"value":"20"}}`
	}
	a.Google.SetReply("GET /v1/"+location+"/searchkeywords/impressions/monthly",
		fake.Reply{Body: `{"searchKeywordsCounts":[` + list + `]}`})
}

func syncPerformance(a *apptest.App) statistics.Performance {
	a.T.Helper()
	data, err := a.Statistics.SyncPerformance(a.T.Context(), a.Company.ID)
	if err != nil {
		a.T.Fatal(err)
	}
	return data
}

func TestSyncPerformance(t *testing.T) {
	stored := func(a *apptest.App) statistics.Figures {
		t.Helper()
		f, err := a.Statistics.Figures(t.Context(), a.Company.ID,
			time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := connected(t, apptest.On(db.URL))
		testkit.Equal(t, "stored before the first sync", stored(a), statistics.Figures{})
		setCalls(a, bakery, map[string]int{"2026-11-16": 2, "2026-11-17": 3})
		setKeyword(a, bakery, "chleb")
		got := syncPerformance(a)
		want := statistics.Performance{
			Performance: google.Performance{
				Location: bakery, Month: "2026-10",
				Days:     []google.PerformanceDay{{Day: "2026-11-16", Calls: 2}, {Day: "2026-11-17", Calls: 3}},
				Keywords: []google.Keyword{{Keyword: "chleb", Impressions: 20}},
			},
			From: "2026-11-16", To: "2026-11-17", Calls: 5, SyncedAt: a.Clock.Now(),
		}
		testkit.Equal(t, "synced", got, want)
		testkit.Equal(t, "stored", stored(a).Data, &want)
		// Figures that were late replace the earlier ones. The keywords stay until there are newer ones.
		a.Clock.Pass(time.Minute)
		setCalls(a, bakery, map[string]int{"2026-11-16": 2, "2026-11-17": 9, "2026-11-18": 1})
		got = syncPerformance(a)
		testkit.Equal(t, "last day of the second sync", got.To, "2026-11-18")
		testkit.Equal(t, "keywords of the second sync", got.Keywords, want.Keywords)
		calls := stored(a).Series(func(d google.PerformanceDay) int { return d.Calls })
		day := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
		points := []statistics.Point{{At: day, Count: 2}, {At: day.AddDate(0, 0, 1), Count: 9},
			{At: day.AddDate(0, 0, 2), Count: 1}}
		testkit.Equal(t, "calls", calls[len(calls)-3:], points)
		// Another location has its own figures.
		chooseLocation(a, branch)
		setCalls(a, branch, map[string]int{"2026-11-10": 7})
		syncPerformance(a)
		other := stored(a)
		testkit.Equal(t, "location that was synced last", other.AccountID, branch)
		testkit.Equal(t, "first day of the other location", other.Days[0],
			google.PerformanceDay{Day: "2026-11-10", Calls: 7})
		testkit.Equal(t, "number of its keywords", len(other.Data.Keywords), 0)
	})
}

// After the first time, a sync reads the last 28 known days again, and keywords once a month.
func TestPerformanceIsReadFrom(t *testing.T) {
	a := connected(t)
	var asked []string
	a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); {
		case q.Get("dailyRange.start_date.year") != "":
			asked = append(asked, "days from "+q.Get("dailyRange.start_date.year")+"-"+
				q.Get("dailyRange.start_date.month")+"-"+q.Get("dailyRange.start_date.day"))
		case q.Get("monthlyRange.start_month.month") != "":
			asked = append(asked, "keywords of "+q.Get("monthlyRange.start_month.month"))
		}
	})
	first := syncPerformance(a)
	for range 2 {
		a.Clock.Pass(24 * time.Hour)
		syncPerformance(a)
	}
	a.Clock.Pass(20 * 24 * time.Hour)
	syncPerformance(a)
	to, err := time.Parse(time.DateOnly, first.To)
	if err != nil {
		t.Fatal(err)
	}
	since := func(days int) string { return "days from " + to.AddDate(0, 0, days-27).Format("2006-1-2") }
	atFirst := "days from " + apptest.Start.AddDate(0, 0, -540).Format("2006-1-2")
	want := []string{atFirst, "keywords of 10", since(0), since(1), since(2), "keywords of 11"}
	testkit.Equal(t, "asked", asked, want)
}

// The first sync stores all days that there are, and returns the last 28.
func TestBackfill(t *testing.T) {
	a := connected(t)
	calls := map[string]int{}
	for i := range 500 {
		calls[apptest.Start.AddDate(0, 0, -1-i).Format(time.DateOnly)] = 1
	}
	setCalls(a, bakery, calls)
	got := syncPerformance(a)
	testkit.Equal(t, "number of days", len(got.Days), 28)
	testkit.Equal(t, "calls", got.Calls, 28)
	kept, err := a.Statistics.Figures(t.Context(), a.Company.ID, apptest.Start.AddDate(-2, 0, 0), apptest.Start)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "number of stored days", len(kept.Days), 500)
}

func TestNoFiguresYet(t *testing.T) {
	a := connected(t)
	setCalls(a, bakery, nil)
	for range 2 {
		got := syncPerformance(a)
		testkit.Equal(t, "first and last day", got.From+got.To, "")
		if got.Days == nil {
			t.Error("the days are nil")
		}
	}
}

func TestPerformanceFails(t *testing.T) {
	refuse := func(a *apptest.App, reason string) {
		a.Google.SetReply("GET /v1/"+bakery+":fetchMultiDailyMetricsTimeSeries", fake.Reply{
			Status: http.StatusForbidden,
			Body:   `{"error":{"status":"PERMISSION_DENIED","errors":[{"reason":"` + reason + `"}]}}`,
		})
	}
	for name, test := range map[string]struct {
		before func(*apptest.App)
		code   fault.Code
		act    connection.Act // that the status names to mend it
	}{
		"not connected": {func(a *apptest.App) {
			a.Change(provider.ProfilePair, (*connection.Connection).End)
		}, connection.CodeNoConnection, connection.ActConnect},
		"nothing chosen": {func(a *apptest.App) {
			a.Change(provider.ProfilePair, func(c *connection.Connection) { c.Chosen, c.AccountID = 0, "" })
		}, statistics.CodeNoLocation, connection.ActChooseLocation},
		"scope missing": {func(a *apptest.App) { refuse(a, "insufficientPermissions") },
			provider.CodePermission, connection.ActReconnect},
		"not verified": {func(a *apptest.App) { refuse(a, "forbidden") },
			statistics.CodeNoFigures, connection.ActMendAccount},
		"API disabled": {func(a *apptest.App) { refuse(a, "accessNotConfigured") },
			provider.CodeOperator, connection.ActOperator},
		"another chosen": {func(a *apptest.App) {
			a.Intercept(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "fetchMulti") {
					a.Intercept(nil)
					chooseLocation(a, branch)
					w.WriteHeader(http.StatusUnauthorized) // the token is renewed, and the choice read again
				}
			})
		}, connection.CodeConnectionChanged, connection.ActNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := connected(t)
			syncPerformance(a)
			a.Clock.Pass(time.Minute)
			test.before(a)
			_, err := a.Statistics.SyncPerformance(t.Context(), a.Company.ID)
			if !fault.Is(err, test.code) {
				t.Errorf("err = %v, want %s", err, test.code.Name)
			}
			status, err := a.Connections.StatusOf(t.Context(), a.Company.ID)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Equal(t, "act that mends it", status[provider.ProfilePair.String()].State.Act, test.act)
			if c := a.Connection(provider.ProfilePair); c.NeedsUser() {
				t.Errorf("the connection is marked: %v", c.Denied)
			}
		})
	}
}

func TestSyncSearch(t *testing.T) {
	a := connected(t)
	rows := fake.Reply{Body: `{"rows":[{"keys":["2026-11-17"],"clicks":3,"impressions":100,"position":4},` +
		`{"keys":["2026-11-18"],"clicks":1,"impressions":300,"position":8},` +
		`{"keys":["2026-10-01"],"clicks":1,"impressions":50,"position":9}]}`}
	a.Google.SetReply("POST /webmasters/v3/sites/https:%2F%2Fpiekarnia-kowalski.example%2F/searchAnalytics/query", rows)
	got, err := a.Statistics.SyncSearch(t.Context(), a.Company.ID)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "clicks", got.Clicks, 4)
	testkit.Equal(t, "impressions", got.Impressions, 400)
	testkit.Equal(t, "clicks per impression", got.CTR, 0.01)
	testkit.Equal(t, "position of an average impression", got.Position, 7)
	testkit.Equal(t, "site", got.Site, site)
	testkit.Equal(t, "number of earlier days", len(got.Earlier), 1)
	testkit.Equal(t, "time of the sync", got.SyncedAt, a.Clock.Now())
	a.Clock.Pass(24 * time.Hour)
	worked, err := a.Statistics.ScanSearch(t.Context(), a.Company.ID)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "whether the scan worked", worked, true)
	kept, err := a.Statistics.Search(t.Context(), a.Company.ID)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "stored site", kept.AccountID, site)
	testkit.Equal(t, "stored clicks", kept.Count, 4)
}

func TestNoSite(t *testing.T) {
	for name, before := range map[string]func(*apptest.App){
		"no property": func(a *apptest.App) { a.Google.SetToggle("empty_lists", true) },
		"refused": func(a *apptest.App) {
			a.Intercept(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/searchAnalytics/query") {
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte(`{"error":{"status":"PERMISSION_DENIED","errors":[{"reason":"forbidden"}]}}`))
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := connected(t)
			before(a)
			if _, err := a.Statistics.SyncSearch(t.Context(), a.Company.ID); !fault.Is(err, statistics.CodeNoSite) {
				t.Errorf("err = %v, want no_site", err)
			}
			worked, err := a.Statistics.ScanSearch(t.Context(), a.Company.ID)
			testkit.Equal(t, "the scan worked", worked, false)
			testkit.Equal(t, "error of the scan", err, nil)
			if c := a.Connection(provider.AnalyticsPair); c.NeedsUser() {
				t.Errorf("the connection is marked: %v", c.Denied)
			}
		})
	}
}

func TestScanOfWhatCannotBeRead(t *testing.T) {
	a := apptest.New(t)
	wantScans := func(when string, code fault.Code) {
		t.Helper()
		for name, scan := range map[string]func(context.Context, int64) (bool, error){
			"performance": a.Statistics.ScanPerformance, "search": a.Statistics.ScanSearch,
		} {
			worked, err := scan(t.Context(), a.Company.ID)
			testkit.Equal(t, name+" "+when+": worked", worked, false)
			if !fault.Is(err, code) {
				t.Errorf("%s %s: err = %v, want %s", name, when, err, code)
			}
		}
	}
	wantScans("without a connection", connection.CodeNoConnection)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, "anna")
	anna.Connect(provider.AnalyticsPair, "anna")
	chooseLocation(a, bakery)
	a.Intercept(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "token") {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	wantScans("that is throttled", provider.CodeThrottled)
}

func TestFailuresAreReported(t *testing.T) {
	a := connected(t)
	ctx, id := t.Context(), a.Company.ID
	later := func() { a.Clock.Pass(time.Second) }
	a.FailEach([]databasetest.Call{
		{Name: "location", Before: later, Run: func() error {
			return databasetest.ErrorOf(a.Statistics.SyncPerformance(ctx, id))
		}},
		{Name: "website", Before: later, Run: func() error {
			return databasetest.ErrorOf(a.Statistics.SyncSearch(ctx, id))
		}},
		{Name: "figures", Run: func() error { return databasetest.ErrorOf(a.Statistics.Search(ctx, id)) }},
	}...)
}

func TestSyncsAnswer(t *testing.T) {
	a := connected(t)
	var messages []string
	for _, route := range []string{"sync-analytics", "sync-performance"} {
		response := a.Browser(a.Anna).
			Post("/api/oauth/provider_search/"+route, apptest.Body{"company_id": a.Company.ID}).
			Want(http.StatusOK).JSON()
		messages = append(messages, response["message"].(string))
	}
	want := []string{"Statystyki wyszukiwarki zostały odświeżone.", "Statystyki profilu firmy zostały odświeżone."}
	testkit.Equal(t, "messages", messages, want)
}

func TestSelectProperty(t *testing.T) {
	const choose, sync = "/api/oauth/provider_search/select-property", "/api/oauth/provider_search/sync-analytics"
	const florist = "sc-domain:kwiaciarnia-polna.example" // which Piotr's account reads, too
	// wantSite syncs a company and checks whose figures were read.
	wantSite := func(t *testing.T, b *apptest.Browser, companyID int64, site string) {
		t.Helper()
		data, _ := b.Post(sync, apptest.Body{"company_id": companyID}).Want(http.StatusOK).JSON()["data"].(apptest.Body)
		if data["site"] != site {
			t.Errorf("read %v, want %s", data["site"], site)
		}
	}
	t.Run("of the company", func(t *testing.T) {
		const domain = "sc-domain:piekarnia-kowalski.example"
		t.Parallel()
		a := apptest.New(t)
		anna := a.Browser(a.Anna)
		anna.Connect(provider.AnalyticsPair, "anna")
		wantSite(t, anna, a.Company.ID, site)
		anna.Post(choose, apptest.Body{"property": domain}).Want(http.StatusOK)
		wantSite(t, anna, a.Company.ID, domain)
		anna.Connect(provider.AnalyticsPair, "anna")
		wantSite(t, anna, a.Company.ID, domain)
		want := []any{
			apptest.Body{"property": site, "fits_website": true, "is_chosen": false},
			apptest.Body{"property": domain, "fits_website": true, "is_chosen": true},
		}
		got := anna.Post("/api/oauth/provider_search/discover-properties", nil).Want(http.StatusOK).JSON()["properties"]
		testkit.Equal(t, "properties", got, any(want))
		anna.Post(choose, apptest.Body{"property": florist}).
			WantError(http.StatusNotFound, "Połączone konto nie ma tej witryny w Search Console.")
		anna.Post(choose, apptest.Body{"property": nil}).Want(http.StatusOK)
		wantSite(t, anna, a.Company.ID, site)
		a.WantTrail("connect", "select_property", "connect", "select_property")
	})
	t.Run("of an agency", func(t *testing.T) {
		t.Parallel()
		a := apptest.New(t)
		customer := a.AddCompany("kwiaty", func(c *company.Company) { c.Website = "https://kwiaty.example" })
		owner := a.Browser(a.AddUser("ewa", account.Manager, &customer))
		owner.Connect(provider.AnalyticsPair, "piotr")
		body := apptest.Body{"company_id": customer.ID}
		if got := owner.Post(sync, body).Want(http.StatusBadRequest).JSON()["code"]; got != "no_site" {
			t.Errorf("code %v, want no_site", got)
		}
		owner.Post(choose, apptest.Body{"property": florist}).Want(http.StatusOK)
		wantSite(t, owner, customer.ID, florist)
		owner.Connect(provider.AnalyticsPair, "anna")
		if got := owner.Post(sync, body).Want(http.StatusBadRequest).JSON()["code"]; got != "property_lost" {
			t.Errorf("code %v, want property_lost", got)
		}
		services, _ := owner.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
		status, _ := services[provider.AnalyticsPair.String()].(apptest.Body)
		state, _ := status["state"].(apptest.Body)
		testkit.Equal(t, "state", state, apptest.Body{
			"progress": "failed", "read_at": nil, "of": nil, "act": "add_property",
			"reason": "Połączone konto nie odczytuje już witryny, którą wybrano w Search Console. Wybierz inną.",
		})
	})
}

type data struct {
	Name    string         `json:"name"`
	Metrics map[string]any `json:"metrics"`
}

func TestReadings(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		ctx := t.Context()
		base := database.Instant(databasetest.Time)
		pages := provider.SocialPages
		photos := provider.SocialPhotos
		db.AddCompany(t, "firma")
		reading := func(s provider.Service, account string, minutes int) statistics.Reading[data] {
			return statistics.Reading[data]{
				CompanyID: 1, Service: s, AccountID: account, Count: minutes,
				SyncedAt: base.Add(time.Duration(minutes) * time.Minute),
				Data: &data{
					Name:    "ą \u0000",
					Metrics: map[string]any{"views": 3.0, "by_day": map[string]any{"2026-11-20": 1.5}},
				},
			}
		}
		read := func(s provider.Service) (statistics.Reading[data], []statistics.Point) {
			t.Helper()
			r, points, err := statistics.Read[data](ctx, db.DB, 1, s)
			if err != nil {
				t.Fatal(err)
			}
			return r, points
		}
		before, noPoints := read(pages)
		testkit.Equal(t, "before a reading", before, statistics.Reading[data]{})
		testkit.Equal(t, "points before a reading", len(noPoints), 0)
		newest := reading(pages, "1", 2)
		for _, r := range []statistics.Reading[data]{reading(pages, "2", 1), newest, reading(pages, "1", 0),
			reading(photos, "17", 9)} {
			if err := statistics.Save(ctx, db.DB, r); err != nil {
				t.Fatal(err)
			}
		}
		r, points := read(pages)
		testkit.Equal(t, "newest reading", r, newest)
		testkit.Equal(t, "points of its account", points,
			[]statistics.Point{{At: base, Count: 0}, {At: newest.SyncedAt, Count: 2}})
		r, points = read(photos)
		testkit.Equal(t, "account of the other service", r.AccountID, "17")
		testkit.Equal(t, "number of its points", len(points), 1)
	})
}

// Of two readings at the same time, the one that was stored last is the newest.
func TestReadingsOfOneTime(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		ctx := t.Context()
		db.AddCompany(t, "firma")
		db.AddCompany(t, "druga")
		reading := statistics.Reading[data]{CompanyID: 1, Service: provider.SocialPages, AccountID: "1", Count: 7,
			Data: &data{Name: "a"}, SyncedAt: databasetest.Time}
		again, other := reading, reading
		again.AccountID = "2"
		again.Count = 8
		again.Data = &data{Name: "b"}
		other.CompanyID, other.Count = 2, 9
		for _, r := range []statistics.Reading[data]{reading, again, other} {
			if err := statistics.Save(ctx, db.DB, r); err != nil {
				t.Fatal(err)
			}
		}
		again.SyncedAt = database.Instant(databasetest.Time)
		r, points, err := statistics.Read[data](ctx, db.DB, 1, provider.SocialPages)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "newest reading", r, again)
		testkit.Equal(t, "points of its account", points, []statistics.Point{{At: again.SyncedAt, Count: 8}})
		r, points, err = statistics.Read[data](ctx, db.DB, 2, provider.SocialPages)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "count of the other company", r.Count, 9)
		testkit.Equal(t, "number of its points", len(points), 1)
		counts := db.Query(t, "SELECT account_id, followers FROM social_statistics_history ORDER BY id")
		testkit.Equal(t, "stored counts", counts, []string{"1|7", "2|8", "1|9"})
	})
}

func TestChartGoesBack90Readings(t *testing.T) {
	db := databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))}
	db.AddCompany(t, "firma")
	for i := range 92 {
		r := statistics.Reading[data]{CompanyID: 1, Service: provider.SocialPages, AccountID: "1", Count: i,
			Data: &data{}, SyncedAt: databasetest.Time.AddDate(0, 0, i)}
		if err := statistics.Save(t.Context(), db.DB, r); err != nil {
			t.Fatal(err)
		}
	}
	_, points, err := statistics.Read[data](t.Context(), db.DB, 1, provider.SocialPages)
	if err != nil || len(points) != 90 {
		t.Fatalf("%d points, want 90; err = %v", len(points), err)
	}
	testkit.Equal(t, "oldest count", points[0].Count, 2)
	testkit.Equal(t, "newest count", points[89].Count, 91)
}
