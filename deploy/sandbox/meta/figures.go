package meta

import (
	"math"
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // machines may have no time zones

	"backend.example/deploy/sandbox/fake"
)

// day is counted from 1970. It begins and ends at midnight in California.
type day int

const oneDay = 24 * time.Hour

var pacific = sync.OnceValue(func() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // time/tzdata contains it
	}
	return zone
})

func dayOf(t time.Time) day {
	year, month, d := t.In(pacific()).Date()
	return day(time.Date(year, month, d, 0, 0, 0, 0, time.UTC).Unix() / int64(oneDay.Seconds()))
}

func lastEnded(now time.Time) day { return dayOf(now) - 1 }

func (d day) end() time.Time { return time.Date(1970, 1, 2+int(d), 0, 0, 0, 0, pacific()).UTC() }

// flow returns how often something happens on a day, about mean times and less at weekends. The same words and day
// give the same number.
func flow(mean float64, d day, words ...string) int {
	random := fake.Rand(append(words, strconv.Itoa(int(d)))...)
	rate := mean * (0.7 + 0.6*random.Float64())
	if weekday := d.end().Weekday(); weekday == time.Sunday || weekday == time.Monday {
		rate *= 0.7 // the day before was Saturday or Sunday
	}
	return int(rate + random.Float64())
}

// openingDay is January 1st, 2025.
const openingDay day = 20_089

type growth struct {
	ID            string  // of the account
	Followers     int     // on the opening day
	Joins, Leaves float64 // on a usual day
}

func (g growth) joined(d day) int { return flow(g.Joins, d, g.ID, "joins") }

func (g growth) left(d day) int { return flow(g.Leaves, d, g.ID, "leaves") }

// after returns the number of followers at the end of a day.
func (g growth) after(last day) int {
	return g.Followers + int(float64(last-openingDay)*(g.Joins-g.Leaves))
}

func share(whole int, percent float64) int { return int(math.Round(float64(whole) * percent / 100)) }

type metric struct {
	name   string
	forms  []string // of an Instagram account; a page has a series of every metric
	splits bool     // the total can be divided by follow_type
	value  func(day) int
}

// pageMetrics: see https://developers.facebook.com/docs/graph-api/reference/insights. Retired metrics are as
// unknown as what never existed.
func pageMetrics(p page) []metric {
	seen := func(percent float64) func(day) int {
		return func(d day) int { return share(flow(p.Views, d, p.ID, "views"), percent) }
	}
	return []metric{
		{name: "page_media_view", value: seen(100)},
		{name: "page_total_media_view_unique", value: seen(61)},
		{name: "page_views_total", value: seen(7)},
		{name: "page_post_engagements", value: seen(4.5)},
		{name: "page_daily_follows_unique", value: p.joined},
		{name: "page_daily_unfollows_unique", value: p.left},
	}
}

// The forms of an answer, as the parameter metric_type names them.
const (
	timeSeries = "time_series"
	totalValue = "total_value"
)

// photoMetrics: see https://developers.facebook.com/docs/instagram-platform/api-reference/instagram-user/insights.
func photoMetrics(p photo) []metric {
	seen := func(percent float64) func(day) int {
		return func(d day) int { return share(flow(p.Reach, d, p.ID, "reach"), percent) }
	}
	metrics := []metric{
		{name: "reach", forms: []string{timeSeries, totalValue}, splits: true, value: seen(100)},
		{name: "follower_count", forms: []string{timeSeries}, value: func(d day) int {
			return p.joined(d) - p.left(d)
		}},
		{name: "follows_and_unfollows", forms: []string{totalValue}, splits: true, value: p.joined},
	}
	for name, percent := range map[string]float64{
		"views": 231, "accounts_engaged": 6.4, "total_interactions": 9.7, "likes": 7.1, "comments": 0.7, "shares": 0.8,
		"saves":   0.9,
		"replies": 0.1, "reposts": 0.1, "profile_links_taps": 0.5, "profile_views": 5.2, "website_clicks": 0.6,
	} {
		metrics = append(metrics, metric{name: name, forms: []string{totalValue}, value: seen(percent)})
	}
	return metrics
}

func (m metric) series(id string, days []day) map[string]any {
	values := []map[string]any{}
	for _, d := range days {
		values = append(values, map[string]any{"value": m.value(d), "end_time": d.end().Format(graphTime)})
	}
	return m.insight(id, "values", values)
}

func (m metric) insight(id, form string, value any) map[string]any {
	return map[string]any{"name": m.name, "period": "day", "id": id + "/insights/" + m.name + "/day", form: value}
}

// total returns the sum of the days. Divided by follow_type, follows and unfollows are separate.
func (m metric) total(p photo, days []day, split string) map[string]any {
	sum, left := 0, 0
	for _, d := range days {
		sum += m.value(d)
		left += p.left(d)
	}
	value := map[string]any{"value": sum}
	if split != "" {
		followers, others := share(sum, 64), share(sum, 36)
		if m.name == "follows_and_unfollows" {
			followers, others = sum, left
		}
		value = map[string]any{"breakdowns": []any{map[string]any{"dimension_keys": []string{split}, "results": []any{
			map[string]any{"dimension_values": []string{"FOLLOWER"}, "value": followers},
			map[string]any{"dimension_values": []string{"NON_FOLLOWER"}, "value": others},
		}}}}
	}
	return m.insight(p.ID, "total_value", value)
}
