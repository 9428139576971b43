package web

import (
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/site"
)

const hostile = `<script>"&'`

// moment is a time at which it is the next day in Poland.
var moment = time.Date(2026, time.November, 21, 23, 5, 0, 0, time.UTC)

func TestCharts(t *testing.T) {
	charts := template.Must(template.ParseFS(files, "templates/partials/charts.html"))
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
			`viewBox="0 0 8 96"`, `d="M0 96L6 48L8 0"`, `d="M0 96L0 96L6 48L8 0L8 96z"`, `<rect x="3" width="4"`,
			"<title>22\u00a0listopada: 0</title>", "od 22 do 26\u00a0listopada 2026: od 0 do 250",
			">26\u00a0listopada</text>",
			`y1="8" y2="8"/>`, `y="12" text-anchor="end">100<`, `y1="56" y2="56"/>`, `y="60" text-anchor="end">50<`,
			`y1="104" y2="104"/>`, `y="108" text-anchor="end">0<`}},
		{"interrupted line", "line", line(day(0, 0, ""), day(3, 50, hostile), day(4, 100, "")), []string{
			`cx="0%" cy="104"`, `d="M6 48L8 0"`, `d="M6 96L6 48L8 0L8 96z"`, `class="chart-break" x1="75%"`,
			"50 (" + escaped}},
		{"single point", "line", line(day(0, 33.3, "")),
			[]string{`cx="100%"`, "33,3", ">22\u00a0listopada</text>", `y="122" text-anchor="end"></text>`}},
		{"two points on a day", "line", line(day(0, 1, "x"), chartPoint{At: moment.Add(90 * time.Minute), Value: 2},
			day(3, 3, "")), []string{
			`d="M0 94L6 93"`, "22\u00a0listopada: 2 (x)"}},
		{"two years", "line", line(day(0, 1, ""), day(365, 1, "")),
			[]string{">22\u00a0lis 2026<", ">22\u00a0lis 2027<", "<title>22\u00a0listopada 2027: 1</title>"}},
		{"no points", "line", line(), []string{`y="122" text-anchor="end"></text>`}},
		{"gauge", "gauge", gauge{ID: "it", Title: hostile, Value: 82.5, Max: 100, Text: "82,5", Caption: "na 100",
			Level: site.Good}, []string{
			`class="chart gauge good"`, `stroke-dasharray="82.5 200"`, ": 82,5 na 100</title>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := draw(t, charts, test.chart, test.view)
			for _, want := range append(test.wants, `role="img"`, `aria-labelledby="it-title`, `<title id="it-title">`+
				escaped) {
				if !strings.Contains(text, want) {
					t.Errorf("no %s in\n%s", want, text)
				}
			}
		})
	}
	if text := draw(t, charts, "spark", line(day(0, 0, ""), day(1, 50, "x"), day(2, 100, ""))); !strings.Contains(
		text, `d="M2 16L4 0"`,
	) || !strings.Contains(text, `aria-hidden="true"`) {
		t.Errorf("spark:\n%s", text)
	}
	for _, empty := range []gauge{{ID: "it", Max: 100, Text: "0"}, {ID: "it"},
		{ID: "it", Value: math.NaN(), Max: 100}} {
		if text := draw(t, charts, "gauge", empty); strings.Contains(text, "gauge-fill") ||
			!strings.Contains(text, `class="chart gauge"`) {
			t.Errorf("empty gauge:\n%s", text)
		}
	}
	if broken := (lineChart{Points: []chartPoint{day(0, 1, ""), day(1, 1, "x")}}); !broken.Broken() ||
		(lineChart{Points: broken.Points[:1]}).Broken() {
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

func TestTwoAccountsTogether(t *testing.T) {
	day := func(n int, value float64) chartPoint { return chartPoint{At: moment.AddDate(0, 0, n), Value: value} }
	early, late := []chartPoint{day(0, 10), day(3, 12)}, []chartPoint{day(2, 5)}
	for _, order := range [][2][]chartPoint{{early, late}, {late, early}} {
		sums := together(order[0], order[1])
		if len(sums) != 2 || sums[0].Value != 15 {
			t.Fatalf("%+v, want 15 and 17, from the third day on", sums)
		}
		if sums[1].Value != 17 || sums[1].At.Sub(sums[0].At) != 24*time.Hour {
			t.Errorf("%+v, want 15 and 17, from the third day on", sums)
		}
	}
}
