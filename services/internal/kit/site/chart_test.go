package site_test

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

// requireChart holds a drawing to a name for those who do not see it, and to what it must
// show.
func requireChart(t *testing.T, svg template.HTML, err error, wants ...string) {
	t.Helper()
	requireMarkup(t, svg, err, append(wants, `role="img"`, `aria-labelledby="it-title`, `<title id="it-title">`)...)
}

// requireMarkup holds a chart to well-formed XML without anything that the
// Content-Security-Policy forbids, and to what it must show.
func requireMarkup(t *testing.T, svg template.HTML, err error, wants ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text := string(svg)
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
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestBars(t *testing.T) {
	s := newSite(t, options())
	list, err := s.Bars(site.Bars{Title: hostile, Items: []site.Bar{
		{Label: "RTX 5090", Value: 200, Text: "200"}, {Label: hostile, Value: 50, Text: "50"}, {Label: "zero", Text: "0"},
	}})
	requireMarkup(t, list, err, `aria-label="&lt;script`, `width="25%"`, `width="0%"`, "<span>RTX 5090</span> <strong>200</strong>")
	list, err = s.Bars(site.Bars{Title: "nic"})
	requireMarkup(t, list, err, `aria-label="nic"`)
}

func TestLine(t *testing.T) {
	s := newSite(t, options())
	day := func(n int) time.Time { return moment.AddDate(0, 0, n) }
	svg, err := s.Line(site.Line{ID: "it", Title: hostile, Max: 100, Points: []site.Point{
		{At: day(0), Value: 0}, {At: day(3), Value: 50}, {At: day(4), Value: 250},
	}})
	requireChart(t, svg, err, `points="2,160 74,80 98,0 "`, `cx="74%" cy="104"`, "22\u00a0listopada 2026: 0; ", ">26\u00a0listopada 2026</text>")
	svg, err = s.Line(site.Line{ID: "it", Title: "przerwa", Max: 100, Points: []site.Point{
		{At: day(0), Value: 0}, {At: day(3), Value: 50, Break: hostile}, {At: day(4), Value: 100},
	}})
	requireChart(t, svg, err, `points="2,160 "`, `points="74,80 98,0 "`, `class="chart-break" x1="74%"`, "50 (&lt;script")
	svg, err = s.Line(site.Line{ID: "it", Title: "jeden", Max: 100, Points: []site.Point{{At: day(0), Value: 33.3}}})
	requireChart(t, svg, err, `cx="2%"`, "33,3")
	if n := strings.Count(string(svg), ">22\u00a0listopada 2026</text>"); n != 1 {
		t.Errorf("the one date is written %d times", n)
	}
	svg, err = s.Line(site.Line{ID: "it", Title: "dwa w dniu", Max: 100, Points: []site.Point{
		{At: day(0), Value: 1}, {At: day(0).Add(90 * time.Minute), Value: 2}, {At: day(3), Value: 3},
	}})
	requireChart(t, svg, err, "22\u00a0listopada 2026, 00:05: 1; 22\u00a0listopada 2026, 01:35: 2; 25\u00a0listopada 2026: 3")
	svg, err = s.Line(site.Line{ID: "it", Title: "nic", Max: 100})
	requireChart(t, svg, err)
}

func TestSpark(t *testing.T) {
	s := newSite(t, options())
	line := site.Line{ID: "it", Title: hostile, Max: 100, Points: []site.Point{
		{At: moment, Value: 0}, {At: moment.Add(time.Hour), Value: 50, Break: "przerwa"}, {At: moment.Add(2 * time.Hour), Value: 100},
	}}
	svg, err := s.Spark(line)
	requireChart(t, svg, err, `points="2,32 "`, `points="50,16 98,0 "`)
	if !line.Broken() || (site.Line{Points: line.Points[:1]}).Broken() {
		t.Error("a line is broken where it has a break, and nowhere else")
	}
	svg, err = s.Spark(site.Line{ID: "it", Title: "nic", Max: 100})
	requireChart(t, svg, err)
}

func TestGauge(t *testing.T) {
	s := newSite(t, options())
	svg, err := s.Gauge(site.Gauge{ID: "it", Title: hostile, Value: 82.5, Max: 100, Text: "82,5", Caption: "na 100", Level: site.Good})
	requireChart(t, svg, err, `class="chart gauge good"`, `stroke-dasharray="82.5 200"`, ": 82,5 na 100</title>")
	svg, err = s.Gauge(site.Gauge{ID: "it", Title: "nic", Max: 100, Text: "0"})
	requireChart(t, svg, err, `class="chart gauge"`)
	if strings.Contains(string(svg), "gauge-fill") {
		t.Error("an empty gauge shows a dot")
	}
}
