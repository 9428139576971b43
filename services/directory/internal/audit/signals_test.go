package audit

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
)

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func TestSignals(t *testing.T) {
	const polish, abroad = "ul. Długa 5, 31-147 Kraków", "Hauptstraße 5, Berlin"
	christmas := day(2026, time.November, 26).Add(9 * time.Hour) // 25 December is the 29th day after it
	weekdays := []string{"pon.–pt. 8–16"}
	none, changed, holidays := []google.Signal{}, []google.Signal{google.SignalChanged}, []google.Signal{SignalNoSpecialHours}
	for name, test := range map[string]struct {
		address string
		hours   []string
		read    time.Time
		special []time.Time
		signals []google.Signal // of the source
		want    []google.Signal
	}{
		"a source without signals":  {polish, weekdays, christmas, nil, nil, nil},
		"a signal of the source":    {"", nil, christmas, nil, changed, changed},
		"a holiday on an open day":  {polish, weekdays, christmas, nil, none, holidays},
		"both":                      {polish, weekdays, christmas, nil, changed, append(slices.Clone(changed), holidays...)},
		"a holiday too far ahead":   {polish, weekdays, day(2026, time.November, 12), nil, none, none},
		"the last day before it":    {polish, weekdays, day(2026, time.November, 25), nil, none, holidays},
		"with hours of their own":   {polish, weekdays, christmas, []time.Time{day(2026, 12, 24), day(2026, 12, 25)}, none, none},
		"with hours for one of two": {polish, weekdays, christmas, []time.Time{day(2026, 12, 24)}, none, holidays},
		"closed on those days":      {polish, []string{"niedziela: 10–14"}, christmas, nil, none, none},
		"without hours":             {polish, nil, christmas, nil, none, none},
		"in another country":        {abroad, weekdays, christmas, nil, none, none},
	} {
		b := google.Business{Address: test.address, Hours: test.hours, Signals: test.signals, SpecialDays: test.special}
		if got := fromLocation("locations/1", b, test.read).signals(); !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
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

// TestEaster has the earliest and the latest Easter, and one in each of several centuries.
func TestEaster(t *testing.T) {
	for year, want := range map[int]string{
		1598: "03-22", 1666: "04-25", 1734: "04-25", 1818: "03-22", 1886: "04-25", 1943: "04-25", 1954: "04-18", 1961: "04-02", 1981: "04-19",
		2000: "04-23", 2008: "03-23", 2024: "03-31", 2025: "04-20", 2038: "04-25", 2049: "04-18", 2076: "04-19", 2100: "03-28", 2199: "04-14",
		2285: "03-22", 2299: "04-16", 2400: "04-16", 2500: "04-18", 3000: "04-13", 3999: "04-18",
	} {
		if got := easter(year).Format("2006-01-02"); got != fmt.Sprint(year)+"-"+want {
			t.Errorf("Easter of %d is %s, want %s", year, got, want)
		}
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
	latest := Audit{Source: FromPlace, Version: "1.0", Fields: status(FieldName, FieldPhone)}
	for name, test := range map[string]struct {
		before Audit
		want   bool
	}{
		"the same":                       {latest, true},
		"another source":                 {Audit{Source: FromLocation, Version: "1.0", Fields: latest.Fields}, false},
		"other rules":                    {Audit{Source: FromPlace, Version: "0.9", Fields: latest.Fields}, false},
		"more fields":                    {Audit{Source: FromPlace, Version: "1.0", Fields: status(FieldName, FieldPhone, FieldHours)}, false},
		"other fields of as many points": {Audit{Source: FromPlace, Version: "1.0", Fields: status(FieldName, FieldWebsite)}, false},
	} {
		if got := latest.Compares(&test.before); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	latest.complete()
	if latest.Coverage != 18 {
		t.Errorf("coverage %g, want 18", latest.Coverage)
	}
	var empty Audit
	if empty.complete(); empty.Coverage != 0 {
		t.Errorf("coverage of nothing: %g", empty.Coverage)
	}
}
