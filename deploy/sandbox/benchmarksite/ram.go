package benchmarksite

import (
	"fmt"
	"math"
)

// kitLine is a memory line in one clock and latency, sold in several kits.
type kitLine struct {
	brand, name    string
	generation     int // DDR3, 4 or 5
	clock, latency int
	kits           string // modules x capacity, separated by spaces
	pattern        string
}

// parts come best kit first; the numbers of modules and the clock decide.
func (l kitLine) parts() []part {
	var parts []part
	score := l.score()
	for _, kit := range words(l.kits) {
		parts = append(parts, part{
			brand:  l.brand,
			model:  fmt.Sprintf("%s DDR%d %d C%d %s", l.name, l.generation, l.clock, l.latency, kit),
			number: partNumber(l.pattern, l.brand, l.name, fmt.Sprint(l.clock, l.latency), kit),
			score:  score,
		})
		score *= 0.955
	}
	return parts
}

// score grows with the clock and falls with the latency in nanoseconds.
func (l kitLine) score() float64 {
	nanoseconds := 2000 * float64(l.latency) / float64(l.clock)
	return 5.2 * math.Sqrt(float64(l.clock)) * math.Pow(10/nanoseconds, 0.4) * 0.42
}

func memoryKits() []part {
	var parts []part
	for _, lines := range [][]kitLine{fifthGeneration(), fourthGeneration(), thirdGeneration()} {
		for _, line := range lines {
			parts = append(parts, line.parts()...)
		}
	}
	return parts
}

func fifthGeneration() []kitLine {
	return []kitLine{
		{"G.SKILL", "Trident Z5 RGB", 5, 8000, 38, "2x24GB 2x16GB", "F5-8000J3848G24GX2-TZ5RK#"},
		{"G.SKILL", "Trident Z5 RGB", 5, 7200, 34, "2x24GB 2x16GB", "F5-7200J3445G16GX2-TZ5RK#"},
		{"G.SKILL", "Trident Z5 Neo", 5, 6000, 30, "4x16GB 2x32GB 2x16GB", "F5-6000J3038F16GX2-TZ5N#"},
		{"G.SKILL", "Flare X5", 5, 6000, 36, "2x32GB 2x16GB", "F5-6000J3636F16GX2-FX5#"},
		{"G.SKILL", "Ripjaws S5", 5, 5600, 36, "2x32GB 2x16GB 1x16GB", "F5-5600J3636C16GX2-RS5#"},
		{"Kingston", "Fury Renegade", 5, 7200, 38, "2x24GB 2x16GB", "KF572C38RSK2-##"},
		{"Kingston", "Fury Renegade", 5, 6400, 32, "2x32GB 2x16GB", "KF564C32RSK2-##"},
		{"Kingston", "Fury Beast", 5, 6000, 30, "4x16GB 2x32GB 2x16GB 2x8GB 1x16GB", "KF560C30BBK2-##"},
		{"Kingston", "Fury Beast", 5, 6000, 36, "2x32GB 2x16GB 2x8GB 1x16GB", "KF560C36BBEK2-##"},
		{"Kingston", "Fury Beast", 5, 5600, 40, "2x32GB 2x16GB 2x8GB 1x16GB 1x8GB", "KF556C40BBK2-##"},
		{"Kingston", "Fury Beast", 5, 5200, 40, "2x32GB 2x16GB 2x8GB 1x16GB", "KF552C40BBK2-##"},
		{"Corsair", "Dominator Titanium", 5, 7200, 34, "2x24GB 2x16GB", "CMP48GX5M2X7200C#4"},
		{"Corsair", "Vengeance RGB", 5, 6400, 32, "2x32GB 2x16GB", "CMH32GX5M2B6400C##"},
		{"Corsair", "Vengeance", 5, 6000, 30, "4x16GB 2x32GB 2x16GB", "CMK32GX5M2B6000C##"},
		{"Corsair", "Vengeance", 5, 5600, 36, "2x32GB 2x16GB 2x8GB", "CMK32GX5M2B5600C##"},
		{"Corsair", "Vengeance", 5, 5200, 40, "2x32GB 2x16GB 1x16GB", "CMK32GX5M2B5200C##"},
		{"Crucial", "Pro Overclocking", 5, 6000, 36, "2x24GB 2x16GB", "CP2K16G60C36U5#"},
		{"Crucial", "Pro", 5, 5600, 46, "2x48GB 2x32GB 2x16GB 1x16GB", "CP2K16G56C46U#"},
		{"Patriot", "Viper Venom", 5, 6200, 40, "2x16GB 2x8GB", "PVV532G620C40K#"},
		{"Lexar", "Ares RGB", 5, 6000, 30, "2x16GB", "LD5EU016G-R6000GDL#"},
		{"Goodram", "IRDM", 5, 5600, 30, "2x16GB 2x8GB", "IR-5600D564L30/##GDC"},
		{"TeamGroup", "T-Force Delta RGB", 5, 6000, 38, "2x16GB", "FF3D532G6000HC38AD##"},
	}
}

func fourthGeneration() []kitLine {
	return []kitLine{
		{"G.SKILL", "Trident Z Royal", 4, 4000, 17, "4x8GB 2x8GB", "F4-4000C17D-##GTRGB"},
		{"G.SKILL", "Trident Z Neo", 4, 3600, 14, "4x8GB 2x16GB 2x8GB", "F4-3600C14D-##GTZN"},
		{"G.SKILL", "Trident Z RGB", 4, 3600, 16, "4x16GB 4x8GB 2x16GB 2x8GB", "F4-3600C16D-##GTZR"},
		{"G.SKILL", "Flare X", 4, 3200, 14, "4x8GB 2x16GB 2x8GB", "F4-3200C14D-##GFX"},
		{"G.SKILL", "Ripjaws V", 4, 3600, 16, "2x32GB 2x16GB 2x8GB", "F4-3600C16D-##GVKC"},
		{"G.SKILL", "Ripjaws V", 4, 3200, 16, "4x8GB 2x32GB 2x16GB 2x8GB 1x16GB 1x8GB", "F4-3200C16D-##GVKB"},
		{"G.SKILL", "Aegis", 4, 3200, 16, "2x16GB 2x8GB 1x16GB 1x8GB", "F4-3200C16D-##GIS"},
		{"G.SKILL", "Ripjaws 4", 4, 2400, 14, "8x16GB 4x8GB 4x4GB", "F4-2400C14Q-##GRK"},
		{"Corsair", "Dominator Platinum", 4, 3600, 18, "4x8GB 2x16GB", "CMT32GX4M4C3600C##"},
		{"Corsair", "Vengeance RGB Pro", 4, 3600, 18, "4x8GB 2x16GB 2x8GB", "CMW32GX4M2D3600C##"},
		{"Corsair", "Vengeance RGB Pro", 4, 3200, 16, "4x8GB 2x16GB 2x8GB", "CMW16GX4M2C3200C##"},
		{"Corsair", "Vengeance LPX", 4, 3600, 18, "2x32GB 2x16GB 2x8GB", "CMK32GX4M2D3600C##"},
		{"Corsair", "Vengeance LPX", 4, 3200, 16, "4x16GB 4x8GB 2x16GB 2x8GB 1x8GB", "CMK16GX4M2B3200C##"},
		{"Corsair", "Vengeance LPX", 4, 3000, 15, "4x8GB 2x16GB 2x8GB 2x4GB 1x8GB", "CMK16GX4M2B3000C##"},
		{"Corsair", "Vengeance LPX", 4, 2666, 16, "4x8GB 2x16GB 2x8GB 2x4GB 1x8GB", "CMK16GX4M2A2666C##"},
		{"Corsair", "Vengeance LPX", 4, 2400, 14, "4x8GB 2x8GB 2x4GB 1x8GB", "CMK16GX4M2A2400C##"},
		{"Kingston", "HyperX Predator", 4, 3200, 16, "4x8GB 2x16GB 2x8GB", "HX432C16PB3K2/##"},
		{"Kingston", "HyperX Fury", 4, 2666, 16, "2x16GB 2x8GB 1x16GB 1x8GB 1x4GB", "HX426C16FB3K2/##"},
		{"Kingston", "HyperX Fury", 4, 2400, 15, "2x8GB 1x8GB 1x4GB", "HX424C15FB2K2/##"},
		{"Kingston", "Fury Beast", 4, 3600, 18, "2x32GB 2x16GB 2x8GB", "KF436C18BBK2/##"},
		{"Kingston", "Fury Beast", 4, 3200, 16, "4x8GB 2x32GB 2x16GB 2x8GB 1x16GB 1x8GB", "KF432C16BBK2/##"},
		{"Crucial", "Ballistix Elite", 4, 3600, 16, "4x8GB 2x8GB", "BLE2K8G4D36BEEA#"},
		{"Crucial", "Ballistix", 4, 3600, 16, "2x16GB 2x8GB", "BL2K16G36C16U4#"},
		{"Crucial", "Ballistix", 4, 3200, 16, "4x8GB 2x16GB 2x8GB 1x8GB", "BL2K8G32C16U4#"},
		{"Crucial", "Ballistix Sport LT", 4, 2666, 16, "2x16GB 2x8GB 1x8GB", "BLS2K8G4D26BFSB#"},
		{"Patriot", "Viper Steel", 4, 4400, 19, "2x8GB", "PVS416G440C9K#"},
		{"Patriot", "Viper 4", 4, 3200, 16, "2x8GB 2x4GB", "PV416G320C6K#"},
		{"Goodram", "IRDM X", 4, 3200, 16, "2x16GB 2x8GB 1x8GB", "IR-X3200D464L16SA/##GDC"},
		{"TeamGroup", "T-Force Vulcan Z", 4, 3200, 16, "2x16GB 2x8GB", "TLZGD416G3200HC16CDC#"},
	}
}

func thirdGeneration() []kitLine {
	return []kitLine{
		{"G.SKILL", "Trident X", 3, 2400, 10, "4x8GB 2x8GB 2x4GB", "F3-2400C10D-##GTX"},
		{"G.SKILL", "Ripjaws X", 3, 1866, 9, "4x8GB 4x4GB 2x8GB 2x4GB", "F3-14900CL9D-##GBXL"},
		{"G.SKILL", "Ripjaws X", 3, 1600, 9, "4x4GB 2x8GB 2x4GB 1x8GB 1x4GB", "F3-12800CL9D-##GBXL"},
		{"Corsair", "Dominator Platinum", 3, 2133, 9, "4x4GB 2x8GB 2x4GB", "CMD16GX3M4A2133C#"},
		{"Corsair", "Vengeance Pro", 3, 1866, 9, "4x8GB 2x8GB 2x4GB", "CMY16GX3M2A1866C#"},
		{"Corsair", "Vengeance", 3, 1600, 9, "4x4GB 2x8GB 2x4GB 1x8GB 1x4GB", "CMZ8GX3M2A1600C#"},
		{"Corsair", "XMS3", 3, 1333, 9, "2x4GB 2x2GB 1x4GB", "CMX8GX3M2A1333C#"},
		{"Kingston", "HyperX Beast", 3, 2400, 11, "4x8GB 2x8GB 2x4GB", "HX324C11T3K2/##"},
		{"Kingston", "HyperX Fury", 3, 1866, 10, "2x8GB 2x4GB 1x8GB 1x4GB", "HX318C10FK2/##"},
		{"Kingston", "HyperX Fury", 3, 1600, 10, "2x8GB 2x4GB 1x8GB 1x4GB", "HX316C10FK2/##"},
		{"Crucial", "Ballistix Sport", 3, 1600, 9, "4x8GB 2x8GB 2x4GB 1x8GB 1x4GB", "BLS2KIT8G3D1609DS1S##"},
		{"Crucial", "Ballistix Tactical", 3, 1866, 9, "2x8GB 2x4GB", "BLT2KIT8G3D1869DT1TX#"},
	}
}
