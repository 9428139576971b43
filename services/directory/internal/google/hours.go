package google

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	minutesPerDay  = 24 * 60
	minutesPerWeek = 7 * minutesPerDay
)

var weekdays = []string{"poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota", "niedziela"}

// clock is a time of day, up to 24:00.
type clock struct {
	Hours   int `json:"hours"`
	Minutes int `json:"minutes"`
}

// opening is in minutes since the start of Monday. Its end may be in the next day or week.
type opening struct{ from, to int }

type locationPeriod struct {
	OpenDay   string `json:"openDay"` // MONDAY …
	OpenTime  clock  `json:"openTime"`
	CloseDay  string `json:"closeDay"`
	CloseTime clock  `json:"closeTime"`
}

func locationOpenings(periods []locationPeriod) []opening {
	days := []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"}
	var openings []opening
	for _, p := range periods {
		o, ok := newOpening(slices.Index(days, p.OpenDay), p.OpenTime, slices.Index(days, p.CloseDay), p.CloseTime)
		if ok {
			openings = append(openings, o)
		}
	}
	return openings
}

// placePeriod is an opening of a place
// (https://developers.google.com/maps/documentation/places/web-service/reference/rest/v1/places#OpeningHours).
type placePeriod struct {
	Open  placePoint  `json:"open"`
	Close *placePoint `json:"close"` // nil: open all the time
}

type placePoint struct {
	Day    int `json:"day"` // 0 is Sunday
	Hour   int `json:"hour"`
	Minute int `json:"minute"`
}

func (p placePoint) fromMonday() int { return slices.Index([]int{1, 2, 3, 4, 5, 6, 0}, p.Day) }

func placeOpenings(periods []placePeriod) []opening {
	var openings []opening
	for _, p := range periods {
		if p.Close == nil {
			return []opening{{0, minutesPerWeek}}
		}
		o, ok := newOpening(p.Open.fromMonday(), clock{p.Open.Hour, p.Open.Minute},
			p.Close.fromMonday(), clock{p.Close.Hour, p.Close.Minute})
		if ok {
			openings = append(openings, o)
		}
	}
	return openings
}

// newOpening counts days from Monday, which is 0. An opening that ends when it starts lasts a day.
func newOpening(openDay int, open clock, closeDay int, end clock) (o opening, ok bool) {
	for _, day := range []int{openDay, closeDay} {
		if day < 0 || day > 6 {
			return opening{}, false
		}
	}
	for _, c := range []clock{open, end} {
		isMinute := c.Minutes >= 0 && c.Minutes <= 59
		if c.Hours < 0 || !isMinute || c.Hours*60+c.Minutes > minutesPerDay {
			return opening{}, false
		}
	}
	o.from = openDay*minutesPerDay + open.Hours*60 + open.Minutes
	daysLater := (closeDay - openDay + 7) % 7
	o.to = (openDay+daysLater)*minutesPerDay + end.Hours*60 + end.Minutes
	if o.to <= o.from {
		o.to += minutesPerDay
	}
	return o, true
}

// weekLines writes a line for each day from Monday: "wtorek: 08:00–12:00, 13:00–18:00" or "wtorek: całą
// dobę". An opening of a day or more is cut at each midnight.
func weekLines(openings []opening) []string {
	var days [7][]opening
	for _, o := range openings {
		for _, part := range o.perDay() {
			day := part.from / minutesPerDay % 7
			start := part.from - part.from%minutesPerDay
			days[day] = append(days[day], opening{part.from - start, part.to - start})
		}
	}
	var lines []string
	for i, day := range days {
		if len(day) > 0 {
			lines = append(lines, weekdays[i]+": "+dayText(day))
		}
	}
	return lines
}

func (o opening) perDay() []opening {
	if o.to-o.from < minutesPerDay {
		return []opening{o}
	}
	var parts []opening
	for from := o.from; from < o.to; {
		to := min(from-from%minutesPerDay+minutesPerDay, o.to)
		parts = append(parts, opening{from, to})
		from = to
	}
	return parts
}

func dayText(openings []opening) string {
	slices.SortFunc(openings, func(a, b opening) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	joined := openings[:1]
	for _, o := range openings[1:] {
		if last := &joined[len(joined)-1]; o.from <= last.to {
			last.to = max(last.to, o.to)
		} else {
			joined = append(joined, o)
		}
	}
	if joined[0].from == 0 && joined[0].to >= minutesPerDay {
		return "całą dobę"
	}
	var texts []string
	for _, o := range joined {
		texts = append(texts, timeText(o.from)+"–"+timeText(o.to))
	}
	return strings.Join(texts, ", ")
}

func timeText(minutes int) string {
	if minutes > minutesPerDay {
		minutes -= minutesPerDay
	}
	return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
}
