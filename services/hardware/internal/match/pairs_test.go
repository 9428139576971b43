package match

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

// leastRecall is the share of right candidates that have to be recognised. Of the wrong
// ones none may be.
const leastRecall = 0.97

// pair is a question and one candidate, with a person's verdict.
type pair struct {
	query     catalog.Query
	candidate Candidate
	means     bool
}

// readPairs reads a file of testdata/pairs: "? question | category hint" and below it
// "+ name | department" for each candidate that it means, "- …" for each it does not.
func readPairs(t testing.TB, file string) []pair {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pairs []pair
	var query catalog.Query
	for lines := bufio.NewScanner(f); lines.Scan(); {
		mark, rest, _ := strings.Cut(lines.Text(), " ")
		text, more, _ := strings.Cut(rest, " | ")
		switch mark {
		case "?":
			if query, err = catalog.ParseQuery(text, catalog.Category(more)); err != nil {
				t.Fatalf("%s: %q: %v", file, text, err)
			}
		case "+", "-":
			pairs = append(pairs, pair{query, Candidate{Name: text, Department: more}, mark == "+"})
		default:
			t.Fatalf("%s: %q", file, lines.Text())
		}
	}
	return pairs
}

// families are the files of testdata/pairs by the category of their questions; "other"
// holds questions for goods that are no component.
func families(t *testing.T) map[string][]pair {
	t.Helper()
	files, err := filepath.Glob("testdata/pairs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	byFamily := map[string][]pair{}
	for _, file := range files {
		byFamily[strings.TrimSuffix(filepath.Base(file), ".txt")] = readPairs(t, file)
	}
	return byFamily
}

// score counts verdicts.
type score struct{ right, missed, wrong, refused int }

func (s score) add(o score) score {
	return score{s.right + o.right, s.missed + o.missed, s.wrong + o.wrong, s.refused + o.refused}
}

func (s score) recall() float64 { return float64(s.right) / float64(s.right+s.missed) }

// row is the line of the README's table.
func (s score) row(family string) string {
	precision := float64(s.right) / float64(s.right+s.wrong)
	return fmt.Sprintf("| %s | %d | %.1f%% | %.1f%% |", family, s.right+s.missed+s.wrong+s.refused, 100*precision, 100*s.recall())
}

// TestLabelledPairs prints the table of the service's README, and holds the README to it.
func TestLabelledPairs(t *testing.T) {
	text := readme(t)
	var total score
	byFamily := families(t)
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		s := judge(t, byFamily[family])
		total = total.add(s)
		wantRow(t, text, s.row(family))
	}
	wantRow(t, text, total.row("all"))
	if total.recall() < leastRecall {
		t.Errorf("recall %.3f, want at least %.2f", total.recall(), leastRecall)
	}
}

func judge(t *testing.T, pairs []pair) score {
	var s score
	for _, p := range pairs {
		_, found := Best(p.query, []Candidate{p.candidate})
		switch {
		case found && p.means:
			s.right++
		case found:
			s.wrong++
			t.Errorf("%+v is taken for %+v", p.query, p.candidate)
		case p.means:
			s.missed++
			t.Logf("%+v misses %+v", p.query, p.candidate)
		default:
			s.refused++
		}
	}
	return s
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func wantRow(t *testing.T, readme, row string) {
	t.Log(row)
	if !strings.Contains(readme, row) {
		t.Errorf("the README lacks %q", row)
	}
}

// TestCategoryOfLabelledQuestions holds that a category read from the words alone is
// right or none.
func TestCategoryOfLabelledQuestions(t *testing.T) {
	right, none := 0, 0
	for family, pairs := range families(t) {
		asked := map[catalog.Query]bool{}
		for _, p := range pairs {
			q := catalog.Query{Text: p.query.Text}
			if asked[q] {
				continue
			}
			asked[q] = true
			switch got := string(Category(q)); {
			case got == family, got == "" && family == "other":
				right++
			case got == "":
				none++
				t.Logf("%s: %q names no category", family, q.Text)
			default:
				t.Errorf("%s: %q is taken for %s", family, q.Text, got)
			}
		}
	}
	wantRow(t, readme(t), fmt.Sprintf("%d of %d questions", right, right+none))
}

// TestRealNamesMeanThemselves asks for names of a real shop, as people type them, where
// the lists lie beside the project: each finds itself, and a processor nothing else.
func TestRealNamesMeanThemselves(t *testing.T) {
	lists, err := filepath.Glob("../../../../../shared/data/names/*.txt")
	if err != nil || len(lists) == 0 {
		t.Skip("no lists of real names")
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Split(strings.TrimSpace(string(text)), "\n")
		for _, asked := range names {
			q := catalog.Query{Text: strings.NewReplacer("-", " ", "‑", " ").Replace(strings.ToLower(asked))}
			for _, name := range names {
				if name != asked && filepath.Base(list) != "cpu.txt" {
					continue
				}
				if _, found := Best(q, []Candidate{{Name: name}}); found != (name == asked) {
					t.Errorf("%q, %q: %t", q.Text, name, found)
				}
			}
		}
	}
}
