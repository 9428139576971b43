package match

import (
	"slices"
	"strconv"
	"strings"
)

func interpret(raw []token) []token {
	isMemory := slices.ContainsFunc(raw, func(t token) bool { return t.text == "ddr" })
	isForLaptop := isMemory ||
		slices.ContainsFunc(raw, func(t token) bool { return t.text == "pamiec" || t.text == "ram" || t.text == "cl" })
	r := reader{out: make([]token, 0, len(raw)+1), memory: isMemory}
	var implied []token
	raw = spellOut(raw)
	for i := 0; i < len(raw); {
		if kit, total, used := r.readKit(raw[i:]); used > 0 {
			r.out, implied = append(r.out, kit), append(implied, total)
			i += used
			continue
		}
		t, used := r.readPack(raw[i:])
		isCable := at(raw, i-1).text == "power" && at(raw, i+1).text == "cm" // "Pure Power 10 CM"
		if used == 0 && !isCable {
			t, used = readAmount(raw[i:])
		}
		if used == 0 {
			t, used = readWord(raw[i:])
		}
		alone := (i == 0 || raw[i-1].written < t.written) && (i+used >= len(raw) || raw[i+used].written > t.written)
		switch {
		case alone && t.text == "z" && i > 0 && raw[i-1].text == "trident": // G.Skill's "Trident Z"
		case alone && prepositions[t.text]:
			r.behind = r.behind || i+1 < len(raw) && !isPurpose(raw[i+1].text)
		case t.text == "" || alone && !t.glued && stopWords[t.text]:
		default:
			if r.behind && t.text == "laptop" && isForLaptop {
				t.text = "sodimm" // "pamięć do laptopa"
			}
			t.behind = r.behind
			r.out = append(r.out, t)
		}
		i += used
	}
	return append(r.out, implied...)
}

// spellOut writes out abbreviations: "Ryzen 5 7600" for "R5 7600", but not for Radeon cards, whose numbers behind
// R5 to R9 have three digits (https://en.wikipedia.org/wiki/Radeon_200_series); "4070 Ti Super" for the benchmark
// site's "4070-TS"; the "I" of "X570 I AORUS" and the 5 of "DDR 5" join the word before.
func spellOut(raw []token) []token {
	var out []token
	for i, t := range raw {
		behind, next := at(raw, i-1), at(raw, i+1)
		ofCard := isModel(behind) && behind.written == t.written
		switch {
		case t.text == "r" && !t.glued && next.glued && isModel(at(raw, i+2)):
			if strings.Contains("3579", next.text) {
				t.text, raw[i+1].glued = "ryzen", false
			}
		case ofCard && t.text == "ts":
			t.text = "ti"
			out = append(out, t)
			t.text, t.glued = "super", false
		case ofCard && t.text == "s" && hasPrefix(at(raw, i-2).text, "rtx", "gtx"):
			t.text = "super"
		case t.text == "i" && i > 0 && isBoardChipset(raw, i-1),
			behind.text == "ddr" && len(t.text) == 1 && t.form == number:
			t.glued = true
		case t.text == "core" && (next.text == "i" || next.text == "ultra"):
			continue
		}
		out = append(out, t)
	}
	return out
}

func at(tokens []token, i int) token {
	if i < 0 || i >= len(tokens) {
		return token{}
	}
	return tokens[i]
}

func isModel(t token) bool { return t.form == number && len(t.text) == 4 }

// readPack reads how many pieces are sold together: "5 szt.", "3-Pack", "Pack of 5". One piece says nothing.
func (r *reader) readPack(raw []token) (token, int) {
	t, next := raw[0], at(raw, 1)
	count, used := "", 2
	switch {
	case t.text == "dwupak", t.text == "trojpak":
		count, used = map[string]string{"dwupak": "2", "trojpak": "3"}[t.text], 1
	case t.form == number && packs[next.text]:
		count = t.text
	case t.text == "pack" && next.text == "of" && at(raw, 2).form == number:
		count, used = raw[2].text, 3
	case r.isCountAtEnd(raw):
		count = next.text
	}
	switch {
	case count == "", len(count) > 2, t.glued:
		return token{}, 0
	case count == "1":
		return token{}, used
	}
	return t.as(count, "pack"), used
}

func (t token) as(text, unit string) token {
	t.text, t.unit = text, unit
	t.form, t.glued = amount, false
	return t
}

// isCountAtEnd reports whether raw is the end of "P12 PWM x3". Behind memory it counts modules, behind another word
// it is a model ("Twin X2"), behind a version the lanes of an interface ("PCIe 4.0 x4").
func (r *reader) isCountAtEnd(raw []token) bool {
	last := at(r.out, len(r.out)-1)
	isOfFans := fanWords[last.text] || last.form == number && last.glued
	isCount := len(raw) == 2 && raw[0].text == "x" && raw[1].glued
	return isOfFans && isCount && !r.memory && len(raw[1].text) == 1
}

type reader struct {
	out    []token
	memory bool // the text is about memory
	behind bool // a preposition has been read
}

// readAmount reads a number and its unit: "32GB", "6000 MT/s", "CL16".
func readAmount(raw []token) (token, int) {
	t, u := raw[0], at(raw, 1)
	if isLatency(raw) {
		return t.as(u.text, "cl"), 2
	}
	unit := units[u.text]
	if u.text == "g" && u.glued && len(t.text) <= 2 { // "12G", but not "5600G"
		unit = capacity
	}
	isPart := at(raw, 2).glued || t.glued && !u.glued
	if unit == "" || t.form != number || isPart {
		return token{}, 0
	}
	if rate := rates[u.text]; rate != "" && at(raw, 2).text == "s" {
		return t.as(t.text, rate), 3
	}
	isDisk := unit == "tb" || unit == "mb" && len(t.text) >= 4
	if unit == capacity || isDisk {
		return t.as(gigabytes(t.text, unit), capacity), 2
	}
	return t.as(t.text, unit), 2
}

var units = map[string]string{
	"gb": capacity, "gib": capacity, "tb": "tb", "tib": "tb", "mb": "mb", "mhz": "mhz", "mt": "mhz", "ghz": "ghz",
	"hz": "hz", "rpm": "rpm", "obr": "rpm", "w": "w", "mm": "mm", "cm": "cm",
}

var rates = map[string]string{"mt": "mhz", "mb": "mb/s", "gb": "gb/s"}

// isLatency reports "CL 16" or "C16".
func isLatency(raw []token) bool {
	t, n := raw[0], at(raw, 1)
	whole := !t.glued && n.form == number && len(n.text) <= 2 && !at(raw, 2).glued
	return whole && (t.text == "cl" || t.text == "c" && n.glued)
}

// readKit reads memory in several modules, "2x16GB" or "16GB x2", and the capacity in total. In a name of other
// goods "2X 12GB" is none: cards are called "Ventus 2X".
func (r *reader) readKit(raw []token) (kit, total token, used int) {
	if len(raw) >= 3 && raw[1].text == "x" {
		module, n := readAmount(raw[2:])
		evenly := raw[1].glued == raw[2].glued
		isKit := evenly || r.memory || len(module.text) > 3
		if module.unit == capacity && isKit {
			return newKit(raw[0], raw[0].text, module, n+2)
		}
		if k, sum, n := newKit(raw[0], raw[0].text, raw[2], 3); evenly && r.isTotal(sum) {
			return k, sum, n
		}
	}
	module, n := readAmount(raw)
	isTimes := len(raw) > n+1 && raw[n].text == "x" && len(raw[n+1].text) == 1
	if r.memory && module.unit == capacity && isTimes {
		return newKit(raw[0], raw[n+1].text, module, n+2)
	}
	return token{}, token{}, 0
}

// isTotal reports whether sum is a capacity read before: the 16 GB of "16GB (2x8)".
func (r *reader) isTotal(sum token) bool {
	return slices.ContainsFunc(r.out, func(t token) bool { return t.unit == capacity && t.text == sum.text })
}

func newKit(first token, count string, module token, used int) (token, token, int) {
	modules, _ := strconv.Atoi(count)
	size, _ := strconv.ParseFloat(module.text, 64)
	if modules < 1 || modules > 16 {
		return token{}, token{}, 0
	}
	kit := first.as(count+"x"+module.text, "kit")
	total := first.as(strconv.FormatFloat(float64(modules)*size, 'f', -1, 64), capacity)
	total.implied, total.aside = true, false
	return kit, total, used
}

func readWord(raw []token) (token, int) {
	t, next := raw[0], at(raw, 1)
	if used := standard(raw); used > 0 {
		if intelSockets[next.text] {
			t.text = "lga"
		}
		for _, part := range raw[1:used] {
			t.text += part.text
		}
		return t, used
	}
	joined := joinedWord(t.text, next.text)
	isApart := joined == "matx" && t.text == "m" && next.written != t.written // "Enthoo Pro M ATX"
	isWhole := !at(raw, 2).glued && !isApart
	isMemory := t.text == "d" && !t.glued && next.glued && (next.text == "4" || next.text == "5")
	switch {
	case joined != "" && isWhole:
		t.text, t.form = joined, word
		return t, 2
	case isMemory && isWhole:
		t.text = "ddr"
	}
	return t, 1
}

// standard returns how many tokens the socket or graphics memory at the beginning of raw takes: "LGA 1700",
// "s1700", "AM5", "GDDR6X".
func standard(raw []token) int {
	next, used := at(raw, 1), 2
	is := next.form == number
	switch raw[0].text {
	case "gddr":
		if at(raw, 2).glued && raw[2].text == "x" {
			used = 3
		}
	case "am":
		is = is && next.glued && len(next.text) == 1
	case "lga":
	case "s", "socket", "gniazdo":
		is = intelSockets[next.text]
	default:
		is = false
	}
	if !is || at(raw, used).glued {
		return 0
	}
	return used
}

func joinedWord(first, second string) string {
	pair := first + " " + second
	switch {
	case inTwo[pair]:
		return first + second
	case notNewPhrases[pair]:
		return "used"
	}
	return renamed[pair]
}

var renamed = map[string]string{
	"micro atx": "matx", "m atx": "matx", "mini itx": "itx", "western digital": "wd", "mini tower": "tower",
	"midi tower": "tower", "mid tower": "tower", "full tower": "tower", "micro tower": "tower", "super tower": "tower",
}

// generation returns the DDR generation that speed and latency imply, empty if they are ambiguous. DDR3 is sold to
// 2400 MT/s with latencies below 13 (JESD79-3:
// http://itinfromation.blogspot.com/2010/08/jedec-standard-modules.html), DDR4 from 2133, DDR5 from 4800 with
// latencies of 26 and more (https://rooflinenotes.dev/memory/ddr/).
func (x text) generation() string {
	speed, latency := 0, 0
	for _, t := range x.tokens {
		v, err := strconv.Atoi(t.text)
		isSpeed := (t.unit == "mhz" || t.unit == "") && v >= 1066 && v <= 10000 // in megatransfers a second
		switch {
		case err != nil:
		case t.unit == "cl":
			latency = v
		case speed == 0 && isSpeed:
			speed = v // "F5-6000J3238F16GX2" has another behind it
		}
	}
	switch {
	case speed >= 1333 && speed <= 1866:
		return "3"
	case speed >= 2133 && speed <= 4600 && (speed > 2400 || latency >= 14):
		return "4"
	case speed >= 4800 && (latency == 0 || latency >= 26):
		return "5"
	}
	return ""
}
