package catalogue

import "fmt"

// powerLine is a series of power supplies; the price is that of the weakest
// and every further step costs extra.
type powerLine struct {
	name         string
	certificate  string
	watts        []int
	zlotys, step int
}

func powerSupplies() []draft {
	var drafts []draft
	for _, line := range powerLines() {
		for place, watts := range line.watts {
			brand, series := splitBrand(line.name)
			short := fmt.Sprintf("%s %dW", series, watts)
			drafts = append(drafts, draft{
				brand: brand, short: short, detail: line.certificate,
				code: madeUpCode(line.name + " " + short), zlotys: line.zlotys + place*line.step,
			})
		}
	}
	return drafts
}

func powerLines() []powerLine {
	const gold, bronze, platinum = "80 Plus Gold", "80 Plus Bronze", "80 Plus Platinum"
	return []powerLine{
		{"be quiet! Pure Power 12 M", gold, []int{550, 650, 750, 850, 1000, 1200}, 369, 60},
		{"be quiet! System Power 10", bronze, []int{450, 550, 650, 750, 850}, 209, 40},
		{"be quiet! Straight Power 12", platinum, []int{750, 850, 1000, 1200}, 649, 90},
		{"Corsair RMe", gold, []int{650, 750, 850, 1000, 1200}, 389, 70},
		{"Corsair CX", bronze, []int{550, 650, 750}, 259, 40},
		{"Seasonic FOCUS GX", gold, []int{650, 750, 850, 1000}, 459, 80},
		{"Seasonic PRIME TX", platinum, []int{850, 1000, 1300}, 999, 200},
		{"MSI MAG BN", bronze, []int{550, 650, 750}, 229, 30},
		{"MSI MAG GL PCIE5", gold, []int{750, 850, 1000, 1250}, 379, 90},
		{"Endorfy Vero L5", bronze, []int{500, 600, 700}, 229, 35},
		{"Endorfy Supremo FM6", gold, []int{750, 850, 1000}, 429, 70},
		{"Chieftec Polaris 3.0", gold, []int{750, 850, 1050}, 389, 70},
		{"Thermaltake Toughpower GF3", gold, []int{750, 850, 1000, 1200}, 449, 90},
		{"XPG Core Reactor II", gold, []int{650, 750, 850}, 419, 60},
		{"ASUS TUF Gaming", gold, []int{750, 850, 1000, 1200}, 469, 100},
	}
}
