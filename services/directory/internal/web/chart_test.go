package web

import (
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/site"
)

const hostile = `<script>"&'`

// moment is a time at which it is the next day in Poland.
var moment = time.Date(2026, time.November, 21, 23, 5, 0, 0, time.UTC)

func TestCharts(t *testing.T) {
	charts := template.Must(template.ParseFS(templates, "templates/partials/charts.html"))
	day := func(n int, value float64, broken string) chartPoint {
		return chartPoint{At: moment.AddDate(0, 0, n), Value: value, Break: broken}
	}
	line := func(points ...chartPoint) lineView {
		return lineChart{ID: "it", Title: hostile, Max: 100, Points: points}.View()
	}
	const escaped = "&lt;script"
	for _, test := range []struct {
		name, chart string
		view        any
		wants       []string
	}{
		{"line", "line", line(day(0, 0, ""), day(3, 50, ""), day(4, 250, "")), []string{
			`points="2,160 74,80 98,0 "`, `cx="74%" cy="104"`, "22\u00a0listopada 2026: 0; ", ">26\u00a0listopada 2026</text>"}},
		{"interrupted line", "line", line(day(0, 0, ""), day(3, 50, hostile), day(4, 100, "")), []string{
			`points="2,160 "`, `points="74,80 98,0 "`, `class="chart-break" x1="74%"`, "50 (" + escaped}},
		{"single point", "line", line(day(0, 33.3, "")), []string{`cx="2%"`, "33,3"}},
		{"two points on a day", "line", line(day(0, 1, ""), chartPoint{At: moment.Add(90 * time.Minute), Value: 2}, day(3, 3, "")), []string{
			"22\u00a0listopada 2026, 00:05: 1; 22\u00a0listopada 2026, 01:35: 2; 25\u00a0listopada 2026: 3"}},
		{"no points", "line", line(), []string{`y="204" text-anchor="end"></text>`}},
		{"spark", "spark", line(day(0, 0, ""), day(1, 50, "x"), day(2, 100, "")), []string{`points="2,32 "`, `points="50,16 98,0 "`}},
		{"empty spark", "spark", line(), nil},
		{"gauge", "gauge", gauge{ID: "it", Title: hostile, Value: 82.5, Max: 100, Text: "82,5", Caption: "na 100", Level: site.Good}, []string{
			`class="chart gauge good"`, `stroke-dasharray="82.5 200"`, ": 82,5 na 100</title>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := draw(t, charts, test.chart, test.view)
			for _, want := range append(test.wants, `role="img"`, `aria-labelledby="it-title`, `<title id="it-title">`+escaped) {
				if !strings.Contains(text, want) {
					t.Errorf("no %s in\n%s", want, text)
				}
			}
		})
	}
	if text := draw(t, charts, "gauge", gauge{ID: "it", Max: 100, Text: "0"}); strings.Contains(text, "gauge-fill") || !strings.Contains(text, `class="chart gauge"`) {
		t.Errorf("empty gauge:\n%s", text)
	}
	if text := draw(t, charts, "line", line(day(0, 1, ""))); strings.Count(text, ">22\u00a0listopada 2026</text>") != 1 {
		t.Errorf("the date of a single point is not written once:\n%s", text)
	}
	if broken := (lineChart{Points: []chartPoint{day(0, 1, ""), day(1, 1, "x")}}); !broken.Broken() || (lineChart{Points: broken.Points[:1]}).Broken() {
		t.Error("Broken does not report interruptions")
	}
}

// draw returns a chart, which has to be well-formed XML without anything that the
// Content-Security-Policy forbids.
func draw(t *testing.T, charts *template.Template, name string, view any) string {
	t.Helper()
	var out strings.Builder
	if err := charts.ExecuteTemplate(&out, name, view); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for decoder := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	for _, unwanted := range []string{"<script", "style=", "NaN", "Inf", "%!"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%s in\n%s", unwanted, text)
		}
	}
	return text
}
