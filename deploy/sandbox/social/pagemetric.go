package social

import (
	"slices"

	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/social/network"
)

// pageMetric is a metric of a page. Of its periods it has the figures for; another
// word for a time is answered with nothing.
type pageMetric struct {
	name, title string
	periods     []string
	value       func(p network.Page, days []network.Day) any // of all these days together
}

// pageMetrics lists those that are alive
// (https://developers.facebook.com/docs/graph-api/reference/insights). What was
// retired in November 2025 and June 2026 is as unknown as what never was.
func pageMetrics() []pageMetric {
	joined := network.Page.Joined
	metrics := []pageMetric{
		daily("page_media_view", "Daily Media Views", network.Page.Views),
		daily("page_total_media_view_unique", "Daily Viewers", shareOfViews(61)),
		daily("page_views_total", "Daily Total Views of the Page", shareOfViews(7)),
		daily("page_post_engagements", "Daily Post Engagements", shareOfViews(4.5)),
		daily("page_video_views", "Daily Total Video Views", shareOfViews(18)),
		daily("page_daily_follows", "Daily Follows", joined),
		daily("page_daily_follows_unique", "Daily New Followers", joined),
		daily("page_daily_unfollows_unique", "Daily Lost Followers", network.Page.Left),
		daily("page_total_actions", "Daily Actions on the Page", shareOfViews(0.4)),
		daily("page_video_view_time", "Daily Video View Time (ms)", func(p network.Page, d network.Day) int { return network.Part(p.Views(d), 18) * 7400 }),
		{"page_follows", "Followers", []string{"day"}, func(p network.Page, days []network.Day) any {
			return p.FollowersAfter(days[len(days)-1])
		}},
		{"page_lifetime_engaged_followers_unique", "Engaged Followers", []string{"lifetime"}, func(p network.Page, days []network.Day) any {
			return network.Part(p.FollowersAfter(days[len(days)-1]), 11)
		}},
		{"page_follows_city", "Followers by City", []string{"lifetime"}, cities},
		{"page_follows_country", "Followers by Country", []string{"lifetime"}, countries},
	}
	for reaction, percent := range reactions() {
		metrics = append(metrics, daily("page_actions_post_reactions_"+reaction+"_total", "Daily Reactions: "+reaction, shareOfViews(percent)))
	}
	return metrics
}

// reactions are in percent of the views.
func reactions() map[string]float64 {
	return map[string]float64{"like": 2.1, "love": 0.6, "wow": 0.1, "haha": 0.2, "sorry": 0.05, "anger": 0.03}
}

// daily is a metric that adds up over days.
func daily(name, title string, value func(network.Page, network.Day) int) pageMetric {
	return pageMetric{name, title, []string{"day", "week", "days_28", "total_over_range"}, func(p network.Page, days []network.Day) any {
		sum := 0
		for _, day := range days {
			sum += value(p, day)
		}
		return sum
	}}
}

func shareOfViews(percent float64) func(network.Page, network.Day) int {
	return func(p network.Page, day network.Day) int { return network.Part(p.Views(day), percent) }
}

func cities(p network.Page, days []network.Day) any {
	followers := p.FollowersAfter(days[len(days)-1])
	shares := map[string]int{}
	for city, percent := range map[string]float64{"Warszawa": 6, "Berlin": 1} {
		shares[city] = network.Part(followers, percent)
	}
	shares[p.Business.City] = network.Part(followers, 72)
	return shares
}

func countries(p network.Page, days []network.Day) any {
	followers := p.FollowersAfter(days[len(days)-1])
	return map[string]int{"PL": network.Part(followers, 94), "DE": network.Part(followers, 2), "GB": network.Part(followers, 1)}
}

func findPageMetric(name string) (pageMetric, bool) {
	metrics := pageMetrics()
	i := slices.IndexFunc(metrics, func(m pageMetric) bool { return m.name == name })
	if i < 0 {
		return pageMetric{}, false
	}
	return metrics[i], true
}

// fewestFans is how many must like a page before it has any insights.
const fewestFans = 100

// quiet reports whether a page is too small for insights, or closed for good.
func quiet(p network.Page, c *call) bool {
	return p.Fans(c.now) < fewestFans || p.Business.Status == demo.ClosedForGood
}
