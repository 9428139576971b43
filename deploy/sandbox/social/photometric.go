package social

import (
	"slices"

	"backend.example/deploy/sandbox/social/network"
)

// The forms of an answer, as the parameter metric_type names them.
const (
	timeSeries = "time_series"
	totalValue = "total_value"
)

// photoMetric is a metric of a photo account over days.
type photoMetric struct {
	name, title string
	forms       []string
	splits      []string // dimensions of its total
	value       func(p network.Photo, day network.Day) int
}

// photoMetrics lists those of period day that are alive
// (https://developers.facebook.com/docs/instagram-platform/api-reference/instagram-user/insights).
// impressions, plays and video_views are gone from every version.
func photoMetrics() []photoMetric {
	total := func(name, title string, percent float64, splits ...string) photoMetric {
		return photoMetric{name, title, []string{totalValue}, splits, shareOfReach(percent)}
	}
	return []photoMetric{
		{"reach", "Accounts reached", []string{timeSeries, totalValue}, []string{"follow_type", "media_product_type"}, network.Photo.Reach},
		{"follower_count", "Follower count", []string{timeSeries}, nil, func(p network.Photo, d network.Day) int { return p.Joined(d) - p.Left(d) }},
		total("views", "Views", 231, "follow_type", "media_product_type"),
		total("accounts_engaged", "Accounts engaged", 6.4),
		total("total_interactions", "Interactions", 9.7, "media_product_type"),
		total("likes", "Likes", 7.1, "media_product_type"),
		total("comments", "Comments", 0.7, "media_product_type"),
		total("shares", "Shares", 0.8, "media_product_type"),
		total("saves", "Saves", 0.9, "media_product_type"),
		total("replies", "Replies", 0.1),
		total("reposts", "Reposts", 0.1),
		total("profile_links_taps", "Profile links taps", 0.5, "contact_button_type"),
		total("profile_views", "Profile views", 5.2),
		total("website_clicks", "Website clicks", 0.6),
		{"follows_and_unfollows", "Follows and unfollows", []string{totalValue}, []string{"follow_type"}, network.Photo.Joined},
	}
}

func shareOfReach(percent float64) func(network.Photo, network.Day) int {
	return func(p network.Photo, day network.Day) int { return network.Part(p.Reach(day), percent) }
}

// sharesOf is how a total falls into the values of a dimension, in percent.
func sharesOf(dimension string) map[string]float64 {
	switch dimension {
	case "follow_type":
		return map[string]float64{"FOLLOWER": 64, "NON_FOLLOWER": 36}
	case "media_product_type":
		return map[string]float64{"FEED": 57, "REELS": 38, "STORY": 5}
	case "contact_button_type":
		return map[string]float64{"CALL": 44, "DIRECTION": 38, "EMAIL": 18}
	case "gender":
		return map[string]float64{"F": 61, "M": 36, "U": 3}
	case "age":
		return map[string]float64{"13-17": 1, "18-24": 12, "25-34": 34, "35-44": 29, "45-54": 15, "55-64": 6, "65+": 3}
	case "city":
		return map[string]float64{"Kraków, Lesser Poland Voivodeship": 48, "Warszawa, Masovian Voivodeship": 9, "Gdańsk, Pomeranian Voivodeship": 5}
	default:
		return map[string]float64{"PL": 93, "DE": 3, "GB": 2}
	}
}

// sum is the metric over all the days.
func (m photoMetric) sum(p network.Photo, days []network.Day) int {
	sum := 0
	for _, day := range days {
		sum += m.value(p, day)
	}
	return sum
}

// split is the total by a dimension. Of follows and unfollows the dimension tells
// who came and who left.
func (m photoMetric) split(p network.Photo, days []network.Day, dimension string) breakdown {
	if m.name != "follows_and_unfollows" {
		return splitBy(m.sum(p, days), dimension)
	}
	left := photoMetric{value: network.Photo.Left}
	return breakdown{[]string{dimension}, []breakdownResult{
		{[]string{"FOLLOWER"}, m.sum(p, days)}, {[]string{"NON_FOLLOWER"}, left.sum(p, days)},
	}}
}

// splitBy divides a number by one dimension or two.
func splitBy(whole int, dimensions ...string) breakdown {
	parts := []breakdownResult{{nil, whole}}
	for _, dimension := range dimensions {
		var finer []breakdownResult
		percents := sharesOf(dimension)
		for _, part := range parts {
			for _, value := range sortedKeys(percents) {
				finer = append(finer, breakdownResult{append(slices.Clone(part.Values), value), network.Part(part.Value, percents[value])})
			}
		}
		parts = finer
	}
	return breakdown{dimensions, parts}
}
