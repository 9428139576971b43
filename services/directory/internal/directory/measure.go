package directory

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// plainName reports whether a name is neither a lone sign nor a text.
func plainName(name string) bool {
	n := characters(name)
	return n >= 2 && n <= 80 && strings.ContainsFunc(name, unicode.IsLetter)
}

var (
	postalCode = regexp.MustCompile(`\b\d{2}-\d{3}\b`)
	// houseNumber is a word and the number at the end: "Długa 12A/4", "al. 3 Maja 7 lok. 2".
	houseNumber = regexp.MustCompile(`(?i)\pL\S*\s+\d+\s?\pL?(\s?[/-]\s?\d+\pL?)?(,?\s+(lok|m|pok)\b.*)?$`)
	streetWord  = regexp.MustCompile(`(?i)^(ul|al|os|pl|ulica|aleja|aleje|osiedle|plac)(\.|\s|$)`)
	country     = regexp.MustCompile(`(?i)^(polska|poland)$`)
)

// addressParts counts what an address on one line has of: number of the house,
// Polish postal code, town.
func addressParts(address string) int {
	var number, code, town bool
	for _, part := range strings.FieldsFunc(address, func(r rune) bool { return r == ',' || r == '\n' }) {
		street := strings.TrimSpace(part)
		if at := postalCode.FindStringIndex(part); at != nil {
			code = true
			town = town || isTown(part[at[1]:])
			street = strings.TrimSpace(part[:at[0]])
		}
		switch {
		case houseNumber.MatchString(street):
			number = true
		case isTown(street):
			town = true
		}
	}
	count := 0
	for _, has := range []bool{number, code, town} {
		if has {
			count++
		}
	}
	return count
}

// isTown reports whether a part of an address can be a town.
func isTown(part string) bool {
	part = strings.TrimSpace(part)
	return characters(part) >= 2 && !strings.ContainsFunc(part, unicode.IsDigit) && strings.ContainsFunc(part, unicode.IsLetter) &&
		!streetWord.MatchString(part) && !country.MatchString(part)
}

var (
	phoneFiller = regexp.MustCompile(`[\s\pZ().\-–/]`)
	phoneForm   = regexp.MustCompile(`^((\+48|0048)?[1-9]\d{8}|(\+|00)([1-35-9]\d|4[0-79])\d{6,13})$`)
)

// validPhone accepts a Polish number of nine digits, with or without the country,
// and any other number that has its country (ITU-T E.164: at most 15 digits).
func validPhone(phone string) bool {
	return phoneForm.MatchString(phoneFiller.ReplaceAllString(phone, ""))
}

// websiteScheme is https or http, which a bare host stands for; empty: no address
// of a website.
func websiteScheme(website string) string {
	if !strings.Contains(website, "://") {
		website = "http://" + website
	}
	u, err := url.Parse(website)
	switch {
	case err != nil, u.User != nil, !strings.Contains(strings.Trim(u.Hostname(), "."), "."):
		return ""
	case u.Scheme != "https" && u.Scheme != "http":
		return ""
	}
	return u.Scheme
}

// WebsiteHost is the host of a website's address, which may lack its scheme, without
// "www."; empty: it has none.
func WebsiteHost(address string) string {
	address = strings.TrimSpace(address)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}
