package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// performanceURL is the address of the Business Profile Performance API
// (https://developers.google.com/my-business/reference/performance/rest).
const performanceURL = "https://businessprofileperformance.googleapis.com/v1/"

const (
	performanceDays  = 540 // how many days the first reading goes back; the API has 18 months
	performanceDelay = 7   // the newest days without figures, up to this number, may still get some
	keywordPageSize  = 100 // the largest that the API allows
	maxKeywordPages  = 5
	maxKeywords      = 10
	keywordDelay     = 10 // until this day of the next month, known keywords are read again, as they may change
)

// PerformanceQuery selects the figures of a location.
type PerformanceQuery struct {
	Location string    // resource name, "locations/123"
	From     time.Time // first day; zero is as far back as the API goes
	Month    string    // the month whose keywords the caller knows, e.g. "2026-10"; may be empty
}

// Performance is how a location was found and used.
type Performance struct {
	Location string           `json:"location"` // resource name, "locations/123"
	Days     []PerformanceDay `json:"days"`     // without gaps, oldest first
	Month    string           `json:"month"`    // of the keywords, e.g. "2026-10"
	Keywords []Keyword        `json:"keywords"` // the most frequent ones first
}

// PerformanceDay is one day of a location. An impression is one person who saw the profile.
type PerformanceDay struct {
	Day           string `json:"day"            gorm:"primaryKey"` // e.g. "2026-11-20"
	SearchDesktop int    `json:"search_desktop"`                   // impressions in the search
	SearchMobile  int    `json:"search_mobile"`
	MapsDesktop   int    `json:"maps_desktop"` // impressions on maps
	MapsMobile    int    `json:"maps_mobile"`
	Calls         int    `json:"calls"`      // clicks to call
	Directions    int    `json:"directions"` // requests for directions
	Website       int    `json:"website"`    // clicks to the website
	Messages      int    `json:"messages"`   // clicks to send a message
	Bookings      int    `json:"bookings"`
}

// Impressions is how many people saw the profile.
func (d PerformanceDay) Impressions() int { return d.InSearch() + d.OnMaps() }

// InSearch is how many people saw the profile in the search.
func (d PerformanceDay) InSearch() int { return d.SearchDesktop + d.SearchMobile }

// OnMaps is how many people saw the profile on maps.
func (d PerformanceDay) OnMaps() int { return d.MapsDesktop + d.MapsMobile }

// Actions is how often people called, asked for directions, or used the profile otherwise.
func (d PerformanceDay) Actions() int {
	return d.Calls + d.Directions + d.Website + d.Messages + d.Bookings
}

// Keyword is what people searched for when they saw the profile.
type Keyword struct {
	Keyword     string `json:"keyword"`
	Impressions int    `json:"impressions"` // of the month
	Fewer       bool   `json:"fewer"`       // there were fewer, the API does not say how many
}

// dailyMetrics are the figures of a day by their names at the API
// (https://developers.google.com/my-business/reference/performance/rest/v1/DailyMetric).
var dailyMetrics = map[string]func(*PerformanceDay) *int{
	"BUSINESS_IMPRESSIONS_DESKTOP_SEARCH": func(d *PerformanceDay) *int { return &d.SearchDesktop },
	"BUSINESS_IMPRESSIONS_MOBILE_SEARCH":  func(d *PerformanceDay) *int { return &d.SearchMobile },
	"BUSINESS_IMPRESSIONS_DESKTOP_MAPS":   func(d *PerformanceDay) *int { return &d.MapsDesktop },
	"BUSINESS_IMPRESSIONS_MOBILE_MAPS":    func(d *PerformanceDay) *int { return &d.MapsMobile },
	"CALL_CLICKS":                         func(d *PerformanceDay) *int { return &d.Calls },
	"BUSINESS_DIRECTION_REQUESTS":         func(d *PerformanceDay) *int { return &d.Directions },
	"WEBSITE_CLICKS":                      func(d *PerformanceDay) *int { return &d.Website },
	"MESSAGING_CLICKS":                    func(d *PerformanceDay) *int { return &d.Messages },
	"BUSINESS_BOOKINGS":                   func(d *PerformanceDay) *int { return &d.Bookings },
}

// ReadPerformance reads the figures until the newest day that has any, and the keywords of the last full
// month, unless they are known. A location without figures, for example because it is not verified, is
// the fault provider_gone.
func (s *Client) ReadPerformance(
	ctx context.Context, accessToken string, q PerformanceQuery,
) (p Performance, err error) {
	defer func() { s.options.Metrics.Call(string(provider.Search), "performance", err) }()
	if !locationName.MatchString(q.Location) {
		return Performance{}, provider.Gone(fmt.Errorf("%q is no location", q.Location))
	}
	today := s.options.Now().UTC().Truncate(24 * time.Hour)
	month := today.AddDate(0, -1, 1-today.Day())
	p = Performance{Location: q.Location, Month: month.Format("2006-01")}
	p.Days, err = s.performanceOf(ctx, accessToken, q, today)
	if err != nil {
		return p, ofLocation(err)
	}
	if q.Month != p.Month || today.Day() <= keywordDelay {
		p.Keywords, err = s.keywords(ctx, accessToken, q.Location, month)
	}
	return p, ofLocation(err)
}

// ofLocation turns a refusal into provider_gone: as the same grant reads the location itself, a refusal of its figures
// means that there are none.
func ofLocation(err error) error {
	if fault.Is(err, provider.CodePermission) && !errors.Is(err, errScope) {
		return provider.Gone(err)
	}
	return err
}

// performanceSeries is the answer to a request for daily figures. A value that is absent is
// zero
// (https://developers.google.com/my-business/reference/performance/rest/v1/locations/fetchMultiDailyMetricsTimeSeries).
type performanceSeries struct {
	Multi []struct {
		Series []struct {
			Metric     string `json:"dailyMetric"`
			TimeSeries struct {
				Values []struct {
					Date  apiDate `json:"date"`
					Value int     `json:"value,string"`
				} `json:"datedValues"`
			} `json:"timeSeries"`
		} `json:"dailyMetricTimeSeries"`
	} `json:"multiDailyMetricTimeSeries"`
}

func (s *Client) performanceOf(ctx context.Context, accessToken string, q PerformanceQuery,
	today time.Time) ([]PerformanceDay, error) {
	first, last := today.AddDate(0, 0, -performanceDays), today.AddDate(0, 0, -1)
	if q.From.After(first) {
		first = q.From
	}
	query := url.Values{"dailyMetrics": slices.Sorted(maps.Keys(dailyMetrics))}
	for name, day := range map[string]time.Time{"dailyRange.start_date": first, "dailyRange.end_date": last} {
		setMonth(query, name, day)
		query.Set(name+".day", strconv.Itoa(day.Day()))
	}
	var answer performanceSeries
	if err := s.get(ctx, accessToken, performanceURL+q.Location+":fetchMultiDailyMetricsTimeSeries", query,
		&answer); err != nil {
		return nil, err
	}
	days := make([]PerformanceDay, 0, performanceDays)
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		days = append(days, PerformanceDay{Day: day.Format(time.DateOnly)})
	}
	for _, multi := range answer.Multi {
		for _, series := range multi.Series {
			value, known := dailyMetrics[series.Metric]
			for _, v := range series.TimeSeries.Values {
				at := v.Date.time()
				if i := int(at.Sub(first) / (24 * time.Hour)); known && !at.Before(first) && i < len(days) {
					*value(&days[i]) = v.Value
				}
			}
		}
	}
	return trim(days, q.From.IsZero()), nil
}

// trim leaves out the newest days without figures, which may come yet, and, in a first reading, the days before the
// first figure.
func trim(days []PerformanceDay, isFirst bool) []PerformanceDay {
	to := len(days)
	for to > max(0, len(days)-performanceDelay) && days[to-1].empty() {
		to--
	}
	from := 0
	if isFirst {
		for from < to && days[from].empty() {
			from++
		}
	}
	return days[from:to]
}

func (d PerformanceDay) empty() bool { return d == PerformanceDay{Day: d.Day} }

func setMonth(query url.Values, name string, t time.Time) {
	query.Set(name+".year", strconv.Itoa(t.Year()))
	query.Set(name+".month", strconv.Itoa(int(t.Month())))
}

// keywords reads the most frequent keywords of a month (locations.searchkeywords.impressions.monthly.list of
// https://developers.google.com/my-business/reference/performance/rest).
func (s *Client) keywords(ctx context.Context, accessToken, location string, month time.Time) ([]Keyword, error) {
	keywords := []Keyword{}
	_, err := provider.EachPage(maxKeywordPages, func(pageToken string) (string, error) {
		query := pageQuery(keywordPageSize, pageToken)
		setMonth(query, "monthlyRange.start_month", month)
		setMonth(query, "monthlyRange.end_month", month)
		var page struct {
			Counts []struct {
				Keyword string `json:"searchKeyword"`
				Value   struct {
					Value     int `json:"value,string"`
					Threshold int `json:"threshold,string"` // the value is below it, and absent
				} `json:"insightsValue"`
			} `json:"searchKeywordsCounts"`
			NextPageToken string `json:"nextPageToken"`
		}
		if err := s.get(ctx, accessToken, performanceURL+location+"/searchkeywords/impressions/monthly", query,
			&page); err != nil {
			return "", err
		}
		for _, c := range page.Counts {
			keywords = append(keywords, Keyword{Keyword: c.Keyword, Impressions: max(c.Value.Value, c.Value.Threshold),
				Fewer: c.Value.Threshold > 0})
		}
		return page.NextPageToken, nil
	})
	slices.SortStableFunc(keywords, func(a, b Keyword) int { return cmp.Compare(b.Impressions, a.Impressions) })
	return keywords[:min(len(keywords), maxKeywords)], err
}
