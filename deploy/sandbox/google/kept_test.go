package google_test

import (
	"fmt"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/fake/faketest"
)

// TestProfilesAndFiguresStayTheSame compares accounts, locations and figures with what was
// served when the demo and the pictures of the pages were made.
func TestProfilesAndFiguresStayTheSame(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna", "scope", business+" "+sites).AccessToken
	locations, _ := a.pages(token, "/v1/accounts/-/locations", "100", "name", "name")
	const week = "dailyRange.start_date.year=2026&dailyRange.start_date.month=11&dailyRange.start_date.day=14&dailyRange.end_date.year=2026&dailyRange.end_date.month=11&dailyRange.end_date.day=20"
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
		{"/v1/" + locations[0] + "/searchkeywords/impressions/monthly?monthlyRange.start_month.year=2026&monthlyRange.start_month.month=10&monthlyRange.end_month.year=2026&monthlyRange.end_month.month=10"},
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
