package match

import "strings"

// isLaptop reports whether n names a laptop, by series or screen: "TUF Gaming A15", "AORUS 16X", "Swift X 14",
// "GF63", "15.6". Gigabyte's are G5 to G7, A5 and A7 (https://www.gigabyte.com/Laptop).
func (n name) isLaptop() bool {
	for i, t := range n.tokens {
		if n.matched[i] || t.aside || n.codeOf(t) != "" {
			continue
		}
		before := at(n.tokens, i-1)
		series := before.text
		if series == "x" {
			series = at(n.tokens, i-2).text
		}
		isModel := t.form == number && i > 0 && len(runText(n.tokens, i)) <= len(t.text)+1
		is := false
		switch {
		case laptopSeries[t.text], t.form == number && screens[t.text]:
			return true
		case !isModel, t.glued && before.glued:
		case !t.glued:
			is = isScreenSize(t.text) && sizedSeries[series]
		case strings.Contains("a f g m v", series):
			is = isScreenSize(t.text) || strings.Contains("a5 a7 g5 g6 g7", series+t.text)
		case series == "an":
			is = len(t.text) == 3
		default:
			is = len(t.text) == 2 && hasPrefix(series, "gf", "gp", "ge", "gs")
		}
		if is {
			return true
		}
	}
	return false
}

// isScreenSize reports a laptop's diagonal in inches.
func isScreenSize(s string) bool { return len(s) == 2 && s >= "13" && s <= "18" }
