package match

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/testkit"
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
			t.Fatalf("%s: no known mark begins the line %q", file, line)
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
		t.Fatalf("%d files of pairs in %s (error %v)", len(files), folder, err)
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
			want := p.label
			if want == missed {
				want = isOther
			}
			testkit.Equal(t, p.query.Text+": "+p.candidate.Name+" is answered", answer(pairs, i), want)
		}
	}
}

// TestPublicNames compares the table of the service's README with the answers for names that were
// labelled before the rules had answered them.
func TestPublicNames(t *testing.T) {
	readme := readFile(t, "../../README.md")
	kinds := pairsOf(t, "public")
	var all []pair
	for _, pairs := range kinds {
		all = append(all, pairs...)
	}
	kinds["all"] = all
	for kind, pairs := range kinds {
		labelled := map[string]float64{}
		wrongly, notFound := 0.0, 0.0
		for i, p := range pairs {
			labelled[p.label]++
			got := answer(pairs, i)
			if got == p.label {
				continue
			}
			t.Logf("%q: %q is answered %q, labelled %q", p.query.Text, p.candidate.Name, got, p.label)
			switch {
			case p.label == isOther && got == matches:
				wrongly++
			case p.label == matches && got == isOther:
				notFound++
			}
		}
		wrong, recall := wrongly/float64(len(pairs)), 1-notFound/labelled[matches]
		row := fmt.Sprintf("| %s | %d | %v | %.1f | %.1f |",
			kind, len(pairs), labelled[isOther], 100*wrong, 100*recall)
		if !strings.Contains(readme, row) {
			t.Errorf("the README lacks %q", row)
		}
		leastRecall, mostWrong := 0.93, 1.0
		if kind == "all" {
			leastRecall, mostWrong = 0.97, 0.005
		}
		if recall < leastRecall {
			t.Errorf("%s: recall %.3f, want at least %.3f", kind, recall, leastRecall)
		}
		if wrong > mostWrong {
			t.Errorf("%s: %.4f of the answers are wrong, want at most %.4f", kind, wrong, mostWrong)
		}
	}
}

func TestTyposInLabelledQueriesAreCorrected(t *testing.T) {
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
	right, notFound := 0, 0
	for _, pairs := range pairsOf(t, "pairs") {
		for query, group := range groupsWithMatch(pairs) {
			for _, word := range strings.Fields(fold(query.Text)) {
				if len(word) < minCorrected || strings.ContainsFunc(word, func(r rune) bool { return !isLetter(r) }) {
					continue
				}
				dropped := word[:2] + word[3:]
				swapped := word[:2] + word[3:4] + word[2:3] + word[4:]
				for _, typo := range []string{dropped, swapped} {
					misspelt := query
					misspelt.Text = strings.Replace(fold(query.Text), word, typo, 1)
					choice := Choose(misspelt, candidatesOf(group))
					switch {
					case choice.Index < 0:
						notFound++
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
	if recall := float64(right) / float64(right+notFound); recall < 0.97 {
		t.Errorf("%d of %d misspelt queries are found, want 97%%", right, right+notFound)
	}
}

func TestCategoryOfLabelledQueries(t *testing.T) {
	for family, pairs := range pairsOf(t, "pairs") {
		for _, p := range pairs {
			got := string(Category(catalog.Query{Text: p.query.Text}))
			if got != family && got != "" {
				t.Errorf("%q is taken for %s, want %s or none", p.query.Text, got, family)
			}
		}
	}
}
