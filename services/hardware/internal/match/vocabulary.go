package match

import (
	_ "embed"
	"strings"
)

//go:embed vocabulary.txt
var vocabulary string

// The lists of vocabulary.txt.
var (
	accessories    = strings.Fields(listed("accessories"))
	boardLines     = words(listed("lines of boards"))
	cardMakers     = words(listed("makers of cards"))
	chipVariants   = words(listed("chip variants"))
	chipWords      = words(listed("chip words"))
	colours        = words(listed("colours"))
	confusable     = words(listed("confusable"))
	descriptive    = words(listed("descriptive"))
	editions       = words(listed("editions"))
	fanWords       = words(listed("fan words"))
	fanSizes       = words(listed("fan sizes"))
	formFactors    = words(listed("form factors"))
	forms          = words(listed("special forms"))
	hardDisks      = words(listed("hard disks"))
	inTwo          = phrases(listed("words in two"))
	intelSockets   = words(listed("intel sockets"))
	kindAttributes = words(listed("parts of kinds"))
	laptopSeries   = words(listed("laptops"))
	largeChipsets  = words(listed("large chipsets"))
	lighting       = words(listed("lighting"))
	lines          = words(listed("lines"))
	notNew         = strings.Fields(listed("not new"))
	notNewPhrases  = phrases(listed("not new phrases"))
	packs          = words(listed("packs"))
	prefixes       = words(listed("prefixes"))
	prepositions   = words(listed("prepositions"))
	ratings        = words(listed("ratings"))
	screens        = words(listed("screens"))
	sizedSeries    = words(listed("sized series"))
	special        = words(listed("special"))
	stopWords      = words(listed("stop words"))
	strongVariants = words(listed("strong variants"))
	suffixes       = words(listed("suffixes"))
)

func phrases(s string) map[string]bool {
	set := map[string]bool{}
	for phrase := range strings.SplitSeq(s, ", ") {
		set[phrase] = true
	}
	return set
}

func words(s string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		set[word] = true
	}
	return set
}

// listed returns the list of that name in vocabulary.txt.
func listed(name string) string {
	_, rest, found := strings.Cut(vocabulary, "["+name+"]\n")
	if !found {
		panic("vocabulary.txt lacks [" + name + "]")
	}
	list, _, _ := strings.Cut(rest, "\n\n")
	return strings.TrimSpace(strings.ReplaceAll(list, "\n", " "))
}
