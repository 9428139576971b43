package search_test

import (
	"fmt"
	"strings"
	"testing"
)

type performance struct {
	MultiDailyMetricTimeSeries []struct {
		DailyMetricTimeSeries []struct {
			DailyMetric string
			TimeSeries  struct {
				DatedValues []struct {
					Date  struct{ Year, Month, Day int }
					Value string
				}
			}
		}
	}
}

// metrics is the address of some metrics over a range of days.
func metrics(location, from, to string, names ...string) string {
	var query []string
	for _, name := range names {
		query = append(query, "dailyMetrics="+name)
	}
	for _, end := range []struct{ name, date string }{{"startDate", from}, {"endDate", to}} {
		var year, month, day int
		_, _ = fmt.Sscanf(end.date, "%d-%d-%d", &year, &month, &day) // an odd date leaves zeros
		query = append(query, fmt.Sprintf("dailyRange.%s.year=%d&dailyRange.%s.month=%d&dailyRange.%s.day=%d", end.name, year, end.name, month, end.name, day))
	}
	return "/v1/" + location + ":fetchMultiDailyMetricsTimeSeries?" + strings.Join(query, "&")
}

func (a *app) bakery() (token, name string) {
	return a.connect("anna").AccessToken, a.location("anna", "Piekarnia Kowalski").Name
}

func TestMetrics(t *testing.T) {
	a := newApp(t)
	token, bakery := a.bakery()
	target := metrics(bakery, "2026-11-10", "2026-11-30", "WEBSITE_CLICKS", "BUSINESS_BOOKINGS")
	got := read[performance](t, a.call("GET", target, token, "")).MultiDailyMetricTimeSeries[0].DailyMetricTimeSeries
	if len(got) != 2 || got[0].DailyMetric != "WEBSITE_CLICKS" || got[1].DailyMetric != "BUSINESS_BOOKINGS" {
		t.Fatalf("got %+v", got)
	}
	days := got[0].TimeSeries.DatedValues
	if len(days) != 9 || days[0].Date.Day != 10 || days[8].Date.Day != 18 {
		t.Errorf("days %+v, want the 10th to the 18th: the newest figures are three days old", days)
	}
	for _, day := range got[1].TimeSeries.DatedValues {
		if day.Value != "" {
			t.Errorf("a metric that is never used has %s", day.Value)
		}
	}
	later := metrics(bakery, "2026-11-12", "2026-11-12", "WEBSITE_CLICKS")
	alone := read[performance](t, a.call("GET", later, token, "")).MultiDailyMetricTimeSeries[0].DailyMetricTimeSeries[0].TimeSeries.DatedValues
	if len(alone) != 1 || alone[0] != days[2] {
		t.Errorf("the 12th has other figures when it is asked for alone: %+v, %+v", alone, days[2])
	}
}

func TestMetricsReachEighteenMonthsBack(t *testing.T) {
	a := newApp(t)
	token, bakery := a.bakery()
	got := read[performance](t, a.call("GET", metrics(bakery, "2025-05-01", "2025-05-31", "CALL_CLICKS"), token, ""))
	days := got.MultiDailyMetricTimeSeries[0].DailyMetricTimeSeries[0].TimeSeries.DatedValues
	if len(days) == 0 || days[0].Date.Day != 22 {
		t.Errorf("got %+v", days)
	}
}

func TestMetricsAreRefused(t *testing.T) {
	a := newApp(t)
	token, bakery := a.bakery()
	a.set(`{"dead_metrics":["CALL_CLICKS"]}`)
	for name, c := range map[string]struct {
		target string
		status int
	}{
		"no metric":       {metrics(bakery, "2026-11-01", "2026-11-02"), 400},
		"unknown metric":  {metrics(bakery, "2026-11-01", "2026-11-02", "LIKES"), 400},
		"dead metric":     {metrics(bakery, "2026-11-01", "2026-11-02", "WEBSITE_CLICKS", "CALL_CLICKS"), 400},
		"no range":        {metrics(bakery, "", "", "WEBSITE_CLICKS"), 400},
		"no date":         {metrics(bakery, "2026-02-30", "2026-03-02", "WEBSITE_CLICKS"), 400},
		"backwards":       {metrics(bakery, "2026-11-02", "2026-11-01", "WEBSITE_CLICKS"), 400},
		"other parameter": {metrics(bakery, "2026-11-01", "2026-11-02", "WEBSITE_CLICKS") + "&dailyMetric=X", 400},
		"not there":       {metrics("locations/1", "2026-11-01", "2026-11-02", "WEBSITE_CLICKS"), 404},
		"fine":            {metrics(bakery, "2026-11-01", "2026-11-02", "WEBSITE_CLICKS"), 200},
	} {
		if answer := a.call("GET", c.target, token, ""); answer.Code != c.status {
			t.Errorf("%s: got %d %s, want %d", name, answer.Code, answer.Body, c.status)
		}
	}
	if answer := a.call("GET", metrics(bakery, "2026-11-01", "2026-11-02", "WEBSITE_CLICKS"), a.connect("marek").AccessToken, ""); answer.Code != 403 {
		t.Errorf("somebody else's: %d", answer.Code)
	}
}
