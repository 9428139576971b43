// Package polish owns what the searches of the stand-ins need to know of Polish:
// how its letters are typed by people who leave the diacritics out. What a word
// is, and what is found by it, stays in the stand-ins.
package polish

import (
	"strings"
	"unicode"
)

// Plain drops case and the Polish diacritics: "Żółć" is "zolc".
func Plain(text string) string { return strings.Map(plain, text) }

func plain(letter rune) rune {
	switch letter = unicode.ToLower(letter); letter {
	case 'ą':
		return 'a'
	case 'ć':
		return 'c'
	case 'ę':
		return 'e'
	case 'ł':
		return 'l'
	case 'ń':
		return 'n'
	case 'ó':
		return 'o'
	case 'ś':
		return 's'
	case 'ź', 'ż':
		return 'z'
	}
	return letter
}
