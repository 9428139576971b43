package web

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/site"
)

// span are the days for which figures are shown, the same for all channels.
type span struct {
	Days int
	To   time.Time  // the last day, as [site.Day] returns it; zero for the newest that is known
	Form url.Values // the span in an address and in a form
}

var dayChoices = []int{7, 28, 90}

const (
	defaultDays = 28
	maxDays     = 366
	monthValue  = "miesiac"
)

func lastDays(n int) span { return span{Days: n, Form: url.Values{"okres": {strconv.Itoa(n)}}} }

// spanOf reads which days a request is about: okres=28, okres=miesiac for the last whole
// month, or od=2026-10-01&do=2026-10-31. Anything else means the default.
func spanOf(c echo.Context, now time.Time) span {
	choice := c.FormValue("okres")
	if n, _ := strconv.Atoi(choice); slices.Contains(dayChoices, n) {
		return lastDays(n)
	}
	if choice == monthValue {
		to := site.Day(now)
		to = to.AddDate(0, 0, -to.Day())
		return span{Days: to.Day(), To: to, Form: url.Values{"okres": {monthValue}}}
	}
	from, err := time.Parse(time.DateOnly, c.FormValue("od"))
	to, toErr := time.Parse(time.DateOnly, c.FormValue("do"))
	if err != nil || toErr != nil {
		return lastDays(defaultDays)
	}
	days := int(to.Sub(from).Hours()/24) + 1
	if days < 1 || days > maxDays {
		return lastDays(defaultDays)
	}
	return span{Days: days, To: to, Form: url.Values{"od": {c.FormValue("od")}, "do": {c.FormValue("do")}}}
}

// Query is the span in an address.
func (s span) Query() string { return "?" + s.Form.Encode() }

// read returns the days whose figures are compared: those of the span and as many before.
func (s span) read(now time.Time) (first, last time.Time) {
	last = now
	if !s.To.IsZero() {
		last = s.To
	}
	return last.AddDate(0, 0, -performanceDelay-2*s.Days), last
}

func (s span) links(path string) (links []site.Link) {
	link := func(form url.Values, text string) {
		query := form.Encode()
		links = append(links, site.Link{Href: path + "?" + query, Text: text, Current: query == s.Form.Encode()})
	}
	for _, n := range dayChoices {
		link(lastDays(n).Form, strconv.Itoa(n)+"\u00a0dni")
	}
	link(url.Values{"okres": {monthValue}}, "Zeszły miesiąc")
	return links
}

// measure is a figure of the chosen days, compared with the time before them.
type measure struct {
	ID, Name string // the ID is unique on the page
	Value    string // may be empty
	Unit     string // in Polish; empty for a number of things
	Change   string // in Polish; empty if the history is too short
	Trend    string // "up" or "down", which are classes of the stylesheet, or empty
	Chart    *lineChart

	known []chartPoint // all points, also those before the chosen days
}

func (m measure) points() []pointView {
	if m.Chart == nil {
		return nil
	}
	return m.Chart.Points
}

// How far two figures may be from each other before the line between them is broken.
const (
	readingGap = 72 * time.Hour // the scan reads every day
	dayGap     = 25 * time.Hour // a day with the hour that clocks are put back by
)

// byDay returns the points of a figure by the day. A day without a point is not known, and interrupts the line.
func byDay(past []statistics.Point) []chartPoint {
	return withBreaks(chartPoints(past), dayGap, "brak danych z dni pomiędzy")
}

// pointsOf returns the points of readings, which may be at any time of the day.
func pointsOf(past []statistics.Point) []chartPoint { return withGaps(chartPoints(past)) }

func withGaps(readings []chartPoint) []chartPoint {
	return withBreaks(daily(readings), readingGap, "przerwa w odczytach")
}

func chartPoints(past []statistics.Point) []chartPoint {
	points := make([]chartPoint, len(past))
	for i, f := range past {
		points[i] = chartPoint{At: f.At, Value: float64(f.Count)}
	}
	return points
}

func withBreaks(points []chartPoint, gap time.Duration, why string) []chartPoint {
	for i := 1; i < len(points); i++ {
		if points[i].At.Sub(points[i-1].At) > gap {
			points[i].Break = why
		}
	}
	return points
}

// everyDay returns the values of the days from one to another, e.g. "2026-11-20". A day
// without a value is zero.
func everyDay(from, to string, values map[string]int) (points []chartPoint) {
	first, err := time.Parse(time.DateOnly, from)
	last, lastErr := time.Parse(time.DateOnly, to)
	if err != nil || lastErr != nil {
		return nil
	}
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		points = append(points, chartPoint{At: day, Value: float64(values[day.Format(time.DateOnly)])})
	}
	return points
}

// together adds up the values of two accounts from the first day on which both are known. A value
// holds until the next one.
func together(a, b []chartPoint) []chartPoint {
	var sums []chartPoint
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var next chartPoint
		if j == len(b) || i < len(a) && a[i].At.Before(b[j].At) {
			next, i = a[i], i+1
		} else {
			next, j = b[j], j+1
		}
		if i > 0 && j > 0 {
			sums = append(sums, chartPoint{At: next.At, Value: a[i-1].Value + b[j-1].Value})
		}
	}
	return withGaps(sums)
}

// total returns a measure of the sum of the days.
func total(id, name string, points []chartPoint, days span) measure {
	m := measure{ID: id, Name: name}
	m.over(points, days, sum)
	return m
}

// mean returns a measure of the mean of the days.
func mean(id, name string, points []chartPoint, days span) measure {
	m := measure{ID: id, Name: name, Unit: "średnio dziennie"}
	m.over(points, days, meanOf)
	return m
}

// over sets the value of the days, for example their sum, and the change from as many days before. If one of all these
// days is missing, it compares the means of the last two weeks instead.
func (m *measure) over(points []chartPoint, days span, value func([]chartPoint) float64) {
	n := days.Days
	last, before := m.compared(points, days)
	if len(last) == 0 {
		m.Chart = nil
		return
	}
	m.Value = site.Number(value(last), 0)
	if len(last) == n && len(before) == n {
		m.change(value(last)-value(before), m.Unit != "", than(n))
		return
	}
	end := m.known[len(m.known)-1].At
	last, before = until(m.known, end, week), until(m.known, end.AddDate(0, 0, -week), week)
	if len(last) == week && len(before) == week {
		m.change(meanOf(last)-meanOf(before), true, than(week))
	}
}

// level returns a measure of the newest value, compared with that of as many days before or, in a shorter
// history, with the oldest.
func level(id, name string, points []chartPoint, days span) measure {
	m := measure{ID: id, Name: name}
	m.compared(points, days)
	if len(m.known) == 0 {
		return m
	}
	before, newest := m.known[0], m.known[len(m.known)-1]
	m.Value = site.Number(newest.Value, 0)
	if before.At.Equal(newest.At) {
		m.Change, m.Chart = "Zmianę i wykres pokażemy po jutrzejszym odczycie.", nil
		return m
	}
	since := site.Date(before.At)
	for _, p := range m.known {
		if newest.At.Sub(p.At) >= time.Duration(days.Days)*24*time.Hour {
			before, since = p, strconv.Itoa(days.Days)+"\u00a0dni wcześniej"
		}
	}
	m.change(newest.Value-before.Value, false, since)
	return m
}

// compared returns the points of the chosen days and of as many days before, and draws those of the chosen days.
func (m *measure) compared(points []chartPoint, days span) (last, before []chartPoint) {
	m.known = slices.Clone(points)
	if !days.To.IsZero() {
		m.known = slices.DeleteFunc(m.known, func(p chartPoint) bool { return p.At.After(days.To) })
	}
	if len(m.known) == 0 {
		return nil, nil
	}
	end, n := days.To, days.Days
	if end.IsZero() {
		end = m.known[len(m.known)-1].At
	}
	last, before = until(m.known, end, n), until(m.known, end.AddDate(0, 0, -n), n)
	top := 0.0
	for _, p := range last {
		top = math.Max(top, p.Value)
	}
	m.Chart = newLineChart(m.ID, m.Name, roundTop(top), end.AddDate(0, 0, 1-n), end, last)
	return last, before
}

// until returns the points of the n days that end with end.
func until(points []chartPoint, end time.Time, n int) []chartPoint {
	var found []chartPoint
	for _, p := range points {
		if !p.At.After(end) && p.At.After(end.AddDate(0, 0, -n)) {
			found = append(found, p)
		}
	}
	if len(found) > 0 {
		found[0].Break = ""
	}
	return found
}

// change writes a difference: "średnio o 6 dziennie więcej niż tydzień wcześniej".
func (m *measure) change(difference float64, isMean bool, since string) {
	before, after := "", ""
	if isMean {
		before, after = "średnio ", " dziennie"
	}
	amount := math.Abs(difference)
	if amount < 10 {
		amount = round(amount)
	} else {
		amount = math.Round(amount)
	}
	text := before + "o\u00a0" + site.Figure(amount) + after
	switch {
	case amount == 0:
		m.Change = before + "tyle samo co " + since
	case difference > 0:
		m.Change, m.Trend = text+" więcej niż "+since, "up"
	default:
		m.Change, m.Trend = text+" mniej niż "+since, "down"
	}
}

const week = 7

// than ends a comparison: "więcej niż tydzień wcześniej".
func than(n int) string {
	if n == week {
		return "tydzień wcześniej"
	}
	return "w poprzednich " + strconv.Itoa(n) + "\u00a0dniach"
}

func sum(points []chartPoint) (all float64) {
	for _, p := range points {
		all += p.Value
	}
	return all
}

func meanOf(points []chartPoint) float64 { return sum(points) / float64(len(points)) }
