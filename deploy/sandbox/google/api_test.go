package google_test

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const (
	bakerySite = "sc-domain:piekarnia-kowalski.example"
)

func TestATokenWithTheScopeIsNeeded(t *testing.T) {
	a := newApp(t)
	given := a.connect("anna", "scope", "openid "+sites)
	token := given.AccessToken
	for path, status := range map[string]int{"/v1/accounts": 403, "/v1/accounts/-/locations?readMask=name": 403, "/webmasters/v3/sites": 200} {
		for _, c := range []struct {
			token  string
			status int
			text   string
			auth   string // in WWW-Authenticate
		}{
			{"", 401, "CREDENTIALS_MISSING", ""}, {"nonsense", 401, "ACCESS_TOKEN_TYPE_UNSUPPORTED", "invalid_token"},
			{given.RefreshToken, 401, "ACCESS_TOKEN_TYPE_UNSUPPORTED", "invalid_token"},
			{token, status, "", map[int]string{403: "insufficient_scope"}[status]},
		} {
			answer := a.get(path, c.token)
			body := answer.Body.String()
			if answer.Code != c.status || !strings.Contains(body, c.text) || (answer.Code == 401) != strings.Contains(body, `"status":"UNAUTHENTICATED"`) ||
				(answer.Code == 403) != strings.Contains(body, "ACCESS_TOKEN_SCOPE_INSUFFICIENT") {
				t.Errorf("%s with %q: %d %s", path, c.token, answer.Code, body)
			}
			want := ""
			if c.auth != "" {
				want = `Bearer realm="https://accounts.google.com/", error="` + c.auth + `"`
			}
			if got := answer.Header().Get("WWW-Authenticate"); got != want {
				t.Errorf("%s with %q: WWW-Authenticate %q, want %q", path, c.token, got, want)
			}
		}
	}
	if answer := a.get("/v1/accounts?access_token="+token, ""); answer.Code != 401 {
		t.Errorf("a token in the address: %d", answer.Code)
	}
	for _, path := range []string{"/", "/v4/accounts/1/locations", "/v1/accounts/1"} {
		if answer := a.get(path, token); answer.Code != 404 || !strings.Contains(answer.Body.String(), "<!DOCTYPE html>") {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}

func TestSitesAndTheirFigures(t *testing.T) {
	a := newApp(t)
	const query = "/webmasters/v3/sites/%/searchAnalytics/query"
	const days = `{"startDate":"2026-10-22","endDate":"2026-11-18","dimensions":["date"],"rowLimit":28}`
	for name, c := range map[string]struct {
		person, site, body string // the list of sites if there is no body
		status             int
		count              int // of rows or sites
	}{
		"anna's sites":   {"anna", "", "", 200, 2},
		"marek's sites":  {"marek", "", "", 200, 1},
		"zofia's sites":  {"zofia", "", "", 200, 0},
		"days":           {"anna", "https:%2F%2Fpiekarnia-kowalski.example%2F", days, 200, 28},
		"queries":        {"anna", bakerySite, strings.Replace(days, "date\"]", "query\"]", 1), 200, 12},
		"fewer rows":     {"anna", bakerySite, strings.Replace(days, ":28}", ":5}", 1), 200, 5},
		"most rows":      {"anna", bakerySite, strings.Replace(days, ":28}", ":25000}", 1), 200, 28},
		"too many rows":  {"anna", bakerySite, strings.Replace(days, ":28}", ":25001}", 1), 400, 0},
		"another's site": {"marek", bakerySite, days, 403, 0},
		"unverified":     {"marek", "https:%2F%2Fwarsztat-nowak.example%2F", days, 403, 0},
		"no dates":       {"anna", bakerySite, `{"dimensions":["date"],"rowLimit":5}`, 400, 0},
	} {
		token := a.connect(c.person, "scope", sites).AccessToken
		answer := a.call("POST", strings.Replace(query, "%", c.site, 1), token, c.body)
		if c.body == "" {
			answer = a.get("/webmasters/v3/sites", token)
		}
		body := answer.Body.String()
		if count := strings.Count(body, `"keys"`) + strings.Count(body, `"siteUrl"`); answer.Code != c.status || count != c.count {
			t.Errorf("%s: %d with %d, want %d with %d: %s", name, answer.Code, count, c.status, c.count, body)
		}
	}
}

// pages reads a whole list and returns the values of a field in it.
func (a *app) pages(token, path, size, mask, field string) (values []string, pages int) {
	a.t.Helper()
	next := ""
	for pages == 0 || next != "" {
		query := change(url.Values{"pageSize": {size}}, []string{"pageToken", next, "readMask", mask})
		body := a.get(path+"?"+query.Encode(), token).Body.String()
		for _, match := range regexp.MustCompile(`"`+field+`":"([^"]*)"`).FindAllStringSubmatch(body, -1) {
			values = append(values, match[1])
		}
		next, pages = "", pages+1
		if match := regexp.MustCompile(`"nextPageToken":"([^"]*)"`).FindStringSubmatch(body); match != nil {
			next = match[1]
		}
	}
	return values, pages
}

func TestAccountsAndLocationsOfPeople(t *testing.T) {
	a := newApp(t)
	for person, want := range map[string]struct {
		accounts, accountPages, locations, locationPages int
		first                                            string
	}{
		"anna": {2, 1, 2, 1, "Anna Kowalska"}, "marek": {1, 1, 1, 1, "Marek Nowak"}, "tomasz": {1, 1, 0, 1, "Tomasz Wójcik"},
		"piotr": {26, 2, 140, 2, "Piotr Zieliński"}, // 130 of the chain, 5 companies and 5 oddities
	} {
		token := a.connect(person).AccessToken
		names, accountPages := a.pages(token, "/v1/accounts", "20", "", "accountName")
		ids, _ := a.pages(token, "/v1/accounts", "20", "", "name")
		locations, locationPages := a.pages(token, "/v1/accounts/-/locations", "100", "name", "name")
		distinct := len(slices.Compact(slices.Sorted(slices.Values(append(ids, locations...)))))
		if len(names) != want.accounts || accountPages != want.accountPages || len(locations) != want.locations || locationPages != want.locationPages ||
			distinct != want.accounts+want.locations || names[0] != want.first {
			t.Errorf("%s: %d accounts on %d pages, %d locations on %d", person, len(names), accountPages, len(locations), locationPages)
		}
	}
}

func TestRequestsOfTheProfileAPIs(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna").AccessToken
	own, _ := a.pages(token, "/v1/accounts", "20", "", "name")
	foreign, _ := a.pages(a.connect("marek").AccessToken, "/v1/accounts", "20", "", "name")
	next := "&pageToken=" + read[struct{ NextPageToken string }](t, a.get("/v1/accounts?pageSize=1", token)).NextPageToken
	noPage := base64.RawURLEncoding.EncodeToString([]byte("accounts anna\n0"))
	const titles = `{"locations":[{"title":"Piekarnia Kowalski"},{"title":"Piekarnia Kowalski – Podgórze"}]}`
	for target, want := range map[string]struct {
		status int
		text   string
	}{
		"/v1/" + own[0] + "/locations?readMask=name":          {200, "{}\n"},
		"/v1/" + own[1] + "/locations?readMask=title,labels":  {200, titles},
		"/v1/accounts?pageSize=1" + next:                      {200, own[1]},
		"/v1/accounts/-/locations?readMask=name" + next:       {400, "page_token"}, // it is of the other list
		"/v1/accounts?pageSize=0":                             {400, "pageSize"},
		"/v1/accounts?pageSize=21":                            {400, "pageSize"},
		"/v1/accounts?pageToken=abc":                          {400, "page_token"},
		"/v1/accounts?pageToken=" + noPage:                    {400, "page_token"},
		"/v1/accounts?pageSize=1&pageSize=2":                  {400, "is repeated"},
		"/v1/accounts?colour=json":                            {400, "Unknown name"},
		"/v1/accounts?alt=json&prettyPrint=false":             {200, own[0]},
		"/v1/accounts?alt=xml":                                {400, "Unknown name"},
		"/v1/accounts/-/locations":                            {400, `"field":"read_mask"`},
		"/v1/accounts/-/locations?readMask=colour":            {400, "Invalid field mask provided"},
		"/v1/accounts/-/locations?readMask=name&pageSize=101": {400, "pageSize"},
		"/v1/accounts/1/locations?readMask=name":              {404, "NOT_FOUND"},
		"/v1/" + foreign[0] + "/locations?readMask=name":      {404, "NOT_FOUND"},
		"/v1/locations/1/VoiceOfMerchantState":                {404, "NOT_FOUND"},
		"/v1/locations/1":                                     {400, `"field":"read_mask"`},
	} {
		if answer := a.get(target, token); answer.Code != want.status || !strings.Contains(answer.Body.String(), want.text) {
			t.Errorf("%s: got %d %s, want %d %s", target, answer.Code, answer.Body, want.status, want.text)
		}
	}
	a.SetToggle("empty_lists", true)
	for _, target := range []string{"/v1/accounts", "/v1/accounts/-/locations?readMask=name"} {
		if answer := a.get(target, token); answer.Code != 200 || answer.Body.String() != "{}\n" {
			t.Errorf("empty %s: %d %s", target, answer.Code, answer.Body)
		}
	}
}

// The audit of the directory gives the bakery 100 points, the workshop 59 and the studio 24.
func TestProfilesAreCompleteHalfEmptyAndOdd(t *testing.T) {
	a := newApp(t)
	const mask = "?readMask=name,title,phoneNumbers,categories,storefrontAddress,websiteUri,regularHours,serviceArea,openInfo,metadata,profile,serviceItems"
	token := a.connect("piotr").AccessToken
	titles, _ := a.pages(token, "/v1/accounts/-/locations", "100", "title", "title")
	names, _ := a.pages(token, "/v1/accounts/-/locations", "100", "name", "name")
	for title, want := range map[string]struct {
		days   int
		has    []string
		hasNot string
	}{
		"Piekarnia Kowalski": {7, []string{
			`"postalCode":"31-021"`, `"locality":"Kraków"`, `"ul. Floriańska 12"`, `"+48 12 000 10 01"`, `"websiteUri":"https://`,
			`"placeId":"ChIJdemo-piekarnia-kowalski"`, `"additionalCategories":[{`, `"status":"OPEN"`, `"structuredServiceItem"`, `"freeFormServiceItem"`,
		}, "serviceArea"},
		"Warsztat Nowak":               {5, []string{`"status":"OPEN"`}, "websiteUri"},
		"Studio Fotografii Wiśniewska": {0, []string{`"status":"OPEN"`}, "phoneNumbers"},
		"Hydraulik Wójcik":             {6, []string{`"businessType":"CUSTOMER_LOCATION_ONLY"`}, "storefrontAddress"},
		"Zakład Szewski Lis":           {5, []string{`"status":"CLOSED_PERMANENTLY"`}, "websiteUri"},
		"Pensjonat Mewa":               {0, []string{`"status":"CLOSED_TEMPORARILY"`}, "regularHours"},
		"Dawna Księgarnia":             {0, []string{`"status":"CLOSED_PERMANENTLY"`}, "regularHours"},
		"Bar Nocny Księżyc": {5, []string{ // midnight is {}, and later is the next day
			`{"closeDay":"WEDNESDAY","closeTime":{},"openDay":"TUESDAY","openTime":{"hours":18}}`,
			`{"closeDay":"SUNDAY","closeTime":{"hours":4},"openDay":"SATURDAY","openTime":{"hours":18}}`,
		}, "websiteUri"},
		"Stacja Paliw Pod Lasem": {7, []string{`{"closeDay":"MONDAY","closeTime":{"hours":24},"openDay":"MONDAY","openTime":{}}`}, "websiteUri"},
	} {
		path := "/v1/" + names[slices.Index(titles, title)]
		body := a.get(path+mask, token).Body.String()
		for _, text := range want.has {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %s: %s", title, text, body)
			}
		}
		if days := strings.Count(body, `"openDay"`); days != want.days || strings.Contains(body, `"`+want.hasNot+`"`) {
			t.Errorf("%s: %d periods, or %s: %s", title, days, want.hasNot, body)
		}
		if voice := a.get(path+"/VoiceOfMerchantState", token).Body.String(); !strings.Contains(voice, `"hasVoiceOfMerchant":true`) {
			t.Errorf("%s: %s", title, voice)
		}
		description := regexp.MustCompile(`"description":"([^"]*)"`).FindString(body)
		if title == "Piekarnia Kowalski" && (utf8.RuneCountInString(description) < 270 || strings.Count(body, "ServiceItem\"") < 5) {
			t.Errorf("description %q in %s", description, body)
		}
	}
}

// TestFiguresOfALocation has zero and what is late as absent values, and no figures for
// anybody else, as the real API has.
func TestFiguresOfALocation(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna").AccessToken
	names, _ := a.pages(token, "/v1/accounts/-/locations", "100", "name", "name")
	const metrics, first = "&dailyMetrics=CALL_CLICKS&dailyMetrics=BUSINESS_BOOKINGS", "dailyRange.start_date.year=2026&dailyRange.start_date.month=11&dailyRange.start_date.day=10"
	const days = first + "&dailyRange.end_date.year=2026&dailyRange.end_date.month=11&dailyRange.end_date.day=20"
	const month = "monthlyRange.start_month.year=2026&monthlyRange.start_month.month=10&monthlyRange.end_month.year=2026&monthlyRange.end_month.month=10"
	daily, keywords := "/v1/"+names[0]+":fetchMultiDailyMetricsTimeSeries?", "/v1/"+names[0]+"/searchkeywords/impressions/monthly?"
	for target, want := range map[string]struct {
		status int
		text   string
		values int // in the answer
	}{
		daily + days + metrics:           {200, `{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[{"dailyMetric":"CALL_CLICKS","timeSeries":{"datedValues":[{"date":{"day":10,"month":11,"year":2026},"value":"`, 7},
		daily + days:                     {400, "daily_metrics", 0},
		daily + days + "&dailyMetrics=X": {400, "Invalid value at 'daily_metrics'", 0},
		daily + first + metrics:          {400, "dailyRange.end_date.year", 0},
		daily + strings.Replace(days, "day=20", "day=31", 1) + metrics:  {400, "dailyRange.end_date", 0}, // November has 30
		daily + strings.Replace(days, "day=20", "day=9", 1) + metrics:   {400, "dailyRange.end_date", 0},
		strings.Replace(daily+days+metrics, names[0], "locations/1", 1): {403, "PERMISSION_DENIED", 0},
		keywords + month:                   {200, `{"searchKeywordsCounts":[{"insightsValue":{"value":"`, 5},
		keywords + month + "&pageSize=3":   {200, `"nextPageToken":"`, 3},
		keywords + month + "&pageSize=101": {400, "pageSize", 0},
		keywords:                           {400, "monthlyRange.start_month.year", 0},
		strings.Replace(keywords+month, names[0], "locations/1", 1): {403, "PERMISSION_DENIED", 0},
	} {
		answer := a.get(target, token)
		if body := answer.Body.String(); answer.Code != want.status || !strings.Contains(body, want.text) || strings.Count(body, `"value":"`) != want.values {
			t.Errorf("%s: %d with %d values, want %d with %d: %s", target, answer.Code, strings.Count(body, `"value":"`), want.status, want.values, body)
		}
	}
	if body := a.get(keywords+month, token).Body.String(); !strings.Contains(body, `{"insightsValue":{"threshold":"15"}`) {
		t.Errorf("no threshold in %s", body)
	}
	if answer := a.get(daily+days+metrics, a.connect("anna", "scope", "openid "+sites).AccessToken); answer.Code != 403 || !strings.Contains(answer.Body.String(), "SCOPE_INSUFFICIENT") {
		t.Errorf("without the scope: %d", answer.Code)
	}
}

// TestHowOldFiguresMayBe asks about days and a month at both ends of what the API has.
func TestHowOldFiguresMayBe(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna").AccessToken
	names, _ := a.pages(token, "/v1/accounts/-/locations", "100", "name", "name")
	const days = "dailyRange.start_date.year=2025&dailyRange.start_date.month=1&dailyRange.start_date.day=1&dailyRange.end_date.year=2025&dailyRange.end_date.month=5&dailyRange.end_date.day=22"
	body := a.get("/v1/"+names[0]+":fetchMultiDailyMetricsTimeSeries?dailyMetrics=CALL_CLICKS&"+days, token).Body.String()
	if strings.Count(body, `"date":`) != 2 || !strings.Contains(body, `"datedValues":[{"date":{"day":21,"month":5,"year":2025}`) {
		t.Errorf("days before the last 18 months: %s", body)
	}
	month := "/v1/" + names[0] + "/searchkeywords/impressions/monthly?monthlyRange.start_month.year=2026&monthlyRange.start_month.month=11&monthlyRange.end_month.year=2026&monthlyRange.end_month.month=11"
	october := strings.ReplaceAll(month, "month=11", "month=10")
	before := a.get(october, token).Body.String()
	for day, known := range map[int]bool{1: false, 4: false, 5: true} {
		a.now = time.Date(2026, 12, day, 11, 0, 0, 0, time.Local)
		token := a.connect("anna").AccessToken
		answer := a.get(month, token)
		if got := strings.Contains(answer.Body.String(), "searchKeyword"); answer.Code != 200 || got != known {
			t.Errorf("November on December %d: %d %s", day, answer.Code, answer.Body)
		}
		if got := a.get(october, token).Body.String(); got != before {
			t.Errorf("October on December %d: %s, want %s", day, got, before)
		}
	}
}

// TestQuotaOfAnAPI checks that each API has a quota for any minute.
func TestQuotaOfAnAPI(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna").AccessToken
	a.get("/v1/accounts", token) // before there is a quota
	if err := a.ReadToggles(strings.NewReader(`{"requests_per_minute": 2}`)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		after  time.Duration
		path   string
		status int
	}{
		{0, "/v1/accounts", 200}, {time.Second, "/v1/accounts", 200}, {time.Second, "/v1/accounts", 429}, {0, "/v1/accounts/-/locations?readMask=name", 200},
		{time.Minute, "/v1/accounts", 200}, {0, "/v1/accounts", 200}, {0, "/v1/accounts", 429},
	} {
		a.now = a.now.Add(want.after)
		answer := a.get(want.path, token)
		if text := `"quota_unit":"1/min/{project}"`; answer.Code != want.status || strings.Contains(answer.Body.String(), text) != (want.status == 429) {
			t.Errorf("request %d: %d, want %d: %s", i, answer.Code, want.status, answer.Body)
		}
	}
}
