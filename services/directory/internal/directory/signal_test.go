package directory

import (
	"slices"
	"testing"
	"time"
)

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func TestSignals(t *testing.T) {
	const polish, abroad = "ul. Długa 5, 31-147 Kraków", "Hauptstraße 5, Berlin"
	christmas := day(2026, time.November, 26).Add(9 * time.Hour) // 25 December is the 29th day after it
	weekdays := []string{"pon.–pt. 8–16"}
	for name, test := range map[string]struct {
		profile Profile
		want    []Signal
	}{
		"a source that does not tell": {Profile{Address: polish, Hours: weekdays, FetchedAt: christmas}, nil},
		"what the source told":        {Profile{Signals: []Signal{SignalChanged}}, []Signal{SignalChanged}},
		"a holiday on an open day":    {Profile{Signals: []Signal{}, Address: polish, Hours: weekdays, FetchedAt: christmas}, []Signal{SignalNoSpecialTime}},
		"beside what the source told": {Profile{Signals: []Signal{SignalChanged}, Address: polish, Hours: weekdays, FetchedAt: christmas}, []Signal{SignalChanged, SignalNoSpecialTime}},
		"one that is too far away":    {Profile{Signals: []Signal{}, Address: polish, Hours: weekdays, FetchedAt: day(2026, time.November, 12)}, []Signal{}},
		"the last day before it":      {Profile{Signals: []Signal{}, Address: polish, Hours: weekdays, FetchedAt: day(2026, time.November, 25)}, []Signal{SignalNoSpecialTime}},
		"with hours of their own":     {Profile{Signals: []Signal{}, Address: polish, Hours: weekdays, FetchedAt: christmas, SpecialDays: []time.Time{day(2026, 12, 24), day(2026, 12, 25)}}, []Signal{}},
		"with hours for one of two":   {Profile{Signals: []Signal{}, Address: polish, Hours: weekdays, FetchedAt: christmas, SpecialDays: []time.Time{day(2026, 12, 24)}}, []Signal{SignalNoSpecialTime}},
		"closed on those days":        {Profile{Signals: []Signal{}, Address: polish, Hours: []string{"niedziela: 10–14"}, FetchedAt: christmas}, []Signal{}},
		"without hours":               {Profile{Signals: []Signal{}, Address: polish, FetchedAt: christmas}, []Signal{}},
		"in another country":          {Profile{Signals: []Signal{}, Address: abroad, Hours: weekdays, FetchedAt: christmas}, []Signal{}},
	} {
		if got := test.profile.signals(); !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestHoliday has the movable days of two years, as the calendars have them.
func TestHoliday(t *testing.T) {
	for _, free := range []time.Time{
		day(2026, 4, 5), day(2026, 4, 6), day(2026, 5, 24), day(2026, 6, 4), day(2027, 3, 28), day(2027, 3, 29), day(2027, 5, 16), day(2027, 5, 27),
		day(2026, 12, 24), day(2027, 1, 6), day(2038, 4, 25),
	} {
		if !holiday(free) {
			t.Errorf("%s is no holiday", free.Format(time.DateOnly))
		}
	}
	days := 0
	for d := day(2026, 1, 1); d.Year() == 2026; d = d.AddDate(0, 0, 1) {
		if holiday(d) {
			days++
		}
	}
	if days != 14 {
		t.Errorf("%d holidays in 2026, want 14", days)
	}
}

func TestCompares(t *testing.T) {
	status := func(known ...Field) map[Field]FieldStatus {
		fields := map[Field]FieldStatus{}
		for _, r := range rules() {
			fields[r.field] = FieldStatus{Status: StatusUnknown, MaxScore: r.points}
		}
		for _, f := range known {
			fields[f] = FieldStatus{Status: StatusComplete, MaxScore: fields[f].MaxScore}
		}
		return fields
	}
	now := Audit{Source: FromPlaces, Version: "1.0", Fields: status(FieldName, FieldPhone)}
	for name, test := range map[string]struct {
		before Audit
		want   bool
	}{
		"the same":                       {now, true},
		"another source":                 {Audit{Source: FromBusinessProfile, Version: "1.0", Fields: now.Fields}, false},
		"other rules":                    {Audit{Source: FromPlaces, Version: "0.9", Fields: now.Fields}, false},
		"more fields":                    {Audit{Source: FromPlaces, Version: "1.0", Fields: status(FieldName, FieldPhone, FieldHours)}, false},
		"other fields of as many points": {Audit{Source: FromPlaces, Version: "1.0", Fields: status(FieldName, FieldWebsite)}, false},
	} {
		if got := now.Compares(&test.before); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if c := now.Coverage(); c != 18 {
		t.Errorf("coverage %g, want 18", c)
	}
	if c := (&Audit{}).Coverage(); c != 0 {
		t.Errorf("coverage of nothing: %g", c)
	}
}
