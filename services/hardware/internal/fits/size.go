package fits

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// from the smallest to the largest
var boardSizes = []string{"Mini-ITX", "Micro-ATX", "ATX", "E-ATX"}

var (
	isITX      = regexp.MustCompile(`\bm?(?:ini)?[ -]?itx\b|\b[abhqxz]\d{2,3}e?[ -]?i\b`)
	isMicroATX = regexp.MustCompile(`\b(?:m|u|micro|mini)[ -]?atx\b|\b[abhqxz]\d{2,3}e?m`)
	isExtended = regexp.MustCompile(`\be[ -]?atx\b|\b(?:full|big) ?tower\b`)
	isATX      = regexp.MustCompile(`\batx\b|\bmidi?[ -]?tower\b|\bmidi\b`)
	notATX     = regexp.MustCompile(`\b(?:m|u|micro|mini)[ -]atx\b`)
	smallPower = regexp.MustCompile(`\bsfx([ -]?l)?\b`)
)

// sizeOf reads the form factor of a board, a case or a power supply. Makers mark boards smaller than ATX, with an M
// or I behind the chipset or in words. A case takes the largest that it names.
func (p Part) sizeOf() string {
	if small := smallPower.FindStringSubmatch(p.names); small != nil && p.Category == "psu" {
		return strings.TrimSuffix("SFX-"+strings.ToUpper(strings.Trim(small[1], " -")), "-")
	}
	itx := isITX.MatchString(p.names)
	switch {
	case isExtended.MatchString(p.names):
		return "E-ATX"
	case isATX.MatchString(notATX.ReplaceAllString(p.names, "")):
		return "ATX"
	case itx && p.Category == "motherboard":
		return "Mini-ITX"
	case isMicroATX.MatchString(p.names):
		return "Micro-ATX"
	case itx:
		return "Mini-ITX"
	case p.chipset != "":
		return "ATX"
	}
	return ""
}

var (
	output = regexp.MustCompile(`\b(\d{3,4}) ?w\b`)
	rated  = regexp.MustCompile(`\b[a-z]{1,5}[ -]?(\d{3,4})[a-z]{0,2}\b`)
)

func (p Part) wattsOf() int {
	for _, m := range slices.Concat(
		output.FindAllStringSubmatch(p.names, -1), rated.FindAllStringSubmatch(p.names, -1),
	) {
		if watts, _ := strconv.Atoi(m[1]); watts >= 300 && watts <= 2000 && watts%10 == 0 {
			return watts
		}
	}
	return 0
}
