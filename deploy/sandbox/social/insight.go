package social

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/deploy/sandbox/social/network"
)

// insight is the answer about one metric in one period. Values or Total is there,
// not both.
type insight struct {
	Name        string         `json:"name"`
	Period      string         `json:"period"`
	Values      []insightValue `json:"values,omitempty"`
	Total       *total         `json:"total_value,omitempty"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	ID          string         `json:"id"`
}

type insightValue struct {
	Value any    `json:"value"` // number, or numbers by name
	End   string `json:"end_time,omitempty"`
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

// insightList is what every question about insights is answered with.
type insightList struct {
	Data   []insight `json:"data"`
	Paging *paging   `json:"paging,omitempty"`
}

// noInsights is the answer where there is nothing to tell, or nobody to tell it to.
func noInsights() insightList { return insightList{Data: []insight{}} }

// newInsight is the part that does not depend on the figures; id is that of the
// object.
func newInsight(id, name, period, title string) insight {
	return insight{
		Name: name, Period: period, Title: title, Description: title + " (demonstration figures)",
		ID: id + "/insights/" + name + "/" + period,
	}
}

// metrics reads the parameter metric: names between commas.
func (c *call) metrics() ([]string, *refusal) {
	if c.form.Get("metric") == "" {
		return nil, badParameter("The parameter metric is required")
	}
	names := strings.Split(c.form.Get("metric"), ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// window is the range of time that a question is about.
type window struct{ since, until time.Time }

// window reads since and until: Unix seconds or days. Without them it is the last
// two days.
func (c *call) window(days int) (window, *refusal) {
	w := window{until: c.now}
	if text := c.form.Get("until"); text != "" {
		var refused *refusal
		if w.until, refused = readTime("until", text); refused != nil {
			return window{}, refused
		}
	}
	w.since = w.until.Add(-48 * time.Hour)
	if text := c.form.Get("since"); text != "" {
		var refused *refusal
		if w.since, refused = readTime("since", text); refused != nil {
			return window{}, refused
		}
	}
	longest := time.Duration(days) * 24 * time.Hour
	switch {
	case !w.since.Before(w.until):
		return window{}, badParameter("The parameter until must be later than since")
	case w.until.Sub(w.since) > longest:
		return window{}, badParameter("There cannot be more than %d days (%d s) between since and until", days, int(longest.Seconds()))
	}
	return w, nil
}

func readTime(name, text string) (time.Time, *refusal) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC(), nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, badParameter("The parameter %s must be a Unix timestamp or a date", name)
	}
	return day, nil
}

// ended lists the days of the network that end in the window, and not before
// oldest.
func (w window) ended(now, oldest time.Time) []network.Day {
	var days []network.Day
	if w.since.Before(oldest) {
		w.since = oldest
	}
	last := min(network.DayOf(w.until)-1, network.LastEnded(now))
	for day := network.DayOf(w.since); day <= last; day++ {
		days = append(days, day)
	}
	return days
}

// paging leads to the same question about the time before and after.
func (w window) paging(c *call, owner string) *paging {
	length := w.until.Sub(w.since)
	at := func(since time.Time) string {
		return c.address(owner, url.Values{
			"since": {strconv.FormatInt(since.Unix(), 10)}, "until": {strconv.FormatInt(since.Add(length).Unix(), 10)},
		})
	}
	return &paging{Previous: at(w.since.Add(-length)), Next: at(w.until)}
}

// dead returns the first of the metrics that a knob has taken away.
func (s *site) dead(metrics []string) (name string, found bool) {
	gone := s.panel.List(knobDeadMetrics)
	i := slices.IndexFunc(metrics, func(m string) bool { return slices.Contains(gone, m) })
	if i < 0 {
		return "", false
	}
	return metrics[i], true
}
