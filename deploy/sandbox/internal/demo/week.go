package demo

// Week is the opening hours of each day, Sunday first; a day without any is closed.
type Week [7][]Span

// Span is a time of a day in minutes since midnight. To is larger than From, at
// most 24 hours of it; beyond that the span ends on the next day.
type Span struct{ From, To int }

// day is 24 hours in minutes.
const day = 24 * 60

// AllDay reports whether the span is a whole day.
func (s Span) AllDay() bool { return s.From == 0 && s.To == day }

// AlwaysOpen reports whether the week has no minute without opening.
func (w Week) AlwaysOpen() bool {
	for _, spans := range w {
		if len(spans) != 1 || !spans[0].AllDay() {
			return false
		}
	}
	return true
}

// Known reports whether there are any hours.
func (w Week) Known() bool {
	for _, spans := range w {
		if len(spans) > 0 {
			return true
		}
	}
	return false
}

// hours is a span between two full or half hours: hours(6, 17.5) is 6:00 to 17:30.
func hours(from, to float64) Span { return Span{int(from * 60), int(to * 60)} }

// weekOf is a week of Sunday, Monday to Friday, and Saturday.
func weekOf(sunday, workday, saturday []Span) Week {
	return Week{sunday, workday, workday, workday, workday, workday, saturday}
}
