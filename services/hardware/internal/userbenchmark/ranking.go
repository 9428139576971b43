package userbenchmark

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
)

const csvHeader = "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL"

const csvFields = 8

var (
	errHeader    = errors.New("first line is not the header of a ranking")
	errTruncated = errors.New("last line is not complete")
	errNoRows    = errors.New("ranking has no rows")
)

// Dropped counts the rows of a ranking file that could not be read.
type Dropped struct {
	Rows  int
	First error // of the first such row
}

// ParseRanking reads the benchmark site's CSV of a family: csvHeader, then one row a line, each ended by a line
// feed. Fields are never quoted; a quotation mark is an inch mark. White space around fields and invisible
// characters (U+200E in part numbers) are dropped.
//
// A row that cannot be read is dropped. Another header, half a line at the end or more than one dropped row in a
// hundred fail the file, so that half a file never passes for a ranking.
func ParseRanking(file string, family catalog.Family) ([]Row, Dropped, error) {
	header, text, _ := strings.Cut(strings.TrimPrefix(file, "\ufeff"), "\n")
	switch {
	case strings.TrimSuffix(header, "\r") != csvHeader:
		return nil, Dropped{}, errHeader
	case text == "":
		return nil, Dropped{}, errNoRows
	case text[len(text)-1] != '\n':
		return nil, Dropped{}, errTruncated
	}
	rows, dropped := parseRows(text, family.Upper())
	all := len(rows) + dropped.Rows
	switch {
	case dropped.Rows*100 > all:
		return nil, dropped, fmt.Errorf("%d of %d rows cannot be read, %w", dropped.Rows, all, dropped.First)
	case len(rows) == 0:
		return nil, dropped, errNoRows
	}
	return rows, dropped, nil
}

func parseRows(text, kind string) ([]Row, Dropped) {
	rows := make([]Row, strings.Count(text, "\n"))
	var dropped Dropped
	n := 0
	for number := 2; text != ""; number++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			continue
		}
		if err := parseRow(line, kind, &rows[n]); err != nil {
			if dropped.Rows++; dropped.Rows == 1 {
				dropped.First = fmt.Errorf("line %d: %w", number, err)
			}
			continue
		}
		n++
	}
	return rows[:n], dropped
}

func parseRow(line, kind string, row *Row) error {
	var f [csvFields]string
	if !splitLine(line, &f) {
		return fmt.Errorf("not %d fields", csvFields)
	}
	if f[0] != kind {
		return fmt.Errorf("type %.20q instead of %s", f[0], kind)
	}
	*row = Row{Type: kind, PartNumber: f[1], Brand: f[2], Model: f[3], URL: f[7]}
	var err error
	if row.Rank, err = parseCount(f[4], 1); err != nil {
		return fmt.Errorf("rank: %w", err)
	}
	if row.Benchmark, err = parseDecimal(f[5]); err != nil {
		return fmt.Errorf("benchmark: %w", err)
	}
	if row.Samples, err = parseCount(f[6], 0); err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	if !strings.HasPrefix(row.URL, "https://") && !strings.HasPrefix(row.URL, "http://") {
		return fmt.Errorf("url %.40q is not a web address", row.URL)
	}
	return nil
}

// splitLine cuts a line and cleans the fields. It returns false for another number of them.
func splitLine(line string, f *[csvFields]string) bool {
	for i := range f {
		field := line
		if comma := strings.IndexByte(line, ','); (comma < 0) != (i == csvFields-1) {
			return false
		} else if comma >= 0 {
			field, line = line[:comma], line[comma+1:]
		}
		f[i] = strings.TrimSpace(strings.Map(fetch.DropInvisible, field))
	}
	return true
}

func parseCount(s string, minimum int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, err
	}
	if n < minimum {
		return 0, fmt.Errorf("%d is below %d", n, minimum)
	}
	return n, nil
}

func parseDecimal(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, err
	}
	if !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%v is not a figure", v)
	}
	return v, nil
}
