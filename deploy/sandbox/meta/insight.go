package meta

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The most days that a question may be about, and how far back it may reach.
const (
	pageRange    = 90
	pageHistory  = 2 * 365
	photoRange   = 30
	photoHistory = 90
)

// fewestFans is how many fans a page, or followers an account, needs before it has figures.
const fewestFans = 100

// showInsights leaves out days that have not ended. One dead metric fails the whole call.
func (p *Provider) showInsights(c *call) (any, error) {
	node, err := p.find(c)
	if err != nil {
		return nil, err
	}
	var data []any
	switch n := node.(type) {
	case page:
		data, err = p.pageInsights(c, n)
	case photo:
		data, err = p.photoInsights(c, n)
	default:
		err = badParameter("Tried accessing nonexisting field (insights)")
	}
	if data == nil || p.On(toggleEmptyInsights) {
		data = []any{}
	}
	return map[string]any{"data": data}, err
}

// pageInsights returns none without the permission, and of a page with few fans or that is closed for good
// (https://developers.facebook.com/docs/graph-api/reference/page/insights).
func (p *Provider) pageInsights(c *call, page page) ([]any, error) {
	if c.token.Kind != pageToken {
		return nil, refuse(190, 0, "(#190) This method must be called with a Page Access Token")
	}
	metrics, days, err := p.question(c, pageMetrics(page), pageRange, pageHistory,
		"The value must be a valid insights metric")
	switch {
	case err != nil:
		return nil, err
	case !c.has(readInsights), page.Closed, share(page.after(lastEnded(c.now)), 96) < fewestFans:
		return nil, nil
	}
	var data []any
	for _, m := range metrics {
		data = append(data, m.series(page.ID, days))
	}
	return data, nil
}

func (p *Provider) photoInsights(c *call, photo photo) ([]any, error) {
	if err := c.requires(photoInsights); err != nil {
		return nil, err
	}
	form, split := cmp.Or(c.Form.Get("metric_type"), timeSeries), c.Form.Get("breakdown")
	metrics, days, err := p.question(c, photoMetrics(photo), photoRange, photoHistory,
		"metric[0] must be one of the following values: reach, follower_count, views, …")
	if err != nil {
		return nil, err
	}
	var data []any
	for _, m := range metrics {
		divisible := form == totalValue && m.splits && split == "follow_type"
		switch {
		case !slices.Contains(m.forms, form):
			return nil, badParameter("The following metrics are incompatible with the metric type (%s): %s", form,
				m.name)
		case split != "" && !divisible:
			return nil, badParameter("The following metrics are incompatible with the breakdown (%s): %s", split,
				m.name)
		case m.name == "follower_count" && photo.after(lastEnded(c.now)) < fewestFans:
			return nil,
				badParameter("(follower_count) metric is not available for accounts with fewer than %d followers",
					fewestFans)
		case form == totalValue:
			data = append(data, m.total(photo, days, split))
		default:
			data = append(data, m.series(photo.ID, days))
		}
	}
	return data, nil
}

// question returns the metrics and days that a call asks for. unknown is the message for an unknown metric.
func (p *Provider) question(c *call, known []metric, longest, history int, unknown string) (metrics []metric,
	days []day, err error) {
	for name := range strings.SplitSeq(c.Form.Get("metric"), ",") {
		i := slices.IndexFunc(known, func(m metric) bool { return m.name == name })
		if i < 0 || p.Lists(toggleDeadMetrics, name) {
			return nil, nil, badParameter("%s", unknown)
		}
		metrics = append(metrics, known[i])
	}
	if c.Form.Get("period") != "day" {
		return nil, nil, badParameter("period must be one of the following values: day")
	}
	days, err = c.days(longest, history)
	return metrics, days, err
}

// days returns the days that end between the parameters since and until, which are Unix seconds; without them the last
// two days. Between them are at most longest days, and days before the history are left out.
func (c *call) days(longest, history int) ([]day, error) {
	until, err := c.moment("until", c.now)
	since, sinceErr := c.moment("since", until.Add(-2*oneDay))
	switch {
	case err != nil || sinceErr != nil:
		return nil, badParameter("The parameters since and until must be Unix timestamps")
	case !since.Before(until):
		return nil, badParameter("The parameter until must be later than since")
	case until.Sub(since) > time.Duration(longest)*oneDay:
		return nil, badParameter("There cannot be more than %d days (%d s) between since and until", longest,
			longest*24*60*60)
	}
	first := max(dayOf(since), dayOf(c.now.AddDate(0, 0, -history)))
	last := min(dayOf(until)-1, lastEnded(c.now))
	var days []day
	for d := first; d <= last; d++ {
		days = append(days, d)
	}
	return days, nil
}

func (c *call) moment(name string, fallback time.Time) (time.Time, error) {
	text := c.Form.Get(name)
	if text == "" {
		return fallback, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err
}
