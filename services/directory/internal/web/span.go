package web

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/site"
)

// span are the days for which figures are shown, the same for all channels.
type span struct {
	Days int
	To   time.Time // the last day, as [site.Day] returns it; zero: the newest that is known
	form url.Values
}

// dayChoices are for how many days figures are shown, the default in the middle.
var dayChoices = []int{7, 28, 90}

const (
	defaultDays = 28
	maxDays     = 366
	monthValue  = "miesiac"
)

// lastDays are the newest n days.
func lastDays(n int) span { return span{Days: n, form: url.Values{"okres": {strconv.Itoa(n)}}} }

// spanOf reads which days a request is about: okres=28, okres=miesiac for the last whole
// month, or od=2026-10-01&do=2026-10-31. Anything else means the default.
func spanOf(c echo.Context, now time.Time) span {
	choice := c.FormValue("okres")
	if n, err := strconv.Atoi(choice); err == nil && slices.Contains(dayChoices, n) {
		return lastDays(n)
	}
	if choice == monthValue {
		to := site.Day(now)
		to = to.AddDate(0, 0, -to.Day())
		return span{Days: to.Day(), To: to, form: url.Values{"okres": {monthValue}}}
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
	return span{Days: days, To: to, form: url.Values{"od": {c.FormValue("od")}, "do": {c.FormValue("do")}}}
}

// Query is the span in an address.
func (s span) Query() string { return "?" + s.form.Encode() }

// Fields are the span in a form.
func (s span) Fields() (fields []site.Link) {
	for name := range s.form {
		fields = append(fields, site.Link{Href: name, Text: s.form.Get(name)})
	}
	return fields
}

// From and Until are the two dates that were given, if any.
func (s span) From() string { return s.form.Get("od") }

// Until is the other one.
func (s span) Until() string { return s.form.Get("do") }

// read returns the days whose figures are compared: those of the span and as many before.
func (s span) read(now time.Time) (first, last time.Time) {
	last = now
	if !s.To.IsZero() {
		last = s.To
	}
	return last.AddDate(0, 0, -performanceDelay-2*s.Days), last
}

// end is the last day of the span for figures.
func (s span) end(points []chartPoint) time.Time {
	if s.To.IsZero() {
		return points[len(points)-1].At
	}
	return s.To
}

// known returns the points that are not after the span.
func (s span) known(points []chartPoint) []chartPoint {
	if s.To.IsZero() {
		return points
	}
	return slices.DeleteFunc(slices.Clone(points), func(p chartPoint) bool { return p.At.After(s.To) })
}

// links lead to the same page with other days.
func (s span) links(path string) (links []site.Link) {
	for _, n := range dayChoices {
		other := lastDays(n)
		links = append(links, site.Link{
			Href: path + other.Query(), Text: strconv.Itoa(n) + "\u00a0dni", Current: other.Query() == s.Query(),
		})
	}
	month := span{form: url.Values{"okres": {monthValue}}}
	return append(links, site.Link{
		Href: path + month.Query(), Text: "Zeszły miesiąc", Current: month.Query() == s.Query(),
	})
}
