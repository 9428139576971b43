package search

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"backend.example/deploy/sandbox/internal/googleapi"
	"backend.example/deploy/sandbox/internal/seeded"
)

// lag is how many days the newest figures are behind, and history how far back
// they reach (https://developers.google.com/my-business/reference/performance/rest).
const (
	lag           = 3
	historyMonths = 18
)

// metricNames lists the metrics that the API knows.
func metricNames() []string {
	return []string{
		"BUSINESS_IMPRESSIONS_DESKTOP_MAPS", "BUSINESS_IMPRESSIONS_DESKTOP_SEARCH", "BUSINESS_IMPRESSIONS_MOBILE_MAPS",
		"BUSINESS_IMPRESSIONS_MOBILE_SEARCH", "BUSINESS_CONVERSATIONS", "BUSINESS_DIRECTION_REQUESTS", "CALL_CLICKS", "WEBSITE_CLICKS",
		"BUSINESS_BOOKINGS", "BUSINESS_FOOD_ORDERS", "BUSINESS_FOOD_MENU_CLICKS",
	}
}

type multiSeries struct {
	List []metricSeriesList `json:"multiDailyMetricTimeSeries"`
}

type metricSeriesList struct {
	Series []metricSeries `json:"dailyMetricTimeSeries"`
}

type metricSeries struct {
	DailyMetric string `json:"dailyMetric"`
	TimeSeries  struct {
		DatedValues []datedValue `json:"datedValues,omitempty"`
	} `json:"timeSeries"`
}

// datedValue has no value when it is 0; a 64-bit number is a string in JSON.
type datedValue struct {
	Date  date   `json:"date"`
	Value string `json:"value,omitempty"`
}

type date struct {
	Year  int `json:"year"`
	Month int `json:"month"`
	Day   int `json:"day"`
}

// fetchMetrics answers a series of daily figures for each metric that was asked for.
func (s *site) fetchMetrics(r *http.Request, person string) (any, error) {
	query, err := googleapi.Query(r, "dailyMetrics[]",
		"dailyRange.startDate.year", "dailyRange.startDate.month", "dailyRange.startDate.day",
		"dailyRange.endDate.year", "dailyRange.endDate.month", "dailyRange.endDate.day")
	if err != nil {
		return nil, err
	}
	if err := s.checkMetrics(query["dailyMetrics"]); err != nil {
		return nil, err
	}
	from, to, err := readRange(query)
	if err != nil {
		return nil, err
	}
	location, err := s.locationOf(r, person)
	if err != nil {
		return nil, err
	}
	var list metricSeriesList
	for _, metric := range query["dailyMetrics"] {
		list.Series = append(list.Series, s.series(location.Name, metric, from, to))
	}
	return multiSeries{[]metricSeriesList{list}}, nil
}

func (s *site) checkMetrics(metrics []string) error {
	if len(metrics) == 0 {
		return googleapi.InvalidField("daily_metrics", "at least one metric is required")
	}
	dead := s.knobs.List(knobDeadMetrics)
	for _, metric := range metrics {
		if !slices.Contains(metricNames(), metric) || slices.Contains(dead, metric) {
			refusal := googleapi.Invalid("Invalid value at 'daily_metrics' (type.googleapis.com/google.mybusiness.businessprofileperformance.v1.DailyMetric), %q", metric)
			refusal.Field = "daily_metrics"
			return refusal
		}
	}
	return nil
}

func readRange(query url.Values) (from, to time.Time, err error) {
	if from, err = readDate(query, "startDate"); err != nil {
		return from, to, err
	}
	if to, err = readDate(query, "endDate"); err != nil {
		return from, to, err
	}
	if to.Before(from) {
		return from, to, googleapi.InvalidField("daily_range", "the end is before the start")
	}
	return from, to, nil
}

func readDate(query url.Values, name string) (time.Time, error) {
	var parts [3]int
	for i, part := range []string{"year", "month", "day"} {
		number, err := strconv.Atoi(query.Get("dailyRange." + name + "." + part))
		if err != nil {
			return time.Time{}, googleapi.InvalidField("daily_range", name+"."+part+" is missing or no number")
		}
		parts[i] = number
	}
	at := time.Date(parts[0], time.Month(parts[1]), parts[2], 0, 0, 0, 0, time.UTC)
	if at.Year() != parts[0] || int(at.Month()) != parts[1] || at.Day() != parts[2] {
		return time.Time{}, googleapi.InvalidField("daily_range", name+" is no date")
	}
	return at, nil
}

// series makes figures up: the same ones for the same day. Days without figures
// yet, and those too long ago, are left out.
func (s *site) series(location, metric string, from, to time.Time) metricSeries {
	series := metricSeries{DailyMetric: metric}
	newest, oldest := s.now().AddDate(0, 0, -lag), s.now().AddDate(0, -historyMonths, 0)
	for at := from; !at.After(to) && !at.After(newest); at = at.AddDate(0, 0, 1) {
		if at.Before(oldest) {
			continue
		}
		value := datedValue{Date: date{at.Year(), int(at.Month()), at.Day()}}
		if figure := seeded.IntN(usual(location, metric)+1, location, metric, at.Format(time.DateOnly)); figure > 0 {
			value.Value = strconv.Itoa(figure)
		}
		series.TimeSeries.DatedValues = append(series.TimeSeries.DatedValues, value)
	}
	return series
}

// usual is the highest figure of a location's metric; some metrics are never used.
func usual(location, metric string) int {
	switch metric {
	case "BUSINESS_FOOD_ORDERS", "BUSINESS_FOOD_MENU_CLICKS", "BUSINESS_BOOKINGS", "BUSINESS_CONVERSATIONS":
		return 0
	case "CALL_CLICKS", "WEBSITE_CLICKS", "BUSINESS_DIRECTION_REQUESTS":
		return 2 + seeded.IntN(12, location, metric)
	default:
		return 40 + seeded.IntN(300, location, metric)
	}
}
