package match

import "strings"

var laptopSeries = words(listed("laptops"))

// sizedSeries are those of laptops and of cards: "Gigabyte AORUS 15" is a laptop.
var sizedSeries = words("aorus aero pulse nitro neo thin sword dash creator gaming strix blade swift")

// isLaptop reports whether n names a laptop, by its series or by the size of its screen: "TUF Gaming A15", "AORUS
// 16X", "Swift X 14", "GF63", "15.6". Gigabyte's are G5 to G7, A5 and A7 (https://www.gigabyte.com/Laptop), with a
// letter for a series: "G6X", "AORUS 15P".
func (n name) isLaptop() bool {
	for i, t := range n.tokens {
		if n.matched[i] || t.aside || n.codeOf(t) != "" {
			continue
		}
		ends := len(runText(n.tokens, i)) <= len(t.text)+1
		switch {
		case laptopSeries[t.text], t.form == number && (t.text == "15.6" || t.text == "16.1" || t.text == "17.3"):
			return true
		case t.form != number || !ends || i == 0:
		case !t.glued:
			series := n.tokens[i-1].text
			if series == "x" && i > 1 {
				series = n.tokens[i-2].text
			}
			if isScreenSize(t.text) && sizedSeries[series] {
				return true
			}
		case n.tokens[i-1].glued:
		case strings.Contains("a f g m v", n.tokens[i-1].text):
			if isScreenSize(t.text) || strings.Contains("a5 a7 g5 g6 g7", n.tokens[i-1].text+t.text) {
				return true
			}
		case hasPrefix(n.tokens[i-1].text, "gf", "gp", "ge", "gs") && len(t.text) == 2, n.tokens[i-1].text == "an" &&
			len(t.text) == 3:
			return true
		}
	}
	return false
}

// isScreenSize reports the diagonal of a laptop's screen in inches.
func isScreenSize(s string) bool { return len(s) == 2 && s >= "13" && s <= "18" }
