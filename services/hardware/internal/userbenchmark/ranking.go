package userbenchmark

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
	rows := make([]Row, 0, strings.Count(text, "\n"))
	var dropped Dropped
	number := 1
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		row, err := parseRow(line, kind)
		if err != nil {
			if dropped.Rows++; dropped.Rows == 1 {
				dropped.First = fmt.Errorf("line %d: %w", number, err)
			}
			continue
		}
		rows = append(rows, row)
	}
	return rows, dropped
}

func parseRow(line, kind string) (Row, error) {
	f := strings.Split(line, ",")
	if len(f) != csvFields {
		return Row{}, fmt.Errorf("not %d fields", csvFields)
	}
	for i := range f {
		f[i] = strings.TrimSpace(strings.Map(fetch.DropInvisible, f[i]))
	}
	if f[0] != kind {
		return Row{}, fmt.Errorf("type %.20q instead of %s", f[0], kind)
	}
	row := Row{Type: kind, PartNumber: f[1], Brand: f[2], Model: f[3], URL: f[7]}
	var err error
	if row.Rank, err = parseCount(f[4], 1); err != nil {
		return Row{}, fmt.Errorf("rank: %w", err)
	}
	if row.Benchmark, err = parseDecimal(f[5]); err != nil {
		return Row{}, fmt.Errorf("benchmark: %w", err)
	}
	if row.Samples, err = parseCount(f[6], 0); err != nil {
		return Row{}, fmt.Errorf("samples: %w", err)
	}
	if !strings.HasPrefix(row.URL, "https://") && !strings.HasPrefix(row.URL, "http://") {
		return Row{}, fmt.Errorf("url %.40q is not a web address", row.URL)
	}
	return row, nil
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

// Ranking is the whole ranking of a family, best first.
type Ranking struct {
	Source string `json:"source"` // the source's domain, or that of a fallback
	Rows   []Row  `json:"rows"`
}

// Row is one line of a ranking. Variants of one model share a rank and a benchmark figure.
type Row struct {
	Type       string  `json:"type"` // family in upper case
	PartNumber string  `json:"partNumber"`
	Brand      string  `json:"brand"`
	Model      string  `json:"model"`
	Rank       int     `json:"rank"`      // 1 is the fastest
	Benchmark  float64 `json:"benchmark"` // percent of the source's reference part
	Samples    int     `json:"samples"`   // user measurements behind the figure
	URL        string  `json:"url"`
}

// Name returns brand and model. The source repeats the brand of graphics cards in the model, and leaves it out of
// some drives.
func (r Row) Name() string {
	n := len(r.Brand)
	repeated := n <= len(r.Model) && strings.EqualFold(r.Model[:n], r.Brand)
	if repeated && (n == len(r.Model) || r.Model[n] == ' ') {
		return r.Model
	}
	return strings.TrimSpace(r.Brand + " " + r.Model)
}

var aside = regexp.MustCompile(`\([^()]*\d[^()]*\)`)

// SearchName returns the name by which shops know the part: without a year or a cache size in brackets, but with
// "(Mobile)". Disks and memory share names, so their sort and part number follow.
func (r Row) SearchName() string {
	name := aside.ReplaceAllString(r.Name(), " ")
	words := strings.FieldsFunc(name, func(c rune) bool { return unicode.IsSpace(c) || c == '(' || c == ')' })
	switch r.Type {
	case "HDD", "SSD":
		if !slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, r.Type) }) {
			words = append(words, r.Type)
		}
		words = append(words, r.PartNumber)
	case "RAM":
		words = append(words, r.PartNumber)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}
