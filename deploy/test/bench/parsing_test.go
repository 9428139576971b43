package bench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"backend.example/deploy/test/bench/pair"
	"backend.example/deploy/test/harness"
)

// TestParsing compares the parsing of the hardware service with the parsers that it uses, by
// the benchmarks of their packages.
func TestParsing(t *testing.T) {
	table := newTable(t, "parsing", "what", "yardstick", "service", "yardstick's", "ratio", "wanted", "")
	b := compileBenchmarks(t, "services/hardware", "internal/userbenchmark")

	ranking := pair.Compare(pair.Usual, b.time(t, "Ranking"), b.time(t, "RankingStandard")).Ratios[0]
	table.row("ranking of 1,500 rows, read, checked and encoded: time", "encoding/csv reading it",
		milliseconds(ranking.Median*ranking.Other), milliseconds(ranking.Other), spread(ranking), "at most 3", verdict(ranking.Median <= 3))
	cost := b.run(t, "Ranking")
	times := cost.allocated / cost.size
	table.row("the same: bytes allocated, answer included", "its size",
		kilobytes(cost.allocated), kilobytes(cost.size), fmt.Sprintf("%.2f", times), "below 2", verdict(times < 2))

	packed := pair.Compare(pair.Limits{Least: 5, Most: 5}, b.time(t, "RankingPacked"), b.time(t, "RankingStandard")).Ratios[0]
	table.row("the answer in gzip, which is made once and apart: time", "encoding/csv reading the file",
		milliseconds(packed.Median*packed.Other), milliseconds(packed.Other), spread(packed), "", "")

	b = compileBenchmarks(t, "services/hardware", "internal/ceneo")
	offers := pair.Compare(pair.Usual, b.time(t, "Offers"), b.time(t, "OffersStandard")).Ratios[0]
	table.row("page of 300 KB with 15 offers: time", "goquery's parse",
		milliseconds(offers.Median*offers.Other), milliseconds(offers.Other), spread(offers), "at most 1.3", verdict(offers.Median <= 1.3))
}

// benchmarks contains the compiled benchmarks of one package.
type benchmarks struct{ program, folder string }

func compileBenchmarks(t *testing.T, module, folder string) benchmarks {
	t.Helper()
	program := filepath.Join(t.TempDir(), "benchmarks")
	compile := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, "./"+folder) // #nosec G204 -- a package of this repository
	compile.Dir = harness.Path(t, module)
	harness.Run(t, compile)
	return benchmarks{program, harness.Path(t, module, folder)}
}

// cost is the cost of one iteration: time in nanoseconds, allocated bytes, and bytes of input.
type cost struct{ time, allocated, size float64 }

var result = regexp.MustCompile(`\s([0-9.]+) ns/op\s+([0-9.]+) MB/s\s+([0-9]+) B/op`)

// run runs Benchmark`name` for a quarter of a second.
func (b benchmarks) run(t *testing.T, name string) cost {
	t.Helper()
	command := exec.CommandContext(t.Context(), b.program, "-test.run=^$", "-test.bench=^Benchmark"+name+"$", "-test.benchtime=250ms") // #nosec G204 -- compiled above
	command.Dir = b.folder
	out, err := command.CombinedOutput()
	found := result.FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	var numbers [3]float64
	for i := range numbers {
		if numbers[i], err = strconv.ParseFloat(string(found[i+1]), 64); err != nil {
			t.Fatal(err)
		}
	}
	return cost{time: numbers[0], allocated: numbers[2], size: numbers[1] * numbers[0] / 1000}
}

// time returns a rival that measures the time of a benchmark.
func (b benchmarks) time(t *testing.T, name string) pair.Rival {
	t.Helper()
	return pair.Rival{Name: name, Measure: func() float64 { return b.run(t, name).time }}
}

func milliseconds(nanoseconds float64) string { return fmt.Sprintf("%.2f ms", nanoseconds/1e6) }
func kilobytes(bytes float64) string          { return fmt.Sprintf("%.0f kB", bytes/1e3) }
