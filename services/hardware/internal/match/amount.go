package match

import (
	"cmp"
	"slices"
	"strconv"
)

// interpret turns raw tokens into words, model numbers and amounts, and settles
// the spellings that mean the same.
func interpret(raw []token) []token {
	memory := slices.ContainsFunc(raw, func(t token) bool { return t.text == "ddr" })
	out := make([]token, 0, len(raw)+1)
	var implied []token
	for i := 0; i < len(raw); {
		if kit, total, used := readKit(raw[i:], memory); used > 0 {
			out, implied = append(out, kit), append(implied, total)
			i += used
			continue
		}
		t, used := readAmount(raw[i:])
		if used == 0 {
			t, used = readWord(raw[i:], out)
		}
		if t.form != word || t.glued || !isStopWord(t.text) || i+1 < len(raw) && raw[i+1].glued {
			out = append(out, t)
		}
		i += used
	}
	return append(out, implied...)
}

// readAmount reads a number and its unit: "32GB", "750 W", "6000 MT/s".
func readAmount(raw []token) (token, int) {
	if len(raw) < 2 || raw[0].form != number || len(raw) > 2 && raw[2].glued {
		return token{}, 0
	}
	t, u := raw[0], raw[1]
	unit := unitOf(u.text)
	if u.glued && len(t.text) <= 2 {
		unit = cmp.Or(unit, shortUnitOf(u.text))
	}
	if unit == "" || t.glued && !u.glued {
		return token{}, 0
	}
	t.form, t.unit, t.glued = amount, unit, false
	if unit == capacity || unit == "tb" {
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

// readKit reads memory sold in several modules, "2x16GB" or "16GB x2", and the
// capacity in total. "2X 12GB" is a kit in a memory's name only: graphics cards
// are called "Ventus 2X".
func readKit(raw []token, memory bool) (kit, total token, used int) {
	if len(raw) >= 4 && raw[0].form == number && raw[1].text == "x" {
		module, n := readAmount(raw[2:])
		evenly := raw[1].glued == raw[2].glued
		if n > 0 && module.unit == capacity && (evenly || memory) {
			return newKit(raw[0], raw[0].text, module, n+2)
		}
	}
	module, n := readAmount(raw)
	if memory && n > 0 && module.unit == capacity && len(raw) > n+1 && raw[n].text == "x" && len(raw[n+1].text) == 1 {
		return newKit(raw[0], raw[n+1].text, module, n+2)
	}
	return kit, total, 0
}

func newKit(first token, count string, module token, used int) (token, token, int) {
	modules, err := strconv.Atoi(count)
	size, sizeErr := strconv.ParseFloat(module.text, 64)
	if err != nil || sizeErr != nil || modules < 1 || modules > 16 {
		return token{}, token{}, 0
	}
	kit := token{text: count + "x" + module.text, unit: "kit", form: amount, run: first.run, aside: first.aside}
	total := token{form: amount, unit: capacity, run: first.run, implied: true}
	total.text = strconv.FormatFloat(float64(modules)*size, 'f', -1, 64)
	return kit, total, used
}

// readWord reads one token that is no amount; before holds what was read so far.
func readWord(raw, before []token) (token, int) {
	t := raw[0]
	if len(raw) > 1 {
		next := raw[1]
		if joined := joinedWord(t.text, next.text); joined != "" && (len(raw) == 2 || !raw[2].glued) {
			t.text, t.form = joined, word
			return t, 2
		}
		if t.text == "cl" && next.form == number {
			t.text = "c"
		}
	}
	if t.text == "s" && t.glued && afterGeForce(before) {
		t.text = "super"
	}
	return t, 1
}

// afterGeForce reports whether before ends with a GeForce model, whose "S" is
// short for SUPER.
func afterGeForce(before []token) bool {
	n := len(before)
	return n >= 2 && before[n-1].form == number && (before[n-2].text == "rtx" || before[n-2].text == "gtx")
}
