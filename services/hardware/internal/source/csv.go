package source

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"backend.example/services/hardware/internal/hardware"
)

// csvHeader is the first line of every ranking file.
const csvHeader = "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL"

// csvFields is the number of columns in csvHeader.
const csvFields = 8

// Errors of ParseRanking that say that the body is no complete ranking file.
var (
	errHeader    = errors.New("first line is not the header of a ranking")
	errTruncated = errors.New("last line is not complete")
	errNoRows    = errors.New("ranking has no rows")
)

// ParseRanking reads the benchmark site's CSV of a family: csvHeader, then one row
// a line, every line ended by a line feed. Fields are never quoted and hold no
// comma; a quotation mark is an inch mark. White space around a field and
// invisible format characters (U+200E in part numbers) are dropped.
//
// Anything that breaks the format fails the whole file, so that a page in place
// of a file, or half a file, never passes for a ranking.
func ParseRanking(body []byte, family hardware.Family) ([]hardware.Row, error) {
	if !bytes.HasPrefix(body, []byte(csvHeader+"\n")) {
		return nil, errHeader
	}
	if body[len(body)-1] != '\n' {
		return nil, errTruncated
	}
	text := string(body[len(csvHeader)+1:])
	rows := make([]hardware.Row, 0, strings.Count(text, "\n"))
	for kind := family.Upper(); text != ""; {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		row, err := parseRow(line, kind)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(rows)+2, err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errNoRows
	}
	return rows, nil
}

// parseRow reads one line of the ranking of kind, the family in upper case.
func parseRow(line, kind string) (hardware.Row, error) {
	var f [csvFields]string
	if !splitLine(line, &f) {
		return hardware.Row{}, fmt.Errorf("not %d fields", csvFields)
	}
	if f[0] != kind {
		return hardware.Row{}, fmt.Errorf("type %.20q instead of %s", f[0], kind)
	}
	row := hardware.Row{Type: kind, PartNumber: f[1], Brand: f[2], Model: f[3], URL: f[7]}
	var err error
	if row.Rank, err = parseCount(f[4], 1); err != nil {
		return row, fmt.Errorf("rank: %w", err)
	}
	if row.Benchmark, err = parseDecimal(f[5]); err != nil {
		return row, fmt.Errorf("benchmark: %w", err)
	}
	if row.Samples, err = parseCount(f[6], 0); err != nil {
		return row, fmt.Errorf("samples: %w", err)
	}
	if !strings.HasPrefix(row.URL, "https://") && !strings.HasPrefix(row.URL, "http://") {
		return row, fmt.Errorf("url %.40q is not a web address", row.URL)
	}
	return row, nil
}

// splitLine cuts a line at its commas and cleans the fields; false when they
// are not as many as csvHeader has. Only lines beyond ASCII are looked at rune
// by rune: they are few.
func splitLine(line string, f *[csvFields]string) bool {
	plain := isASCII(line)
	for i := range f {
		field := line
		if comma := strings.IndexByte(line, ','); (comma < 0) != (i == csvFields-1) {
			return false
		} else if comma >= 0 {
			field, line = line[:comma], line[comma+1:]
		}
		if !plain {
			field = strings.Map(dropInvisible, field)
		}
		f[i] = strings.TrimSpace(field)
	}
	return true
}

func isASCII(s string) bool {
	all := byte(0)
	for i := range len(s) {
		all |= s[i]
	}
	return all < utf8.RuneSelf
}

// dropInvisible is a mapping for strings.Map that removes format and control
// characters; white space stays.
func dropInvisible(r rune) rune {
	if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
		return -1
	}
	return r
}

func parseCount(s string, least int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, err
	}
	if n < least {
		return 0, fmt.Errorf("%d is below %d", n, least)
	}
	return n, nil
}

// parseDecimal reads a plain decimal that is not negative.
func parseDecimal(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, err
	}
	if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%v is not a figure", v)
	}
	return v, nil
}
