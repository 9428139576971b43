package google

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"backend.example/deploy/sandbox/fake"
)

// metrics are the daily metrics with the figures of an average day
// (https://developers.google.com/my-business/reference/performance/rest/v1/DailyMetric).
var metrics = map[string]float64{
	"BUSINESS_IMPRESSIONS_DESKTOP_MAPS": 9, "BUSINESS_IMPRESSIONS_DESKTOP_SEARCH": 34,
	"BUSINESS_IMPRESSIONS_MOBILE_MAPS":   61,
	"BUSINESS_IMPRESSIONS_MOBILE_SEARCH": 88, "BUSINESS_CONVERSATIONS": 0, "BUSINESS_DIRECTION_REQUESTS": 7,
	"CALL_CLICKS": 4, "WEBSITE_CLICKS": 6,
	"MESSAGING_CLICKS": 0.4, "BUSINESS_BOOKINGS": 0, "BUSINESS_FOOD_ORDERS": 0, "BUSINESS_FOOD_MENU_CLICKS": 1,
}

const figuresMethod = ":fetchMultiDailyMetricsTimeSeries"

const (
	figuresDelay     = 4  // days until a day has figures
	figuresMonths    = 18 // how far the figures go back
	keywordThreshold = 15 // a keyword with fewer impressions shows this bound instead of their number
)

var (
	dailyParameters = append(rangeParameters("dailyRange.start_date", "dailyRange.end_date", "year", "month", "day"),
		repeatedParameter)
	keywordParameters = append(rangeParameters("monthlyRange.start_month", "monthlyRange.end_month", "year", "month"),
		"pageSize", "pageToken")
)

func rangeParameters(first, last string, parts ...string) (names []string) {
	for _, part := range parts {
		names = append(names, first+"."+part, last+"."+part)
	}
	return names
}

// dateIn reads a date; without a day it is the first of a month.
func dateIn(query url.Values, name string, hasDay bool) (time.Time, error) {
	names := []string{".year", ".month", ".day"}
	if !hasDay {
		names = names[:2]
	}
	parts := [3]int{2: 1}
	for i, part := range names {
		var err error
		if parts[i], err = strconv.Atoi(query.Get(name + part)); err != nil {
			return time.Time{}, Invalid(name+part, "Request contains an invalid argument.")
		}
	}
	date := time.Date(parts[0], time.Month(parts[1]), parts[2], 0, 0, 0, 0, time.UTC)
	if date.Year() != parts[0] || date.Day() != parts[2] { // time.Date turns month 13 into one of the next year
		return time.Time{}, Invalid(name, "Request contains an invalid argument.")
	}
	return date, nil
}

func rangeIn(query url.Values, first, last string, day bool) (from, to time.Time, err error) {
	if from, err = dateIn(query, first, day); err != nil {
		return from, to, err
	}
	if to, err = dateIn(query, last, day); err != nil {
		return from, to, err
	}
	if to.Before(from) {
		return from, to, Invalid(last, "Request contains an invalid argument.")
	}
	return from, to, nil
}

// showFigures leaves out zeros and the values of the last days
// (https://developers.google.com/my-business/reference/performance/rest/v1/locations/fetchMultiDailyMetricsTimeSeries).
func (p *Provider) showFigures(r request) (any, error) {
	location, found := p.find(r, strings.TrimSuffix(r.PathValue("location"), figuresMethod))
	if !found {
		return nil, forbidden()
	}
	from, to, err := rangeIn(r.query, "dailyRange.start_date", "dailyRange.end_date", true)
	if err != nil {
		return nil, err
	}
	if len(r.query["dailyMetrics"]) == 0 {
		return nil, Invalid("daily_metrics", "Request contains an invalid argument.")
	}
	today := p.Now().UTC().Truncate(24 * time.Hour)
	if first := today.AddDate(0, -figuresMonths, 0); from.Before(first) {
		from = first
	}
	var all []Object
	for _, metric := range r.query["dailyMetrics"] {
		usual, known := metrics[metric]
		if !known {
			return nil,
				Invalid("daily_metrics", "Invalid value at 'daily_metrics' "+
					"(type.googleapis.com/google.mybusiness.performance.v1.DailyMetric), %q", metric)
		}
		values := []Object{}
		for day := from; !day.After(to) && day.Before(today); day = day.AddDate(0, 0, 1) {
			value := Object{"date": map[string]int{"year": day.Year(), "month": int(day.Month()), "day": day.Day()}}
			if n := figure(location["name"], metric, day, usual); n > 0 && today.Sub(day) > figuresDelay*24*time.Hour {
				value["value"] = strconv.Itoa(n)
			}
			values = append(values, value)
		}
		all = append(all, Object{"dailyMetric": metric, "timeSeries": Object{"datedValues": values}})
	}
	return Object{"multiDailyMetricTimeSeries": []Object{{"dailyMetricTimeSeries": all}}}, nil
}

// figure returns how often something happens on a day: about usual times, more in summer and at the end of the week,
// less on Sundays.
func figure(location any, metric string, day time.Time, usual float64) int {
	name := fmt.Sprint(location)
	size := 0.5 + fake.Rand(name).Float64()
	season := 1 + 0.25*math.Sin(2*math.Pi*float64(day.YearDay()-100)/365)
	week := [...]float64{0.5, 0.9, 0.9, 1, 1, 1.3, 1.4}[day.Weekday()]
	chance := 0.6 + 0.8*fake.Rand(name, metric, day.Format(time.DateOnly)).Float64()
	return int(math.Round(usual * size * season * week * chance))
}

func keywordsOf(location Object) (keywords []string) {
	title := strings.ToLower(fmt.Sprint(location["title"]))
	kind, _, _ := strings.Cut(title, " ")
	for _, word := range []string{"", " blisko mnie", " otwarte teraz", " opinie", " telefon", " godziny otwarcia",
		" dojazd", " cennik"} {
		keywords = append(keywords, kind+word, title+word)
	}
	return keywords
}

// listKeywords answers what people searched for, the most frequent first
// (locations.searchkeywords.impressions.monthly.list of
// https://developers.google.com/my-business/reference/performance/rest).
func (p *Provider) listKeywords(r request) (any, error) {
	location, found := p.find(r, r.PathValue("location"))
	if !found {
		return nil, forbidden()
	}
	from, to, err := rangeIn(r.query, "monthlyRange.start_month", "monthlyRange.end_month", false)
	if err != nil {
		return nil, err
	}
	keywords, counts := keywordsOf(location), map[string]int{}
	for month := from; !month.After(to); month = month.AddDate(0, 1, 0) {
		if !month.AddDate(0, 1, figuresDelay).Before(p.Now()) {
			break // the month has no figures yet
		}
		for i, keyword := range keywords {
			counts[keyword] += figure(location["name"], keyword, month, 900/float64(i+1)/float64(i+1))
		}
	}
	var shown []Object
	for _, keyword := range keywords {
		value := Object{"threshold": strconv.Itoa(keywordThreshold)}
		if counts[keyword] >= keywordThreshold {
			value = Object{"value": strconv.Itoa(counts[keyword])}
		}
		if counts[keyword] > 0 {
			shown = append(shown, Object{"searchKeyword": keyword, "insightsValue": value})
		}
	}
	return list("searchKeywordsCounts", "keywords "+fmt.Sprint(location["name"]), shown, r.query, 100, 100)
}
