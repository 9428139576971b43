// Package pair compares measurements that take turns, so that a slow moment of the machine
// affects all of them.
package pair

import (
	"math"
	"slices"
)

// Rival is one of the compared programs.
type Rival struct {
	Name    string
	Measure func() float64 // returns a measurement in the unit of all rivals
}

// Limits of a comparison, in rounds.
type Limits struct {
	Least, Most int
	Steady      float64 // maximum spread of the ratios, as a share of their median, at the end
}

// Usual ends when half of the ratios are within 4% of the median.
var Usual = Limits{Least: 7, Most: 21, Steady: 0.04}

// Ratio compares the first rival with another one, round by round.
type Ratio struct {
	Name      string  // of the other rival
	Median    float64 // of the first rival's measurement divided by the other's
	Low, High float64 // quartiles of the same
	Other     float64 // median of the other rival's measurements
}

// Result is the result of a comparison.
type Result struct {
	Rounds int
	First  float64 // median of the first rival's measurements
	Ratios []Ratio // of the other rivals, in their order
}

// Compare measures all rivals in turn, at least l.Least and at most l.Most times. Every second
// round has the reverse order. A first round is not counted.
func Compare(l Limits, rivals ...Rival) Result {
	order := make([]int, len(rivals))
	for i := range order {
		order[i] = i
		rivals[i].Measure()
	}
	all := make([][]float64, len(rivals))
	var r Result
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
	r.First = Quantile(all[0], 0.5)
	return r
}

func ratios(rivals []Rival, all [][]float64) []Ratio {
	var list []Ratio
	for i := 1; i < len(rivals); i++ {
		each := make([]float64, len(all[i]))
		for round := range each {
			each[round] = all[0][round] / all[i][round]
		}
		list = append(list, Ratio{
			Name: rivals[i].Name, Other: Quantile(all[i], 0.5),
			Median: Quantile(each, 0.5), Low: Quantile(each, 0.25), High: Quantile(each, 0.75),
		})
	}
	return list
}

func steady(list []Ratio, limit float64) bool {
	return !slices.ContainsFunc(list, func(r Ratio) bool {
		return math.IsNaN(r.Median) || r.High-r.Low > limit*r.Median
	})
}

// Quantile returns an interpolated quantile of values in any order. q is from 0 to 1.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
