package google_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const (
	dailyPath    = "GET /v1/locations/12345:fetchMultiDailyMetricsTimeSeries"
	keywordsPath = "GET /v1/locations/12345/searchkeywords/impressions/monthly"
)

// dated is the answer for one metric, whose values are written as "2026-11-15=3" or, if the API leaves out a zero, as
// "2026-11-15"
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

// setFigures scripts the figures of the metrics, without keywords.
func (s site) setFigures(metrics ...string) {
	s.SetReply(dailyPath, ok(`{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[`+strings.Join(metrics, ",")+
		`]}]}`))
	s.SetReply(keywordsPath, ok(`{}`))
}

// readFirst reads the figures of a location of which none are known.
func (s site) readFirst(t *testing.T) (google.Performance, error) {
	return s.ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/12345"})
}

// query returns the query of the i-th request.
func (s site) query(t *testing.T, i int) url.Values {
	t.Helper()
	address, err := url.Parse(s.Requests()[i].Path)
	if err != nil {
		t.Fatal(err)
	}
	return address.Query()
}

func TestReadPerformance(t *testing.T) {
	s := newSite(t)
	s.setFigures(
		dated("WEBSITE_CLICKS", "2026-11-15=3", "2026-11-16", "2026-11-17=1"),
		dated("BUSINESS_IMPRESSIONS_MOBILE_MAPS", "2026-11-15=20", "2026-11-18=31", "2026-11-19", "2026-11-20"),
		dated("BUSINESS_FOOD_ORDERS", "2026-11-19=9"), // was not asked for
		dated("CALL_CLICKS", "2026-11-21=9", "2025-11-21=9", "0-0-0=9"))
	s.SetReply(keywordsPath, ok(`{"searchKeywordsCounts":[{"searchKeyword":"piekarnia","insightsValue":{"value":"85"}},
		{"searchKeyword":"chleb","insightsValue":{"threshold":"15"}},{"searchKeyword":"rogale",
		"insightsValue":{"value":"112"}}]}`))
	got, err := s.ReadPerformance(t.Context(), someToken, google.PerformanceQuery{
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
	wantFault(t, err, none)
	testkit.Equal(t, "performance", got, want)
	for i, want := range []url.Values{{
		"dailyMetrics": {
			"BUSINESS_BOOKINGS", "BUSINESS_DIRECTION_REQUESTS", "BUSINESS_IMPRESSIONS_DESKTOP_MAPS",
			"BUSINESS_IMPRESSIONS_DESKTOP_SEARCH",
			"BUSINESS_IMPRESSIONS_MOBILE_MAPS", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH", "CALL_CLICKS", "MESSAGING_CLICKS",
			"WEBSITE_CLICKS",
		},
		"dailyRange.start_date.year": {"2026"}, "dailyRange.start_date.month": {"11"},
		"dailyRange.start_date.day": {"14"},
		"dailyRange.end_date.year":  {"2026"}, "dailyRange.end_date.month": {"11"}, "dailyRange.end_date.day": {"20"},
	}, {
		"monthlyRange.start_month.year": {"2026"}, "monthlyRange.start_month.month": {"10"},
		"monthlyRange.end_month.year": {"2026"}, "monthlyRange.end_month.month": {"10"}, "pageSize": {"100"},
	}} {
		testkit.Equal(t, fmt.Sprint("query of request ", i), s.query(t, i), want)
	}
}

// Known keywords are read again only in the first days after their month.
func TestKnownKeywords(t *testing.T) {
	for day, wantRequests := range map[int]int{10: 2, 11: 1} {
		s := newSiteAt(t, time.Date(2026, time.November, day, 12, 0, 0, 0, time.UTC))
		s.setFigures()
		_, err := s.ReadPerformance(t.Context(), someToken,
			google.PerformanceQuery{Location: "locations/12345", Month: "2026-10"})
		wantFault(t, err, none)
		testkit.Equal(t, fmt.Sprintf("number of requests on day %d", day), len(s.Requests()), wantRequests)
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
	s := newSite(t)
	s.setFigures(metrics...)
	got, err := s.readFirst(t)
	wantFault(t, err, none)
	want := []google.PerformanceDay{{
		Day: "2026-11-15", SearchDesktop: 1, SearchMobile: 2, MapsDesktop: 3, MapsMobile: 4, Calls: 5, Directions: 6,
		Website: 7, Messages: 8, Bookings: 9,
	}}
	testkit.Equal(t, "first day", got.Days[:min(len(got.Days), 1)], want)
}

// Days without figures stay, unless they may still get some.
func TestReadPerformanceAtFirst(t *testing.T) {
	for name, test := range map[string]struct {
		answer      []string // see dated
		days        int
		first, last string
	}{
		"nothing yet":     {nil, 0, "", ""},
		"newest is late":  {[]string{"2026-11-01=1", "2026-11-18=2"}, 18, "2026-11-01", "2026-11-18"},
		"a quiet company": {[]string{"2026-10-01=1", "2026-10-02", "2026-10-03"}, 44, "2026-10-01", "2026-11-13"},
		"the oldest":      {[]string{"2025-05-29=1", "2025-05-30=1"}, 533, "2025-05-30", "2026-11-13"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.setFigures(dated("CALL_CLICKS", test.answer...))
			got, err := s.readFirst(t)
			wantFault(t, err, none)
			q := s.query(t, 0)
			asked := q.Get("dailyRange.start_date.year") + "-" + q.Get("dailyRange.start_date.month")
			testkit.Equal(t, "month from which it asks", asked, "2025-5") // as far back as the API goes
			if got.Days == nil {
				t.Error("the days are nil")
			}
			if len(got.Days) != test.days {
				t.Fatalf("%d days, want %d", len(got.Days), test.days)
			}
			if test.days == 0 {
				return
			}
			testkit.Equal(t, "first day", got.Days[0].Day, test.first)
			testkit.Equal(t, "last day", got.Days[test.days-1].Day, test.last)
		})
	}
}

// Of seven parts with three keywords each, five are read. The last list does not end, and is left as well.
func TestKeywords(t *testing.T) {
	s := newSite(t)
	s.setFigures()
	for page := range 7 {
		pattern, list := keywordsPath, ""
		if page > 0 {
			pattern += fmt.Sprintf("?pageToken=%d", page)
		}
		for i := range 3 {
			list += fmt.Sprintf(`,{"searchKeyword":"k%d","insightsValue":{"value":"%d"}}`, 3*page+i, 20+3*page+i)
		}
		s.SetReply(pattern, ok(fmt.Sprintf(`{"searchKeywordsCounts":[%s],"nextPageToken":"%d"}`, list[1:], page+1)))
	}
	got, err := s.readFirst(t)
	wantFault(t, err, none)
	var keywords []string
	for _, k := range got.Keywords {
		keywords = append(keywords, k.Keyword)
	}
	want := []string{"k14", "k13", "k12", "k11", "k10", "k9", "k8", "k7", "k6", "k5"}
	testkit.Equal(t, "keywords", keywords, want)
	s.SetReply(keywordsPath+"?pageToken=1", ok(`{"nextPageToken":"1"}`))
	_, err = s.readFirst(t)
	wantFault(t, err, none)
}

func TestPerformanceCountsDaysInUTC(t *testing.T) {
	s := newSiteAt(t, time.Date(2026, time.November, 30, 20, 0, 0, 0, time.FixedZone("", -8*3600)))
	s.setFigures()
	got, err := s.readFirst(t)
	wantFault(t, err, none)
	testkit.Equal(t, "month of the keywords", got.Month, "2026-11") // at that time it is December in UTC
	testkit.Equal(t, "last day", s.query(t, 0).Get("dailyRange.end_date.day"), "30")
}

func TestPerformanceRefused(t *testing.T) {
	const badDay = `{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[{"dailyMetric":"CALL_CLICKS",` +
		`"timeSeries":{"datedValues":[{"value":"x"}]}}]}]}`
	const badKeyword = `{"searchKeywordsCounts":[{"insightsValue":{"value":"x"}}]}`
	scope := googleError(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "")
	for name, test := range map[string]struct {
		path  string
		reply fake.Reply
		want  fault.Code
	}{
		"not verified":              {dailyPath, googleError(403, "PERMISSION_DENIED", "", ""), provider.CodeGone},
		"not verified for keywords": {keywordsPath, googleError(403, "PERMISSION_DENIED", "", ""), provider.CodeGone},
		"no location":               {dailyPath, googleError(404, "NOT_FOUND", "", ""), provider.CodeGone},
		"scope":                     {dailyPath, scope, provider.CodePermission},
		"scope for keywords":        {keywordsPath, scope, provider.CodePermission},
		"figures of another form":   {dailyPath, ok(badDay), provider.CodeChanged},
		"keywords of another form":  {keywordsPath, ok(badKeyword), provider.CodeChanged},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.setFigures()
			s.SetReply(test.path, test.reply)
			_, err := s.readFirst(t)
			wantFault(t, err, test.want)
		})
	}
	_, err := newSite(t).ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "accounts/1"})
	wantFault(t, err, provider.CodeGone)
}

func TestSitesOf(t *testing.T) {
	tests := []struct {
		website string
		sites   []string
		want    []string
	}{
		{
			"https://www.firma.pl/", []string{"http://firma.pl/", "http://www.firma.pl/", "https://firma.pl/",
				"https://www.firma.pl/"},
			[]string{"https://www.firma.pl/", "http://www.firma.pl/", "https://firma.pl/", "http://firma.pl/"},
		},
		{"https://www.firma.pl/", []string{"https://www.firma.pl/blog/", "http://firma.pl/"},
			[]string{"http://firma.pl/", "https://www.firma.pl/blog/"}},
		{
			"https://klient.agencja.pl/", []string{"sc-domain:agencja.pl", "https://klient.agencja.pl/"},
			[]string{"https://klient.agencja.pl/", "sc-domain:agencja.pl"},
		},
		{"https://firma.pl/sklep", []string{"https://firma.pl/", "https://firma.pl/sklep/"},
			[]string{"https://firma.pl/sklep/", "https://firma.pl/"}},
		{"https://a.b.firma.pl", []string{"sc-domain:firma.pl", "sc-domain:b.firma.pl"},
			[]string{"sc-domain:b.firma.pl", "sc-domain:firma.pl"}},
		{"https://www.firma.pl", []string{"sc-domain:firma.pl", "http://firma.pl"},
			[]string{"http://firma.pl", "sc-domain:firma.pl"}},
		{"https://xn--piekarniata-yeb14hfx.pl/", []string{"https://piekarniażółta.pl/"},
			[]string{"https://piekarniażółta.pl/"}},
		{"piekarniażółta.pl", []string{"sc-domain:xn--piekarniata-yeb14hfx.pl"},
			[]string{"sc-domain:xn--piekarniata-yeb14hfx.pl"}},
		{"HTTPS://Firma.PL", []string{"https://firma.pl/"}, []string{"https://firma.pl/"}},
		{"https://firma.pl/", []string{"https://inna-firma.pl/", "sc-domain:rma.pl", "https://sklep.firma.pl/"}, nil},
		{"", []string{"https://firma.pl/"}, nil},
	}
	for _, test := range tests {
		testkit.Equal(t, test.website, google.SitesOf(test.website, test.sites), test.want)
	}
}

// A day ends at midnight at the Pacific, and is final three days later.
func TestReadSearch(t *testing.T) {
	for at, wantSpan := range map[time.Time]string{
		time.Date(2026, time.November, 22, 7, 59, 0, 0, time.UTC): "2026-10-22 2026-11-18",
		time.Date(2026, time.November, 22, 8, 0, 0, 0, time.UTC):  "2026-10-23 2026-11-19",
	} {
		s := newSiteAt(t, at)
		got, err := s.ReadSearch(t.Context(), s.Grant("anna", scopeWebmasters).Access, domain)
		wantFault(t, err, none)
		testkit.Equal(t, "first and last day at "+at.String(), got.From+" "+got.To, wantSpan)
		testkit.Equal(t, "number of days", len(got.Days), 28)
		testkit.Equal(t, "number of earlier days", len(got.Earlier), 180-28)
		testkit.Equal(t, "number of queries", len(got.Queries), 10)
		if len(got.Days) > 0 {
			testkit.Equal(t, "first day with figures", got.Days[0].Day, got.From)
		}
	}
}

func TestSearchFigures(t *testing.T) {
	const rows = `{"rows":[{"keys":["2026-10-19"],"clicks":2,"impressions":20,"ctr":0.1,"position":5},
		{"keys":["2026-11-18"],"clicks":1.0,"impressions":10,"ctr":0.1,"position":3.2}]}`
	nothing := google.SearchData{Site: domain, From: "2026-10-22", To: "2026-11-18", Days: []google.SearchDay{},
		Earlier: []google.SearchDay{}, Queries: []google.SearchQuery{}}
	read := nothing // of the days and, because the answer is the same, of the queries
	read.Days = []google.SearchDay{{Day: "2026-11-18", Clicks: 1, Impressions: 10, Position: 3.2}}
	read.Earlier = []google.SearchDay{{Day: "2026-10-19", Clicks: 2, Impressions: 20, Position: 5}}
	read.Queries = []google.SearchQuery{
		{Query: "2026-10-19", Clicks: 2, Impressions: 20, CTR: 0.1, Position: 5},
		{Query: "2026-11-18", Clicks: 1, Impressions: 10, CTR: 0.1, Position: 3.2},
	}
	for body, test := range map[string]struct {
		want  google.SearchData
		fault fault.Code
	}{
		rows:                      {want: read},
		`{}`:                      {want: nothing},
		`{"rows":[{"clicks":1}]}`: {want: nothing, fault: provider.CodeChanged},
	} {
		t.Run(body, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("POST /webmasters/v3/sites/"+domain+"/searchAnalytics/query", ok(body))
			got, err := s.ReadSearch(t.Context(), someToken, domain)
			wantFault(t, err, test.fault)
			testkit.Equal(t, "figures", got, test.want)
		})
	}
}
