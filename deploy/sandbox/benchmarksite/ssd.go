package benchmarksite

import "strings"

// driveLine is a product line sold in several capacities, the score being
// that of the first; each further one loses a few percent.
type driveLine struct {
	brand, name string
	capacities  string // separated by spaces, fastest first
	pattern     string // part number, % is the capacity; empty = none known
	score       float64
}

const lossPerCapacity = 0.97

func (l driveLine) parts() []part {
	var parts []part
	score := l.score
	for _, capacity := range words(l.capacities) {
		number := partNumber(strings.ReplaceAll(l.pattern, "%", capacity), l.brand, l.name, capacity)
		parts = append(parts, part{brand: l.brand, model: l.name + " " + capacity, number: number, score: score})
		score *= lossPerCapacity
	}
	return parts
}

func solidStateDrives() []part {
	var parts []part
	for _, line := range append(nvmeLines(), sataLines()...) {
		for _, p := range line.parts() {
			if strings.Contains(line.name, "PRO NVMe") {
				p.variants = []variant{{p.brand, p.model, partNumber("MZ-V#####0BW/AM", p.model)}}
			}
			parts = append(parts, p)
		}
	}
	return parts
}

func nvmeLines() []driveLine {
	return []driveLine{
		{"Crucial", "T705 NVMe PCIe 5.0 M.2", "4TB 2TB 1TB", "CT%T705SSD3", 612},
		{"Corsair", "MP700 Pro NVMe PCIe M.2", "4TB 2TB 1TB", "CSSD-F%BMP700PRO", 577},
		{"Samsung", "9100 PRO NVMe PCIe 5.0 M.2", "4TB 2TB 1TB", "MZ-VAP%BW", 604},
		{"Samsung", "990 PRO NVMe PCIe M.2", "4TB 2TB 1TB", "MZ-V9P%BW", 538},
		{"WD", "Black SN850X NVMe PCIe M.2", "4TB 2TB 1TB", "WDS%X##0X0E", 531},
		{"Solidigm", "P44 Pro NVMe PCIe M.2", "2TB 1TB 512GB", "SSDPFKKW%X7", 519},
		{"SK Hynix", "Platinum P41 NVMe PCIe M.2", "2TB 1TB 500GB", "SHPP41-%", 517},
		{"Kingston", "Fury Renegade NVMe PCIe M.2", "4TB 2TB 1TB 500GB", "SFYRD/%", 502},
		{"Seagate", "FireCuda 530 NVMe PCIe M.2", "4TB 2TB 1TB 500GB", "ZP%GM3A0##", 497},
		{"Intel", "905P Optane NVMe PCIe", "1.5TB 960GB 480GB", "SSDPED1D%GAX1", 489},
		{"Samsung", "990 EVO Plus NVMe PCIe M.2", "4TB 2TB 1TB", "MZ-V9S%BW", 474},
		{"Samsung", "980 PRO NVMe PCIe M.2", "2TB 1TB 500GB 250GB", "MZ-V8P%BW", 468},
		{"Lexar", "NM790 NVMe PCIe M.2", "4TB 2TB 1TB 512GB", "LNM790X%-RNNNG", 455},
		{"Crucial", "T500 NVMe PCIe M.2", "4TB 2TB 1TB 500GB", "CT%T500SSD8", 449},
		{"WD", "Black SN7100 NVMe PCIe M.2", "4TB 2TB 1TB 500GB", "WDS%X4X0E", 441},
		{"ADATA", "XPG Gammix S70 Blade NVMe PCIe M.2", "4TB 2TB 1TB 512GB", "AGAMMIXS70B-%-CS", 433},
		{"Kingston", "KC3000 NVMe PCIe M.2", "4TB 2TB 1TB 512GB", "SKC3000D/%", 431},
		{"WD", "Black SN770 NVMe PCIe M.2", "2TB 1TB 500GB 250GB", "WDS%X3X0E", 412},
		{"Samsung", "990 EVO NVMe PCIe M.2", "2TB 1TB", "MZ-V9E%BW", 404},
		{"Crucial", "P5 Plus NVMe PCIe M.2", "2TB 1TB 500GB", "CT%P5PSSD8", 392},
		{"Sabrent", "Rocket 4 Plus NVMe PCIe M.2", "4TB 2TB 1TB", "SB-RKT4P-%", 421},
		{"Goodram", "IRDM Pro NVMe PCIe M.2", "4TB 2TB 1TB", "IRP-SSDPR-P44B-%-80", 398},
		{"WD", "Blue SN580 NVMe PCIe M.2", "2TB 1TB 500GB 250GB", "WDS%B3X0E", 338},
		{"Kingston", "NV3 NVMe PCIe M.2", "4TB 2TB 1TB 500GB", "SNV3S/%", 331},
		{"Samsung", "970 EVO Plus NVMe PCIe M.2", "2TB 1TB 500GB 250GB", "MZ-V7S%BW", 329},
		{"Crucial", "P3 Plus NVMe PCIe M.2", "4TB 2TB 1TB 500GB", "CT%P3PSSD8", 318},
		{"ADATA", "Legend 960 NVMe PCIe M.2", "4TB 2TB 1TB", "ALEG-960-%CS", 402},
		{"ADATA", "XPG SX8200 Pro NVMe PCIe M.2", "2TB 1TB 512GB 256GB", "ASX8200PNP-%T-C", 292},
		{"Kingston", "NV2 NVMe PCIe M.2", "4TB 2TB 1TB 500GB 250GB", "SNV2S/%", 287},
		{"WD", "Blue SN570 NVMe PCIe M.2", "2TB 1TB 500GB 250GB", "WDS%B3X0C", 271},
		{"Lexar", "NM620 NVMe PCIe M.2", "2TB 1TB 512GB 256GB", "LNM620X%-RNNNG", 254},
		{"Goodram", "PX600 NVMe PCIe M.2", "2TB 1TB 500GB 250GB", "SSDPR-PX600-%-80", 248},
		{"Crucial", "P3 NVMe PCIe M.2", "4TB 2TB 1TB 500GB", "CT%P3SSD8", 243},
		{"Kingston", "A2000 NVMe PCIe M.2", "1TB 500GB 250GB", "SA2000M8/%G", 226},
		{"Intel", "660p NVMe PCIe M.2", "2TB 1TB 512GB", "SSDPEKNW%G8", 187},
		{"Toshiba", "RC500 NVMe PCIe M.2", "500GB 250GB", "THN-RC50Z%G8", 214},
	}
}

func sataLines() []driveLine {
	return []driveLine{
		{"Samsung", "870 EVO", "4TB 2TB 1TB 500GB 250GB", "MZ-77E%B", 144},
		{"Samsung", "860 PRO", "4TB 2TB 1TB 512GB 256GB", "MZ-76P%BW", 146},
		{"Samsung", "860 EVO", "4TB 2TB 1TB 500GB 250GB", "MZ-76E%BW", 139},
		{"Samsung", "870 QVO", "8TB 4TB 2TB 1TB", "MZ-77Q%BW", 128},
		{"Samsung", "850 PRO", "1TB 512GB 256GB 128GB", "MZ-7KE%BW", 133},
		{"Samsung", "850 EVO", "1TB 500GB 250GB 120GB", "MZ-75E%B/AM", 127},
		{"Samsung", "840 EVO", "1TB 500GB 250GB 120GB", "", 108},
		{"Crucial", "MX500", "4TB 2TB 1TB 500GB 250GB", "CT%MX500SSD1", 131},
		{"Crucial", "BX500", "2TB 1TB 480GB 240GB 120GB", "CT%BX500SSD1", 96},
		{"Crucial", "MX300", "1TB 525GB 275GB", "CT%MX300SSD1", 101},
		{"Crucial", "BX100", "1TB 500GB 250GB 120GB", "", 89},
		{"Crucial", "M4", "512GB 256GB 128GB 64GB", "", 68},
		{"WD", "Blue 3D SATA", "4TB 2TB 1TB 500GB 250GB", "WDS%2B0A", 129},
		{"WD", "Green 2.5\"", "1TB 480GB 240GB 120GB", "WDS%3G0A", 74},
		{"Kingston", "KC600 2.5\"", "2TB 1TB 512GB 256GB", "SKC600/%G", 124},
		{"Kingston", "A400 2.5\"", "960GB 480GB 240GB 120GB", "SA400S37/%", 72},
		{"Kingston", "SSDNow UV400", "960GB 480GB 240GB 120GB", "SUV400S37/%", 66},
		{"Kingston", "SSDNow V300", "480GB 240GB 120GB 60GB", "", 57},
		{"Kingston", "HyperX 3K", "480GB 240GB 120GB 90GB", "", 71},
		{"SanDisk", "Ultra 3D", "2TB 1TB 500GB 250GB", "SDSSDH3-%-G25", 126},
		{"SanDisk", "SSD Plus", "2TB 1TB 480GB 240GB 120GB", "SDSSDA-%-G26", 69},
		{"SanDisk", "Extreme II", "480GB 240GB 120GB", "", 87},
		{"Goodram", "CX400 2.5\"", "1TB 512GB 256GB 128GB", "SSDPR-CX400-%-G2", 84},
		{"Goodram", "Iridium Pro", "960GB 480GB 240GB", "", 81},
		{"ADATA", "SU800", "1TB 512GB 256GB 128GB", "ASU800SS-%T-C", 83},
		{"ADATA", "SU650", "960GB 480GB 240GB 120GB", "ASU650SS-%T-R", 62},
		{"ADATA", "SP550", "480GB 240GB 120GB", "", 54},
		{"PNY", "CS900", "2TB 1TB 500GB 250GB 120GB", "SSD7CS900-%-RB", 64},
		{"Lexar", "NS100 2.5\"", "1TB 512GB 256GB 128GB", "LNS100-%RB", 67},
		{"Patriot", "Burst", "960GB 480GB 240GB 120GB", "PBU%GS25SSDR", 65},
		{"Intel", "545s", "512GB 256GB 128GB", "SSDSC2KW%G8X1", 112},
		{"Intel", "520 Series", "480GB 240GB 180GB 120GB 60GB", "", 73},
		{"Intel", "320 Series", "300GB 160GB 120GB 80GB", "", 47},
		{"OCZ", "Vertex 4", "512GB 256GB 128GB 64GB", "", 76},
		{"OCZ", "Vertex 3", "480GB 240GB 120GB 60GB", "", 58},
		{"OCZ", "Agility 3", "240GB 120GB 60GB", "", 46},
		{"OCZ", "Vertex 2", "240GB 120GB 60GB", "", 33},
		{"Corsair", "Force LE", "960GB 480GB 240GB 120GB", "", 70},
		{"Corsair", "Force GT", "240GB 120GB 60GB", "", 63},
		{"Plextor", "M5 Pro", "512GB 256GB 128GB", "", 86},
		{"Transcend", "SSD370", "1TB 512GB 256GB 128GB 64GB", "", 75},
		{"LiteOn", "LCS-256L9S", "256GB 128GB", "", 59},
		{"Toshiba", "THNSNJ", "512GB 256GB 128GB", "", 79},
		{"Phison", "SATA Module", "32GB 16GB", "", 9.7},
		{"SanDisk", "SDSA5GK", "16GB 8GB", "", 12},
	}
}
