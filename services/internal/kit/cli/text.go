package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable is text on one line without what a terminal obeys or does not show:
// control characters and marks of direction. Sources and users write such.
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

// printableJSON writes the same characters, where they stand in a JSON document, as
// escapes, which leave its meaning as it is. Below U+007F the encoder did it.
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

// width is how many columns text takes; combining marks take none.
func width(text string) (n int) {
	for _, r := range text {
		if !unicode.Is(unicode.Mn, r) {
			n++
		}
	}
	return n
}

// Link is a text that leads to an address of the web. Without a text it is the address,
// which is shown short where a terminal can follow it.
type Link struct{ Text, URL string }

// maxLink is how many characters of an address are shown.
const maxLink = 32

// text is what is seen of the link in a terminal that can follow it, and elsewhere.
func (l Link) text(links bool) string {
	switch {
	case l.Text != "":
		return Printable(l.Text)
	case links:
		return Printable(l.short())
	}
	return Printable(l.URL)
}

// short is the host and the beginning of the path.
func (l Link) short() string {
	_, text, _ := strings.Cut(l.URL, "://")
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "www."), "?")
	if runes := []rune(text); len(runes) > maxLink {
		return string(runes[:maxLink-1]) + "…"
	}
	return strings.TrimSuffix(text, "/")
}

// isSafe reports whether a terminal may be given the address: it is one of the web, and
// nothing in it ends the sequence or is not seen.
func (l Link) isSafe() bool {
	return (strings.HasPrefix(l.URL, "https://") || strings.HasPrefix(l.URL, "http://")) &&
		!strings.ContainsFunc(l.URL, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// hyperlink is the OSC 8 sequence (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda).
func hyperlink(address, text string) string {
	return "\x1b]8;;" + address + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}
