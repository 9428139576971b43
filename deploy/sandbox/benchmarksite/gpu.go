package benchmarksite

import (
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

// graphicsCards are chips; the chips still sold have the cards of board
// partners as variants. The chip itself has no part number.
func graphicsCards() []part {
	var parts []part
	for _, s := range currentChips() {
		for _, p := range s.parts() {
			p.variants = boards(p)
			parts = append(parts, p)
		}
	}
	for _, s := range olderChips() {
		parts = append(parts, s.parts()...)
	}
	return parts
}

// board is a card line of a partner; % in the pattern is the short chip name.
type board struct {
	brand, line, pattern string
}

func boardLines(brand string) []board {
	shared := []board{
		{"Asus", "Dual OC", "DUAL-%-OC"},
		{"Asus", "TUF Gaming OC", "TUF-%-OC-GAMING"},
		{"Gigabyte", "Gaming OC", "GV-%GAMING OC"},
	}
	if brand == "AMD" {
		return append(shared,
			board{"Sapphire", "Pulse", "113##-0#-20G"},
			board{"Sapphire", "Nitro+", "113##-01-20G"},
			board{"PowerColor", "Hellhound", "% L/OC"},
			board{"XFX", "Speedster SWFT", "RX-%SWF##"},
			board{"ASRock", "Challenger OC", "% CL OC"})
	}
	return append(shared,
		board{"Asus", "ROG Strix OC", "ROG-STRIX-%-OC-GAMING"},
		board{"Gigabyte", "Windforce OC", "GV-%WF3OC"},
		board{"MSI", "Gaming X Trio", "% GAMING X TRIO"},
		board{"MSI", "Ventus 3X OC", "% VENTUS 3X OC"},
		board{"Zotac", "Twin Edge OC", "ZT-D#####H-10M"},
		board{"Palit", "GamingPro", "NE6####019K9-10#0A"},
		board{"PNY", "Verto", "VCG%##TFXPB1"})
}

// boards gives a chip two to five of the lines of its maker.
func boards(chip part) []variant {
	lines := boardLines(chip.brand)
	random := seeded.Rand("boards", chip.model)
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	var variants []variant
	for _, line := range lines[:2+random.IntN(4)] {
		pattern := strings.ReplaceAll(line.pattern, "%", shortChip(chip.model))
		variants = append(variants, variant{
			brand:  line.brand,
			model:  line.brand + " " + chip.model + " " + line.line,
			number: partNumber(pattern, line.brand, chip.model),
		})
	}
	return variants
}

// shortChip is how part numbers name a chip: RTX4070S, RTX4070TI.
func shortChip(model string) string {
	return strings.ToUpper(compact(strings.ReplaceAll(model, "SUPER", "S")))
}

func currentChips() []series {
	return []series{
		{"Nvidia", "RTX ", []string{"5090", "4090", "5080", "4080 SUPER", "4080", "5070 Ti", "4070 Ti SUPER", "4070 Ti", "5070", "4070 SUPER"}, 424, 236},
		{"Nvidia", "RTX ", []string{"4070", "5060 Ti 16GB", "5060 Ti 8GB", "4060 Ti 16GB", "4060 Ti", "5060", "4060", "5050", "3060 12GB", "3050"}, 211, 88},
		{"AMD", "RX ", []string{"7900 XTX", "9070 XT", "7900 XT", "9070", "7900 GRE", "7800 XT", "7700 XT", "9060 XT 16GB", "9060 XT 8GB", "7600 XT", "7600"}, 289, 126},
		{"Nvidia", "RTX ", []string{"3090 Ti", "3090", "3080 Ti", "3080 12GB", "3080", "3070 Ti", "3070", "3060 Ti", "2080 Ti", "2080 SUPER", "2080", "2070 SUPER", "2070", "2060 SUPER", "2060"}, 274, 112},
		{"AMD", "RX ", []string{"6950 XT", "6900 XT", "6800 XT", "6800", "6750 XT", "6700 XT", "6700", "6650 XT", "6600 XT", "6600", "6500 XT", "6400"}, 223, 52},
		{"Nvidia", "GTX ", []string{"1080 Ti", "1080", "1070 Ti", "1070", "1660 SUPER", "1660 Ti", "1660", "1060 6GB", "1650 SUPER", "1060 3GB", "1650", "1050 Ti", "1050"}, 137, 34},
		{"Intel", "Arc ", words("B580 B570 A770 A750 A580 A380 A310"), 148, 38},
	}
}

func olderChips() []series {
	return []series{
		{"Nvidia", "Titan ", []string{"RTX", "V", "Xp", "X Pascal", "X", "Black", "Z"}, 187, 63},
		{"Nvidia", "Quadro ", words("GV100 P6000 P5000 M6000 P4000 M5000 P2200 P2000 K6000 M4000 K5200 P1000 K5000 M2000 P620 K4200 K4000 P400 K2200 M1000M K2000 K1200 K620 4000 K600 2000 K420 600 NVS-510 NVS-310"), 131, 2.4},
		{"Nvidia", "GTX ", []string{"980 Ti", "980", "970", "780 Ti", "960", "780", "770", "950", "680", "670", "760", "590", "660 Ti", "660", "580", "570", "750 Ti", "480", "650 Ti Boost", "750", "470", "560 Ti", "650 Ti", "560", "465", "460", "650", "550 Ti", "295", "285", "280", "275", "260"}, 88, 9.6},
		{"Nvidia", "GT ", words("1030 740 730 640 545 630 710 440 430 240 620 520 220 610 130 120 210"), 16, 1.1},
		{"Nvidia", "GeForce ", []string{"9800 GTX+", "8800 Ultra", "9800 GTX", "8800 GTX", "9800 GT", "8800 GTS", "8800 GT", "9600 GT", "9600 GSO", "8600 GTS", "9500 GT", "8600 GT", "7900 GTX", "8500 GT", "9400 GT", "7800 GT", "8400 GS", "7600 GT", "7300 GT", "6600 GT", "7100 GS", "6200", "6100 nForce 405", "7050 nForce 610i", "7000M nForce 610M"}, 8.2, 0.003},
		{"AMD", "RX ", []string{"Vega 64", "5700 XT", "Vega 56", "5700", "5600 XT", "590", "580", "5500 XT", "480", "570", "470", "560", "460", "550"}, 109, 14},
		{"AMD", "R9 ", []string{"Fury X", "Nano", "Fury", "390X", "290X", "390", "290", "380X", "280X", "380", "285", "280", "270X", "370", "270"}, 75, 32},
		{"AMD", "R7 ", []string{"370", "265", "260X", "360", "260", "250X", "250", "240", "350", "340"}, 33, 6.2},
		{"AMD", "HD ", []string{"7990", "7970 GHz", "7970", "7950", "6990", "7870", "6970", "7850", "6950", "5870", "6870", "7790", "5850", "6850", "7770", "5830", "4890", "5770", "6790", "4870", "7750", "6770", "5750", "6750", "4850", "6670", "5670", "7730", "4770", "6570", "5570", "4670", "4650", "5550", "6450", "5450", "4550", "4350", "3870", "3850", "2900 XT", "2600 XT", "3450", "2400"}, 54, 0.62},
		{"AMD", "Radeon Pro ", words("W6800 W5700 WX9100 WX8200 WX7100 WX5100 WX4100 WX3200 WX2100"), 118, 9.4},
		{"AMD", "FirePro ", words("W9100 W8100 W9000 W7100 W8000 W5100 W7000 V8800 W5000 V7900 V5900 V4900 V5800 V4800 W4100 W2100"), 58, 5.8},
		{"Intel", "", []string{"Iris Xe", "Iris Plus 655", "Iris Pro 580", "UHD 770", "UHD 730", "UHD 630", "UHD 620", "HD 630", "HD 620", "HD 530", "HD 520", "HD 4600", "HD 5500", "HD 4400", "HD 4000", "HD 3000", "HD 2500", "HD 2000", "GMA 4500", "GMA X3100", "GMA 950"}, 21, 0.18},
	}
}
