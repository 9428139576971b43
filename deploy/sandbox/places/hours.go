package places

import "backend.example/deploy/sandbox/internal/fixtures"

// openingHours are a week's
// (https://developers.google.com/maps/documentation/places/web-service/reference/rest/v1/places#OpeningHours).
type openingHours struct {
	Periods []period `json:"periods"`
}

type period struct {
	Open  point  `json:"open"`
	Close *point `json:"close,omitempty"` // absent: open all the time
}

type point struct {
	Day    int `json:"day"` // 0 is Sunday
	Hour   int `json:"hour"`
	Minute int `json:"minute"`
}

const day = 24 * 60 // minutes

// newHours lists the periods of a week; nil when there are none. A place that never
// closes has the one period from Sunday, midnight, without an end.
func newHours(week fixtures.Week) *openingHours {
	switch {
	case !week.Known():
		return nil
	case week.AlwaysOpen():
		return &openingHours{Periods: []period{{Open: point{}}}}
	}
	var hours openingHours
	for weekday, spans := range week {
		for _, span := range spans {
			end := newPoint(weekday, span.To)
			hours.Periods = append(hours.Periods, period{newPoint(weekday, span.From), &end})
		}
	}
	return &hours
}

// newPoint is a time that many minutes after the beginning of a day.
func newPoint(weekday, minutes int) point {
	return point{(weekday + minutes/day) % 7, minutes % day / 60, minutes % 60}
}
