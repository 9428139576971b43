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
	isForLaptop := isMemory || slices.ContainsFunc(raw, func(t token) bool { return t.text == "pamiec" || t.text == "ram" || t.text == "cl" })
	r := reader{out: make([]token, 0, len(raw)+1), memory: isMemory}
	var implied []token
	spellOutRyzen(raw)
	for i := 0; i < len(raw); {
		if kit, total, used := r.readKit(raw[i:]); used > 0 {
			r.out, implied = append(r.out, kit), append(implied, total)
			i += used
			continue
		}
		t, used := readAmount(raw[i:])
		if used == 0 {
			t, used = readWord(raw[i:], r.out)
		}
		alone := (i == 0 || raw[i-1].written < t.written) && (i+used >= len(raw) || raw[i+used].written > t.written)
		switch {
		case alone && prepositions[t.text]:
			r.behind = r.behind || i+1 < len(raw) && !isPurpose(raw[i+1].text)
		case alone && stopWords[t.text]:
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

// spellOutRyzen replaces "R5 7600" by "Ryzen 5 7600", as laptops' names write it. Radeon cards
// called R5 to R9 have numbers of three digits (https://en.wikipedia.org/wiki/Radeon_200_series).
func spellOutRyzen(raw []token) {
	for i := 0; i+2 < len(raw); i++ {
		short := raw[i].text == "r" && !raw[i].glued && raw[i+1].glued && strings.Contains("3579", raw[i+1].text)
		if short && raw[i+2].form == number && len(raw[i+2].text) == 4 {
			raw[i].text, raw[i+1].glued = "ryzen", false
		}
	}
}

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
		t.form, t.unit, t.glued = amount, "cl", false
		return t, 2
	}
	if len(raw) < 2 || raw[0].form != number || len(raw) > 2 && raw[2].glued {
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
	t.form, t.unit, t.glued = amount, unit, false
	if unit == capacity || unit == "tb" || unit == "mb" && len(t.text) >= 4 {
		t.text, t.unit = gigabytes(t.text, unit), capacity
	}
	if len(raw) > 2 && raw[2].text == "s" && (u.text == "mt" || u.text == "mb" || u.text == "gb") {
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
		if module.unit == capacity && (evenly || r.memory || len(module.text) > 3) {
			return newKit(raw[0], raw[0].text, module, n+2)
		}
		if k, sum, n := newKit(raw[0], raw[0].text, raw[2], 3); evenly && r.isTotal(sum) {
			return k, sum, n
		}
	}
	module, n := readAmount(raw)
	if r.memory && module.unit == capacity && len(raw) > n+1 && raw[n].text == "x" && len(raw[n+1].text) == 1 {
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
	kit.text, kit.unit, kit.form, kit.glued = count+"x"+module.text, "kit", amount, false
	total.text, total.unit, total.form = strconv.FormatFloat(float64(modules)*size, 'f', -1, 64), capacity, amount
	total.implied, total.glued, total.aside = true, false, false
	return kit, total, used
}

// readWord reads one token that is no amount; before holds what was read so far.
func readWord(raw, before []token) (token, int) {
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
	if t.text == "s" && t.glued && afterGeForce(before) {
		t.text = "super"
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

// afterGeForce reports whether before ends with a GeForce model, whose "S" is
// short for SUPER.
func afterGeForce(before []token) bool {
	n := len(before)
	return n >= 2 && (before[n-2].text == "rtx" || before[n-2].text == "gtx")
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
	case "so dimm", "max q", "thermal pad", "water block", "ek quantum", "ek vector", "anti sag", "power color", "m 2", "80 plus", "pcie 3", "pcie 4", "pcie 5", "karta pamieci", "cooler master", "mini pc", "e atx":
		return strings.ReplaceAll(pair, " ", "")
	case "micro atx", "m atx":
		return "matx"
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
