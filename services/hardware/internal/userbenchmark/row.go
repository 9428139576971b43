package userbenchmark

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

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

const rowBytes = 104

// Size implements lookup.Value.
func (r Ranking) Size() int {
	size := len(r.Source) + cap(r.Rows)*rowBytes
	for i := range r.Rows {
		row := &r.Rows[i]
		size += len(row.PartNumber) + len(row.Brand) + len(row.Model) + len(row.URL)
	}
	return size
}
