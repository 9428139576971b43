package catalogue

import (
	"fmt"
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

// driveLine is a series of drives; each capacity has its price.
type driveLine struct {
	brand, name, detail, code string
	sizes                     []priced
}

func drives() []draft {
	var drafts []draft
	for _, line := range append(append(nvmeDrives(), sataDrives()...), hardDrives()...) {
		for _, size := range line.sizes {
			code := fmt.Sprintf("%s%s%02d", line.code, strings.TrimSuffix(size.name, "B"), seeded.IntN(100, line.name, size.name))
			drafts = append(drafts, draft{
				brand: line.brand, short: line.name + " " + size.name, detail: line.detail, code: code, zlotys: size.zlotys,
			})
		}
	}
	return drafts
}

func sizes(half, one, two, four int) []priced {
	var list []priced
	for _, size := range []priced{{"500GB", half}, {"1TB", one}, {"2TB", two}, {"4TB", four}} {
		if size.zlotys > 0 {
			list = append(list, size)
		}
	}
	return list
}

func nvmeDrives() []driveLine {
	const m2 = "M.2 PCIe NVMe"
	return []driveLine{
		{"Samsung", "980 PRO", m2, "MZ-V8P", sizes(289, 419, 699, 0)},
		{"Samsung", "980 PRO Heatsink", m2, "MZ-V8C", sizes(0, 459, 759, 0)},
		{"Samsung", "980", m2, "MZ-V8V", sizes(239, 329, 0, 0)},
		{"Samsung", "990 PRO", m2, "MZ-V9P", sizes(0, 459, 749, 1399)},
		{"Samsung", "990 PRO Heatsink", m2, "MZ-V9C", sizes(0, 499, 799, 1469)},
		{"Samsung", "990 EVO", m2, "MZ-V9E", sizes(0, 319, 549, 0)},
		{"Samsung", "990 EVO Plus", m2, "MZ-V9S", sizes(0, 339, 569, 1099)},
		{"Samsung", "9100 PRO", m2, "MZ-VAP", sizes(0, 699, 1149, 2199)},
		{"Samsung", "970 EVO Plus", m2, "MZ-V7S", sizes(249, 349, 619, 0)},
		{"WD", "Black SN850X", m2, "WDS2X-", sizes(0, 419, 689, 1299)},
		{"WD", "Black SN7100", m2, "WDS4X-", sizes(229, 319, 549, 1129)},
		{"WD", "Black SN770", m2, "WDS3X-", sizes(219, 299, 529, 0)},
		{"WD", "Blue SN580", m2, "WDS3B-", sizes(189, 269, 489, 0)},
		{"WD", "Blue SN5000", m2, "WDS4B-", sizes(199, 279, 499, 1049)},
		{"Crucial", "P3 Plus", m2, "CT-P3P", sizes(179, 259, 479, 979)},
		{"Crucial", "T500", m2, "CT-T500-", sizes(249, 349, 589, 1199)},
		{"Crucial", "T705", m2, "CT-T705-", sizes(0, 729, 1199, 2299)},
		{"Kingston", "NV3", m2, "SNV3S-", sizes(169, 239, 449, 999)},
		{"Kingston", "NV2", m2, "SNV2S-", sizes(159, 229, 429, 949)},
		{"Kingston", "KC3000", m2, "SKC3000-", sizes(229, 329, 589, 1399)},
		{"Kingston", "FURY Renegade", m2, "SFYR-", sizes(259, 399, 699, 1499)},
		{"Lexar", "NM790", m2, "LNM790-", sizes(219, 289, 499, 999)},
		{"Lexar", "NM620", m2, "LNM620-", sizes(159, 229, 409, 0)},
		{"ADATA", "Legend 960", m2, "ALEG-960-", sizes(0, 329, 559, 1199)},
		{"ADATA", "XPG Gammix S70 Blade", m2, "AGAMX-", sizes(229, 339, 579, 1249)},
		{"Seagate", "FireCuda 530R", m2, "ZP-530-", sizes(0, 459, 749, 1499)},
		{"Goodram", "PX600", m2, "SSDPR-PX600-", sizes(159, 229, 419, 0)},
		{"Goodram", "IRDM PRO", m2, "IRP-SSDPR-", sizes(0, 349, 619, 1299)},
	}
}

func sataDrives() []driveLine {
	const sata = `2,5" SATA SSD`
	return []driveLine{
		{"Samsung", "870 EVO", sata, "MZ-77E", sizes(259, 399, 749, 1399)},
		{"Samsung", "870 QVO", sata, "MZ-77Q", sizes(0, 379, 679, 1249)},
		{"Crucial", "MX500", sata, "CT-MX500-", sizes(219, 329, 599, 1199)},
		{"Crucial", "BX500", sata, "CT-BX500-", sizes(169, 249, 459, 0)},
		{"Kingston", "KC600", sata, "SKC600-", sizes(199, 309, 589, 0)},
		{"WD", "Blue SA510", sata, "WDS-SA510-", sizes(189, 289, 549, 1149)},
		{"WD", "Red SA500", sata, "WDS-SA500-", sizes(269, 389, 699, 1349)},
		{"Goodram", "CX400", sata, "SSDPR-CX400-", sizes(149, 229, 429, 0)},
		{"Patriot", "P210", sata, "P210-", sizes(139, 219, 399, 0)},
	}
}

func hardDrives() []driveLine {
	const desktop = `3,5" SATA III`
	const nas = `3,5" SATA III NAS`
	return []driveLine{
		{"Seagate", "BarraCuda", desktop, "ST-DM-", []priced{{"1TB", 199}, {"2TB", 259}, {"4TB", 399}, {"8TB", 699}}},
		{"Seagate", "IronWolf", nas, "ST-VN-", []priced{{"4TB", 499}, {"8TB", 899}, {"12TB", 1199}}},
		{"Seagate", "Exos X18", desktop, "ST-NM-", []priced{{"16TB", 1399}, {"18TB", 1549}}},
		{"WD", "Blue", desktop, "WD-EZ-", []priced{{"1TB", 209}, {"2TB", 279}, {"4TB", 409}, {"8TB", 729}}},
		{"WD", "Red Plus", nas, "WD-EF-", []priced{{"4TB", 529}, {"8TB", 919}, {"10TB", 1129}}},
		{"WD", "Red Pro", nas, "WD-KF-", []priced{{"4TB", 749}, {"12TB", 1399}, {"20TB", 2099}}},
		{"WD", "Purple", desktop, "WD-PU-", []priced{{"2TB", 329}, {"4TB", 449}, {"8TB", 879}}},
		{"Toshiba", "P300", desktop, "HDWD-", []priced{{"1TB", 189}, {"2TB", 269}, {"4TB", 379}}},
		{"Toshiba", "N300", nas, "HDWG-", []priced{{"4TB", 549}, {"8TB", 949}, {"12TB", 1229}}},
	}
}
