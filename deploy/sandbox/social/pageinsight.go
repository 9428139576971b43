package social

import (
	"slices"

	"backend.example/deploy/sandbox/social/ledger"
	"backend.example/deploy/sandbox/social/network"
)

// The limits of a question about a page, in days.
const (
	pageRange   = 90
	pageHistory = 2 * 365
)

// periods lists the words for a time, each with the days that one value covers;
// none where it is all of the question's.
func periods() map[string]int {
	return map[string]int{"day": 1, "week": 7, "days_28": 28, "month": 0, "lifetime": 0, "total_over_range": 0}
}

// pageInsights answers the figures of a page, of whole days only
// (https://developers.facebook.com/docs/graph-api/reference/page/insights). One
// dead metric fails the whole question, and is not named.
func (s *site) pageInsights(c *call, page network.Page) (any, *refusal) {
	if c.token.Kind != ledger.Page {
		return nil, needsPageToken()
	}
	metrics, refused := s.pageMetrics(c)
	if refused != nil {
		return nil, refused
	}
	period := c.form.Get("period")
	if _, known := periods()[period]; !known && period != "" {
		return nil, badParameter("period must be one of the following values: day, week, days_28, month, lifetime, total_over_range")
	}
	w, refused := c.window(pageRange)
	if refused != nil {
		return nil, refused
	}
	if !c.token.Has(readInsights) || quiet(page, c) || s.panel.On(knobEmptyInsights) {
		return noInsights(), nil
	}
	list := insightList{Data: []insight{}, Paging: w.paging(c, page.ID)}
	for _, metric := range metrics {
		for _, p := range metric.periods {
			if period == p || period == "" {
				list.Data = append(list.Data, metric.over(page, p, w.ended(c.now, c.now.AddDate(0, 0, -pageHistory)))...)
			}
		}
	}
	return list, nil
}

func (s *site) pageMetrics(c *call) ([]pageMetric, *refusal) {
	names, refused := c.metrics()
	if refused != nil {
		return nil, refused
	}
	_, dead := s.dead(names)
	metrics := make([]pageMetric, 0, len(names))
	for _, name := range names {
		metric, known := findPageMetric(name)
		if !known || dead {
			return nil, badParameter("The value must be a valid insights metric")
		}
		metrics = append(metrics, metric)
	}
	return metrics, nil
}

// over is the metric in one of its periods: a value for each day that ended, or
// one for all of them; nothing when none did.
func (m pageMetric) over(page network.Page, period string, days []network.Day) []insight {
	if len(days) == 0 {
		return nil
	}
	answer := newInsight(page.ID, m.name, period, m.title)
	length := periods()[period]
	if length == 0 {
		answer.Values = []insightValue{{m.value(page, days), days[len(days)-1].End().Format(graphTime)}}
		return []insight{answer}
	}
	for _, day := range days {
		answer.Values = append(answer.Values, insightValue{m.value(page, upTo(day, length)), day.End().Format(graphTime)})
	}
	return []insight{answer}
}

// upTo lists the days of a given number that end with last.
func upTo(last network.Day, number int) []network.Day {
	days := make([]network.Day, 0, number)
	for day := last; len(days) < number; day-- {
		days = append(days, day)
	}
	slices.Reverse(days)
	return days
}
