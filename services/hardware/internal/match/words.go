package match

import (
	"slices"
	"strings"

	"backend.example/services/hardware/internal/catalog"
)

// The vocabulary of Best, folded as tokenize folds: a new suffix or
// accessory is one word more here and nothing else.

// maxVariantLength is the length of the longest variant, in bytes.
const maxVariantLength = 5

// isVariant reports a suffix that modifies the number right before it.
func isVariant(s string) bool {
	return isStrongVariant(s) || isLineWord(s) || isNumberVariant(s)
}

// isStrongVariant reports a suffix that makes another chip wherever it stands
// behind the model number.
func isStrongVariant(s string) bool {
	switch s {
	case "ti", "super", "xt", "xtx", "gre", "x3d":
		return true
	}
	return false
}

// isLineWord reports a word that names another product line behind a number or
// behind a word: "990 Pro", "Red Plus".
func isLineWord(s string) bool {
	switch s {
	case "pro", "plus", "evo", "qvo", "max", "lite", "mini", "ultra", "elite", "slim":
		return true
	}
	return false
}

// isNumberVariant reports a suffix that modifies a number only. The letters that
// are Polish words ("i", "o", "u", "w", "z") are left out.
func isNumberVariant(s string) bool {
	switch s {
	case "k", "kf", "ks", "f", "g", "ge", "gt", "t", "s", "d", "x", "xs", "m", "h", "hx", "hs", "hk",
		"e", "p", "a", "b", "c", "l", "r", "xl", "maxq":
		return true
	}
	return false
}

// Kinds of goods that are no component.
const (
	otherGoods = "accessory"
	wholePC    = "computer"
)

// kindOf tells what sort of goods a word names, as a category or one of the
// kinds above. The first such word of a name decides: "Chłodzenie do procesora"
// is a cooler.
func kindOf(s string) string {
	switch s {
	case "graficzna":
		return "gpu"
	case "procesor":
		return "cpu"
	case "pamiec":
		return "ram"
	case "dysk":
		return "storage"
	case "zasilacz":
		return "psu"
	case "plyta":
		return "motherboard"
	case "obudowa":
		return "case"
	case "chlodzenie", "chlodnica", "wentylator", "cooler":
		return "cooling"
	case "komputer", "serwer":
		return wholePC
	case "adapter", "blok", "kabel", "kieszen", "naklejka", "podporka", "przejsciowka", "przewod",
		"ramka", "riser", "stojak", "uchwyt", "waterblock", "wspornik":
		return otherGoods
	}
	return ""
}

func isComponent(kind string) bool { return slices.Contains(catalog.Categories(), kind) }

// seriesKind tells the component that a series name implies.
func seriesKind(s string) string {
	switch s {
	case "rtx", "gtx", "rx", "geforce", "radeon":
		return "gpu"
	case "ryzen", "core", "threadripper", "xeon":
		return "cpu"
	case "ssd", "hdd", "nvme":
		return "storage"
	}
	return ""
}

// isMemoryWord reports a word that names memory when no other word names anything else:
// motherboards carry it too.
func isMemoryWord(s string) bool { return s == "ddr" || s == "dimm" || s == "sodimm" }

// isUnwanted reports a word that turns a component into one for a laptop, or
// into used or broken goods.
func isUnwanted(s string) bool {
	switch s {
	case "laptop", "notebook", "mobile", "sodimm",
		"uzywana", "uzywane", "uzywany", "poleasingowa", "poleasingowe", "poleasingowy",
		"regenerowana", "regenerowany", "refurbished", "uszkodzona", "uszkodzony":
		return true
	}
	return false
}

// isDescriptive reports a word that says nothing beyond the model number: a
// part of a kind's name, a chip maker, an interface.
func isDescriptive(s string) bool {
	switch s {
	case "karta", "glowna", "ram", "nvidia", "geforce", "amd", "radeon", "intel", "core",
		"ssd", "nvme", "pcie", "pcie3", "pcie4", "pcie5", "sata", "m2":
		return true
	}
	return false
}

// unitOf gives the unit of amounts that s spells, empty when it spells none.
// Memory clocks are written in MHz and in MT/s alike.
func unitOf(s string) string {
	switch s {
	case "gb", "gib":
		return capacity
	case "tb", "tib":
		return "tb"
	case "mhz", "mt":
		return "mhz"
	case "mb", "ghz", "hz", "w", "mm", "cm", "rpm":
		return s
	}
	return ""
}

// shortUnitOf gives the unit of a letter written together with one or two
// digits: "12G", but not "5600G".
func shortUnitOf(s string) string {
	switch s {
	case "g":
		return capacity
	case "t":
		return "tb"
	}
	return ""
}

// joinedWord gives the one word that two tokens are another spelling of.
func joinedWord(first, second string) string {
	switch pair := first + " " + second; pair {
	case "wi fi", "so dimm", "g skill", "be quiet", "max q", "m 2", "80 plus", "pcie 3", "pcie 4", "pcie 5":
		return strings.ReplaceAll(pair, " ", "")
	}
	return ""
}

// isStopWord reports a word that carries no meaning on its own.
func isStopWord(s string) bool {
	switch s {
	case "do", "dla", "i", "na", "oraz", "w", "z", "ze", "and", "for", "with", "the":
		return true
	}
	return false
}

// plainLetter strips the diacritic of a lower-case letter.
func plainLetter(r rune) rune {
	switch r {
	case 'ą', 'á', 'ä':
		return 'a'
	case 'ć', 'č':
		return 'c'
	case 'ę', 'é', 'è':
		return 'e'
	case 'í':
		return 'i'
	case 'ł':
		return 'l'
	case 'ń':
		return 'n'
	case 'ó', 'ö':
		return 'o'
	case 'ś', 'š':
		return 's'
	case 'ü':
		return 'u'
	case 'ź', 'ż', 'ž':
		return 'z'
	case '×':
		return 'x'
	}
	return r
}
