package catalogue

import (
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

// chip is a graphics chip with its memory and the price of a plain card.
type chip struct {
	name, memory string
	zlotys       int
}

// cardLine is a partner's series of cards; dearer is in percent.
type cardLine struct {
	brand, name, code string
	dearer            int
}

func graphicsCards() []draft {
	var drafts []draft
	drafts = append(drafts, cards("GeForce ", geforceChips(), geforceLines(), 6)...)
	drafts = append(drafts, cards("Radeon ", radeonChips(), radeonLines(), 4)...)
	drafts = append(drafts, cards("", arcChips(), arcLines(), 3)...)
	return drafts
}

// cards gives every chip the first n of the shuffled lines; one card in nine
// is sold by a single shop.
func cards(family string, chips []chip, lines []cardLine, n int) []draft {
	var drafts []draft
	for _, c := range chips {
		random := seeded.Rand("cards", c.name, c.memory)
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		for place, line := range lines[:n] {
			drafts = append(drafts, draft{
				brand: line.brand, short: family + c.name + " " + line.name + " " + c.memory,
				code:   strings.ReplaceAll(line.code, "%", cardCode(c)),
				zlotys: c.zlotys * (100 + line.dearer) / 100, offerOnly: place == n-1 && random.IntN(2) == 0,
			})
		}
	}
	return drafts
}

// cardCode is how makers shorten a chip: RTX4070TIS-16G.
func cardCode(c chip) string {
	name := strings.ToUpper(strings.ReplaceAll(c.name, "SUPER", "S"))
	return strings.ReplaceAll(name, " ", "") + "-" + strings.TrimSuffix(c.memory, "B")
}

func geforceChips() []chip {
	return []chip{
		{"RTX 5090", "32GB", 10999}, {"RTX 5080", "16GB", 4899}, {"RTX 5070 Ti", "16GB", 3499},
		{"RTX 5070", "12GB", 2499}, {"RTX 5060 Ti", "16GB", 1999}, {"RTX 5060 Ti", "8GB", 1649},
		{"RTX 5060", "8GB", 1299}, {"RTX 5050", "8GB", 1049}, {"RTX 4090", "24GB", 8999},
		{"RTX 4080 SUPER", "16GB", 4699}, {"RTX 4080", "16GB", 4399}, {"RTX 4070 Ti SUPER", "16GB", 3599},
		{"RTX 4070 Ti", "12GB", 3199}, {"RTX 4070 SUPER", "12GB", 2649}, {"RTX 4070", "12GB", 2299},
		{"RTX 4060 Ti", "16GB", 1949}, {"RTX 4060 Ti", "8GB", 1699}, {"RTX 4060", "8GB", 1299},
		{"RTX 3070", "8GB", 1499}, {"RTX 3060 Ti", "8GB", 1349}, {"RTX 3060", "12GB", 1149}, {"RTX 3050", "6GB", 749},
	}
}

func geforceLines() []cardLine {
	return []cardLine{
		{"Gigabyte", "WINDFORCE OC", "GV-N%-WF", 1}, {"Gigabyte", "GAMING OC", "GV-N%-GM", 9},
		{"MSI", "VENTUS 2X OC", "V-%-V2X", 0}, {"MSI", "GAMING X TRIO", "V-%-GXT", 12},
		{"ASUS", "DUAL OC", "DUAL-%-OC", 4}, {"ASUS", "TUF Gaming OC", "TUF-%-OC", 14},
		{"Zotac", "Twin Edge OC", "ZT-%-TE", -1}, {"Palit", "Dual", "NE-%-D", -2},
		{"Gainward", "Ghost", "GW-%-GH", -3}, {"PNY", "VERTO Dual Fan", "VCG-%-DF", 2},
		{"INNO3D", "Twin X2", "N-%-TX2", -2},
	}
}

func radeonChips() []chip {
	return []chip{
		{"RX 9070 XT", "16GB", 2899}, {"RX 9070", "16GB", 2499}, {"RX 9060 XT", "16GB", 1599},
		{"RX 9060 XT", "8GB", 1349}, {"RX 7900 XTX", "24GB", 3999}, {"RX 7900 XT", "20GB", 3199},
		{"RX 7900 GRE", "16GB", 2499}, {"RX 7800 XT", "16GB", 2099}, {"RX 7700 XT", "12GB", 1749},
		{"RX 7600 XT", "16GB", 1449}, {"RX 7600", "8GB", 1099}, {"RX 6750 XT", "12GB", 1449},
		{"RX 6700 XT", "12GB", 1349}, {"RX 6650 XT", "8GB", 1049}, {"RX 6600", "8GB", 899},
	}
}

func radeonLines() []cardLine {
	return []cardLine{
		{"Sapphire", "PULSE", "113-%-P", 0}, {"Sapphire", "NITRO+", "113-%-N", 11},
		{"PowerColor", "Hellhound", "PC-%-L", 5}, {"PowerColor", "Fighter", "PC-%-F", -3},
		{"XFX", "Speedster SWFT", "XFX-%-SW", 1}, {"ASRock", "Challenger OC", "AR-%-CL", -2},
		{"ASRock", "Steel Legend OC", "AR-%-SL", 4}, {"Gigabyte", "GAMING OC", "GV-R%-GM", 6},
		{"ASUS", "DUAL OC", "DUAL-%-OC", 5},
	}
}

func arcChips() []chip {
	return []chip{
		{"Arc B580", "12GB", 1199}, {"Arc B570", "10GB", 999}, {"Arc A770", "16GB", 1299},
		{"Arc A750", "8GB", 849}, {"Arc A380", "6GB", 549},
	}
}

func arcLines() []cardLine {
	return []cardLine{
		{"ASRock", "Challenger OC", "AR-%-CL", 0}, {"Sparkle", "Titan OC", "SP-%-TI", 6},
		{"Intel", "Limited Edition", "21P-%-LE", 3}, {"Acer", "Predator BiFrost OC", "DP-%-BF", 5},
	}
}
