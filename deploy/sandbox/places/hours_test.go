package places_test

import "testing"

type hours struct {
	RegularOpeningHours struct {
		Periods []struct {
			Open  point
			Close *point
		}
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
	if len(got.Periods) != len(closes) {
		t.Errorf("%d periods", len(got.Periods))
	}
}

func TestAPlaceThatNeverCloses(t *testing.T) {
	got := hoursOf(t, "stacja-pod-lasem").RegularOpeningHours
	if len(got.Periods) != 1 || got.Periods[0].Open != (point{}) || got.Periods[0].Close != nil {
		t.Errorf("periods %+v, want one without an end", got.Periods)
	}
}

func TestTwoPeriodsInADay(t *testing.T) {
	if got := hoursOf(t, "piekarnia-kowalski-podgorze").RegularOpeningHours; len(got.Periods) != 11 {
		t.Errorf("%d periods", len(got.Periods))
	}
}
