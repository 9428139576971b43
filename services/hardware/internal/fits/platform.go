package fits

import (
	"regexp"
	"slices"
	"strings"
)

// family is the processors and the chipsets of motherboards of one socket.
type family struct {
	socket    string
	memory    []string // that its processors take; empty if motherboards differ
	processor *regexp.Regexp
	board     *regexp.Regexp // its first group is the chipset
}

// families are the sockets of desktop processors since 2015. The letters behind a model number exclude mobile and
// workstation ones.
//
//   - AM4: https://www.amd.com/en/products/processors/chipsets/am4.html
//   - AM5: https://www.amd.com/en/products/processors/chipsets/am5.html
//   - LGA1151, two platforms of one name, of which the first takes DDR3: https://en.wikipedia.org/wiki/LGA_1151,
//     https://gamemaxpc.com/pc-case-news/6316.html
//   - LGA1200: https://en.wikipedia.org/wiki/LGA_1200
//   - LGA1700: https://www.intel.com/content/www/us/en/support/articles/000092149/processors.html; the board
//     decides the memory, https://en.wikipedia.org/wiki/LGA_1700
//   - LGA1851: https://www.intel.com/content/www/us/en/support/articles/000099798/processors.html; DDR5 only,
//     https://en.wikipedia.org/wiki/LGA_1851
var families = []family{
	{"AM4", []string{"DDR4"}, ryzen(`[1-5]`), chipsets("a320 b350 x370 b450 x470 a520 b550 x570")},
	{"AM5", []string{"DDR5"}, ryzen(`[7-9]`), chipsets("a620 b650 x670 b840 b850 x870")},
	{"LGA1151", nil, core(`(?:6[0-7]|7\d)\d\d`), chipsets("h110 b150 h170 z170 q150 q170 b250 h270 z270 q250 q270")},
	{"LGA1151 v2", []string{"DDR4"}, core(`[89]\d{3}`), chipsets("h310 b360 b365 h370 q370 z370 z390")},
	{
		"LGA1200", []string{"DDR4"}, core(`1[01]\d{3}`, `pentium (?:gold )?g6[4-6]\d\d`, `celeron g59\d\d`),
		chipsets("h410 b460 h470 q470 z490 h510 b560 h570 q570 z590"),
	},
	{
		"LGA1700", []string{"DDR4", "DDR5"}, core(`1[2-4]\d{3}`, `pentium (?:gold )?g74\d\d`, `celeron g69\d\d`),
		chipsets("h610 b660 h670 q670 z690 b760 h770 z790"),
	},
	{"LGA1851", []string{"DDR5"}, core(``, `ultra [3579][ -]?2\d\d`), chipsets("h810 b860 q870 z890")},
}

func processorOf(f family) *regexp.Regexp { return f.processor }
func boardOf(f family) *regexp.Regexp     { return f.board }

func ryzen(series string) *regexp.Regexp {
	return regexp.MustCompile(`\b(?:ryzen[ -]?|r)[3579][ -](?:pro )?` + series +
		`\d{3}(?:g|ge|gt|f|e|t|af|x|xt|x3d|x3d2)?\b`)
}

// core matches Intel's model numbers behind "i5-", and other names.
func core(numbers string, others ...string) *regexp.Regexp {
	if numbers != "" {
		others = append(others, `i[3579][ -]?`+numbers)
	}
	return regexp.MustCompile(`\b(?:` + strings.Join(others, "|") + `)(?:k|kf|ks|f|t)?\b`)
}

// chipsets matches chipsets with the letters that boards' names add, "B650M". H310C also takes processors of the
// other LGA1151.
func chipsets(names string) *regexp.Regexp {
	return regexp.MustCompile(`\b(` + strings.ReplaceAll(names, " ", "|") + `)(?:[abd-z][a-z0-9]{0,3})?\b`)
}

// doubts are processors that fit a socket, but not every board or the maker's list:
//
//   - AM4: the same page; for chipsets 300 the board's maker decides,
//     https://www.pcguia.pt/2021/11/motherboards-amd-a320-passam-a-suportar-processadores-ryzen-5000/
//   - B460, H410: https://www.pcgamer.com/intel-rocket-lake-backwards-compatibility/
var doubts = []pair{
	{ryzen(`[3-5]`), chipsets("a320 b350 x370")},
	{ryzen(`[12]`), chipsets("a520 b550")},
	{regexp.MustCompile(`\b3[24]00ge?\b`), chipsets("a520 b550")},
	{ryzen(`1`), chipsets("x570")},
	{regexp.MustCompile(`\b2[24]00ge?\b`), chipsets("x570")},
	{core(`11\d{3}`), chipsets("h410 b460")},
}

// pair is some processors on boards with some chipsets.
type pair struct{ processor, chipset *regexp.Regexp }

// isAmong reports whether p is a processor that one of pairs puts on the board.
func (p Part) isAmong(pairs []pair, board Part) bool {
	return p.Category == "cpu" && board.Category == "motherboard" && slices.ContainsFunc(pairs, func(x pair) bool {
		return x.processor.MatchString(p.names) && x.chipset.MatchString(board.chipset)
	})
}

// onlyMatch returns the one family of a part in names, and the first group of the match; nil if there are several.
func onlyMatch(names string, pattern func(family) *regexp.Regexp) (found *family, group string) {
	for i, f := range families {
		m := pattern(f).FindStringSubmatch(names)
		switch {
		case m == nil:
		case found != nil:
			return nil, ""
		default:
			found, group = &families[i], m[len(m)-1]
		}
	}
	return found, group
}

var (
	memoryType   = regexp.MustCompile(`\b(?:ddr[ -]?([345])|d([345]))\b`)
	otherModules = regexp.MustCompile(`so[ -]?dimm|\bl?rdimm|\breg\b|registered|laptop|notebook`)
)

func memoryIn(names string) (types []string) {
	for _, m := range memoryType.FindAllStringSubmatch(names, -1) {
		if t := "DDR" + m[1] + m[2]; !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	slices.Sort(types)
	return types
}

// normalize lowers the case and unifies dashes and spaces.
func normalize(s string) string {
	return strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u00a0", " ", "™", "", "®",
		"").
		Replace(strings.ToLower(s))
}
