package google_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake/faketest"
)

// TestProfilesAndFiguresStayTheSame compares accounts, locations and figures with what was
// served when the demo and the pictures of the pages were made.
func TestProfilesAndFiguresStayTheSame(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna", "scope", business+" "+sites).AccessToken
	locations, _ := a.pages(token, "/v1/accounts/-/locations", "100", "name", "name")
	const week = "dailyRange.start_date.year=2026&dailyRange.start_date.month=11&dailyRange.start_date.day=8&dailyRange.end_date.year=2026&dailyRange.end_date.month=11&dailyRange.end_date.day=20"
	const days = `{"startDate":"2026-11-12","endDate":"2026-11-18","dimensions":["%s"],"rowLimit":25}`
	metrics := ""
	for _, name := range []string{
		"BUSINESS_IMPRESSIONS_DESKTOP_MAPS", "BUSINESS_IMPRESSIONS_DESKTOP_SEARCH", "BUSINESS_IMPRESSIONS_MOBILE_MAPS", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH",
		"BUSINESS_DIRECTION_REQUESTS", "CALL_CLICKS", "WEBSITE_CLICKS",
	} {
		metrics += "&dailyMetrics=" + name
	}
	var got strings.Builder
	for _, c := range [][2]string{
		{"/v1/accounts?pageSize=20"},
		{"/v1/accounts/-/locations?pageSize=100&readMask=name,title,storefrontAddress,phoneNumbers,websiteUri,regularHours,specialHours,categories,profile,serviceItems,metadata,openInfo"},
		{"/v1/" + locations[0] + ":fetchMultiDailyMetricsTimeSeries?" + week + metrics},
		{"/v1/" + locations[0] + "/searchkeywords/impressions/monthly?monthlyRange.start_month.year=2026&monthlyRange.start_month.month=9&monthlyRange.end_month.year=2026&monthlyRange.end_month.month=10"},
		{"/webmasters/v3/sites"},
		{"/webmasters/v3/sites/" + bakerySite + "/searchAnalytics/query", fmt.Sprintf(days, "date")},
		{"/webmasters/v3/sites/" + bakerySite + "/searchAnalytics/query", fmt.Sprintf(days, "query")},
	} {
		answer := a.get(c[0], token)
		if c[1] != "" {
			answer = a.call("POST", c[0], token, c[1])
		}
		fmt.Fprintf(&got, "# %d %s %s\n%s\n", answer.Code, c[0], c[1], strings.ReplaceAll(strings.TrimSpace(answer.Body.String()), "},{", "},\n{"))
	}
	faketest.Kept(t, "figures.txt", got.String())
}

// TestLoginsAndErrorsStayTheSame compares whole answers, with their headers, of the consent
// page, the token endpoint and the APIs with the kept ones, on which the directory's client
// relies.
func TestLoginsAndErrorsStayTheSame(t *testing.T) {
	a := newApp(t)
	got := faketest.Transcript{Fake: a.Fake}
	both := authorize("scope", "openid "+sites+" "+analytics)
	for _, changes := range [][]string{
		{"scope", "openid " + sites + " " + analytics}, {"client_id", "other"}, {"redirect_uri", ""}, {"response_type", "token"}, {"scope", ""}, {"scope", "openid drive"},
		{"access_type", "always"}, {"prompt", "login"}, {"code_challenge_method", "plain"}, {"code_challenge", ""},
	} {
		got.Add(fmt.Sprint("consent ", changes), a.get(authorize(changes...), ""))
	}
	got.Add("two states", a.get(authorize()+"&state=x", ""))
	for _, form := range []url.Values{
		{"decision": {"allow"}, "account": {"anna"}, "scope": {"all"}}, {"decision": {"allow"}, "account": {"marek"}, "scope": {sites}}, {"decision": {"deny"}},
		{"decision": {"allow"}}, {"decision": {"allow"}, "account": {"anna"}, "scope": {"drive"}}, {"decision": {"allow"}, "account": {strings.Repeat("a", 64<<10)}},
	} {
		got.Add(fmt.Sprintf("form %.80s", form.Encode()), a.post(both, form))
	}
	got.Add("without a fixed scope", a.post(authorize("scope", business), url.Values{"decision": {"allow"}, "account": {"anna"}}))
	got.Add("without a state", a.post(authorize("state", ""), url.Values{"decision": {"allow"}, "account": {"anna"}}))

	code := func() string { return a.allow("anna") }
	given, late := a.connect("anna"), code()
	repeated, long := exchange(code()), exchange(strings.Repeat("c", 64<<10+2-len(exchange("c").Encode()))) // one byte too long
	repeated.Add("code", "x")
	for _, form := range []url.Values{
		exchange(code()), refreshing(given.RefreshToken), exchange(code(), "grant_type", ""), exchange(code(), "grant_type", "password"), exchange(code(), "client_id", "x"),
		exchange(code(), "client_secret", ""), exchange(""), exchange("x"), exchange(code(), "redirect_uri", redirect+"/"), exchange(code(), "code_verifier", ""), refreshing(""),
		refreshing("x"), refreshing(given.AccessToken), repeated, long,
	} {
		got.Add(fmt.Sprintf("token %.300s", form.Encode()), a.post("/token", form))
	}
	a.SetToggle("access_token_seconds", 5)
	a.SetToggle("rotate_refresh_tokens", true)
	got.Add("a new refresh token", a.post("/token", refreshing(given.RefreshToken)))
	got.Add("the old one again", a.post("/token", refreshing(given.RefreshToken)))
	a.SetToggle("access_token_seconds", 0)
	a.now = a.now.Add(10*time.Minute + 1)
	got.Add("late code", a.post("/token", exchange(late)))
	got.Add("another type", a.call(http.MethodPost, "/token", "", refreshing("x").Encode()))

	given = a.connect("anna", "scope", business+" "+sites)
	little := a.connect("anna", "scope", "openid "+analytics).AccessToken
	const year = "&dailyRange.end_date.year=2026&dailyRange.end_date.month=11&dailyRange.end_date.day=20"
	names, _ := a.pages(given.AccessToken, "/v1/accounts/-/locations", "100", "name", "name")
	daily := "/v1/" + names[0] + ":fetchMultiDailyMetricsTimeSeries?dailyRange.start_date.year=2026&dailyRange.start_date.month=11&dailyRange.start_date.day="
	for _, c := range [][2]string{
		{"", "/v1/accounts"}, {"x", "/v1/accounts"}, {given.RefreshToken, "/v1/accounts"}, {little, "/v1/accounts"}, {little, "/webmasters/v3/sites"},
		{given.AccessToken, "/v1/accounts?pageSize=1"}, {given.AccessToken, "/v1/accounts?pageSize=21"}, {given.AccessToken, "/v1/accounts?pageToken=x"}, {given.AccessToken, "/v1/accounts?%"},
		{given.AccessToken, "/v1/accounts?pageSize=1&pageSize=2"}, {given.AccessToken, "/v1/accounts?colour=red"}, {given.AccessToken, "/v1/accounts/-/locations"},
		{given.AccessToken, "/v1/accounts/-/locations?readMask=name,colour"}, {given.AccessToken, "/v1/accounts/1/locations?readMask=name"},
		{given.AccessToken, "/v1/accounts/-/locations?readMask=name&pageSize=1"}, {given.AccessToken, "/v1/locations/1?readMask=name"}, {given.AccessToken, "/v1/locations/1/VoiceOfMerchantState"},
		{given.AccessToken, "/v1/" + names[0] + "/VoiceOfMerchantState"}, {given.AccessToken, "/v1/" + names[0] + "?readMask=title,labels"},
		{given.AccessToken, daily + "20" + year + "&dailyMetrics=X"}, {given.AccessToken, daily + "20" + year}, {given.AccessToken, daily + "21" + year}, {given.AccessToken, daily + "x" + year},
		{given.AccessToken, daily + "31" + year}, {given.AccessToken, strings.Replace(daily, "month=11", "month=13", 1) + "20" + year}, {given.AccessToken, strings.Replace(daily, names[0], "locations/1", 1) + "20" + year}, {given.AccessToken, "/v4/accounts"},
		{a.connect("zofia", "scope", sites).AccessToken, "/webmasters/v3/sites"},
	} {
		got.Add(c[1]+" with "+c[0], a.get(c[1], c[0]))
	}
	for _, body := range []string{`{"startDate":"2026-11-12","endDate":"2026-11-18","dimensions":["date"],"rowLimit":1}`,
		`{"startDate":"2026-11-12","endDate":"2026-11-18","dimensions":["date","query"],"rowLimit":1}`,
		`{"startDate":"2026-11-12","endDate":"2026-11-18","dimensions":["date"],"rowLimit":0}`,
	} {
		got.Add("figures "+body, a.call(http.MethodPost, "/webmasters/v3/sites/sc-domain:another.example/searchAnalytics/query", given.AccessToken, body))
	}
	a.SetToggle("empty_lists", true)
	got.Add("empty lists", a.get("/webmasters/v3/sites", given.AccessToken))
	a.SetToggle("empty_lists", false)
	a.SetToggle("requests_per_minute", 1)
	for range 2 {
		got.Add("with a quota", a.get("/v1/accounts", given.AccessToken))
	}
	a.SetToggle("requests_per_minute", 0)
	a.now = a.now.Add(time.Hour)
	got.Add("after an hour", a.get("/v1/accounts", given.AccessToken))
	got.Add("nothing to revoke", a.post("/revoke", url.Values{}))
	for range 2 {
		got.Add("revocation", a.post("/revoke", url.Values{"token": {given.RefreshToken}}))
	}
	got.Add("after it", a.get("/v1/accounts", given.AccessToken))
	got.Kept(t)
}
