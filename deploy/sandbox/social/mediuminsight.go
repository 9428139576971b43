package social

import (
	"slices"
	"time"

	"backend.example/deploy/sandbox/social/network"
)

// fewestViewers is how many a story needs before its figures are told.
const fewestViewers = 5

// mediumMetric is a metric of a medium over its life.
type mediumMetric struct {
	name, title string
	products    []string
	value       func(m network.Medium, now time.Time) int
}

// mediumMetrics lists those that are alive
// (https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights).
func mediumMetrics() []mediumMetric {
	part := func(percent float64) func(network.Medium, time.Time) int {
		return func(m network.Medium, now time.Time) int { return network.Part(m.Reach(now), percent) }
	}
	const feed, reels, story = network.Feed, network.Reels, network.Story
	return []mediumMetric{
		{"reach", "Accounts reached", []string{feed, reels, story}, network.Medium.Reach},
		{"views", "Views", []string{feed, reels, story}, views},
		{"shares", "Shares", []string{feed, reels, story}, shares},
		{"total_interactions", "Interactions", []string{feed, reels, story}, interactions},
		{"likes", "Likes", []string{feed, reels}, likes},
		{"comments", "Comments", []string{feed, reels}, comments},
		{"saved", "Saves", []string{feed, reels}, saves},
		{"follows", "Follows", []string{feed, story}, part(0.2)},
		{"profile_visits", "Profile visits", []string{feed, story}, part(2.4)},
		{"profile_activity", "Profile activity", []string{feed, story}, part(0.3)},
		{"ig_reels_avg_watch_time", "Average watch time (ms)", []string{reels}, func(network.Medium, time.Time) int { return watched }},
		{"ig_reels_video_view_total_time", "Watch time (ms)", []string{reels}, func(m network.Medium, now time.Time) int { return views(m, now) * watched }},
		{"replies", "Replies", []string{story}, part(0.4)},
		{"navigation", "Navigation", []string{story}, part(96)},
	}
}

// watched is how long people watch a reel, in milliseconds.
const watched = 5300

func interactions(m network.Medium, now time.Time) int {
	if m.Product == network.Story {
		return shares(m, now)
	}
	return likes(m, now) + comments(m, now) + saves(m, now) + shares(m, now)
}

// mediumInsights answers the figures of a medium: those of a picture within a
// carousel, and of what was published before the account became one of a business,
// there are not.
func (s *site) mediumInsights(c *call, medium network.Medium) (any, *refusal) {
	if refused := c.lacks(photoInsights); refused != nil {
		return nil, refused
	}
	names, refused := c.metrics()
	if refused != nil {
		return nil, refused
	}
	if period := c.form.Get("period"); period != "" && period != "lifetime" {
		return nil, badParameter("period must be one of the following values: lifetime")
	}
	list := noInsights()
	for _, name := range names {
		metric, refused := s.mediumMetric(medium, name)
		if refused != nil {
			return nil, refused
		}
		answer := newInsight(medium.ID, name, "lifetime", metric.title)
		answer.Values = []insightValue{{Value: metric.value(medium, c.now)}}
		list.Data = append(list.Data, answer)
	}
	switch {
	case medium.Posted.Before(medium.Account.Converted):
		return nil, refuse(100, 2108006, "Invalid parameter: the media was posted before the most recent time that the user's account was converted to a business account")
	case medium.Product == network.Story && medium.Reach(c.now) < fewestViewers:
		return nil, refuse(10, 0, "(#10) Not enough viewers for the media to show insights")
	case s.panel.On(knobEmptyInsights):
		return noInsights(), nil
	}
	return list, nil
}

func (s *site) mediumMetric(medium network.Medium, name string) (mediumMetric, *refusal) {
	metrics := mediumMetrics()
	i := slices.IndexFunc(metrics, func(m mediumMetric) bool { return m.name == name })
	_, dead := s.dead([]string{name})
	switch {
	case i < 0 || dead:
		return mediumMetric{}, badParameter("The value must be a valid insights metric")
	case !slices.Contains(metrics[i].products, medium.Product):
		return mediumMetric{}, badParameter("The Media Insights API does not support the %s metric for this media product type.", name)
	}
	return metrics[i], nil
}
