package benchmarksite

import (
	"math"
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

// part is one base model: one rank, one score, one URL. Its variants are
// other part numbers of the same model and share all three.
type part struct {
	brand, model, number string
	score                float64
	variants             []variant
}

type variant struct {
	brand, model, number string
}

// series is a run of models of one maker, best first. Scores fall from top to
// bottom in equal ratios, so the order of the list is the order of the rank.
type series struct {
	brand, prefix string
	models        []string
	top, bottom   float64
}

// words makes a list of models that hold no space themselves.
func words(text string) []string { return strings.Fields(text) }

func (s series) parts() []part {
	parts := make([]part, 0, len(s.models))
	for i, model := range s.models {
		parts = append(parts, part{brand: s.brand, model: s.prefix + model, score: s.score(i)})
	}
	return parts
}

func (s series) score(place int) float64 {
	if len(s.models) == 1 {
		return s.top
	}
	share := float64(place) / float64(len(s.models)-1)
	return s.top * math.Pow(s.bottom/s.top, share)
}

// partNumber makes up a number in the style of a maker: the prefix and, for
// every # of the pattern, a digit that the words decide.
func partNumber(pattern string, words ...string) string {
	random := seeded.Rand(append([]string{"part number", pattern}, words...)...)
	return strings.Map(func(letter rune) rune {
		if letter == '#' {
			return '0' + rune(random.IntN(10))
		}
		return letter
	}, pattern)
}

// compact drops spaces, for part numbers made of model names.
func compact(text string) string { return strings.ReplaceAll(text, " ", "") }
