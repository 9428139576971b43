package site

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
)

// The charts are inline SVG, the bars in a list. Horizontal positions are in percent and
// vertical ones in pixels, so that letters keep their size on every screen. Colours come
// from the stylesheet.

// chart renders one of the templates, which escape all values.
func (s *Site) chart(name string, view any) (template.HTML, error) {
	var chart bytes.Buffer
	if err := s.charts.ExecuteTemplate(&chart, name, view); err != nil {
		return "", fmt.Errorf("chart %s: %w", name, err)
	}
	return template.HTML(chart.String()), nil // #nosec G203 -- the output of html/template
}

// percent is the position of v between low and high, from 0 to 100.
func percent(v, low, high float64) float64 {
	if high <= low || math.IsNaN(v) {
		return 0
	}
	return math.Round(10000*math.Min(math.Max((v-low)/(high-low), 0), 1)) / 100
}
