package catalogue

import (
	"fmt"
	"strings"
)

// memoryLine is a series of kits of one clock and latency; zlotys is the
// price of 16 GB, the others follow from it.
type memoryLine struct {
	brand, name    string
	clock, latency int
	zlotys         int
	fourth         bool // DDR4
}

// kit is a packaging with its price in percent of that of 16 GB.
type kit struct {
	text    string
	gb      int
	percent int
}

func memoryKits() []draft {
	var drafts []draft
	for _, line := range memoryLines() {
		for _, k := range line.kits() {
			drafts = append(drafts, line.draft(k))
		}
	}
	return drafts
}

func (l memoryLine) kits() []kit {
	if l.fourth {
		return []kit{{"16GB (2x8GB)", 16, 100}, {"32GB (2x16GB)", 32, 185}, {"64GB (2x32GB)", 64, 360}}
	}
	return []kit{{"32GB (2x16GB)", 32, 190}, {"64GB (2x32GB)", 64, 370}}
}

func (l memoryLine) draft(k kit) draft {
	generation := "DDR5"
	if l.fourth {
		generation = "DDR4"
	}
	initials := strings.ToUpper(l.brand[:2] + l.name[:2])
	return draft{
		brand: l.brand, short: fmt.Sprintf("%s %s %s %dMHz CL%d", l.name, generation, k.text, l.clock, l.latency),
		code:   fmt.Sprintf("%s%d%02dC%dK2-%d", initials, generation[3]-'0', l.clock/100, l.latency, k.gb),
		zlotys: l.zlotys * k.percent / 100,
	}
}

func memoryLines() []memoryLine {
	return []memoryLine{
		{brand: "Kingston", name: "FURY Beast", clock: 5600, latency: 36, zlotys: 239},
		{brand: "Kingston", name: "FURY Beast", clock: 6000, latency: 30, zlotys: 279},
		{brand: "Kingston", name: "FURY Beast", clock: 6000, latency: 36, zlotys: 259},
		{brand: "Kingston", name: "FURY Renegade", clock: 6400, latency: 32, zlotys: 339},
		{brand: "G.Skill", name: "Trident Z5 RGB", clock: 6400, latency: 32, zlotys: 349},
		{brand: "G.Skill", name: "Trident Z5 Neo RGB", clock: 6000, latency: 30, zlotys: 329},
		{brand: "G.Skill", name: "Flare X5", clock: 6000, latency: 36, zlotys: 265},
		{brand: "G.Skill", name: "Ripjaws S5", clock: 5600, latency: 36, zlotys: 245},
		{brand: "Corsair", name: "Vengeance", clock: 6000, latency: 30, zlotys: 285},
		{brand: "Corsair", name: "Vengeance RGB", clock: 6000, latency: 30, zlotys: 315},
		{brand: "Corsair", name: "Dominator Titanium RGB", clock: 7200, latency: 34, zlotys: 529},
		{brand: "Lexar", name: "Ares RGB", clock: 6400, latency: 32, zlotys: 275},
		{brand: "Goodram", name: "IRDM", clock: 6400, latency: 32, zlotys: 255},
		{brand: "Crucial", name: "Pro", clock: 5600, latency: 46, zlotys: 229},
		{brand: "Patriot", name: "Viper Venom", clock: 6000, latency: 36, zlotys: 249},
		{brand: "Kingston", name: "FURY Beast", clock: 3200, latency: 16, zlotys: 179, fourth: true},
		{brand: "Kingston", name: "FURY Renegade", clock: 3600, latency: 16, zlotys: 239, fourth: true},
		{brand: "G.Skill", name: "Ripjaws V", clock: 3200, latency: 16, zlotys: 169, fourth: true},
		{brand: "G.Skill", name: "Ripjaws V", clock: 3600, latency: 18, zlotys: 185, fourth: true},
		{brand: "G.Skill", name: "Aegis", clock: 3200, latency: 16, zlotys: 155, fourth: true},
		{brand: "Corsair", name: "Vengeance LPX", clock: 3200, latency: 16, zlotys: 175, fourth: true},
		{brand: "Corsair", name: "Vengeance LPX", clock: 3600, latency: 18, zlotys: 189, fourth: true},
		{brand: "Crucial", name: "Ballistix", clock: 3200, latency: 16, zlotys: 199, fourth: true},
		{brand: "Goodram", name: "IRDM X", clock: 3200, latency: 16, zlotys: 159, fourth: true},
		{brand: "Lexar", name: "THOR", clock: 3200, latency: 16, zlotys: 149, fourth: true},
	}
}
