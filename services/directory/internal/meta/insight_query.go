package meta

import "time"

// insightQuery is a group of metrics that one call asks for.
type insightQuery struct {
	metrics   []string
	period    string
	form      figureForm
	breakdown string        // dimension of a total, unless empty
	since     time.Duration // how far back from now; zero: the provider decides
}

// figureForm is the form of the figures that a query asks for.
type figureForm uint8

const (
	latestValue figureForm = iota // the newest value
	dailyValues                   // values by the day (UTC) on which the provider's day ends, for example "2026-11-20"
	totalValue                    // one value for the whole time; a call cannot mix it with the others
)

// single splits the query into one for each metric.
func (q insightQuery) single() []insightQuery {
	queries := make([]insightQuery, len(q.metrics))
	for i := range q.metrics {
		queries[i] = q
		queries[i].metrics = q.metrics[i : i+1]
	}
	return queries
}

// pageInsights asks for the metrics of a page
// (https://developers.facebook.com/docs/graph-api/reference/insights). The provider
// retires some of them every half year, so that they are a setting.
func (s *Client) pageInsights() []insightQuery {
	return []insightQuery{{metrics: s.options.Metrics, period: "day", form: latestValue}}
}

// photoInsights are the metrics of a photo-network account
// (https://developers.facebook.com/docs/instagram-platform/api-reference/instagram-user/insights).
// A call spans 30 days at most. follower_count has a call of its own: it exists for
// accounts with 100 followers, and its 30 days do not include today.
func photoInsights(followers int) []insightQuery {
	const day = 24 * time.Hour
	queries := []insightQuery{
		{metrics: []string{"reach"}, period: "day", form: dailyValues, since: 30 * day},
		{
			metrics: []string{
				"views", "accounts_engaged", "total_interactions", "likes", "comments", "shares", "saves",
				"replies", "reposts", "profile_links_taps", "profile_views", "website_clicks",
			},
			period: "day", form: totalValue, since: 30 * day,
		},
		{metrics: []string{"follows_and_unfollows"}, period: "day", form: totalValue, breakdown: "follow_type", since: 30 * day},
	}
	if followers >= 100 {
		queries = append(queries, insightQuery{metrics: []string{"follower_count"}, period: "day", form: dailyValues, since: 29 * day})
	}
	return queries
}
