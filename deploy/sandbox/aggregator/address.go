package aggregator

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"backend.example/deploy/sandbox/aggregator/catalogue"
)

// Orders that an address can ask for.
const (
	listByPrice       = "0112-0"
	offersByPrice     = "0280-0"
	offersDearerFirst = "0281-0"
	offersByTotal     = "0284-0"
)

const (
	searchPart = "szukaj-"
	pagePart   = "0020-30-0-0-"
)

// address is a path of the site taken apart. The parts are separated by
// semicolons, and .htm ends a path whose last part is a number:
//
//	/;szukaj-{q}   /szukaj-{q}   /{Category_slug};szukaj-{q}
//	/{Category_slug};0112-0.htm   …;m{from};n{to}.htm   …;0020-30-0-0-{page}.htm
//	/{id}   /{id};0280-0.htm
type address struct {
	head     string // what stands before the first semicolon, decoded
	searched bool
	query    string // decoded, white space collapsed
	order    string // one of the orders or another of the site's numbers
	page     int    // from 0
	from, to catalogue.Price
}

// parseAddress reads an encoded path that begins with a slash.
func parseAddress(path string) address {
	parts := strings.Split(strings.TrimPrefix(path, "/"), ";")
	place := address{head: decode(parts[0])}
	if query, found := strings.CutPrefix(parts[0], searchPart); found {
		place.head = ""
		place.setQuery(query)
	}
	for _, part := range parts[1:] {
		place.add(part)
	}
	return place
}

func (a *address) add(part string) {
	if query, found := strings.CutPrefix(part, searchPart); found {
		a.setQuery(query)
		return
	}
	part = strings.TrimSuffix(part, ".htm")
	if page, found := strings.CutPrefix(part, pagePart); found {
		a.page = number(page)
		return
	}
	if part == "" {
		return
	}
	amount := number(part[1:])
	switch {
	case part[0] == 'm' && amount > 0:
		a.from = catalogue.PLN(amount)
	case part[0] == 'n' && amount > 0:
		a.to = catalogue.PLN(amount)
	case a.order == "":
		a.order = part
	}
}

func (a *address) setQuery(encoded string) {
	a.searched = true
	a.query = strings.Join(strings.Fields(decode(encoded)), " ")
}

// isProduct tells whether the head is a product number (5 to 9 digits).
func (a address) isProduct() bool {
	return len(a.head) >= 5 && len(a.head) <= 9 && number(a.head) > 0
}

// list writes the address of a page of the same list.
func (a address) list(page int) string {
	path := "/" + url.PathEscape(a.head)
	if a.searched {
		path += ";" + searchPart + url.QueryEscape(a.query)
	}
	var tail string
	if a.order != "" {
		tail += ";" + url.PathEscape(a.order)
	}
	if a.from > 0 {
		tail += ";m" + strconv.Itoa(int(a.from/100))
	}
	if a.to > 0 {
		tail += ";n" + strconv.Itoa(int(a.to/100))
	}
	if page > 0 {
		tail += ";" + pagePart + strconv.Itoa(page)
	}
	if tail != "" {
		tail += ".htm"
	}
	return path + tail
}

// decode reads percent-encoding and "+" as a space; what is not UTF-8 goes.
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

// number reads digits; anything else is 0.
func number(digits string) int {
	if strings.Trim(digits, "0123456789") != "" || len(digits) > 9 {
		return 0
	}
	value, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return value
}
