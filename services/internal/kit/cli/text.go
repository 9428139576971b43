package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns text on one line, with control characters and direction marks
// replaced: sources and users must not control the terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return utf8.RuneError
	}, text)
}

// printableJSON escapes the same characters in a JSON document, which does not change its
// meaning. The encoder has escaped those below U+007F.
func printableJSON(document []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(document) {
		switch {
		case r < 0x7f || unicode.IsGraphic(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}
