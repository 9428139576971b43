package benchmarksite

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// table is a download taken apart without any CSV rules: the site quotes
// nothing.
func table(t *testing.T, family family) [][]string {
	t.Helper()
	body := string(encode(family.rows()))
	if !strings.HasSuffix(body, "\n") || strings.ContainsRune(body, '\r') || strings.Contains(body, "\n\n") {
		t.Fatalf("%s: lines do not end in single LFs", family.name)
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if lines[0] != "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL" {
		t.Fatalf("%s: header %q", family.name, lines[0])
	}
	var rows [][]string
	for _, line := range lines[1:] {
		rows = append(rows, strings.Split(line, ","))
	}
	return rows
}

var (
	plainDecimal = regexp.MustCompile(`^\d{1,3}(\.\d{1,3})?$`)
	rowURL       = regexp.MustCompile(`^https://(cpu|gpu|ssd|hdd|ram|usb)\.userbenchmark\.com/(SpeedTest/9\d{7}/[A-Za-z0-9-]*|[A-Za-z0-9-]+/Rating/9\d{7})$`)
)

func TestEveryRowHasTheFormat(t *testing.T) {
	for _, family := range families() {
		rows := table(t, family)
		if len(rows) < 200 {
			t.Errorf("%s: only %d rows", family.name, len(rows))
		}
		for _, row := range rows {
			if len(row) != 8 {
				t.Fatalf("%s: %d fields in %q", family.name, len(row), row)
			}
			samples, err := strconv.Atoi(row[6])
			if row[0] != family.name || !plainDecimal.MatchString(row[5]) || err != nil || samples < 0 || !rowURL.MatchString(row[7]) {
				t.Errorf("%s: %q", family.name, row)
			}
		}
	}
}

func TestRowsAreSortedByRank(t *testing.T) {
	for _, family := range families() {
		rank, benchmark, url := 1, 1000.0, ""
		for _, row := range table(t, family) {
			nextRank, _ := strconv.Atoi(row[4])
			nextBenchmark, _ := strconv.ParseFloat(row[5], 64)
			switch {
			case nextRank != rank && nextRank != rank+1, nextBenchmark > benchmark:
				t.Errorf("%s: after rank %d (%g) comes %q", family.name, rank, benchmark, row)
			case nextRank == rank && url != "" && (row[7] != url || nextBenchmark != benchmark):
				t.Errorf("%s: rank %d has two URLs or scores: %q", family.name, rank, row)
			}
			rank, benchmark, url = nextRank, nextBenchmark, row[7]
		}
	}
}

func TestBareQuotesNeedALenientReader(t *testing.T) {
	for _, family := range families() {
		body := string(encode(family.rows()))
		strict := csv.NewReader(strings.NewReader(body))
		_, err := strict.ReadAll()
		if quotes := family.name == "HDD" || family.name == "SSD" || family.name == "USB"; (err != nil) != quotes {
			t.Errorf("%s: strict reading gives %v", family.name, err)
		}
		lenient := csv.NewReader(strings.NewReader(body))
		lenient.LazyQuotes, lenient.FieldsPerRecord = true, 8
		if rows, err := lenient.ReadAll(); err != nil || len(rows) != len(family.rows())+1 {
			t.Errorf("%s: lenient reading gives %d rows, %v", family.name, len(rows), err)
		}
	}
}

func TestGraphicsCardsShareTheRankOfTheirChip(t *testing.T) {
	first, several := map[string]bool{}, 0
	for _, row := range table(t, families()[1]) {
		if first[row[4]] {
			several++
			continue
		}
		first[row[4]] = true
		if row[1] != "" {
			t.Errorf("the first row of rank %s has part number %q", row[4], row[1])
		}
	}
	if several < 100 {
		t.Errorf("only %d rows repeat a rank", several)
	}
}

func TestTheDirtIsThere(t *testing.T) {
	cases := []struct {
		family, what string
		want         int
		is           func(row []string) bool
	}{
		{"CPU", "part number with a no-break space", 3, func(r []string) bool { return strings.HasSuffix(r[1], "\u00a0") }},
		{"GPU", "part number with U+200E", 3, func(r []string) bool { return strings.HasPrefix(r[1], "\u200e") }},
		{"GPU", "padded model", 4, func(r []string) bool { return r[3] != strings.TrimSpace(r[3]) }},
		{"HDD", "inch mark", 62, func(r []string) bool { return strings.Contains(r[3], `"`) }},
		{"HDD", "empty brand", 4, func(r []string) bool { return r[2] == "" }},
		{"HDD", "superscript", 1, func(r []string) bool { return strings.Contains(r[3], "²") }},
		{"SSD", "inch mark", 20, func(r []string) bool { return strings.Contains(r[3], `"`) }},
		{"USB", "empty model", 4, func(r []string) bool { return r[3] == "" }},
		{"USB", "empty slug", 6, func(r []string) bool { return strings.HasSuffix(r[7], "/") }},
		{"USB", "score of nought", 1, func(r []string) bool { return r[5] == "0" }},
	}
	for _, c := range cases {
		count := 0
		for _, family := range families() {
			if family.name != c.family {
				continue
			}
			for _, row := range table(t, family) {
				if c.is(row) {
					count++
				}
			}
		}
		if count != c.want {
			t.Errorf("%s: %d rows with %s, want %d", c.family, count, c.what, c.want)
		}
	}
}

func TestExactDuplicates(t *testing.T) {
	want := map[string]int{"GPU": 3, "RAM": 1}
	for _, family := range families() {
		seen, doubled := map[string]bool{}, 0
		for _, row := range table(t, family) {
			line := strings.Join(row, ",")
			if seen[line] {
				doubled++
			}
			seen[line] = true
		}
		if doubled != want[family.name] {
			t.Errorf("%s: %d duplicates, want %d", family.name, doubled, want[family.name])
		}
	}
}

func TestWellKnownPartsAreListed(t *testing.T) {
	want := map[string][]string{
		"CPU": {"Ryzen 7 7800X3D", "Ryzen 7 9800X3D", "Core i5-14600K", "Core Ultra 9 285K"},
		"GPU": {"RTX 4070", "RTX 4070 SUPER", "RTX 4070 Ti", "RTX 4070 Ti SUPER", "RX 7800 XT", "Arc B580"},
		"SSD": {"990 PRO NVMe PCIe M.2 2TB", "980 PRO NVMe PCIe M.2 1TB"},
		"HDD": {"IronWolf (2018) 8TB"},
		"RAM": {"Fury Beast DDR5 6000 C30 2x16GB"},
		"USB": {"Extreme Pro USB 3.2 256GB"},
	}
	for _, family := range families() {
		models := map[string]bool{}
		for _, row := range table(t, family) {
			models[row[3]] = true
		}
		for _, model := range want[family.name] {
			if !models[model] {
				t.Errorf("%s lacks %s", family.name, model)
			}
		}
	}
}

func TestDecimal(t *testing.T) {
	cases := map[float64]string{
		424.3: "424", 133: "133", 99.96: "100", 98.34: "98.3", 40: "40", 9.964: "9.96", 0.371: "0.371",
		0.0042: "0.004", 0.0003: "0",
	}
	for score, want := range cases {
		if got := decimal(score); got != want {
			t.Errorf("decimal(%g) = %s, want %s", score, got, want)
		}
	}
}
