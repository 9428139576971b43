package fits

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Check is what one rule says of some parts of a build.
type Check struct {
	Parts   []int // their positions
	Verdict Verdict
	Reason  string // in Polish
}

// Unchecked is what no name reveals, in Polish.
const Unchecked = "Nie sprawdzamy długości karty, wysokości chłodzenia, miejsca na chłodnicę ani wtyczek zasilacza."

// Checks applies all rules to the parts of a build.
func Checks(parts []Part) (checks []Check) {
	for a := range parts {
		for b := a + 1; b < len(parts); b++ {
			if check := parts[a].check(parts[b]); check.Verdict != "" {
				check.Parts = []int{a, b}
				checks = append(checks, check)
			}
		}
	}
	return append(checks, powered(parts)...)
}

// With returns the worst check of p, as the first part, with those of a build. It is zero if nothing compares.
func With(p Part, build []Part) (worst Check) {
	for i, o := range build {
		if check := p.check(o); check.Verdict.isWorseThan(worst.Verdict) {
			worst = check
			worst.Parts = []int{0, i + 1}
		}
	}
	for _, check := range powered(slices.Concat([]Part{p}, build)) {
		if slices.Contains(check.Parts, 0) && check.Verdict.isWorseThan(worst.Verdict) {
			worst = check
		}
	}
	return worst
}

func (p Part) check(o Part) Check {
	board, part := p, o
	if o.Category == "motherboard" {
		board, part = o, p
	}
	switch {
	case p.concerns(o):
		verdict := p.with(o)
		return Check{Verdict: verdict, Reason: p.reason(o, verdict)}
	case board.Category != "motherboard":
		return Check{}
	}
	switch part.Category {
	case "cooling":
		return part.cools(board)
	case "case":
		return part.holds(board)
	case "storage":
		return board.takes(part)
	}
	return Check{}
}

func (p Part) reason(o Part, v Verdict) string {
	if v == Compatible && (p.isAmong(updates, o) || o.isAmong(updates, p)) {
		return "Procesor jest nowszy od chipsetu płyty, więc może wymagać nowszego BIOS-u."
	}
	if v == Unknown {
		return "Sprawdź na stronie producenta płyty."
	}
	return ""
}

// updates are processors newer than the chipsets that take them, so that a board may need a newer BIOS:
// https://www.amd.com/en/products/processors/chipsets/am5.html,
// https://www.amd.com/en/products/processors/chipsets/am4.html, and
// https://www.intel.com/content/www/us/en/support/articles/000057625/processors.html.
var updates = []pair{
	{ryzen(`[89]`), chipsets("a620 b650 x670")},
	{ryzen(`[345]`), chipsets("b450 x470 x570")},
	{ryzen(`5`), chipsets("a520 b550")},
	{core(`7\d{3}`), chipsets("h110 b150 h170 z170 q150 q170")},
	{core(`9\d{3}`), chipsets("h310 b360 h370 q370 z370")},
	{core(`11\d{3}`), chipsets("h470 q470 z490")},
	{core(`1[34]\d{3}`), chipsets("h610 b660 h670 q670 z690")},
}

var coolerSocket = regexp.MustCompile(`\b(?:lga[ -]?)?(am[45]|1700|1851|1200|115[x1])\b`)

// cools compares sockets. Names of coolers seldom list all.
func (p Part) cools(board Part) Check {
	socket := strings.ToLower(strings.TrimPrefix(board.Socket, "LGA"))
	for _, named := range coolerSocket.FindAllStringSubmatch(p.names, -1) {
		if socket != "" && named[1] == socket {
			return Check{Verdict: Compatible, Reason: "Nazwa chłodzenia wymienia gniazdo " + board.Socket + "."}
		}
	}
	return Check{Verdict: Unknown, Reason: "Nazwa chłodzenia nie mówi, czy ma mocowanie do gniazda płyty."}
}

func (p Part) holds(board Part) Check {
	room, need := slices.Index(boardSizes, p.Size), slices.Index(boardSizes, board.Size)
	if room < 0 || need < 0 {
		return Check{Verdict: Unknown, Reason: "Z nazw nie wynika, jakie płyty mieści obudowa."}
	}
	reason := "Obudowa mieści płyty do " + p.Size + ", a ta ma format " + board.Size + "."
	if need > room {
		return Check{Verdict: Incompatible, Reason: reason}
	}
	return Check{Verdict: Compatible, Reason: reason}
}

var isM2 = regexp.MustCompile(`\bm\.?2\b|\bnvme\b`)

// takes reports whether the board has a slot for an M.2 drive, as all boards with these sockets do.
func (p Part) takes(drive Part) Check {
	if !isM2.MatchString(drive.names) {
		return Check{}
	}
	if slices.Contains([]string{"AM5", "LGA1700", "LGA1851"}, p.Socket) {
		return Check{Verdict: Compatible, Reason: "Płyty z gniazdem " + p.Socket + " mają gniazdo M.2."}
	}
	return Check{Verdict: Unknown, Reason: "Sprawdź, czy płyta ma gniazdo M.2."}
}

// What parts draw at most, in watts. A processor is one of two classes by its maker's limit:
// https://www.intel.com/content/www/us/en/support/articles/000094208/processors.html,
// https://www.amd.com/en/products/specifications/processors.html.
const (
	strongCPU = 250
	otherCPU  = 150
	otherRest = 100 // board, memory, drives, fans
)

var isStrongCPU = regexp.MustCompile(`\bi[79][ -]?\d{4,5}k[fs]?\b|\bultra [79][ -]?\d{3}k|\bryzen[ -]?9\b|\br9\b`)

var card = regexp.MustCompile(`\b(rtx|gtx|rx|arc)[ -]?([ab]?\d{3,4})[ -]?(ti[ -]?super|ti|super|xtx|xt|gre)?\b`)

// cards are what graphics cards draw at most, in watts: https://en.wikipedia.org/wiki/GeForce_RTX_50_series (and
// 40, 30), https://en.wikipedia.org/wiki/Radeon_RX_9000_series (and 7000, 6000),
// https://en.wikipedia.org/wiki/Intel_Arc.
var cards = map[string]int{
	"rtx 5090": 575, "rtx 5080": 360, "rtx 5070 ti": 300, "rtx 5070": 250, "rtx 5060 ti": 180, "rtx 5060": 145,
	"rtx 5050": 130, "rtx 4090": 450, "rtx 4080 super": 320, "rtx 4080": 320, "rtx 4070 ti super": 285,
	"rtx 4070 ti": 285, "rtx 4070 super": 220, "rtx 4070": 200, "rtx 4060 ti": 165, "rtx 4060": 115,
	"rtx 3090 ti": 450, "rtx 3090": 350, "rtx 3080 ti": 350, "rtx 3080": 350, "rtx 3070 ti": 290, "rtx 3070": 220,
	"rtx 3060 ti": 200, "rtx 3060": 170, "rtx 3050": 130, "gtx 1660 super": 125, "gtx 1660 ti": 120, "gtx 1660": 120,
	"gtx 1650": 75, "rx 9070 xt": 304, "rx 9070": 220, "rx 9060 xt": 160, "rx 7900 xtx": 355, "rx 7900 xt": 315,
	"rx 7900 gre": 260, "rx 7800 xt": 263, "rx 7700 xt": 245, "rx 7600 xt": 190, "rx 7600": 165, "rx 6950 xt": 335,
	"rx 6900 xt": 300, "rx 6800 xt": 300, "rx 6800": 250, "rx 6750 xt": 250, "rx 6700 xt": 230, "rx 6650 xt": 180,
	"rx 6600 xt": 160, "rx 6600": 132, "rx 6500 xt": 107, "rx 6400": 53, "arc b580": 190, "arc b570": 150,
	"arc a770": 225, "arc a750": 225, "arc a580": 185, "arc a380": 75,
}

func (p Part) cardWatts() int {
	m := card.FindStringSubmatch(p.names)
	if m == nil {
		return 0
	}
	suffix := strings.ReplaceAll(strings.ReplaceAll(m[3], "-", " "), "tisuper", "ti super")
	return cards[strings.TrimSpace(m[1]+" "+m[2]+" "+suffix)]
}

func powered(parts []Part) []Check {
	of := func(category string) int {
		return slices.IndexFunc(parts, func(p Part) bool { return string(p.Category) == category })
	}
	psu := of("psu")
	gpu := of("gpu")
	cpu := of("cpu")
	if psu < 0 || gpu < 0 {
		return nil
	}
	output, draws := parts[psu].Watts, parts[gpu].cardWatts()
	check := Check{Parts: []int{psu, gpu}, Verdict: Unknown}
	if output == 0 || draws == 0 {
		check.Reason = "Z nazw nie wynika moc zasilacza albo karty."
		return []Check{check}
	}
	processor := otherCPU
	if cpu >= 0 && isStrongCPU.MatchString(parts[cpu].names) {
		processor = strongCPU
	}
	sum := draws + processor + otherRest
	check.Verdict = Compatible
	if sum > output {
		check.Verdict = Incompatible
	}
	check.Reason = fmt.Sprintf("Szacujemy do %d W (karta %d, procesor %d, reszta %d), a zasilacz ma %d W.",
		sum, draws, processor, otherRest, output)
	return []Check{check}
}
