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

// metrics are the daily metrics of a location with what it has of each on an average day
// (https://developers.google.com/my-business/reference/performance/rest/v1/DailyMetric).
var metrics = map[string]float64{
	"BUSINESS_IMPRESSIONS_DESKTOP_MAPS": 9, "BUSINESS_IMPRESSIONS_DESKTOP_SEARCH": 34,
	"BUSINESS_IMPRESSIONS_MOBILE_MAPS":   61,
	"BUSINESS_IMPRESSIONS_MOBILE_SEARCH": 88, "BUSINESS_CONVERSATIONS": 0, "BUSINESS_DIRECTION_REQUESTS": 7,
	"CALL_CLICKS": 4, "WEBSITE_CLICKS": 6,
	"MESSAGING_CLICKS": 0.4, "BUSINESS_BOOKINGS": 0, "BUSINESS_FOOD_ORDERS": 0, "BUSINESS_FOOD_MENU_CLICKS": 1,
}

// figuresMethod ends the address of the daily figures of a location.
const figuresMethod = ":fetchMultiDailyMetricsTimeSeries"

const (
	// figuresDelay is how many days the figures are late, and figuresMonths how far they
	// go back.
	figuresDelay, figuresMonths = 4, 18
	// keywordThreshold is the number of impressions below which a keyword's is not shown.
	keywordThreshold = 15
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

// dateIn reads a date of a query; without a day it is the first of a month.
func dateIn(query url.Values, name string, day bool) (time.Time, error) {
	var parts [3]int
	for i, part := range []string{".year", ".month", ".day"} {
		var err error
		if parts[2] = 1; i == 2 && !day {
			break
		}
		if parts[i], err = strconv.Atoi(query.Get(name + part)); err != nil {
			return time.Time{}, Invalid(name+part, "Request contains an invalid argument.")
		}
	}
	at := time.Date(parts[0], time.Month(parts[1]), parts[2], 0, 0, 0, 0, time.UTC)
	if at.Year() != parts[0] || at.Day() != parts[2] { // a wrong month is one of another year
		return time.Time{}, Invalid(name, "Request contains an invalid argument.")
	}
	return at, nil
}

// rangeIn reads the first and the last date of a query.
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

// visible returns a location that a person may see. All of them are verified.
func (p *Provider) visible(r request, id string) (Object, error) {
	all, _ := p.locationsOf(r.person, "accounts/-")
	for _, location := range all {
		if location["name"] == "locations/"+id {
			return location, nil
		}
	}
	return nil, forbidden()
}

// showFigures answers the daily figures of a location. Zero is an absent value, and so are
// the figures of the last days
// (https://developers.google.com/my-business/reference/performance/rest/v1/locations/fetchMultiDailyMetricsTimeSeries).
func (p *Provider) showFigures(r request) (any, error) {
	location, err := p.visible(r, strings.TrimSuffix(r.PathValue("location"), figuresMethod))
	if err != nil {
		return nil, err
	}
	from, to, err := rangeIn(r.query, "dailyRange.start_date", "dailyRange.end_date", true)
	if err != nil {
		return nil, err
	}
	if len(r.query["dailyMetrics"]) == 0 {
		return nil, Invalid("daily_metrics", "Request contains an invalid argument.")
	}
	today := p.Now().UTC().Truncate(24 * time.Hour)
	from = latest(from, today.AddDate(0, -figuresMonths, 0))
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

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// figure is what a location has of a metric on a day: more in summer and at the end of the
// week, less on Sundays.
func figure(location any, metric string, day time.Time, usual float64) int {
	name := fmt.Sprint(location)
	size := 0.5 + fake.Rand(name).Float64()
	season := 1 + 0.25*math.Sin(2*math.Pi*float64(day.YearDay()-100)/365)
	week := [...]float64{0.5, 0.9, 0.9, 1, 1, 1.3, 1.4}[day.Weekday()]
	chance := 0.6 + 0.8*fake.Rand(name, metric, day.Format(time.DateOnly)).Float64()
	return int(math.Round(usual * size * season * week * chance))
}

// keywordsOf are what people search for when they see a location.
func keywordsOf(location Object) (keywords []string) {
	title := strings.ToLower(fmt.Sprint(location["title"]))
	kind, _, _ := strings.Cut(title, " ")
	for _, word := range []string{"", " blisko mnie", " otwarte teraz", " opinie", " telefon", " godziny otwarcia",
		" dojazd", " cennik"} {
		keywords = append(keywords, kind+word, title+word)
	}
	return keywords
}

// listKeywords answers what people searched for when they saw a location, month by month,
// the most frequent first
// (locations.searchkeywords.impressions.monthly.list of
// https://developers.google.com/my-business/reference/performance/rest).
func (p *Provider) listKeywords(r request) (any, error) {
	location, err := p.visible(r, r.PathValue("location"))
	if err != nil {
		return nil, err
	}
	from, to, err := rangeIn(r.query, "monthlyRange.start_month", "monthlyRange.end_month", false)
	if err != nil {
		return nil, err
	}
	keywords, counts := keywordsOf(location), map[string]int{}
	for month := from; !month.After(to) && month.AddDate(0, 1, figuresDelay).Before(p.Now()); month = month.AddDate(
		0, 1, 0,
	) {
		for i, keyword := range keywords {
			counts[keyword] += figure(location["name"], keyword, month, 900/float64(i+1)/float64(i+1))
		}
	}
	var found []Object
	for _, keyword := range keywords {
		switch n := counts[keyword]; {
		case n >= keywordThreshold:
			found = append(found, Object{"searchKeyword": keyword, "insightsValue": Object{"value": strconv.Itoa(n)}})
		case n > 0:
			found = append(
				found,
				Object{"searchKeyword": keyword, "insightsValue": Object{"threshold": strconv.Itoa(keywordThreshold)}},
			)
		}
	}
	return list("searchKeywordsCounts", "keywords "+fmt.Sprint(location["name"]), found, r.query, 100, 100)
}
