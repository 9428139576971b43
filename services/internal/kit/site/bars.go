package site

import (
	"html/template"
	"math"
)

// Bars is a chart of horizontal bars in rows.
type Bars struct {
	ID    string // unique on the page
	Title string
	Items []Bar
}

// Bar is one bar, which begins at zero.
type Bar struct {
	Label string
	Value float64
	Text  string // the value as shown
}

// Measures of a row in pixels: a label with its value, and the bar below them.
const (
	rowHeight    = 44
	rowBaseline  = 16
	rowBar       = 24
	rowThickness = 12
)

type barView struct {
	Bar
	Offset, Top, LabelY, ValueY, BarY, Thickness int
	Width                                        float64 // percent
}

// Bars draws b. Its text alternative names every bar and its value.
func (s *Site) Bars(b Bars) (template.HTML, error) {
	longest := 0.0
	for _, item := range b.Items {
		longest = math.Max(longest, item.Value)
	}
	rows := make([]barView, len(b.Items))
	for i, item := range b.Items {
		y := i * rowHeight
		rows[i] = barView{
			Bar: item, Offset: y, Top: rowBar, LabelY: rowBaseline, ValueY: y + rowBaseline, BarY: y + rowBar,
			Thickness: rowThickness, Width: percent(item.Value, 0, longest),
		}
	}
	return s.chart("bars.svg", struct {
		Bars
		Rows   []barView
		Height int
	}{b, rows, len(rows) * rowHeight})
}
