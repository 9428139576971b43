package search

import "backend.example/deploy/sandbox/internal/fixtures"

// businessHours are a week's
// (https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations#businesshours).
type businessHours struct {
	Periods []period `json:"periods"`
}

type period struct {
	OpenDay   string    `json:"openDay"` // "MONDAY"
	OpenTime  timeOfDay `json:"openTime"`
	CloseDay  string    `json:"closeDay"`
	CloseTime timeOfDay `json:"closeTime"`
}

// timeOfDay leaves zeros out: midnight is {}, the end of a day {"hours": 24}.
type timeOfDay struct {
	Hours   int `json:"hours,omitempty"`
	Minutes int `json:"minutes,omitempty"`
}

const day = 24 * 60 // minutes

// newHours lists the periods of a week, Monday first; nil when there are none.
func newHours(week fixtures.Week) *businessHours {
	if !week.Known() {
		return nil
	}
	var hours businessHours
	for i := range week {
		weekday := (i + 1) % 7
		for _, span := range week[weekday] {
			hours.Periods = append(hours.Periods, newPeriod(weekday, span))
		}
	}
	return &hours
}

// newPeriod writes the end of a whole day as hour 24 of that day, and any other end
// at or after midnight as a time of the next day.
func newPeriod(weekday int, span fixtures.Span) period {
	p := period{OpenDay: weekdayName(weekday), OpenTime: newTime(span.From), CloseDay: weekdayName(weekday), CloseTime: newTime(span.To)}
	if span.To >= day && !span.AllDay() {
		p.CloseDay, p.CloseTime = weekdayName(weekday+1), newTime(span.To-day)
	}
	return p
}

func newTime(minutes int) timeOfDay { return timeOfDay{minutes / 60, minutes % 60} }

func weekdayName(weekday int) string {
	return [...]string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}[weekday%7]
}
