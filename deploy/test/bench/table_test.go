package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/deploy/test/bench/pair"
)

// results is the folder of what a run measured: a file of tab-separated values for
// each table, its header first.
const results = "results"

// table is what one test measured.
type table struct {
	t      *testing.T
	name   string
	header []string
	rows   [][]string
}

// newTable begins the table NAME. When the test ends, it is printed, and with
// BENCH_WRITE=1 written to its file. Without BENCH=1 nothing is measured.
func newTable(t *testing.T, name string, header ...string) *table {
	t.Helper()
	if os.Getenv("BENCH") != "1" {
		t.Skip("measures for minutes; BENCH=1 runs it")
	}
	b := &table{t: t, name: name, header: header}
	t.Cleanup(func() {
		text := b.text()
		t.Logf("%s\n%s", name, text)
		if t.Failed() || t.Skipped() || os.Getenv("BENCH_WRITE") != "1" {
			return
		}
		if err := os.WriteFile(filepath.Join(results, name+".tsv"), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	})
	return b
}

// row adds a line.
func (b *table) row(cells ...any) {
	line := make([]string, len(cells))
	for i, c := range cells {
		line[i] = fmt.Sprint(c)
	}
	if len(line) != len(b.header) {
		b.t.Errorf("table %s: %d cells, %d columns", b.name, len(line), len(b.header))
	}
	b.rows = append(b.rows, line)
}

func (b *table) text() string {
	var text strings.Builder
	for _, row := range append([][]string{b.header}, b.rows...) {
		text.WriteString(strings.Join(row, "\t") + "\n")
	}
	return text.String()
}

// ratio adds the line of one rival. wanted is the least ratio; 0 asks for none.
func (b *table) ratio(what string, result pair.Result, r pair.Ratio, wanted float64) {
	target, judged := "", ""
	if wanted > 0 {
		target, judged = fmt.Sprintf("≥ %.2f", wanted), verdict(r.Median >= wanted)
	}
	b.row(what, r.Name, fmt.Sprintf("%.0f", result.First), fmt.Sprintf("%.0f", r.Other), spread(r), target, judged)
}

// spread shows a ratio with the quartiles of its rounds.
func spread(r pair.Ratio) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", r.Median, r.Low, r.High)
}

// verdict says whether a target was met, as the tables have it.
func verdict(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}
