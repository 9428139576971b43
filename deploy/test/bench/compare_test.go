package bench

import (
	"math"
	"slices"
	"testing"
)

// rival is one of the compared programs.
type rival struct {
	Name    string
	Measure func() float64 // returns a measurement in the unit of all rivals
}

// limits of a comparison, in rounds.
type limits struct {
	Least, Most int
	Steady      float64 // maximum spread of the ratios, as a share of their median, at the end
}

// ratio compares the first rival with another one, round by round.
type ratio struct {
	Name      string  // of the other rival
	Median    float64 // of the first rival's measurement divided by the other's
	Low, High float64 // quartiles of the same
	Other     float64 // median of the other rival's measurements
}

// result is the result of a comparison.
type result struct {
	Rounds int
	First  float64 // median of the first rival's measurements
	Ratios []ratio // of the other rivals, in their order
}

// compare measures all rivals in turn, at least l.Least and at most l.Most times. Every second
// round has the reverse order. A first round is not counted.
func compare(l limits, rivals ...rival) result {
	order := make([]int, len(rivals))
	for i := range order {
		order[i] = i
		rivals[i].Measure()
	}
	all := make([][]float64, len(rivals))
	var r result
	for r.Rounds < l.Most {
		for _, i := range order {
			all[i] = append(all[i], rivals[i].Measure())
		}
		slices.Reverse(order)
		r.Rounds++
		r.Ratios = ratios(rivals, all)
		if r.Rounds >= l.Least && steady(r.Ratios, l.Steady) {
			break
		}
	}
	r.First = quantile(all[0], 0.5)
	return r
}

func ratios(rivals []rival, all [][]float64) []ratio {
	var list []ratio
	for i := 1; i < len(rivals); i++ {
		each := make([]float64, len(all[i]))
		for round := range each {
			each[round] = all[0][round] / all[i][round]
		}
		list = append(list, ratio{
			Name: rivals[i].Name, Other: quantile(all[i], 0.5),
			Median: quantile(each, 0.5), Low: quantile(each, 0.25), High: quantile(each, 0.75),
		})
	}
	return list
}

func steady(list []ratio, limit float64) bool {
	return !slices.ContainsFunc(list, func(r ratio) bool {
		return math.IsNaN(r.Median) || r.High-r.Low > limit*r.Median
	})
}

// quantile returns an interpolated quantile of values in any order. q is from 0 to 1.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}

// scripted returns the values one after the other, and then the last one again and again.
func scripted(log *[]string, name string, values ...float64) rival {
	return rival{Name: name, Measure: func() float64 {
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
	r := compare(limits{Least: 2, Most: 9, Steady: 0.01}, scripted(&log, "a", 10), scripted(&log, "b", 5))
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
	r := compare(limits{Least: 4, Most: 4},
		scripted(&log, "a", 100, 100, 50, 100, 20), scripted(&log, "b", 50, 50, 25, 50, 10))
	if got := r.Ratios[0]; got.Median != 2 || got.Low != 2 || got.High != 2 {
		t.Errorf("%+v, want 2 in every round", got)
	}
}

func TestCompareEndsWhenSteady(t *testing.T) {
	var log []string
	wild := scripted(&log, "wild", 1, 1, 9, 1, 9, 5)
	if r := compare(limits{Least: 3, Most: 40, Steady: 0.05}, scripted(&log, "a", 10), wild); r.Rounds <= 4 || r.Rounds == 40 {
		t.Errorf("%d rounds", r.Rounds)
	}
	coin := 1.0
	never := rival{Name: "never", Measure: func() float64 { coin = 10 - coin; return coin }}
	if r := compare(limits{Least: 3, Most: 12, Steady: 0.05}, scripted(&log, "a", 10), never); r.Rounds != 12 {
		t.Errorf("%d rounds, want the most", r.Rounds)
	}
}
