package match

import (
	"strconv"
	"strings"
	"unicode"
)

// Forms of tokens.
const (
	word   = iota
	number // digits that name a model
	amount // a number with a unit
)

// token is a span of letters or of digits, or an amount. "RTX4070Ti" is three tokens like "RTX 4070 Ti"; "32 GB" is
// one.
type token struct {
	text    string // folded; of an amount the number
	unit    string // of an amount
	form    int
	glued   bool // to the token before it, without a space or mark between them
	run     int  // index of the run of glued tokens that has it
	aside   bool // in brackets with a digit, as order codes are
	implied bool // computed, not written: the 32 GB of "2x16GB"
	behind  bool // a preposition stands somewhere before it
	written int  // index of the word between spaces or brackets that has it
}

// same reports whether both tokens mean the same. Only a unit of capacity has to be written: "6000" is "6000 MHz".
func (t token) same(o token) bool {
	isLeftOut := (t.unit == "" || o.unit == "") && t.unit+o.unit != capacity
	return t.text == o.text && (t.unit == o.unit || isLeftOut)
}

// scan cuts a folded text into words, numbers and plus signs. Amounts are put together later, by interpret.
func scan(text []rune) []token {
	s := scanner{text: text, start: -1, tokens: make([]token, 0, len(text)/3)}
	for i, r := range text {
		switch {
		case isWordRune(r):
			if s.start >= 0 && isDigit(r) != isDigit(text[s.start]) {
				s.end(i)
			}
			if s.start < 0 {
				s.start = i
			}
		case isDecimalPoint(text, s.start, i):
		default:
			s.end(i)
			s.mark(i)
		}
	}
	s.end(len(text))
	return s.tokens
}

// scanner holds the state of scan. run, written and aside are those of the next token.
type scanner struct {
	text    []rune
	tokens  []token
	start   int // of the token that is being read, -1 between tokens
	run     int
	written int
	aside   bool
}

// end ends the token that is being read, if any, before the rune at i.
func (s *scanner) end(i int) {
	if s.start < 0 {
		return
	}
	glued := len(s.tokens) > 0 && joins(s.text, s.start-1)
	if !glued {
		s.run++
	}
	t := newToken(string(s.text[s.start:i]))
	t.glued, t.aside = glued, s.aside
	t.run, t.written = s.run, s.written
	s.tokens, s.start = append(s.tokens, t), -1
}

// mark reads the rune at i, which is part of no word: a space, a bracket, a plus sign.
func (s *scanner) mark(i int) {
	r := s.text[i]
	if unicode.IsSpace(r) || strings.ContainsRune("()[]", r) {
		s.written++
	}
	switch {
	case r == '(' || r == '[':
		inside, _, _ := strings.Cut(strings.ReplaceAll(string(s.text[i:]), "]", ")"), ")")
		s.aside = strings.ContainsFunc(inside, isDigit)
	case r == ')' || r == ']':
		s.aside = false
	case r == '+' && len(s.tokens) > 0:
		s.tokens = append(s.tokens, token{text: s.plus(i), written: s.written})
	}
}

// plus returns what the plus sign at i means: part of a name ("80+") or a bundle ("Z790 + i5-14600K").
func (s *scanner) plus(i int) string {
	rest := strings.TrimSpace(string(s.text[i+1:]))
	apart := unicode.IsSpace(s.text[i-1])
	together := i+1 < len(s.text) && isWordRune(s.text[i+1])
	if rest != "" && (apart || together) {
		return "bundle"
	}
	return "plus"
}

func newToken(text string) token {
	t := token{text: canonical(text)}
	if isDigit(rune(text[0])) {
		t.form = number
		t.text = strings.ReplaceAll(text, ",", ".")
		if strings.Contains(t.text, ".") {
			t.text = strings.TrimRight(strings.TrimRight(t.text, "0"), ".")
		}
	}
	return t
}

func isDigit(r rune) bool    { return r >= '0' && r <= '9' }
func isLetter(r rune) bool   { return !isDigit(r) && isWordRune(r) }
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// joins reports whether the rune at i binds both sides: a letter, a digit, the dot of "M.2".
func joins(rs []rune, i int) bool {
	if rs[i] == '.' {
		return isLetter(rs[i-1]) && isDigit(rs[i+1])
	}
	return isWordRune(rs[i])
}

// isDecimalPoint reports whether i splits a number such as "2,5", unlike "DDR5,32GB" and "1.2.3".
func isDecimalPoint(rs []rune, start, i int) bool {
	if start < 0 || i+1 >= len(rs) || i-start > 2 {
		return false
	}
	if !isDigit(rs[start]) || !isDigit(rs[i+1]) {
		return false
	}
	return rs[i] == '.' || rs[i] == ',' && (start == 0 || !isLetter(rs[start-1]))
}

const capacity = "gb"

// gigabytes converts a capacity. 1 TB, 1000 GB and 1024 GB are one.
func gigabytes(number, unit string) string {
	v, _ := strconv.ParseFloat(number, 64)
	switch unit {
	case "tb":
		v *= 1000
	case "mb":
		v /= 1024
	}
	if n := int64(v); v == float64(n) && n%1024 == 0 {
		v = float64(n / 1024 * 1000)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
