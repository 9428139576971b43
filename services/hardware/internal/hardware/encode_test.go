package hardware_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"backend.example/services/hardware/internal/hardware"
)

// TestRowsAreEncodedAsTheStandardLibraryDoes compares figures and texts of every
// kind.
func TestRowsAreEncodedAsTheStandardLibraryDoes(t *testing.T) {
	figures := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 0.05, 0.3, 99.6, 1e-6, 9e-7, 999999999999.9, 1e12, 1e15, 1e20, 1e21, -2.5, math.MaxFloat64, math.SmallestNonzeroFloat64}
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- repeatable
	for range 2000 {
		figures = append(figures, random.Float64()*200, float64(random.IntN(5000))/10, float64(random.IntN(50000))/100, math.Ldexp(random.Float64(), random.IntN(200)-100))
	}
	texts := []string{"", `"`, `\`, `a"b\c"`, "tab\there", "\x00", "\x7f", "é", "a\"\u2028", "\xff", "<&>", "™\"", `2.5" 1TB`}
	for i, figure := range figures {
		row := hardware.Row{Type: "GPU", PartNumber: texts[i%len(texts)], Model: texts[(i+1)%len(texts)], URL: texts[(i+2)%len(texts)], Rank: i, Benchmark: figure, Samples: -i}
		e := hardware.NewRankingEncoder(0, 0)
		if err := e.Add(&row); err != nil {
			t.Fatal(err)
		}
		if got, want := string(e.Answer("x").Payload), plain(t, row); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}
