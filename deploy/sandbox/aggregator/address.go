package aggregator

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

const (
	searchPart    = "szukaj-"
	offersByPrice = "0280-0" // the only order that is known besides the site's own
)

// address is a path of the site taken apart. The parts are separated by semicolons,
// and .htm ends a path whose last part is a number:
//
//	/{Category_slug};szukaj-{q}   /;szukaj-{q}   /{id}   /{id};0280-0.htm
type address struct {
	head     string // what stands before the first semicolon, decoded
	searched bool
	query    string // decoded, white space collapsed
	order    string
}

// parseAddress reads an encoded path that begins with a slash.
func parseAddress(path string) address {
	parts := strings.Split(strings.TrimPrefix(path, "/"), ";")
	a := address{head: decode(parts[0])}
	for _, part := range parts[1:] {
		if query, found := strings.CutPrefix(part, searchPart); found {
			a.searched, a.query = true, strings.Join(strings.Fields(decode(query)), " ")
		} else if a.order == "" {
			a.order = strings.TrimSuffix(part, ".htm")
		}
	}
	return a
}

// product is the number of the product whose page the path is: 5 to 9 digits, else 0.
func (a address) product() int {
	if len(a.head) < 5 || len(a.head) > 9 || strings.Trim(a.head, "0123456789") != "" {
		return 0
	}
	number, err := strconv.Atoi(a.head)
	if err != nil {
		return 0
	}
	return number
}

// decode reads percent-encoding and "+" as a space, and drops what is not UTF-8.
func decode(encoded string) string {
	text, err := url.QueryUnescape(encoded)
	if err != nil {
		text = encoded
	}
	return strings.Map(func(letter rune) rune {
		if letter == unicode.ReplacementChar || unicode.IsControl(letter) {
			return -1
		}
		return letter
	}, text)
}
