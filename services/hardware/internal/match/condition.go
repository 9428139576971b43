package match

import (
	"cmp"
	"slices"
	"strings"
)

func (q question) acceptsCondition(n name) bool {
	exact := q.hasPartNumberOf(n)
	for i, t := range n.tokens {
		run := runText(n.tokens, i)
		isOtherPack := t.unit == "pack" && !exact && !q.hasWord("pack")
		withDisks := t.unit == "kit" && strings.HasSuffix(t.text, "000") // a disk station: "2x 4TB HDD"
		inSet := t.text == "zestaw" && isComponent(q.kind)
		isForm := forms[t.text] || forms[run] || q.isOtherPower(n, i)
		switch {
		case n.matched[i], q.kind == "ram" && t.text == "heatsink":
		case isOtherPack, withDisks, inSet, isForm && !exact && !q.impliesForm(t), isSpecial(t.text), isSpecial(run):
			return false
		}
	}
	isLaptopMemory := n.says.form == "sodimm" && q.says.form != "sodimm" && !q.hasWord("laptop")
	return (exact || !isLaptopMemory) && !q.merelyFor(n)
}

// isOtherPower reports a fan for 5 V, or a case with a power supply.
func (q question) isOtherPower(n name, i int) bool {
	volts := at(n.tokens, i+1).text == "v"
	return q.kind == "case" && n.tokens[i].unit == "w" || q.kind == "cooling" && volts && n.tokens[i].text == "5"
}

// impliesForm reports whether the question's model is of form t: all power supplies called SF
// (https://www.corsair.com), SX (https://www.silverstonetek.com) and SP (https://lian-li.com) are SFX.
func (q question) impliesForm(t token) bool {
	return t.text == "sfx" && q.kind == "psu" && (q.hasWord("sf") || q.hasWord("sx") || q.hasWord("sp"))
}

// merelyFor reports whether n has what the question identifies only behind a preposition: "Backplate do RTX 4060".
func (q question) merelyFor(n name) bool {
	if slices.ContainsFunc(q.tokens, func(t token) bool { return t.behind }) {
		return false
	}
	behind := false
	for i, t := range n.tokens {
		telling := t.form == number || t.form == word && !q.identified && kindOf(t.text) == "" && !isDescriptive(t.text)
		switch {
		case !n.matched[i] || !telling:
		case !t.behind:
			return false
		default:
			behind = true
		}
	}
	return behind
}

func isPurpose(s string) bool {
	return hasPrefix(s, "gier", "gracz", "komputer", "pc", "gaming", "radiator", "heatsink")
}

func isSpecial(s string) bool { return special[s] || hasPrefix(s, "dedykowan", "windows", "zewnetrzn") }

// canonical returns one word for those that mean the same, whatever their ending.
func canonical(s string) string {
	switch {
	case hasPrefix(s, "laptop", "notebook"):
		return "laptop"
	case hasPrefix(s, notNew...):
		return "used"
	}
	return cmp.Or(synonyms[s], s)
}

var synonyms = map[string]string{
	"radiatorem": "heatsink", "demo": "used", "uz": "used", "wada": "used", "win": "windows", "twardy": "hdd",
	"tray": "oem", "bulk": "oem",
}

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

func (x text) isPack() bool {
	return slices.ContainsFunc(x.tokens, func(t token) bool { return t.unit == "pack" })
}
