package match

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

// Labels of pairs, as they are marked in the files.
const (
	matches   = "+"
	isOther   = "-"
	ambiguous = "~" // the query means all its candidates with this mark, which differ in technology or form
	missed    = "!" // it is meant, and the rules do not see it
)

// pair is a query and one candidate, labelled by a person.
type pair struct {
	query     catalog.Query
	candidate Candidate
	label     string
}

// readPairs reads a file of testdata/pairs: "? query | category hint" and below it
// "mark name | department" for each candidate.
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
		case "#":
		case matches, isOther, ambiguous, missed:
			pairs = append(pairs, pair{query, Candidate{Name: text, Department: more}, mark})
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

// pairsOf returns the files of a folder of testdata by the category of their queries; "other"
// contains queries for goods that are no component.
func pairsOf(t *testing.T, folder string) map[string][]pair {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	pairs := map[string][]pair{}
	for _, file := range files {
		pairs[strings.TrimSuffix(filepath.Base(file), ".txt")] = readPairs(t, file)
	}
	return pairs
}

// answer returns how the rules label the pair at i. Each candidate is offered alone, and the ambiguous
// ones of a query together.
func answer(pairs []pair, i int) string {
	var candidates []Candidate
	for j, p := range pairs {
		isTogether := p.query == pairs[i].query && p.label == ambiguous && pairs[i].label == ambiguous
		if j == i || isTogether {
			candidates = append(candidates, p.candidate)
		}
	}
	switch choice := Choose(pairs[i].query, candidates); {
	case choice.Ambiguous:
		return ambiguous
	case choice.Index >= 0:
		return matches
	}
	return isOther
}

// TestLabelledPairs compares the answers with the pairs with which the rules were written. Their names
// are those of a shop (https://github.com/Xeyanix/configurator-roboczy), of
// https://github.com/docyx/pc-part-dataset, and of pages captured from the aggregator.
func TestLabelledPairs(t *testing.T) {
	for _, pairs := range pairsOf(t, "pairs") {
		for i, p := range pairs {
			got := answer(pairs, i)
			if got != p.label && (p.label != missed || got != isOther) {
				t.Errorf("%q, %q is labelled %s: %s", p.query, p.candidate.Name, p.label, got)
			}
		}
	}
}

// TestPublicNames compares the table of the service's README with the answers for names that were
// labelled before the rules had answered them.
func TestPublicNames(t *testing.T) {
	readme, all := readFile(t, "../../README.md"), []pair{}
	kinds := pairsOf(t, "public")
	for _, pairs := range kinds {
		all = append(all, pairs...)
	}
	kinds["all"] = all
	for kind, pairs := range kinds {
		count := map[string]float64{}
		for i, p := range pairs {
			got := answer(pairs, i)
			count[p.label]++
			if got != p.label {
				t.Logf("%q, %q is labelled %s: %s", p.query, p.candidate.Name, p.label, got)
				count[p.label+got]++
			}
		}
		wrong, recall := count["-+"]/float64(len(pairs)), 1-count["+-"]/count[matches]
		row := fmt.Sprintf("| %s | %d | %v | %.1f | %.1f |", kind, len(pairs), count[isOther], 100*wrong, 100*recall)
		if !strings.Contains(readme, row) {
			t.Errorf("the README lacks %q", row)
		}
		if recall < 0.93 || kind == "all" && (recall < 0.97 || wrong > 0.005) {
			t.Errorf("%s: recall %.3f, %.4f wrong", kind, recall, wrong)
		}
	}
}

func TestTyposInLabelledQueries(t *testing.T) {
	candidatesOf := func(pairs []pair) (candidates []Candidate) {
		for _, p := range pairs {
			candidates = append(candidates, p.candidate)
		}
		return candidates
	}
	groupsWithMatch := func(pairs []pair) map[catalog.Query][]pair {
		groups := map[catalog.Query][]pair{}
		for _, p := range pairs {
			groups[p.query] = append(groups[p.query], p)
		}
		maps.DeleteFunc(groups, func(q catalog.Query, group []pair) bool {
			return readQuestion(q).choose(candidatesOf(group)).Index < 0
		})
		return groups
	}
	right, missed := 0, 0
	for _, pairs := range pairsOf(t, "pairs") {
		for query, group := range groupsWithMatch(pairs) {
			for _, word := range strings.Fields(fold(query.Text)) {
				if len(word) < minCorrected || strings.ContainsFunc(word, func(r rune) bool { return !isLetter(r) }) {
					continue
				}
				for _, typo := range []string{word[:2] + word[3:], word[:2] + word[3:4] + word[2:3] + word[4:]} {
					misspelt := catalog.Query{Text: strings.Replace(fold(query.Text), word, typo, 1),
						Category: query.Category}
					choice := Choose(misspelt, candidatesOf(group))
					switch {
					case choice.Index < 0:
						missed++
						t.Logf("%q is not found", misspelt.Text)
					case group[choice.Index].label != matches:
						t.Errorf("%q is taken for %q", misspelt.Text, group[choice.Index].candidate.Name)
					default:
						right++
					}
				}
			}
		}
	}
	if recall := float64(right) / float64(right+missed); recall < 0.97 {
		t.Errorf("%d of %d are found", right, right+missed)
	}
}

func TestCategoryOfLabelledQueries(t *testing.T) {
	for family, pairs := range pairsOf(t, "pairs") {
		for _, p := range pairs {
			got := string(Category(catalog.Query{Text: p.query.Text}))
			if got != family && got != "" {
				t.Errorf("%s: %q is taken for %s", family, p.query.Text, got)
			}
		}
	}
}
