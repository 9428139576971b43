package benchmarksite

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rows takes a download apart without any CSV rules: the real site quotes nothing.
func rows(t *testing.T, d download) [][]string {
	t.Helper()
	body := string(d.body)
	if !strings.HasSuffix(body, "\n") || strings.ContainsRune(body, '\r') || strings.Contains(body, "\n\n") {
		t.Fatalf("%s: lines do not end in single LFs", d.Family)
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if lines[0] != "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL" {
		t.Fatalf("%s: header %q", d.Family, lines[0])
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
	for _, d := range readDownloads() {
		rank, benchmark, url := 0, 1000.0, ""
		for _, row := range rows(t, d) {
			if len(row) != 8 {
				t.Fatalf("%s: %d fields in %q", d.Family, len(row), row)
			}
			samples, err := strconv.Atoi(row[6])
			if row[0] != d.Family || !plainDecimal.MatchString(row[5]) || err != nil || samples < 0 || !rowURL.MatchString(row[7]) {
				t.Errorf("%s: %q", d.Family, row)
			}
			nextRank, _ := strconv.Atoi(row[4])
			nextBenchmark, _ := strconv.ParseFloat(row[5], 64)
			switch {
			case nextRank != rank && nextRank != rank+1, nextBenchmark > benchmark:
				t.Errorf("%s: after rank %d (%g) comes %q", d.Family, rank, benchmark, row)
			case nextRank == rank && (row[7] != url || nextBenchmark != benchmark):
				t.Errorf("%s: rank %d has two URLs or scores: %q", d.Family, rank, row)
			}
			rank, benchmark, url = nextRank, nextBenchmark, row[7]
		}
	}
}

// The hardware service serves 200 rows when no number is asked for.
func TestProcessorsAndGraphicsCardsFillAWholeAnswer(t *testing.T) {
	for _, d := range readDownloads()[:2] {
		if d.Rows() < 200 {
			t.Errorf("%s: only %d rows", d.Family, d.Rows())
		}
	}
}

func TestBareQuotesNeedALenientReader(t *testing.T) {
	for _, d := range readDownloads() {
		_, err := csv.NewReader(strings.NewReader(string(d.body))).ReadAll()
		if quotes := d.Family == "HDD" || d.Family == "SSD" || d.Family == "USB"; (err != nil) != quotes {
			t.Errorf("%s: strict reading gives %v", d.Family, err)
		}
		lenient := csv.NewReader(strings.NewReader(string(d.body)))
		lenient.LazyQuotes, lenient.FieldsPerRecord = true, 8
		if list, err := lenient.ReadAll(); err != nil || len(list) != d.Rows()+1 {
			t.Errorf("%s: lenient reading gives %d rows, %v", d.Family, len(list), err)
		}
	}
}

// The real files have all of these flaws.
func TestTheFlawsOfTheRealFiles(t *testing.T) {
	seen := map[string]bool{}
	repeated := func(key string) bool {
		was := seen[key]
		seen[key] = true
		return was
	}
	for _, c := range []struct {
		family, what string
		want         int // at least
		has          func(row []string) bool
	}{
		{"CPU", "part number with a no-break space", 3, func(r []string) bool { return strings.HasSuffix(r[1], "\u00a0") }},
		{"GPU", "part number with U+200E", 3, func(r []string) bool { return strings.HasPrefix(r[1], "\u200e") }},
		{"GPU", "padded model", 4, func(r []string) bool { return r[3] != strings.TrimSpace(r[3]) }},
		{"GPU", "rank of an earlier row", 100, func(r []string) bool { return repeated("rank " + r[4]) }},
		{"GPU", "exact duplicate", 2, func(r []string) bool { return repeated(strings.Join(r, ",")) }},
		{"HDD", "inch mark", 10, func(r []string) bool { return strings.Contains(r[3], `"`) }},
		{"HDD", "empty brand", 4, func(r []string) bool { return r[2] == "" }},
		{"HDD", "superscript", 1, func(r []string) bool { return strings.Contains(r[3], "²") }},
		{"USB", "empty model", 4, func(r []string) bool { return r[3] == "" }},
		{"USB", "empty slug", 6, func(r []string) bool { return strings.HasSuffix(r[7], "/") }},
		{"USB", "score of nought", 1, func(r []string) bool { return r[5] == "0" }},
	} {
		count := 0
		for _, d := range readDownloads() {
			if d.Family != c.family {
				continue
			}
			for _, row := range rows(t, d) {
				if c.has(row) {
					count++
				}
			}
		}
		if count < c.want {
			t.Errorf("%s: %d rows with %s, want %d", c.family, count, c.what, c.want)
		}
	}
}
