package google_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider/providertest"
)

const (
	dailyPath    = "GET /v1/locations/12345:fetchMultiDailyMetricsTimeSeries"
	keywordsPath = "GET /v1/locations/12345/searchkeywords/impressions/monthly"
)

// dated is the answer for one metric in the form of the reference
// (https://developers.google.com/my-business/reference/performance/rest/v1/TimeSeries).
func dated(metric string, values ...string) string {
	for i, value := range values {
		date, number, _ := strings.Cut(value, "=")
		if number != "" {
			number = `,"value":"` + number + `"`
		}
		var year, month, day int
		_, _ = fmt.Sscanf(date, "%d-%d-%d", &year, &month, &day)
		values[i] = fmt.Sprintf(`{"date":{"year":%d,"month":%d,"day":%d}%s}`, year, month, day, number)
	}
	return fmt.Sprintf(`{"dailyMetric":%q,"timeSeries":{"datedValues":[%s]}}`, metric, strings.Join(values, ","))
}

// performing returns a server that gives the answers for the metrics.
func performing(t *testing.T, metrics ...string) *server {
	s := newServer(t, nil)
	s.Replies[dailyPath] = ok(`{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[` + strings.Join(metrics, ",") +
		`]}]}`)
	s.Replies[keywordsPath] = ok(`{}`)
	return s
}

func TestReadPerformance(t *testing.T) {
	s := performing(t,
		dated("WEBSITE_CLICKS", "2026-11-15=3", "2026-11-16", "2026-11-17=1"),
		dated("BUSINESS_IMPRESSIONS_MOBILE_MAPS", "2026-11-15=20", "2026-11-18=31", "2026-11-19", "2026-11-20"),
		dated("BUSINESS_FOOD_ORDERS", "2026-11-19=9"), // was not asked for
		dated("CALL_CLICKS", "2026-11-21=9", "2025-11-21=9", "0-0-0=9"))
	s.Replies[keywordsPath] = ok(`{"searchKeywordsCounts":[{"searchKeyword":"piekarnia","insightsValue":{"value":"85"}},
		{"searchKeyword":"chleb","insightsValue":{"threshold":"15"}},{"searchKeyword":"rogale",
		"insightsValue":{"value":"112"}}]}`)
	got, err := newSearch(s).ReadPerformance(t.Context(), someToken, google.PerformanceQuery{
		Location: "locations/12345", From: time.Date(2026, time.November, 14, 0, 0, 0, 0, time.UTC),
	})
	want := google.Performance{
		Location: "locations/12345", Month: "2026-10",
		Days: []google.PerformanceDay{
			{Day: "2026-11-14"}, {Day: "2026-11-15", Website: 3, MapsMobile: 20}, {Day: "2026-11-16"},
			{Day: "2026-11-17", Website: 1}, {Day: "2026-11-18", MapsMobile: 31},
		},
		Keywords: []google.Keyword{
			{Keyword: "rogale", Impressions: 112}, {Keyword: "piekarnia", Impressions: 85},
			{Keyword: "chleb", Impressions: 15, Fewer: true},
		},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadPerformance = %+v, %v\nwant %+v", got, err, want)
	}
	for i, want := range []url.Values{{
		"dailyMetrics": {
			"BUSINESS_BOOKINGS", "BUSINESS_DIRECTION_REQUESTS", "BUSINESS_IMPRESSIONS_DESKTOP_MAPS",
			"BUSINESS_IMPRESSIONS_DESKTOP_SEARCH",
			"BUSINESS_IMPRESSIONS_MOBILE_MAPS", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH", "CALL_CLICKS", "MESSAGING_CLICKS",
			"WEBSITE_CLICKS",
		},
		"dailyRange.start_date.year": {"2026"}, "dailyRange.start_date.month": {"11"}, "dailyRange.start_date.day": {
			"14",
		},
		"dailyRange.end_date.year": {"2026"}, "dailyRange.end_date.month": {"11"}, "dailyRange.end_date.day": {"20"},
	}, {
		"monthlyRange.start_month.year": {"2026"}, "monthlyRange.start_month.month": {"10"},
		"monthlyRange.end_month.year": {"2026"}, "monthlyRange.end_month.month": {"10"}, "pageSize": {"100"},
	}} {
		if i >= len(s.Calls) || !reflect.DeepEqual(s.Calls[i].Query, want) {
			t.Errorf("call %d of %+v, want %v", i, s.Calls, want)
		}
	}
}

// TestKnownKeywords checks that keywords that are known are read again only in the first days
// after their month.
func TestKnownKeywords(t *testing.T) {
	for day, want := range map[int]int{10: 2, 11: 1} {
		s := performing(t)
		search := google.New(
			google.Options{
				Transport: s, Now: func() time.Time {
					return time.Date(2026, time.November, day, 12, 0, 0, 0, time.UTC)
				},
			},
		)
		_, err := search.ReadPerformance(t.Context(), someToken,
			google.PerformanceQuery{Location: "locations/12345", Month: "2026-10"})
		if err != nil || len(s.Calls) != want {
			t.Errorf("day %d: %v, %d calls, want %d", day, err, len(s.Calls), want)
		}
	}
}

func TestEachMetricIsItsOwnFigure(t *testing.T) {
	var metrics []string
	for i, name := range []string{
		"BUSINESS_IMPRESSIONS_DESKTOP_SEARCH", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH",
		"BUSINESS_IMPRESSIONS_DESKTOP_MAPS", "BUSINESS_IMPRESSIONS_MOBILE_MAPS",
		"CALL_CLICKS", "BUSINESS_DIRECTION_REQUESTS", "WEBSITE_CLICKS", "MESSAGING_CLICKS", "BUSINESS_BOOKINGS",
	} {
		metrics = append(metrics, dated(name, fmt.Sprintf("2026-11-15=%d", i+1)))
	}
	got, err := newSearch(performing(t, metrics...)).
		ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
	want := google.PerformanceDay{
		Day: "2026-11-15", SearchDesktop: 1, SearchMobile: 2, MapsDesktop: 3, MapsMobile: 4, Calls: 5, Directions: 6,
		Website: 7, Messages: 8, Bookings: 9,
	}
	if err != nil || len(got.Days) == 0 || got.Days[0] != want {
		t.Errorf("%+v, %v, want %+v", got.Days, err, want)
	}
}

// TestReadPerformanceAtFirst reads as far back as there are figures. Days without any stay,
// unless they may still get some.
func TestReadPerformanceAtFirst(t *testing.T) {
	for name, test := range map[string]struct {
		answer      []string
		days        int
		first, last string
	}{
		"nothing yet":     {nil, 0, "", ""},
		"newest is late":  {[]string{"2026-11-01=1", "2026-11-18=2"}, 18, "2026-11-01", "2026-11-18"},
		"a quiet company": {[]string{"2026-10-01=1", "2026-10-02", "2026-10-03"}, 44, "2026-10-01", "2026-11-13"},
		"the oldest":      {[]string{"2025-05-29=1", "2025-05-30=1"}, 533, "2025-05-30", "2026-11-13"},
	} {
		s := performing(t, dated("CALL_CLICKS", test.answer...))
		got, err := newSearch(s).
			ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
		if err != nil || len(got.Days) != test.days || got.Days == nil || got.Keywords == nil {
			t.Errorf("%s: %d days, %v, want %d", name, len(got.Days), err, test.days)
		} else if n := len(got.Days); n > 0 && (got.Days[0].Day != test.first || got.Days[n-1].Day != test.last) {
			t.Errorf("%s: from %s to %s", name, got.Days[0].Day, got.Days[n-1].Day)
		}
		if q := s.Calls[0].Query; q.Get("dailyRange.start_date.year")+"-"+q.Get("dailyRange.start_date.month")+"-"+
			q.Get("dailyRange.start_date.day") != "2025-5-30" {
			t.Errorf("%s: asked for %v", name, q)
		}
	}
}

// TestKeywordsOfManyPages reads a bounded number of pages, and keeps the most frequent.
func TestKeywordsOfManyPages(t *testing.T) {
	s := performing(t)
	var page strings.Builder
	for i := range 12 {
		fmt.Fprintf(&page, `,{"searchKeyword":"k%d","insightsValue":{"value":"%d"}}`, i, 20+i)
	}
	s.Replies[keywordsPath] = ok(`{"searchKeywordsCounts":[` + page.String()[1:] + `],"nextPageToken":"YQ=="}`)
	_, err := newSearch(s).ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
	wantFault(t, err, "") // although the token repeats
	if s.Calls[2].Query.Get("pageToken") != "YQ==" {
		t.Errorf("asked for %v", s.Calls[2].Query)
	}
	s.Replies[keywordsPath] = ok(`{"searchKeywordsCounts":[` + page.String()[1:] + `]}`)
	got, err := newSearch(s).
		ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
	if err != nil || len(got.Keywords) != 10 {
		t.Fatalf("keywords %+v, %v", got.Keywords, err)
	}
	if got.Keywords[0].Keyword != "k11" || got.Keywords[9].Keyword != "k2" {
		t.Errorf("keywords %+v, %v", got.Keywords, err)
	}
}

// TestKeywordsAreBounded reads five of the pages that never end.
func TestKeywordsAreBounded(t *testing.T) {
	s := performing(t)
	delete(s.Replies, keywordsPath)
	s.Fake = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(
			w, `{"searchKeywordsCounts":[{"searchKeyword":"k","insightsValue":{"value":"1"}}],"nextPageToken":"%d"}`,
			len(s.Calls),
		)
	})
	got, err := newSearch(s).
		ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
	if err != nil || len(got.Keywords) != 5 || len(s.Calls) != 1+5 {
		t.Errorf("%d keywords in %d calls, %v", len(got.Keywords), len(s.Calls), err)
	}
}

// TestPerformanceCountsDaysInUTC by a clock west of it.
func TestPerformanceCountsDaysInUTC(t *testing.T) {
	s := performing(t)
	now := time.Date(2026, time.November, 30, 20, 0, 0, 0, time.FixedZone("", -8*3600))
	search := google.New(google.Options{Transport: s, Now: func() time.Time { return now }})
	got, err := search.ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
	if q := s.Calls[0].Query; err != nil || got.Month != "2026-11" || q.Get("dailyRange.end_date.day") != "30" {
		t.Errorf("keywords of %s, days until %v, %v", got.Month, q, err)
	}
}

// TestReadPerformanceRefused separates a location without figures from a grant without the
// scope, and both from what concerns the operator.
func TestReadPerformanceRefused(t *testing.T) {
	for name, test := range map[string]struct {
		reply reply
		code  string
	}{
		"not verified": {googleError(403, "PERMISSION_DENIED", "", ""), providertest.Gone},
		"no location":  {googleError(404, "NOT_FOUND", "", ""), providertest.Gone},
		"scope": {googleError(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", ""),
			providertest.Permission},
		"API is off":   {googleError(403, "PERMISSION_DENIED", "SERVICE_DISABLED", ""), providertest.Operator},
		"not approved": {googleError(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "0"), providertest.Operator},
		"quota":        {googleError(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "300"), providertest.Throttled},
		"revoked":      {googleError(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED", ""), providertest.Reconnect},
		"other form": {
			ok(
				`{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[{"dailyMetric":"CALL_CLICKS",` +
					`"timeSeries":{"datedValues":[{"value":"x"}]}}]}]}`,
			), providertest.Changed,
		},
	} {
		for _, path := range []string{dailyPath, keywordsPath} {
			s := performing(t)
			s.Replies[path] = test.reply
			if path == keywordsPath && test.code == providertest.Changed {
				s.Replies[path] = ok(`{"searchKeywordsCounts":[{"insightsValue":{"value":"x"}}]}`)
			}
			_, err := newSearch(s).
				ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
			t.Log(name)
			wantFault(t, err, test.code)
		}
	}
	s := performing(t)
	_, err := newSearch(s).ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "accounts/1"})
	if wantFault(t, err, providertest.Gone); len(s.Calls) > 0 {
		t.Errorf("asked %v", s.Requests())
	}
}
