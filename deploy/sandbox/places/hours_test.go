package places_test

import (
	"slices"
	"testing"
)

type hours struct {
	RegularOpeningHours struct {
		Periods []struct {
			Open  point
			Close *point
		}
		WeekdayDescriptions []string
	}
}

type point struct{ Day, Hour, Minute int }

func hoursOf(t *testing.T, slug string) hours {
	t.Helper()
	return read[hours](t, newClient(t).send("GET", "/v1/places/"+idOf(t, slug), "regularOpeningHours", ""))
}

func TestHoursAroundMidnight(t *testing.T) {
	got := hoursOf(t, "bar-ksiezyc").RegularOpeningHours
	closes := []point{{3, 0, 0}, {4, 1, 0}, {5, 2, 0}, {6, 4, 0}, {0, 4, 0}}
	for i, want := range closes {
		open := point{2 + i, 18, 0}
		if p := got.Periods[i]; p.Open != open || p.Close == nil || *p.Close != want {
			t.Errorf("period %d: %+v to %+v, want %+v to %+v", i, p.Open, p.Close, open, want)
		}
	}
	want := []string{
		"poniedziałek: Zamknięte", "wtorek: 18:00–00:00", "środa: 18:00–01:00", "czwartek: 18:00–02:00",
		"piątek: 18:00–04:00", "sobota: 18:00–04:00", "niedziela: Zamknięte",
	}
	if len(got.Periods) != len(closes) || !slices.Equal(got.WeekdayDescriptions, want) {
		t.Errorf("%d periods, %q", len(got.Periods), got.WeekdayDescriptions)
	}
}

func TestAPlaceThatNeverCloses(t *testing.T) {
	got := hoursOf(t, "stacja-pod-lasem").RegularOpeningHours
	if len(got.Periods) != 1 || got.Periods[0].Open != (point{}) || got.Periods[0].Close != nil {
		t.Errorf("periods %+v, want one without an end", got.Periods)
	}
	if got.WeekdayDescriptions[0] != "poniedziałek: Czynne całą dobę" {
		t.Errorf("got %q", got.WeekdayDescriptions)
	}
}

func TestTwoPeriodsInADay(t *testing.T) {
	if got := hoursOf(t, "piekarnia-kowalski-podgorze").RegularOpeningHours; got.WeekdayDescriptions[0] != "poniedziałek: 06:00–12:00, 13:00–18:00" || len(got.Periods) != 11 {
		t.Errorf("%d periods, %q", len(got.Periods), got.WeekdayDescriptions)
	}
}
