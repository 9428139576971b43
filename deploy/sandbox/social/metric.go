package social

// The forms of an answer, as the parameter metric_type names them.
const (
	timeSeries = "time_series"
	totalValue = "total_value"
)

// metric is a figure of a page or a photo account by the day.
type metric struct {
	name   string
	forms  []string // of a photo account; a page has a series of every metric
	splits bool     // the total can be divided by follow_type
	value  func(day) int
}

// pageMetrics lists the metrics of a page that are alive
// (https://developers.facebook.com/docs/graph-api/reference/insights). What was retired
// in November 2025 and June 2026 is as unknown as what never was.
func pageMetrics(p page) []metric {
	part := func(percent float64) func(day) int {
		return func(d day) int { return share(p.seen(d), percent) }
	}
	return []metric{
		{name: "page_media_view", value: p.seen},
		{name: "page_total_media_view_unique", value: part(61)},
		{name: "page_views_total", value: part(7)},
		{name: "page_post_engagements", value: part(4.5)},
		{name: "page_daily_follows_unique", value: func(d day) int { return p.growth.joined(d, p.id) }},
		{name: "page_daily_unfollows_unique", value: func(d day) int { return p.growth.left(d, p.id) }},
	}
}

// photoMetrics lists the metrics of a photo account that are alive
// (https://developers.facebook.com/docs/instagram-platform/api-reference/instagram-user/insights).
func photoMetrics(p photo) []metric {
	metrics := []metric{
		{name: "reach", forms: []string{timeSeries, totalValue}, splits: true, value: p.seen},
		{name: "follower_count", forms: []string{timeSeries}, value: func(d day) int { return p.growth.joined(d, p.id) - p.growth.left(d, p.id) }},
		{name: "follows_and_unfollows", forms: []string{totalValue}, splits: true, value: func(d day) int { return p.growth.joined(d, p.id) }},
	}
	for name, percent := range map[string]float64{
		"views": 231, "accounts_engaged": 6.4, "total_interactions": 9.7, "likes": 7.1, "comments": 0.7, "shares": 0.8, "saves": 0.9,
		"replies": 0.1, "reposts": 0.1, "profile_links_taps": 0.5, "profile_views": 5.2, "website_clicks": 0.6,
	} {
		metrics = append(metrics, metric{name: name, forms: []string{totalValue}, value: func(d day) int { return share(p.seen(d), percent) }})
	}
	return metrics
}

func (m metric) insight(id string) insight {
	return insight{Name: m.name, Period: "day", ID: id + "/insights/" + m.name + "/day"}
}

func (m metric) series(id string, days []day) insight {
	answer := m.insight(id)
	for _, d := range days {
		answer.Values = append(answer.Values, insightValue{m.value(d), d.end().Format(graphTime)})
	}
	return answer
}

// total sums the days up. Divided by follow_type, follows and unfollows tell who came
// and who left.
func (m metric) total(p photo, days []day, split string) insight {
	sum, left := 0, 0
	for _, d := range days {
		sum += m.value(d)
		left += p.growth.left(d, p.id)
	}
	answer := m.insight(p.id)
	if split == "" {
		answer.Total = &total{Value: &sum}
		return answer
	}
	followers, others := share(sum, 64), share(sum, 36)
	if m.name == "follows_and_unfollows" {
		followers, others = sum, left
	}
	answer.Total = &total{Breakdowns: []breakdown{{Keys: []string{split}, Results: []breakdownResult{
		{[]string{"FOLLOWER"}, followers}, {[]string{"NON_FOLLOWER"}, others},
	}}}}
	return answer
}
