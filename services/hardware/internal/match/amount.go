package match

import (
	"slices"
	"strconv"
	"strings"
)

// interpret turns raw tokens into words, model numbers and amounts, and unifies spellings
// that mean the same.
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
		if used == 0 && !namesCableManagement(raw, i) {
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

// spellOut writes out what names abbreviate: "Ryzen 5 7600" for the "R5 7600" of laptops, as
// Radeon cards called R5 to R9 have numbers of three digits
// (https://en.wikipedia.org/wiki/Radeon_200_series); "4070 Ti Super" for the "4070-TS" of the
// benchmark site; the "I" of "X570 I AORUS" joins its chipset, the 5 of "DDR 5" its word.
func spellOut(raw []token) []token {
	var out []token
	for i, t := range raw {
		next := func(n int) token {
			if i+n < len(raw) {
				return raw[i+n]
			}
			return token{}
		}
		behind := token{}
		if i > 0 {
			behind = raw[i-1]
		}
		ofCard := len(behind.text) == 4 && behind.form == number && behind.written == t.written
		switch {
		case t.text == "r" && !t.glued && next(1).glued && len(next(2).text) == 4 && next(2).form == number:
			if strings.Contains("3579", next(1).text) {
				t.text, raw[i+1].glued = "ryzen", false
			}
		case ofCard && t.text == "ts":
			super := t
			t.text = "ti"
			super.text = "super"
			super.glued = false
			out = append(out, t, super)
			continue
		case ofCard && t.text == "s" && i > 1 && isGeForce(raw[i-2].text):
			t.text = "super"
		case t.text == "i" && i > 0 && isBoardChipset(raw, i-1), behind.text == "ddr" && len(t.text) == 1 &&
			t.form == number:
			t.glued = true
		case t.text == "core" && (next(1).text == "i" || next(1).text == "ultra"):
			continue
		}
		out = append(out, t)
	}
	return out
}

// namesCableManagement reports whether the number i and the word behind it are part of a line of
// power supplies, "Pure Power 10 CM", and no length.
func namesCableManagement(raw []token, i int) bool {
	return i > 0 && raw[i-1].text == "power" && i+1 < len(raw) && raw[i+1].text == "cm"
}

func isGeForce(series string) bool { return series == "rtx" || series == "gtx" }

// readPack reads how many pieces are sold together: "5 szt.", "3-Pack", "Pack of 5", "dwupak".
// One piece says nothing.
func (r *reader) readPack(raw []token) (token, int) {
	t := raw[0]
	count := ""
	used := 0
	switch {
	case t.text == "dwupak":
		count, used = "2", 1
	case t.text == "trojpak":
		count, used = "3", 1
	case len(raw) > 1 && t.form == number && packs[raw[1].text]:
		count, used = t.text, 2
	case len(raw) > 2 && t.text == "pack" && raw[1].text == "of" && raw[2].form == number:
		count, used = raw[2].text, 3
	case r.isCountAtEnd(raw):
		count, used = raw[1].text, 2
	}
	if used == 0 || len(count) > 2 || t.glued {
		return token{}, 0
	}
	if t.text, t.form, t.unit = count, amount, "pack"; count == "1" {
		t.text = ""
		t.form = word
		t.unit = ""
	}
	return t, used
}

// isCountAtEnd reports whether raw is the end of "P12 PWM PST x3". Behind memory it counts modules,
// behind an interface its lanes, "PCIe 4.0 x4".
func (r *reader) isCountAtEnd(raw []token) bool {
	if r.memory || len(raw) != 2 || len(r.out) == 0 {
		return false
	}
	last := r.out[len(r.out)-1]
	isInterface := last.form == number || strings.HasPrefix(last.text, "pcie")
	return !isInterface && raw[0].text == "x" && raw[1].glued && len(raw[1].text) == 1
}

// packs are the words behind the number of pieces.
var packs = words("szt sztuk sztuki pack packs pak pcs")

// reader is the state of interpret.
type reader struct {
	out    []token
	memory bool // the text is about memory
	behind bool // a preposition has been read
}

// readAmount reads a number and its unit: "32GB", "750 W", "6000 MT/s", "CL16".
func readAmount(raw []token) (token, int) {
	if len(raw) > 1 && isLatency(raw) {
		t := raw[1]
		t.form = amount
		t.unit = "cl"
		t.glued = false
		return t, 2
	}
	isGoingOn := len(raw) > 2 && raw[2].glued
	if len(raw) < 2 || raw[0].form != number || isGoingOn {
		return token{}, 0
	}
	t, u := raw[0], raw[1]
	unit := unitOf(u.text)
	if u.text == "g" && u.glued && len(t.text) <= 2 { // "12G", but not "5600G"
		unit = capacity
	}
	if unit == "" || t.glued && !u.glued {
		return token{}, 0
	}
	t.form = amount
	t.unit = unit
	t.glued = false
	isDisk := unit == "tb" || unit == "mb" && len(t.text) >= 4
	if unit == capacity || isDisk {
		t.text, t.unit = gigabytes(t.text, unit), capacity
	}
	isRate := slices.Contains([]string{"mt", "mb", "gb"}, u.text)
	if isRate && len(raw) > 2 && raw[2].text == "s" {
		t.text, t.unit = raw[0].text, u.text+"/s"
		if u.text == "mt" {
			t.unit = "mhz"
		}
		return t, 3
	}
	return t, 2
}

// isLatency reports "CL 16" or "C16".
func isLatency(raw []token) bool {
	t, n := raw[0], raw[1]
	whole := !t.glued && n.form == number && len(n.text) <= 2 && (len(raw) == 2 || !raw[2].glued)
	return whole && (t.text == "cl" || t.text == "c" && n.glued)
}

// readKit reads memory sold in several modules, "2x16GB" or "16GB x2", and the
// capacity in total. "2X 12GB" is a kit in a memory's name only: graphics cards
// are called "Ventus 2X".
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

// isTotal reports whether sum is the capacity read last: the 16 GB of "16GB (2x8)".
func (r *reader) isTotal(sum token) bool {
	return slices.ContainsFunc(r.out, func(t token) bool { return t.unit == capacity && t.text == sum.text })
}

func newKit(first token, count string, module token, used int) (token, token, int) {
	modules, _ := strconv.Atoi(count) // zero or too many if it is no number
	size, _ := strconv.ParseFloat(module.text, 64)
	if modules < 1 || modules > 16 {
		return token{}, token{}, 0
	}
	kit, total := first, first
	kit.text = count + "x" + module.text
	kit.unit = "kit"
	kit.form = amount
	kit.glued = false
	total.text = strconv.FormatFloat(float64(modules)*size, 'f', -1, 64)
	total.unit = capacity
	total.form = amount
	total.implied = true
	total.glued = false
	total.aside = false
	return kit, total, used
}

// readWord reads one token that is no amount.
func readWord(raw []token) (token, int) {
	t := raw[0]
	if len(raw) > 1 {
		next := raw[1]
		if used := standard(raw); used > 0 {
			if intelSockets[next.text] {
				t.text = "lga"
			}
			return t.joinedWith(raw[1:used]), used
		}
		if joined := joinedWord(t.text, next.text); joined != "" && (len(raw) == 2 || !raw[2].glued) {
			t.text, t.form = joined, word
			return t, 2
		}
		short := next.glued && (next.text == "4" || next.text == "5") && (len(raw) == 2 || !raw[2].glued)
		if t.text == "d" && !t.glued && short {
			t.text = "ddr"
		}
	}
	return t, 1
}

// joinedWith is the word of t and the tokens behind it.
func (t token) joinedWith(others []token) token {
	for _, o := range others {
		t.text += o.text
	}
	return t
}

// standard returns of how many tokens the socket or the type of graphics memory at the
// beginning of raw consists: "LGA 1700", "s1700", "AM5", "GDDR6X". It is zero for anything else.
func standard(raw []token) int {
	next := raw[1]
	if next.form != number {
		return 0
	}
	used := 2
	switch raw[0].text {
	case "gddr":
		if len(raw) > 2 && raw[2].glued && raw[2].text == "x" {
			used = 3
		}
	case "am":
		if !next.glued || len(next.text) > 1 {
			return 0
		}
	case "lga":
	case "s", "socket", "gniazdo":
		if !intelSockets[next.text] {
			return 0
		}
	default:
		return 0
	}
	if len(raw) > used && raw[used].glued {
		return 0
	}
	return used
}

// intelSockets are the numbers of the sockets of https://en.wikipedia.org/wiki/CPU_socket since
// 2011, which people also write as "s1700".
var intelSockets = words("1150 1151 1155 1200 1700 1851 2066")

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
	case "rpm", "obr":
		return "rpm"
	case "mb", "ghz", "hz", "w", "mm", "cm":
		return s
	}
	return ""
}

// joinedWord gives the one word that two tokens are another spelling of, where one of
// them is a number or would be read as something else.
func joinedWord(first, second string) string {
	switch pair := first + " " + second; pair {
	case "so dimm", "max q", "thermal pad", "water block", "ek quantum", "ek vector", "anti sag", "power color", "m 2",
		"80 plus", "pcie 3", "pcie 4", "pcie 5", "karta pamieci", "cooler master", "mini pc", "e atx", "heat sink",
		"flower legion", "u 2":
		return strings.ReplaceAll(pair, " ", "")
	case "micro atx", "m atx":
		return "matx"
	case "mini itx":
		return "itx"
	case "mini tower", "midi tower", "mid tower", "full tower", "micro tower", "super tower":
		return "tower"
	case "western digital":
		return "wd"
	default:
		if notNewPhrases[pair] {
			return "used"
		}
	}
	return ""
}

// stopWords carry no meaning on their own.
var stopWords = words("i oraz w and the")

// generation returns the DDR generation of memory whose name does not contain it, empty if
// speed and latency are ambiguous. DDR3 is sold to 2400 MT/s with latencies below 13
// (JESD79-3: http://itinfromation.blogspot.com/2010/08/jedec-standard-modules.html), DDR4 from
// 2133, DDR5 from 4800 with latencies of 26 and more (https://rooflinenotes.dev/memory/ddr/).
func (x text) generation() string {
	speed, latency := 0, 0
	for _, t := range x.tokens {
		v, err := strconv.Atoi(t.text)
		switch {
		case err != nil:
		case t.unit == "cl":
			latency = v
		case speed == 0 && isMemorySpeed(v) && (t.unit == "mhz" || t.unit == ""):
			speed = v // the first: "F5-6000J3238F16GX2" has another number behind it
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

// isMemorySpeed reports the range of megatransfers a second in which memory is sold.
func isMemorySpeed(v int) bool { return v >= 1066 && v <= 10000 }
