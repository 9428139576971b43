package site

import (
	"html/template"
	"math"
)

// Bars is a chart of horizontal bars in rows.
type Bars struct {
	Title string
	Items []Bar
}

// Bar is one bar, which begins at zero.
type Bar struct {
	Label string
	Value float64
	Text  string // the value as shown
}

type barView struct {
	Bar
	Width float64 // percent
}

// Bars draws b as a list, so that long labels wrap and are read as text.
func (s *Site) Bars(b Bars) (template.HTML, error) {
	longest := 0.0
	for _, item := range b.Items {
		longest = math.Max(longest, item.Value)
	}
	rows := make([]barView, len(b.Items))
	for i, item := range b.Items {
		rows[i] = barView{Bar: item, Width: percent(item.Value, 0, longest)}
	}
	return s.chart("bars.html", struct {
		Bars
		Rows []barView
	}{b, rows})
}
