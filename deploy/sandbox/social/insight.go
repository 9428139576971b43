package social

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/social/tokens"
)

// The most days that a question may be about, and how far back it may reach.
const (
	pageRange    = 90
	pageHistory  = 2 * 365
	photoRange   = 30
	photoHistory = 90
)

// fewestFans is how many must like a page before it has any figures, and how many
// followers a photo account needs before it is told how their number changes.
const fewestFans = 100

// insight is the answer about one metric. Values or Total is there, not both.
type insight struct {
	Name   string         `json:"name"`
	Period string         `json:"period"`
	Values []insightValue `json:"values,omitempty"`
	Total  *total         `json:"total_value,omitempty"`
	ID     string         `json:"id"`
}

type insightValue struct {
	Value int    `json:"value"`
	End   string `json:"end_time"`
}

// total is one number for the whole range, or its parts by dimension.
type total struct {
	Value      *int        `json:"value,omitempty"`
	Breakdowns []breakdown `json:"breakdowns,omitempty"`
}

type breakdown struct {
	Keys    []string          `json:"dimension_keys"`
	Results []breakdownResult `json:"results"`
}

type breakdownResult struct {
	Values []string `json:"dimension_values"`
	Value  int      `json:"value"`
}

type insightList struct {
	Data []insight `json:"data"`
}

// showInsights answers the figures of a page or a photo account. Days that have not
// ended are left out. One dead metric fails the whole question.
func (s *site) showInsights(c *call) (any, *refusal) {
	node, refused := s.find(c)
	if refused != nil {
		return nil, refused
	}
	switch n := node.(type) {
	case page:
		return s.pageInsights(c, n)
	case photo:
		return s.photoInsights(c, n)
	default:
		return nil, badParameter("Tried accessing nonexisting field (insights)")
	}
}

// pageInsights answers the figures of a page
// (https://developers.facebook.com/docs/graph-api/reference/page/insights): nothing
// without the permission, and of a page with few fans or that is closed for good.
func (s *site) pageInsights(c *call, p page) (any, *refusal) {
	if c.token.Kind != tokens.Page {
		return nil, refuse(190, 0, "(#190) This method must be called with a Page Access Token")
	}
	metrics, right := s.asked(c, pageMetrics(p))
	days, refused := c.days(pageRange, pageHistory)
	switch {
	case !right:
		return nil, badParameter("The value must be a valid insights metric") // it is not named
	case c.Form.Get("period") != "day":
		return nil, badParameter("period must be one of the following values: day")
	case refused != nil:
		return nil, refused
	}
	list := insightList{Data: []insight{}}
	if s.toggles.On(toggleEmptyInsights) || !c.token.Has(readInsights) || p.fans(c.now) < fewestFans || p.business.Status == fixtures.ClosedForGood {
		return list, nil
	}
	for _, m := range metrics {
		list.Data = append(list.Data, m.series(p.id, days))
	}
	return list, nil
}

// photoInsights answers the figures of a photo account.
func (s *site) photoInsights(c *call, p photo) (any, *refusal) {
	if refused := c.lacks(photoInsights); refused != nil {
		return nil, refused
	}
	form, split := timeSeries, c.Form.Get("breakdown")
	if asked := c.Form.Get("metric_type"); asked != "" {
		form = asked
	}
	metrics, right := s.asked(c, photoMetrics(p))
	days, refused := c.days(photoRange, photoHistory)
	switch {
	case !right:
		return nil, badParameter("metric[0] must be one of the following values: reach, follower_count, views, …")
	case c.Form.Get("period") != "day":
		return nil, badParameter("period must be one of the following values: day, lifetime")
	case refused != nil:
		return nil, refused
	}
	list := insightList{Data: []insight{}}
	for _, m := range metrics {
		if refused := m.refuse(form, split); refused != nil {
			return nil, refused
		}
		switch {
		case m.name == "follower_count" && p.followers(c.now) < fewestFans:
			return nil, badParameter("(follower_count) metric is not available for accounts with fewer than %d followers", fewestFans)
		case form == totalValue:
			list.Data = append(list.Data, m.total(p, days, split))
		default:
			list.Data = append(list.Data, m.series(p.id, days))
		}
	}
	if s.toggles.On(toggleEmptyInsights) {
		list.Data = []insight{}
	}
	return list, nil
}

// refuse says why a metric cannot be answered in a form, or divided.
func (m metric) refuse(form, split string) *refusal {
	switch {
	case !slices.Contains(m.forms, form):
		return badParameter("The following metrics are incompatible with the metric type (%s): %s", form, m.name)
	case split != "" && (form != totalValue || !m.splits || split != "follow_type"):
		return badParameter("The following metrics are incompatible with the breakdown (%s): %s", split, m.name)
	}
	return nil
}

// asked reads the parameter metric: names between commas. It is not right when one of
// them is not known, or not any more.
func (s *site) asked(c *call, known []metric) (metrics []metric, right bool) {
	dead := s.toggles.Strings(toggleDeadMetrics)
	for _, name := range strings.Split(c.Form.Get("metric"), ",") {
		i := slices.IndexFunc(known, func(m metric) bool { return m.name == name })
		if i < 0 || slices.Contains(dead, name) {
			return nil, false
		}
		metrics = append(metrics, known[i])
	}
	return metrics, true
}

// days lists the days that end between since and until, which are Unix seconds, and
// not before the history begins. Without them it is the last two days.
func (c *call) days(longest, history int) ([]day, *refusal) {
	until, err := c.moment("until", c.now)
	since, sinceErr := c.moment("since", until.Add(-2*oneDay))
	switch {
	case err != nil || sinceErr != nil:
		return nil, badParameter("The parameters since and until must be Unix timestamps")
	case !since.Before(until):
		return nil, badParameter("The parameter until must be later than since")
	case until.Sub(since) > time.Duration(longest)*oneDay:
		return nil, badParameter("There cannot be more than %d days (%d s) between since and until", longest, longest*24*60*60)
	}
	var days []day
	for d := max(dayOf(since), dayOf(c.now.AddDate(0, 0, -history))); d <= min(dayOf(until)-1, lastEnded(c.now)); d++ {
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
	return time.Unix(seconds, 0).UTC(), err
}
