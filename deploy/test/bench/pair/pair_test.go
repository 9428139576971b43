package pair

import (
	"math"
	"slices"
	"testing"
)

// scripted returns the values one after the other, and then the last one again and again.
func scripted(log *[]string, name string, values ...float64) Rival {
	return Rival{Name: name, Measure: func() float64 {
		*log = append(*log, name)
		v := values[0]
		if len(values) > 1 {
			values = values[1:]
		}
		return v
	}}
}

func TestCompareTakesTurns(t *testing.T) {
	var log []string
	r := Compare(Limits{Least: 2, Most: 9, Steady: 0.01}, scripted(&log, "a", 10), scripted(&log, "b", 5))
	if want := []string{"a", "b", "a", "b", "b", "a"}; !slices.Equal(log, want) {
		t.Errorf("measured in the order %v, want %v", log, want)
	}
	if r.Rounds != 2 || r.First != 10 || len(r.Ratios) != 1 || r.Ratios[0].Median != 2 || r.Ratios[0].Other != 5 {
		t.Errorf("%+v", r)
	}
}

// TestRatiosAreOfTheSameRound halves the speed of both in some rounds, which must not change
// the ratio.
func TestRatiosAreOfTheSameRound(t *testing.T) {
	var log []string
	r := Compare(Limits{Least: 4, Most: 4},
		scripted(&log, "a", 100, 100, 50, 100, 20), scripted(&log, "b", 50, 50, 25, 50, 10))
	if got := r.Ratios[0]; got.Median != 2 || got.Low != 2 || got.High != 2 {
		t.Errorf("%+v, want 2 in every round", got)
	}
}

func TestCompareEndsWhenSteady(t *testing.T) {
	var log []string
	wild := scripted(&log, "wild", 1, 1, 9, 1, 9, 5)
	if r := Compare(Limits{Least: 3, Most: 40, Steady: 0.05}, scripted(&log, "a", 10), wild); r.Rounds <= 4 || r.Rounds == 40 {
		t.Errorf("%d rounds", r.Rounds)
	}
	coin := 1.0
	never := Rival{Name: "never", Measure: func() float64 { coin = 10 - coin; return coin }}
	if r := Compare(Limits{Least: 3, Most: 12, Steady: 0.05}, scripted(&log, "a", 10), never); r.Rounds != 12 {
		t.Errorf("%d rounds, want the most", r.Rounds)
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	for q, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 1: 4} {
		if got := Quantile(values, q); math.Abs(got-want) > 1e-9 {
			t.Errorf("quantile %v of %v is %v, want %v", q, values, got, want)
		}
	}
	if !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("a quantile of nothing")
	}
}
