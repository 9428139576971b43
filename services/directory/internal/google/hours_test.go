package google

import (
	"slices"
	"testing"
)

func at(hours, minutes int) clock { return clock{hours, minutes} }

func TestLocationHours(t *testing.T) {
	tests := []struct {
		name    string
		periods []locationPeriod
		want    []string
	}{
		{"none", nil, nil},
		{
			"split day, unordered", []locationPeriod{
				{"TUESDAY", at(13, 0), "TUESDAY", at(18, 30)},
				{"TUESDAY", at(8, 0), "TUESDAY", at(12, 0)},
				{"MONDAY", at(9, 5), "MONDAY", at(17, 0)},
			}, []string{"poniedziałek: 09:05–17:00", "wtorek: 08:00–12:00, 13:00–18:30"},
		},
		{"over the night", []locationPeriod{{"FRIDAY", at(20, 0), "SATURDAY", at(2, 0)}},
			[]string{"piątek: 20:00–02:00"}},
		{"over the week's end", []locationPeriod{{"SUNDAY", at(22, 0), "MONDAY", at(4, 0)}},
			[]string{"niedziela: 22:00–04:00"}},
		{"to midnight as 24", []locationPeriod{{"SATURDAY", at(18, 0), "SATURDAY", at(24, 0)}},
			[]string{"sobota: 18:00–24:00"}},
		{"to midnight as zero", []locationPeriod{{"SATURDAY", at(18, 0), "SUNDAY", clock{}}},
			[]string{"sobota: 18:00–24:00"}},
		{"from midnight", []locationPeriod{{"THURSDAY", clock{}, "THURSDAY", at(6, 0)}},
			[]string{"czwartek: 00:00–06:00"}},
		{"to a minute before midnight", []locationPeriod{{"SATURDAY", clock{}, "SATURDAY", at(23, 59)}},
			[]string{"sobota: 00:00–23:59"}},
		{"all day as 24", []locationPeriod{{"WEDNESDAY", clock{}, "WEDNESDAY", at(24, 0)}},
			[]string{"środa: całą dobę"}},
		{"all day to next", []locationPeriod{{"WEDNESDAY", clock{}, "THURSDAY", clock{}}},
			[]string{"środa: całą dobę"}},
		{"all day without times", []locationPeriod{{"WEDNESDAY", clock{}, "WEDNESDAY", clock{}}},
			[]string{"środa: całą dobę"}},
		{
			"all the weekend in one", []locationPeriod{{"FRIDAY", at(18, 0), "SUNDAY", at(24, 0)}},
			[]string{"piątek: 18:00–24:00", "sobota: całą dobę", "niedziela: całą dobę"},
		},
		{
			"over the week's end in one", []locationPeriod{{"SUNDAY", at(18, 0), "MONDAY", at(24, 0)}},
			[]string{"poniedziałek: całą dobę", "niedziela: 18:00–24:00"},
		},
		{
			"24 hours from the morning", []locationPeriod{{"MONDAY", at(6, 0), "TUESDAY", at(6, 0)}},
			[]string{"poniedziałek: 06:00–24:00", "wtorek: 00:00–06:00"},
		},
		{
			"twice and touching", []locationPeriod{
				{"MONDAY", at(8, 0), "MONDAY", at(12, 0)}, {"MONDAY", at(8, 0), "MONDAY", at(12, 0)},
				{"MONDAY", at(12, 0), "MONDAY", at(16, 0)},
			}, []string{"poniedziałek: 08:00–16:00"},
		},
		{
			"whole day and night",
			[]locationPeriod{{"MONDAY", clock{}, "MONDAY", at(24, 0)}, {"MONDAY", at(20, 0), "TUESDAY", at(2, 0)}},
			[]string{"poniedziałek: całą dobę"},
		},
		{
			"what cannot be", []locationPeriod{
				{"DAY_OF_WEEK_UNSPECIFIED", at(8, 0), "MONDAY", at(9, 0)}, {"MONDAY", at(8, 0), "", at(9, 0)},
				{"MONDAY", at(25, 0), "MONDAY", at(9, 0)}, {"MONDAY", at(8, 60), "MONDAY", at(9, 0)},
				{"MONDAY", at(8, 0), "MONDAY", at(24, 1)}, {"MONDAY", at(-1, 0), "MONDAY", at(9, 0)},
				{"MONDAY", at(8, -1), "MONDAY", at(9, 0)},
			}, nil,
		},
	}
	for _, test := range tests {
		if got := weekLines(locationOpenings(test.periods)); !slices.Equal(got, test.want) {
			t.Errorf("%s: lines = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestPlaceHours(t *testing.T) {
	always := []string{
		"poniedziałek: całą dobę", "wtorek: całą dobę", "środa: całą dobę", "czwartek: całą dobę",
		"piątek: całą dobę", "sobota: całą dobę", "niedziela: całą dobę",
	}
	tests := []struct {
		name    string
		periods []placePeriod
		want    []string
	}{
		{"sunday is zero", []placePeriod{{placePoint{0, 10, 0}, &placePoint{0, 14, 0}}},
			[]string{"niedziela: 10:00–14:00"}},
		{"saturday night", []placePeriod{{placePoint{6, 20, 0}, &placePoint{0, 3, 0}}},
			[]string{"sobota: 20:00–03:00"}},
		{"monday", []placePeriod{{placePoint{1, 8, 0}, &placePoint{1, 16, 0}}},
			[]string{"poniedziałek: 08:00–16:00"}},
		{"all the time", []placePeriod{{placePoint{0, 0, 0}, nil}}, always},
		{"day of no week", []placePeriod{{placePoint{9, 8, 0}, &placePoint{-1, 9, 0}}}, nil},
	}
	for _, test := range tests {
		if got := weekLines(placeOpenings(test.periods)); !slices.Equal(got, test.want) {
			t.Errorf("%s: lines = %q, want %q", test.name, got, test.want)
		}
	}
}
