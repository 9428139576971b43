package social

import (
	"maps"
	"slices"
	"strings"
	"time"

	"backend.example/deploy/sandbox/social/network"
)

// The limits of a question about a photo account, in days.
const (
	photoRange   = 30
	photoHistory = 90
)

// fewestFollowers is how many an account needs before it is told who they are and
// how their number changes.
const fewestFollowers = 100

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// photoInsights answers the figures of a photo account
// (https://developers.facebook.com/docs/instagram-platform/api-reference/instagram-user/insights).
// Figures that are not there are absent, and not zero.
func (s *site) photoInsights(c *call, photo network.Photo) (any, *refusal) {
	if refused := c.lacks(photoInsights); refused != nil {
		return nil, refused
	}
	names, refused := c.metrics()
	if refused != nil {
		return nil, refused
	}
	if refused := s.deadPhotoMetric(names); refused != nil {
		return nil, refused
	}
	period := c.form.Get("period")
	w, refused := c.window(photoRange)
	if refused != nil {
		return nil, refused
	}
	q := photoQuestion{c, photo, c.form.Get("metric_type"), c.form.Get("breakdown"), w}
	if q.form == "" {
		q.form = timeSeries
	}
	var list insightList
	switch period {
	case "day":
		list, refused = q.daily(names)
	case "lifetime":
		list, refused = q.lifetime(names)
	default:
		refused = badParameter("period must be one of the following values: day, lifetime")
	}
	if refused == nil && s.panel.On(knobEmptyInsights) {
		return noInsights(), nil
	}
	return list, refused
}

// deadPhotoMetric refuses a list with a metric that there is not.
func (s *site) deadPhotoMetric(names []string) *refusal {
	gone, found := s.dead(names)
	var alive []string
	for _, metric := range photoMetrics() {
		alive = append(alive, metric.name)
	}
	alive = append(alive, lifetimeMetrics()...)
	alive = slices.DeleteFunc(alive, func(name string) bool { return found && name == gone })
	for i, name := range names {
		if !slices.Contains(alive, name) {
			return badParameter("metric[%d] must be one of the following values: %s", i, strings.Join(alive, ", "))
		}
	}
	return nil
}

// photoQuestion is a question about an account whose metrics there are.
type photoQuestion struct {
	*call
	photo  network.Photo
	form   string // timeSeries or totalValue
	split  string // dimensions between commas; empty: none
	window window
}

func (q photoQuestion) daily(names []string) (insightList, *refusal) {
	oldest := q.now.AddDate(0, 0, -photoHistory)
	if q.photo.Converted.After(oldest) {
		oldest = q.photo.Converted
	}
	days := q.window.ended(q.now, oldest)
	list := insightList{Data: []insight{}, Paging: q.window.paging(q.call, q.photo.ID)}
	for _, name := range names {
		metric, refused := q.wanted(name)
		if refused != nil {
			return insightList{}, refused
		}
		if len(days) > 0 {
			list.Data = append(list.Data, q.answer(metric, days))
		}
	}
	return list, nil
}

// wanted finds a metric that can be answered in the form that is asked for.
func (q photoQuestion) wanted(name string) (photoMetric, *refusal) {
	metrics := photoMetrics()
	i := slices.IndexFunc(metrics, func(m photoMetric) bool { return m.name == name })
	switch {
	case i < 0:
		return photoMetric{}, badParameter("The following metrics are incompatible with the period (day): %s", name)
	case !slices.Contains(metrics[i].forms, q.form):
		return photoMetric{}, badParameter("The following metrics are incompatible with the metric type (%s): %s", q.form, name)
	case q.split != "" && (q.form != totalValue || !slices.Contains(metrics[i].splits, q.split)):
		return photoMetric{}, badParameter("The following metrics are incompatible with the breakdown (%s): %s", q.split, name)
	case name == "follower_count" && q.photo.Followers(q.now) < fewestFollowers:
		return photoMetric{}, badParameter("(follower_count) metric is not available for accounts with fewer than %d followers", fewestFollowers)
	case name == "follower_count" && q.window.since.Before(q.now.Truncate(24*time.Hour).AddDate(0, 0, -photoRange)):
		return photoMetric{}, badParameter("(follower_count) metric only supports querying data for the last 30 days excluding the current day")
	}
	return metrics[i], nil
}

func (q photoQuestion) answer(m photoMetric, days []network.Day) insight {
	answer := newInsight(q.photo.ID, m.name, "day", m.title)
	switch {
	case q.form == timeSeries:
		for _, day := range days {
			answer.Values = append(answer.Values, insightValue{m.value(q.photo, day), day.End().Format(graphTime)})
		}
	case q.split != "":
		answer.Total = &total{Breakdowns: []breakdown{m.split(q.photo, days, q.split)}}
	default:
		sum := m.sum(q.photo, days)
		answer.Total = &total{Value: &sum}
	}
	return answer
}
