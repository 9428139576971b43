package match

import (
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

// BenchmarkBest chooses among the rows of a long page of results.
func BenchmarkBest(b *testing.B) {
	var rows []Candidate
	for _, p := range readPairs(b, "testdata/pairs/gpu.txt") {
		rows = append(rows, p.candidate)
	}
	q := catalog.Query{Text: "karta graficzna gigabyte rtx 4070 super gaming oc"}
	for b.Loop() {
		Best(q, rows[:100])
	}
}
