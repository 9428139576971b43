package match

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

// leastRecall is the share of matching candidates that have to be recognised. Of the others
// none may be.
const leastRecall = 0.97

// pair is a query and one candidate, labelled by a person.
type pair struct {
	query     catalog.Query
	candidate Candidate
	matches   bool
}

// readPairs reads a file of testdata/pairs: "? query | category hint" and below it
// "+ name | department" for each candidate that matches, "- …" for each that does not.
func readPairs(t testing.TB, file string) (pairs []pair) {
	t.Helper()
	text := readFile(t, file)
	var query catalog.Query
	for line := range strings.Lines(text) {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text, more, _ := strings.Cut(rest, " | ")
		switch mark {
		case "?":
			var err error
			if query, err = catalog.ParseQuery(text, catalog.Category(more)); err != nil {
				t.Fatalf("%s: %q: %v", file, text, err)
			}
		case "+", "-":
			pairs = append(pairs, pair{query, Candidate{Name: text, Department: more}, mark == "+"})
		default:
			t.Fatalf("%s: %q", file, line)
		}
	}
	return pairs
}

func readFile(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// labelledPairs returns the files of testdata/pairs by the category of their queries; "other"
// contains queries for goods that are no component, "all" the pairs of all files.
func labelledPairs(t *testing.T) map[string][]pair {
	t.Helper()
	files, err := filepath.Glob("testdata/pairs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	pairs := map[string][]pair{}
	for _, file := range files {
		read := readPairs(t, file)
		pairs[strings.TrimSuffix(filepath.Base(file), ".txt")] = read
		pairs["all"] = append(pairs["all"], read...)
	}
	return pairs
}

// wantInReadme fails unless the service's README contains text.
func wantInReadme(t *testing.T, text string) {
	t.Helper()
	if t.Log(text); !strings.Contains(readFile(t, "../../README.md"), text) {
		t.Errorf("the README lacks %q", text)
	}
}

// TestLabelledPairs compares the figures of the service's README with the results.
func TestLabelledPairs(t *testing.T) {
	byFamily := labelledPairs(t)
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		right, missed, wrong := 0, 0, 0
		for _, p := range byFamily[family] {
			found := Choose(p.query, []Candidate{p.candidate}).Index == 0
			switch {
			case found && p.matches:
				right++
			case found:
				wrong++
				t.Errorf("%+v is taken for %+v", p.query, p.candidate)
			case p.matches:
				missed++
				t.Logf("%+v misses %+v", p.query, p.candidate)
			}
		}
		recall := float64(right) / float64(right+missed)
		summary := fmt.Sprintf("%d pairs, precision %.1f%%, recall %.1f%%", len(byFamily[family]), 100*float64(right)/float64(right+wrong), 100*recall)
		if t.Log(family, summary); family != "all" {
			continue
		}
		wantInReadme(t, summary)
		if recall < leastRecall {
			t.Errorf("recall %.3f, want at least %.2f", recall, leastRecall)
		}
	}
}

// A category that is read from the words alone is right, or empty.
func TestCategoryOfLabelledQueries(t *testing.T) {
	right, none := 0, 0
	byFamily := labelledPairs(t)
	delete(byFamily, "all")
	for family, pairs := range byFamily {
		seen := map[string]bool{}
		for _, p := range pairs {
			if seen[p.query.Text] {
				continue
			}
			seen[p.query.Text] = true
			switch got := string(Category(catalog.Query{Text: p.query.Text})); {
			case got == family, got == "" && family == "other":
				right++
			case got == "":
				none++
			default:
				t.Errorf("%s: %q is taken for %s", family, p.query.Text, got)
			}
		}
	}
	wantInReadme(t, fmt.Sprintf("%d of %d queries", right, right+none))
}

// TestRealNamesMatchThemselves searches for names of a real shop, as people type them, if
// the lists are in ../shared next to the project. Processors match nothing else.
func TestRealNamesMatchThemselves(t *testing.T) {
	lists, err := filepath.Glob("../../../../../shared/data/names/*.txt")
	if err != nil || len(lists) == 0 {
		t.Skip("no lists of real names")
	}
	for _, list := range lists {
		names := strings.Split(strings.TrimSpace(readFile(t, list)), "\n")
		for _, own := range names {
			q := catalog.Query{Text: strings.NewReplacer("-", " ", "‑", " ").Replace(strings.ToLower(own))}
			for _, name := range names {
				if name != own && filepath.Base(list) != "cpu.txt" {
					continue
				}
				if found := Means(q, name); found != (name == own) {
					t.Errorf("%q, %q: %t", q.Text, name, found)
				}
			}
		}
	}
}
