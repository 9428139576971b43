package fetch

import (
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// inUTF8 returns a body in UTF-8. The charset that Content-Type names is decoded already; this one
// is of a meta element. A body that names none is returned as it is.
func inUTF8(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	encoding, name, _ := charset.DetermineEncoding(body, "")
	if name == "windows-1252" { // the guess if nothing names one
		return body
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return decoded
}
