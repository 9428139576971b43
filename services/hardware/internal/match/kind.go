package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"backend.example/services/hardware/internal/catalog"
)

// Kinds of goods that are no component.
const (
	otherGoods = "accessory"
	wholePC    = "computer"
)

func isComponent(kind string) bool { return slices.Contains(catalog.Categories(), kind) }

// acceptsKind compares the kind of goods that n states with the one meant. A name with chips of two kinds, or with
// a chip and a disk, is a computer's.
func (q question) acceptsKind(n name) bool {
	stated := firstKind(n.tokens)
	isOther := stated != "" && stated != q.kind
	isExcluded := isOther && (q.kind != "" || !isComponent(stated))
	isOtherDisk := q.kind == "storage" && !q.identified && q.says.differ(traits{technology: n.says.technology})
	if isOtherDisk || isExcluded {
		return false
	}
	switch q.kind {
	case "cpu", "gpu", "ram", "storage", "psu":
		return !q.hasOtherPart(n) && (q.kind != "gpu" || n.startsAsCard() && !n.isLaptop())
	}
	return true
}

func (q question) hasOtherPart(n name) bool {
	hasNoDisk := q.kind == "gpu" || q.kind == "cpu"
	for p, t := range n.tokens {
		chip := chipAt(n.tokens, p)
		switch {
		case n.matched[p]:
		case chip != "" && chip != q.kind && t.form == word, hasNoDisk && isDiskSize(t):
			return true
		}
	}
	return false
}

func isDiskSize(t token) bool {
	gigabytes, _ := strconv.ParseFloat(t.text, 64)
	return t.unit == capacity && gigabytes >= 240
}

// kindOfDepartment returns the kind of goods in a department of the site, "Karty graficzne" in
// .cat-prod-row__category. It is empty for none, and for one of all components.
func kindOfDepartment(department string) string {
	if department == "" {
		return ""
	}
	words := " " + fold(department)
	for _, d := range []struct{ kind, stems string }{
		{otherGoods, " akcesori, awaryjn, ups, led, telefon, karty pami, pamieci usb, pamieci przenosn, obudowy na"},
		{wholePC, " laptop, notebook, serwer, komputery"},
		{"", " podzespol"},
		{"cooling", " chlodz, wentylator"}, {"case", " obudow"}, {"psu", " zasilacz"}, {"gpu", " karty graficzn"},
		{"cpu", " procesor"}, {"ram", " pamiec"}, {"motherboard", " plyty glown"}, {"storage", " dysk"},
	} {
		for stem := range strings.SplitSeq(d.stems, ",") {
			if strings.Contains(words, stem) {
				return d.kind
			}
		}
	}
	return otherGoods
}

func kindMeant(tokens []token) string {
	if kind := firstKind(tokens); kind != "" {
		if slices.ContainsFunc(tokens, func(t token) bool { return t.text == "laptop" }) && isComponent(kind) {
			return "" // "zasilacz do laptopa"
		}
		return kind
	}
	chip := ""
	for i := range tokens {
		c := chipAt(tokens, i)
		if c != "" && chip != "" && c != chip {
			return wholePC
		}
		chip = cmp.Or(chip, c)
	}
	return cmp.Or(chip, impliedKind(tokens))
}

// firstKind returns the first kind that is named: "Chłodzenie do procesora" is a cooler.
func firstKind(tokens []token) string {
	for _, t := range tokens {
		if kind := kindOf(t.text); kind != "" {
			return kind
		}
	}
	return ""
}

func kindOf(s string) string {
	if hasPrefix(s, accessories...) {
		return otherGoods
	}
	return kinds[s]
}

var kinds = byWord(map[string]string{
	"gpu": "graficzna", "cpu": "procesor", "ram": "pamiec", "storage": "dysk", "psu": "zasilacz",
	"motherboard": "plyta", "case": "obudowa",
	"cooling": listed("cooling"), wholePC: listed("computers"), otherGoods: listed("other goods"),
})

func byWord(lists map[string]string) map[string]string {
	keys := map[string]string{}
	for key, list := range lists {
		for word := range words(list) {
			keys[word] = key
		}
	}
	return keys
}

// chipAt returns the kind of the chip whose name begins at token i: "Ryzen 7", "i5-12400", "RTX 4060". The series
// are those of https://www.evetech.co.za/gpu-naming-guide-nvidia-rtx-amd-radeon/e/3697,
// https://ctechmag.com/intel-processor-letter-meanings/ and
// https://umatechnology.org/all-the-letters-in-amd-ryzen-cpu-names-explained-2.
func chipAt(tokens []token, i int) string {
	t, next := tokens[i], at(tokens, i+1)
	digits := 0
	if next.form == number {
		digits = len(next.text)
	}
	isSeries := digits == 1 && strings.Contains("3579", next.text)
	isGPU := (t.text == "gt" || t.text == "rx") && digits >= 3
	switch {
	case isGPU, t.text == "arc" && (next.text == "a" || next.text == "b"), strings.HasPrefix(t.text, "gddr"):
		return "gpu"
	case isSeries && (t.text == "ultra" || t.text == "i" && next.glued):
		return "cpu"
	case series[t.text] != "":
		return series[t.text]
	}
	return bareChip(tokens, i)
}

var series = byWord(map[string]string{
	"gpu": "rtx gtx geforce radeon quadro", "cpu": "ryzen threadripper xeon celeron pentium athlon",
})

// bareChip returns the kind of a chip without its series: "14600KF", "5800X3D", "4070 Super".
func bareChip(tokens []token, i int) string {
	t, next := tokens[i], at(tokens, i+1)
	if t.form != number || t.glued || next.text == "" {
		return ""
	}
	suffix := runText(tokens, i+1)
	isCore := len(t.text) == 5 && t.text[0] == '1' && next.glued
	switch {
	case isCore && hasPrefix(suffix, "k", "f"), isModel(t) && suffix == "x3d":
		return "cpu"
	case isModel(t) && slices.Contains([]string{"ti", "super", "xtx", "gre"}, suffix):
		return "gpu"
	}
	return ""
}

func impliedKind(tokens []token) string {
	has := map[string]bool{}
	for i, t := range tokens {
		switch {
		case isBoardChipset(tokens, i):
			has["chipset"] = true
		case isDiskSize(t):
			has["disk size"] = true
		case t.unit != "":
			has[t.unit] = true
		case isModel(t):
			has["mhz"] = true
		}
		if isDiskWord(tokens, i) {
			has["disk"] = true
		}
		for hint, words := range hints {
			if words[t.text] {
				has[hint] = true
			}
		}
	}
	hasSpeed := has["mhz"] || has["cl"]
	isMemory := has["memory"] && !has["disk size"] || has["kit"] && hasSpeed
	switch {
	case has["chipset"]:
		return "motherboard"
	case has["disk"], has["disk size"] && has["memory maker"]:
		return "storage"
	case isMemory, has["memory maker"] && has[capacity] && hasSpeed:
		return "ram"
	case has["power maker"] && has["w"], has["80plus"]:
		return "psu"
	case has["cooler"]:
		return "cooling"
	}
	return ""
}

// isBoardChipset reports whether token i is the number of a board's chipset, the 650 of "B650M".
func isBoardChipset(tokens []token, i int) bool {
	t, letter := tokens[i], at(tokens, i-1)
	return t.glued && !letter.glued && chipsets[letter.text][t.text]
}

var chipsets = map[string]map[string]bool{
	"a": words("320 520 620"), "b": words("350 360 365 450 460 550 560 650 660 760 840 850 860"),
	"h": words("310 370 410 470 570 610 670 770"), "q": largeChipsets, "x": largeChipsets, "z": largeChipsets,
}

var hints = map[string]map[string]bool{
	"memory":       words("ddr dimm sodimm vengeance ripjaws trident dominator ballistix"),
	"memory maker": words(listed("makers of memory and disks")),
	"power maker":  words("quiet bequiet chieftec corsair endorfy msi asus reactor seasonic thermaltake toughpower"),
	"80plus":       words("80plus"),
	"cooler":       words("noctua freezer peerless"),
}

// isDiskWord reports whether token i is of a disk: series of https://tiptech.sk/en/blog/disky-wd-seagate-rady/ and
// Samsung's numbers.
func isDiskWord(tokens []token, i int) bool {
	next := at(tokens, i+1)
	switch t := tokens[i]; t.text {
	case "ssd", "hdd", "nvme", "barracuda", "ironwolf", "firecuda", "exos", "kc":
		return true
	case "sn":
		return next.glued
	case "860", "870", "960", "970", "980", "990", "9100":
		return next.text == "pro" || next.text == "evo" || next.text == "qvo"
	}
	return false
}

// startsAsCard reports whether n begins as cards do, unlike "Fan Gigabyte RTX 4060".
func (n name) startsAsCard() bool {
	for _, t := range n.tokens {
		if t.form == word && !t.aside {
			return cardMakers[t.text] || chipWords[t.text] || isDescriptive(t.text) || kindOf(t.text) == "gpu" ||
				hasPrefix(t.text, "now", "vga", "grafik", "promocj", "okazj", "hit")
		}
	}
	return true
}

// isChip reports whether q names a graphics chip, with or without a maker or memory, but no model of a card.
func (q question) isChip() bool {
	return q.kind == "gpu" && q.identified && !slices.ContainsFunc(q.tokens, func(t token) bool {
		switch t.form {
		case number:
			return false
		case word:
			return !chipWords[t.text] && !cardMakers[t.text] && !isDescriptive(t.text) && kindOf(t.text) != "gpu"
		}
		return t.unit != capacity
	})
}

// NamesModel reports whether query names a model or a code, not a graphics chip that many cards have.
func NamesModel(query catalog.Query) bool {
	q := readQuestion(query)
	return q.identified && !q.isChip()
}

// isLaptop reports whether n names a laptop, by series or screen: "TUF Gaming A15", "AORUS 16X", "Swift X 14",
// "GF63", "15.6". Gigabyte's are G5 to G7, A5 and A7 (https://www.gigabyte.com/Laptop).
func (n name) isLaptop() bool {
	for i, t := range n.tokens {
		if n.matched[i] || t.aside || n.codeOf(t) != "" {
			continue
		}
		before := at(n.tokens, i-1)
		series := before.text
		if series == "x" {
			series = at(n.tokens, i-2).text
		}
		isModel := t.form == number && i > 0 && len(runText(n.tokens, i)) <= len(t.text)+1
		is := false
		switch {
		case laptopSeries[t.text], t.form == number && screens[t.text]:
			return true
		case !isModel, t.glued && before.glued:
		case !t.glued:
			is = isScreenSize(t.text) && sizedSeries[series]
		case strings.Contains("a f g m v", series):
			is = isScreenSize(t.text) || strings.Contains("a5 a7 g5 g6 g7", series+t.text)
		case series == "an":
			is = len(t.text) == 3
		default:
			is = len(t.text) == 2 && hasPrefix(series, "gf", "gp", "ge", "gs")
		}
		if is {
			return true
		}
	}
	return false
}

func isScreenSize(s string) bool { return len(s) == 2 && s >= "13" && s <= "18" }
