package provider

import "time"

// inquiry is a group of metrics that one call asks for.
type inquiry struct {
	metrics   []string
	period    string
	shape     shape
	breakdown string        // dimension of a total, unless empty
	since     time.Duration // how far back from now; zero: the provider's choice
}

// shape is what an inquiry is after.
type shape uint8

const (
	latest shape = iota // the newest value
	daily               // values by the day (UTC) on which the provider's day ends, e.g. "2026-11-20"
	total               // one value for the whole time; not to be mixed with the others in a call
)

// each splits the inquiry into one for each metric.
func (q inquiry) each() []inquiry {
	single := make([]inquiry, len(q.metrics))
	for i := range q.metrics {
		single[i] = q
		single[i].metrics = q.metrics[i : i+1]
	}
	return single
}

// pageInquiries are the metrics of a page
// (https://developers.facebook.com/docs/graph-api/reference/insights). The
// provider retires some every half year.
func pageInquiries() []inquiry {
	return []inquiry{{
		metrics: []string{
			"page_media_view", "page_total_media_view_unique", "page_post_engagements",
			"page_views_total", "page_daily_follows_unique", "page_daily_unfollows_unique",
		},
		period: "day", shape: latest,
	}}
}

// photoInquiries are the metrics of a photo-network account
// (https://developers.facebook.com/docs/instagram-platform/api-reference/instagram-user/insights).
// A call spans 30 days at most. follower_count goes back 30 days less today, would
// take the others of its call with it, and needs 100 followers.
func photoInquiries(followers int) []inquiry {
	const day = 24 * time.Hour
	inquiries := []inquiry{
		{metrics: []string{"reach"}, period: "day", shape: daily, since: 30 * day},
		{
			metrics: []string{
				"views", "accounts_engaged", "total_interactions", "likes", "comments", "shares", "saves",
				"replies", "reposts", "profile_links_taps", "profile_views", "website_clicks",
			},
			period: "day", shape: total, since: 30 * day,
		},
		{metrics: []string{"follows_and_unfollows"}, period: "day", shape: total, breakdown: "follow_type", since: 30 * day},
	}
	if followers >= 100 {
		inquiries = append(inquiries, inquiry{metrics: []string{"follower_count"}, period: "day", shape: daily, since: 29 * day})
	}
	return inquiries
}
