package site

import "html/template"

// Level is how good a value is: the colour of a gauge, a badge or an alert. A text
// always says the same.
type Level string

// The levels, which are also names of classes in the stylesheet.
const (
	Good    Level = "good"
	Warning Level = "warning"
	Bad     Level = "bad"
)

// Gauge is a half circle that is filled up to a value between zero and Max.
type Gauge struct {
	ID      string // unique on the page
	Title   string
	Value   float64
	Max     float64
	Text    string // the value as shown
	Caption string // below it, e.g. what the value is out of
	Level   Level  // empty: the accent colour
}

// Gauge draws g.
func (s *Site) Gauge(g Gauge) (template.HTML, error) {
	return s.chart("gauge.svg", struct {
		Gauge
		Filled float64 // percent of the arc
	}{g, percent(g.Value, 0, g.Max)})
}
