package match

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
)

// none is the result if no row is the product meant.
const none = -1

// named makes candidates of names.
func named(names ...string) []Candidate {
	var candidates []Candidate
	for _, name := range names {
		candidates = append(candidates, Candidate{Name: name})
	}
	return candidates
}

func TestCategoryIsTheHintOrWhatTheWordsName(t *testing.T) {
	tests := map[catalog.Query]catalog.Category{
		{Text: "RTX 4070", Category: "case"}:     "case",
		{Text: "RTX4070"}:                        "gpu",
		{Text: "karta graficzna do 1000 zł"}:     "gpu",
		{Text: "AMD Radeon RX 7800 XT"}:          "gpu",
		{Text: "Ryzen 5 5600"}:                   "cpu",
		{Text: "procesor i5-13600K"}:             "cpu",
		{Text: "Kingston Fury DDR5 32GB"}:        "ram",
		{Text: "DDR4-3200 2x8GB"}:                "ram",
		{Text: "Pamięć 32 GB 6000"}:              "ram",
		{Text: "dysk Samsung 990 PRO"}:           "storage",
		{Text: "Crucial P3 SSD"}:                 "storage",
		{Text: "Zasilacz be quiet! 750W"}:        "psu",
		{Text: "obudowa na dysk"}:                "case",
		{Text: "chłodzenie do procesora Ryzen"}:  "cooling",
		{Text: "PŁYTA GŁÓWNA B650 DDR5"}:         "motherboard",
		{Text: "Kingston A400 240GB"}:            "storage",
		{Text: "Kingston 128GB"}:                 "",
		{Text: "Noctua NH-D15"}:                  "cooling",
		{Text: "komputer Ryzen 7 RTX 4070 DDR5"}: "",
		{Text: "uchwyt do karty graficznej"}:     "",
	}
	for q, want := range tests {
		if got := Category(q); got != want {
			t.Errorf("%+v: category %q, want %q", q, got, want)
		}
	}
}

func TestTheRowThatIsMeantIsChosen(t *testing.T) {
	tests := []struct {
		query    string
		category catalog.Category
		names    []string
		want     int
	}{
		// Graphics cards: the suffix is the model.
		{
			"RTX 4070", "",
			[]string{"Gigabyte GeForce RTX 4070 SUPER WINDFORCE OC 12GB", "MSI GeForce RTX 4070 Ti Gaming X Trio 12GB",
				"ASUS GeForce RTX 4070 Ti SUPER TUF 16GB", "Palit GeForce RTX 4070 Dual 12GB"}, 3,
		},
		{"RTX 4070", "gpu", []string{"Zotac GeForce RTX 4070 SUPER Twin Edge"}, none},
		{"RTX 4070", "gpu", []string{"Inno3D GeForce RTX 4070Ti X3 12GB"}, none},
		{"RTX 4070", "gpu", []string{"Karta graficzna RTX 4070 Laptop 8GB"}, none},
		{"RTX 4070", "gpu", []string{"Palit GeForce RTX 4070 (Ti) 12GB"}, none},
		{"noctua nh-d15", "cooling", []string{"Noctua NH-D15 (G2)"}, none},
		{"nzxt h5 flow", "case", []string{"NZXT H5 Flow (RGB)"}, none},
		{"RTX 4070", "gpu", []string{"GeForce RTX 4070 Gaming OC Ti 12GB"}, none},
		{
			"RTX 4070 SUPER", "", []string{"MSI GeForce RTX 4070 12GB", "MSI GeForce RTX 4070 Ti SUPER 16GB",
				"MSI GeForce RTX 4070 SUPER VENTUS 2X 12G OC"}, 2,
		},
		{"RTX 4070 Ti", "", []string{"RTX 4070 Ti SUPER 16GB", "RTX 4070", "PNY GeForce RTX 4070 Ti 12GB"}, 2},
		{
			"RTX 4070 Ti SUPER", "",
			[]string{"RTX 4070 SUPER", "RTX 4070 Ti", "Gainward GeForce RTX 4070 Ti SUPER Phoenix 16GB"}, 2,
		},
		{"SUPER RTX 4070", "", []string{"RTX 4070", "RTX 4070 SUPER"}, 1},
		{"RTX4070", "", []string{"Gigabyte GeForce RTX 4070 Eagle"}, 0},
		{"rtx 4070", "", []string{"GIGABYTE RTX4070 EAGLE"}, 0},
		{"RTX4070Ti", "", []string{"GeForce RTX 4070", "GeForce RTX 4070 Ti"}, 1},
		{"4070 ti", "", []string{"GeForce RTX4070Ti Eagle"}, 0},
		{"RTX 4070S", "", []string{"RTX 4070", "RTX 4070 SUPER Dual"}, 1},
		{"RTX 4070 SUPER", "", []string{"KFA2 RTX 4070S 1-Click OC"}, 0},
		{"RTX 4070 12GB", "", []string{"MSI GeForce RTX 4070 VENTUS 2X 12G OC"}, 0},
		{"RTX 3060 12GB", "", []string{"Gigabyte RTX 3060 8GB", "Gigabyte RTX 3060 12GB"}, 1},
		{"RTX 4090", "", []string{"ASUS RTX 4090 D ROG Strix", "ASUS RTX 4090 ROG Strix"}, 1},
		{
			"RTX 4090 D", "",
			[]string{"ASUS GeForce RTX 4090 TUF Gaming OC 24GB", "ASUS GeForce RTX 4090 D TUF Gaming OC 24GB"}, 1,
		},
		{"GTX 1660", "", []string{"GTX 1660Ti 6GB", "GTX 1660 SUPER 6GB", "Zotac GTX 1660 6GB"}, 2},
		{"RTX 3080", "", []string{"GeForce RTX 3080 Max-Q"}, none},
		{
			"RX 7900 XT", "",
			[]string{"Sapphire Pulse Radeon RX 7900 XTX 24GB", "XFX Radeon RX 7900 XT Speedster MERC 310 20GB"}, 1,
		},
		{"RX 7900 XTX", "", []string{"Sapphire Radeon RX 7900 XT", "Sapphire Radeon RX 7900XTX Nitro+"}, 1},
		{"RX 7900", "", []string{"RX 7900 XT", "RX 7900 GRE", "RX 7900XTX"}, none},
		{"AMD RX 7900-XT", "gpu", []string{"Sapphire Radeon RX 7900 XT 20GB"}, 0},
		{"Nvidia GeForce RTX 4070", "", []string{"Gigabyte RTX 4070 Windforce"}, 0},
		{"RTX 4070 Gigabyte", "", []string{"MSI RTX 4070", "Gigabyte GeForce RTX 4070 Aero OC"}, 1},
		{"karta graficzna RTX 4070", "", []string{"Gigabyte GeForce RTX 4070 WINDFORCE OC 12GB (GV-N4070WF3OC-12GD)"},
			0},
		{"RTX 4070", "", []string{"(GV-N4070WF3OC-12GD) Gigabyte RTX 4070"}, 0},
		{"RTX 4070", "", []string{"Gigabyte GV-N4070WF3OC-12GD"}, none},
		{"RTX 4070", "", []string{"Karta RTX 4060 szybsza niż RTX 4070"}, none},
		{"karta RTX 4070", "", []string{"Karta RTX 4070 szybsza niż RTX 4060"}, none},
		{"RTX 4070", "gpu", []string{"Gigabyte GeForce RTX 4070 S 12GB"}, none},
		{"RTX 4070Ti SUPER", "", []string{"GeForce RTX 4070 SUPER Gaming OC Ti 16GB"}, none},
		{"RTX 4060 ITX", "gpu", []string{"MSI GeForce RTX 4060 Ventus"}, none},

		{"RTX 4060 Vector", "gpu", []string{"MSI GeForce RTX 4060 Vector"}, 0}, // a laptop's series that is meant

		// Other goods around the component.
		{
			"RTX 4070", "", []string{"Komputer Gaming Ryzen 5 RTX 4070 32GB", "Blok wodny do RTX 4070",
				"Wspornik karty RTX 4070", "MSI RTX 4070 Ventus 3X 12GB OC White"}, 3,
		},
		{"RTX 4070", "", []string{"Karta graficzna używana RTX 4070"}, none},
		{"Ryzen 5 5600", "", []string{"Chłodzenie AMD Wraith Ryzen 5 5600"}, none},
		{"Ryzen 5 5600", "cpu", []string{"Płyta główna B550 Ryzen 5 5600"}, none},
		{"DDR4 16GB 3200", "", []string{"HP EliteDesk 800 G4 i5-8500 16GB DDR4 3200"}, none},
		{"komputer RTX 4070", "", []string{"Komputer i5 RTX 4070"}, 0},
		{"procesor płyta główna Ryzen 5 5600", "", []string{"AMD Ryzen 5 5600"}, none}, // both are meant
		{"mysz dla graczy Logitech", "", []string{"Mysz Logitech"}, none},

		// Processors.
		{
			"Ryzen 7 7800X3D", "cpu",
			[]string{"AMD Ryzen 7 7700X", "AMD Ryzen 7 7800X3D 4,2GHz 96MB BOX (100-100000910WOF)"}, 1,
		},
		{"Ryzen 7 7800X3D", "cpu", []string{"AMD Ryzen 7 7700X", "AMD Ryzen 9 7800X3D"}, none},
		{"7800 X3D", "", []string{"AMD Ryzen 7 7800X3D"}, 0},
		{"Ryzen 7 7800X", "", []string{"AMD Ryzen 7 7800X3D", "AMD Ryzen 7 7800 X3D"}, none},
		{
			"Ryzen 7 5700", "", []string{"AMD Ryzen 7 5700X", "AMD Ryzen 7 5700G", "AMD Ryzen 7 5700X3D",
				"AMD Ryzen 7 5700 BOX"}, 3,
		},
		{"Ryzen 5 5600", "", []string{"AMD Ryzen 5 5600 GT", "AMD Ryzen 7 5600", "AMD Ryzen 5 5600 3,5GHz"}, 2},
		{
			"i5-13600K", "",
			[]string{"Intel Core i5-13600KF", "Intel Core i7-13600K", "Procesor Intel Core i5 13600K 3.5 GHz"}, 2,
		},
		{"i5 13600K", "", []string{"Intel Core i5-13600KF 3,5GHz (BX8071513600KF)"}, none},
		{"i5 13600", "", []string{"Intel Core i5-13600K", "Intel Core i5-13600KF", "Intel Core i5-13600T"}, none},
		{"Core i9-14900KS", "", []string{"Intel i9-14900K", "Intel i9-14900KS"}, 1},
		{
			"Core Ultra 7 265K", "",
			[]string{"Intel Core Ultra 5 265K", "Intel Core Ultra 7 265KF", "Intel Core Ultra 7 265K"}, 2,
		},
		{"Procesor AMD Ryzen 5 7600", "", []string{"AMD Ryzen 5 7600X", "Ryzen 5 7600 Tray"}, 1},
		{"Procesor AMD Ryzen 5 7600", "", []string{"AMD Ryzen 5 7600 AM5 BOX"}, 0},
		{"Intel Pentium Gold", "", []string{"Intel Pentium Gold G5420"}, 0}, // a number, no edition
		{"Ryzen 7 7800X3D", "", []string{"AMD Ryzen 7 7800 X3D"}, 0},
		{"Ryzen 7 7800X", "", []string{"AMD Ryzen 7 7800 X3D 8 x 4,2 GHz BOX"}, none},

		// A short number belongs to the word before it, unless that is part of a model or a kind of goods.
		{"be quiet Pure Power 12 500W", "", []string{"be quiet! Pure Power L8 500W, 12 V"}, none},
		{"Ryzen 5 3600 6 rdzeni", "", []string{"AMD Ryzen 5 3600, 3,6 GHz, 6 rdzeni"}, 0},
		{"Ryzen 5 3600 procesor 6 rdzeni", "", []string{"Procesor AMD Ryzen 5 3600, 6 rdzeni"}, 0},
		{"Ryzen 7 5700X 16 wątków", "", []string{"AMD Ryzen 7 5700X BOX, 16 wątków, PCIe 4.0 x24"}, 0},

		// A variant that stands apart from its number is one all the same.
		{"i5 13600", "", []string{"Intel Core i5 13600 KF BOX"}, none},
		{"i5 13600 KF", "", []string{"Intel Core i5 13600 K", "Intel Core i5 13600KF"}, 1},
		{"Ryzen 5 7600 X", "", []string{"AMD Ryzen 5 7600 6 x 3,8 GHz BOX", "AMD Ryzen 5 7600X 6 x 4,7 GHz BOX"}, 1},

		// The caller's hint goes before what the query says.
		{"chłodzenie procesora Arctic 36", "cpu", []string{"Procesor Arctic 36", "Chłodzenie procesora Arctic 36"},
			none},

		// A bare number is no capacity.
		{"Pure Power 12GB", "", []string{"be quiet! Pure Power 12"}, none},
		{
			"Pure Power 12", "", []string{"be quiet! Pure Power 12GB", "be quiet! Pure Power 12 M",
				"be quiet! Pure Power 12"}, 2,
		},
		{"zasilacz Corsair SF750 ATX", "", []string{"Corsair SF750 750W"}, 0},
		{"zasilacz Corsair SF750 ATX", "", []string{"Corsair SF750 750W EATX"}, none},
		{"zasilacz Corsair SF750 ATX", "", []string{"Corsair SF750 750W mATX"}, none},
		{"zasilacz Corsair SF750 ATX", "", []string{"Corsair SF750 750W ITX"}, none},
		{"zasilacz Corsair SF750 ATX", "", []string{"Corsair SF750 750W SFX"}, none},
		{"zasilacz Corsair SF750 ATX", "", []string{"Corsair SF750 750W TFX"}, none},
		{"RTX 3060 12", "", []string{"Gigabyte RTX 3060 12GB"}, none},
		{"Corsair RM750 750", "", []string{"Corsair RM750 750W"}, 0},
		{"Corsair RM750 750W", "", []string{"Corsair RM750 80+ Gold"}, 0},
		{"DDR5 6000 32 G.Skill 32GB", "", []string{"G.Skill DDR5 32GB 6000MHz CL32"}, 0},

		// Storage.
		{
			"980 Pro 1TB", "storage",
			[]string{"Samsung 980 PRO 2TB", "Samsung 980 1TB", "Samsung 980 PRO 1TB M.2 NVMe (MZ-V8P1T0BW)"}, 2,
		},
		{"Samsung 980 1TB", "", []string{"Samsung 980 PRO 1TB", "Samsung 980 1TB M.2"}, 1},
		{"Samsung 980 1 TB", "", []string{"Samsung 980 500GB", "Samsung 980 1000GB"}, 1},
		{"980 PRO 1TB", "", []string{"Samsung 980PRO 1024GB"}, 0},
		{"Samsung 990 PRO 2TB MZ-V9P2T0B/AM", "", []string{"Samsung 990 PRO 2TB M.2 (MZ-V9P2T0B)"}, 0},
		{"980 PRO 500GB", "", []string{"Samsung 980 PRO 512GB", "Samsung 980 PRO 0,5TB"}, 1},
		{"990 EVO 2TB", "", []string{"Samsung 990 EVO Plus 2TB", "Samsung 990 EVO 2TB"}, 1},
		{
			"Crucial P3 1TB", "", []string{"Crucial P3 Plus 1TB (CT1000P3PSSD8)", "Crucial P3+ 1TB",
				"Crucial P3 1TB (CT1000P3SSD8)"}, 2,
		},
		{
			"WD Red 4TB", "", []string{"WD Red Plus 4TB (WD40EFPX)", "WD Red Pro 4TB (WD4003FFBX)",
				"WD Red 4TB (WD40EFAX)"}, 2,
		},
		{"WD Red 4TB", "", []string{"WD Red Plus 4TB (WD40EFPX)", "WD Red Pro 4TB (WD4003FFBX)"}, none},
		{"dysk Red 4TB", "", []string{"Dysk WD Red Plus 4TB (WD40EFPX)"}, none},
		// the part number decides
		{"WD Red 4TB WD40EFPX", "", []string{"WD Red 4TB (WD40EFAX)", "WD Red Plus 4TB (WD40EFPX)"}, 1},
		{"SN850", "", []string{"WD Black SN850X 1TB", "WD Black SN850P 1TB", "WD Black SN850 1TB"}, 2},
		{"Samsung 980 Pro NVMe PCIe M.2 1TB", "storage",
			[]string{"Samsung 980 PRO 2TB", "Dysk SSD Samsung 980 PRO 1TB"}, 1},
		{"dysk SSD 1TB", "", []string{"Dysk zewnętrzny Seagate 1TB", "Dysk SSD Goodram CX400 1 TB 2,5\""}, 1},
		{"Crucial MX500 1TB SATA", "storage", []string{"Crucial MX500 1TB NVMe"}, none},
		{"Crucial MX500 1TB NVMe", "", []string{"Crucial MX500 1TB SATA"}, none},
		{"WD Blue 1TB SSD", "", []string{"WD Blue 1TB 3,5\" SATA (WD10EZEX)"}, none},
		{"Toshiba P300 1TB SSD", "", []string{"Toshiba P300 1TB 3,5\" 7200 obr./min"}, none},

		{"dysk Samsung 1TB", "", []string{"Dysk Samsung 9100 1TB"}, 0}, // no amount is another model

		// Memory.
		{
			"DDR5 32GB 6000", "ram",
			[]string{"Kingston Fury Beast DDR5 16GB 6000MHz", "Kingston Fury Beast DDR4 32GB 6000MHz",
				"Kingston Fury Beast DDR5 32GB 5600MHz", "Kingston Fury Beast DDR5 32GB (2x16GB) 6000MHz CL36"}, 3,
		},
		{"DDR5 16GB", "ram", []string{"Pamięć DDR5 32GB (2x16GB) 6000MHz"}, none},
		{"DDR5 32GB 6000 MHz", "", []string{"Pamięć G.Skill Trident Z5 DDR5-6000 2 x 16 GB (F5-6000J3238F16GX2-TZ5RK)"},
			0},
		{"DDR5 2x16GB", "", []string{"Patriot Viper DDR5 32GB", "Patriot Viper DDR5 32GB (2x16GB)"}, 1},
		{
			"DDR4 16GB 3200", "", []string{"Goodram SODIMM DDR4 16GB 3200MHz", "Goodram SO-DIMM DDR4 16GB 3200MHz",
				"Goodram IRDM DDR4 16GB 3200MT/s"}, 2,
		},
		{"gskill trident z5 ddr5", "", []string{"G.Skill Trident Z5 RGB DDR5", "G.Skill Trident Z5 DDR5"}, 1},
		{"DDR5 32GB 6000 CL30", "", []string{"Lexar Ares DDR5 32GB 6000 CL36", "Lexar Ares DDR5 32GB 6000 C30"}, 1},

		{"Kingston Fury DDR5 32GB 5600", "", []string{"Kingston FURY DDR5 32GB 4800/5600"}, 0}, // two speeds
		{"DDR4 SODIMM 16GB", "", []string{"Goodram DDR4 16GB", "Goodram SODIMM DDR4 16GB"}, 1},
		{"DDR5 32GB", "", []string{"Kingston DDR5 16GB x", "Kingston DDR5 16GB x 20", "Kingston DDR5 16GB x 2"}, 2},
		{"DDR5 1600GB", "", []string{"DDR5 100x16GB"}, none}, // no kit has a hundred modules
		{"Crucial DDR5 6000 Pro 32GB", "", []string{"Crucial Pro DDR5 32GB 6000MHz"}, 0},
		{"Crucial DDR5 Pro 32GB 6000", "", []string{"Crucial Pro DDR5 32GB 6000MHz"}, 0},
		{"Kingston Fury Beast 32GB 6000", "", []string{"Kingston FURY Beast DDR5 RGB 32GB 6000MHz"}, none},
		{"Team Group DDR5 16GB Elite 5600", "", []string{"Team Group Elite DDR5 16GB 5600MHz"}, 0},
		{"Kingston 3200 16GB", "", []string{"Kingston FURY 16GB 3200MHz"}, 0},
		{"Pamięć Kingston DDR 16GB 3200", "", []string{"Pamięć Kingston 16GB 3200MHz"}, 0},
		{"DDR5 2x16GB", "", []string{"Kingston FURY DDR5 16GB x2szt. 6000MHz"}, 0},

		// Power supplies, boards, cooling, cases; queries of one family word.
		{
			"zasilacz 750W", "",
			[]string{"Suszarka 750W", "Obudowa z zasilaczem 750W", "Zasilacz be quiet! Pure Power 12 M 750W"}, 2,
		},
		{"zasilacz 750W", "", []string{"Zasilacz Corsair 650W", "Zasilacz Corsair 850W"}, none},
		{"zasilacz 750W", "psu", []string{"Corsair RM750e 750 W"}, 0},
		{"zasilacz", "", []string{"Kabel zasilacza ATX", "Zasilacz Modecom Volcano 750"}, 1},
		{"Corsair RM750", "psu", []string{"Corsair RM750x 750W", "Corsair RM750e 750W", "Corsair RM750 80+ Gold"}, 2},
		{
			"be quiet Pure Power 12 M 750W", "",
			[]string{"be quiet! Pure Power 12 750W", "Zasilacz be quiet! Pure Power 12 750W M"}, 1,
		},
		{"be quiet Pure Power 12 750W M", "", []string{"be quiet! Pure Power 12 M 750W"}, 0},
		{"be quiet Pure Power 12 750 M", "", []string{"be quiet! Pure Power 12 M 750W"}, 0},
		{"be quiet Pure Power 12 750W M", "", []string{"be quiet! Pure Power 12 M 750"}, 0},
		{"be quiet Pure Power 12 750W", "", []string{"be quiet! Pure Power 12 M 750W", "be quiet! Pure Power 11 750W",
			"be quiet! Pure Power 12 750W"}, 2},
		{"Seasonic Focus GX-750 80 Plus Gold", "",
			[]string{"Seasonic Focus GX-850 80+ Gold", "Seasonic Focus GX-750 750W 80PLUS Gold"}, 1},
		{
			"płyta główna B650", "", []string{"Płyta główna MSI B650M Gaming", "Płyta główna Gigabyte X650",
				"Plyta glowna ASRock B650 Steel Legend"}, 2,
		},
		{"MSI B650-P WIFI", "", []string{"MSI PRO B650-A WiFi", "MSI PRO B650-P Wi-Fi"}, 1},
		{
			"ASUS ROG Strix B650E-F", "",
			[]string{"ASUS ROG STRIX B650-A GAMING WIFI", "ASUS ROG STRIX B650E-F GAMING WIFI"}, 1,
		},
		{"chlodzenie procesora", "", []string{"Wentylator 120 mm", "Chłodzenie procesora Arctic Freezer 36"}, 1},
		{"Arctic Freezer 36", "cooling", []string{"Arctic Freezer 34", "Arctic Freezer 36"}, 1},
		{"Gigabyte B650 Elite AX", "", []string{"Gigabyte B650 AORUS ELITE AX"}, 0},
		{"MSI B450M PRO MAX", "", []string{"MSI B450M PRO-VDH MAX"}, none},
		{"ASUS ROG Strix X670E", "", []string{"ASUS ROG Strix X670E-E"}, none},
		{"płyta główna MSI B650", "", []string{"Płyta główna MSI B650-A"}, none},
		{"płyta główna B650-A", "", []string{"Płyta główna MSI B650-A MAX"}, none},
		{"MSI Tomahawk", "", []string{"MSI MAG B650 TOMAHAWK WIFI"}, none},
		{"ASUS TUF GAMING B550-PLUS", "", []string{"ASUS TUF GAMING B550-PLUS WiFi", "ASUS TUF GAMING B550-PLUS Wi-Fi"},
			none},
		{"Gigabyte B650M Gaming", "", []string{"Gigabyte B650M GAMING WF"}, none},
		{"MSI B650 Tomahawk", "", []string{"MSI MAG B650 TOMAHAWK Wi-Fi II"}, none},
		{"MSI B650 Tomahawk", "", []string{"MSI MAG B650 TOMAHAWK Wi-Fi"}, 0}, // it has no board without
		{"OBUDOWA BIAŁA", "case", []string{"Obudowa czarna", "Obudowa Fractal North biała"}, 1},
		{"obudowa NZXT H5 Flow mATX", "", []string{"Obudowa NZXT H5 Flow Black"}, none},
		{"obudowa H570", "", []string{"Obudowa Thermaltake H570 TG ARGB"}, none}, // no chipset
		{"obudowa Endorfy Signum", "", []string{"Obudowa Endorfy Signum 300 Midi Tower ARGB"}, 0},
		{"Corsair 4000D White", "", []string{"Corsair 4000 White D"}, none},
		{"Corsair RM750x Silver", "", []string{"Corsair RM750 Silver X"}, none},
		{"cooler Deepcool Assassin", "cooling", []string{"Deepcool Assassin"}, 0},
		{"Arctic P12 Pack", "", []string{"Arctic P12 5Pack"}, 0},
		{"Noctua NF-A12x25", "cooling", []string{"Noctua NF-A12x25 dwupak", "Noctua NF-A12x25 Pack of 2"}, -1},
		{"Noctua NF-A12x25 2 pack", "cooling", []string{"Noctua NF-A12x25", "Noctua NF-A12x25 2-Pack"}, 1},
		{"SFX-L 650 CP-9020105-EU", "psu", []string{"Corsair RM650x 650W (CP-9020178-EU)"}, -1},
		{"CP-9020105-EU", "psu", []string{"Corsair RM650x 650W", "Corsair SF600 600W SFX (CP-9020105-EU)"}, 1},
		{"MZ-V9S4T0CW", "storage", []string{"Samsung 990 EVO 4TB", "Samsung 990 EVO 4TB Heatsink (MZ-V9S4T0CW)"}, 1},
		{"KF432S20IB/16", "ram", []string{"Kingston FURY Impact 16GB DDR4 3200MHz SODIMM (KF432S20IB/16)"}, 0},
		{"KF432S20IB/16", "ram", []string{"Kingston FURY Impact 16GB SODIMM używana (KF432S20IB/16)"}, -1},
		{"G.Skill Trident Z Royal 16GB 3200", "ram",
			[]string{"G.Skill Trident Z Royal Silver 16GB 3200MHz (F4-3200C16D-16GTRS)"}, 0},
		{"Gigabyte B550 Aorus Pro", "motherboard", []string{"Gigabyte B550 I Aorus Pro", "Gigabyte B550 Aorus Pro"}, 1},
		{"Gigabyte B550 I Aorus Pro AX", "motherboard", []string{"Gigabyte B550 Aorus Pro AX"}, -1},
		{"Gigabyte B550I Aorus Pro", "motherboard", []string{"Gigabyte B550 I Aorus Pro"}, 0},
		{"ASUS Prime B660-PLUS", "motherboard", []string{"ASUS Prime B660-PLUS (Wi-Fi)", "ASUS Prime B660-PLUS"}, 1},
		{"Fractal Pop Core", "case", []string{"Fractal Pop"}, -1},
		{"Seagate SkyHawk 8TB", "storage", []string{"Seagate SkyHawk AI 8TB"}, -1},
		{"Seagate Exos X18 18TB SATA", "storage", []string{"Seagate Exos X18 18TB SAS"}, -1},
		{"Deepcool AK620", "cooling", []string{"Deepcool AK620 ZERO DARK"}, -1},
		{"Gigabyte X870E Aorus Master", "motherboard", []string{"Gigabyte X870E AORUS MASTER AI TOP"}, -1},
		{"Noctua NF-A12x25 PWM", "cooling", []string{"Noctua NF-A12x25 5V PWM"}, -1},
		{"Cooler Master N200", "case", []string{"Cooler Master N200 with 650W PSU"}, -1},
		{"Corsair SF750", "psu", []string{"Corsair SF750 750W SFX 80 Plus Platinum"}, 0},
		{"RTX 4070", "gpu", []string{"GALAX GeForce RTX 4070 EX Gamer"}, 0},
		{"Gigabyte UD850GM", "psu", []string{"Gigabyte UD850GM 850W (GP-UD850GM PG5)"}, 0},
		{"MSI B650 Tomahawk WiFi AM5 DDR5 ATX", "motherboard", []string{"MSI MAG B650 TOMAHAWK WIFI"}, 0},
		{"Gigabyte B760M DS3H DDR4", "motherboard", []string{"Gigabyte B760M DS3H"}, -1},
		{"Nvidia RTX 4070-S (Super)", "gpu", []string{"MSI GeForce RTX 4070 12GB", "MSI GeForce RTX 4070 SUPER 12GB"},
			1},
		{"Nvidia RTX 4070-TS (Ti-Super)", "gpu", []string{"MSI RTX 4070 Ti", "MSI RTX 4070 Ti SUPER"}, 1},

		// The efficiency of a power supply may be missing, a colour not.
		{"zasilacz Seasonic 80 Plus Gold", "", []string{"Zasilacz Seasonic Core"}, none},
		{"zasilacz Seasonic GX-750 80 Plus Gold", "", []string{"Zasilacz Seasonic GX-750"}, 0},
		{"zasilacz Seasonic GX-750 80 Plus", "", []string{"Zasilacz Seasonic GX-750 Platinum"}, 0},
		{"obudowa ATX Krux", "", []string{"Obudowa Krux"}, none},
		{"obudowa ATX Krux Vortex", "", []string{"Obudowa Krux Vortex"}, 0},
		{"zasilacz SFX Cooler Master", "", []string{"Cooler Master MasterBox NR200P Mini-ITX SFX"}, none},
		{"zasilacz TFX be quiet", "", []string{"be quiet! Silent Base TFX"}, none},
		{"be quiet Pure Power 12 M 750W ATX", "", []string{"be quiet! Pure Power 12 M 750W ATX3.0"}, 0},
		{"Apple iPhone 15 gold", "", []string{"Apple iPhone 15"}, none},

		{"Seagate 510 1TB M.2", "", []string{"Seagate 510 1TB"}, 0},
		{"Seagate 510 1TB M.2", "", []string{"Seagate 510 1TB 2,5\"", "Seagate 510 1TB 3,5\""}, none},

		{"Kingston DDR4 16GB 3200", "ram", []string{"Kingston ECC3200 DDR4 16GB"}, none},

		// A number behind another letter is another model.
		{"Ryzen 7 7700", "", []string{"7 7700 Ryzen"}, none},
		{"Noctua 120", "", []string{"Noctua P120"}, none},

		// A processor with a disk is a computer.
		{"Ryzen 5 5600", "", []string{"HP ProDesk Ryzen 5 5600 512GB"}, none},
		{"i5-14600K", "cpu", []string{"Lenovo i5-14600K 1TB"}, none},

		// A query with a preposition of its own means the accessory.
		{"backplate do RTX 4060", "", []string{"Backplate do RTX 4060"}, 0},
		{"backplate RTX 4060", "", []string{"Backplate do RTX 4060"}, none},

		// Words for the use and the kind of goods, interfaces and packing may be missing.
		{"karta graficzna do gier RTX 4060", "", []string{"MSI GeForce RTX 4060 VENTUS"}, 0},
		{"karta graficzna RTX 4060 dla graczy", "", []string{"MSI GeForce RTX 4060 VENTUS"}, 0},
		{"procesor Ryzen 5 5600 dla gracza", "", []string{"AMD Ryzen 5 5600"}, 0},
		{"cpu Ryzen 5 5600 gniazdo AM4", "", []string{"AMD Ryzen 5 5600"}, 0},
		{"Ryzen 5 5600 socket AM4", "", []string{"AMD Ryzen 5 5600"}, 0},
		{"dysk wewnętrzny Samsung 990 PRO", "", []string{"Samsung 990 PRO"}, 0},
		{"obudowa komputerowa NZXT H5 Flow", "", []string{"NZXT H5 Flow"}, 0},
		{"zasilacz komputerowy MSI A750GL", "", []string{"MSI A750GL 750W"}, 0},
		{"chłodzenie procesora AK400", "", []string{"Deepcool AK400"}, 0},
		{"obudowa Fractal Design North", "", []string{"Fractal Design North Charcoal Black TG Dark"}, 0},
		{"chłodzenie ID-Cooling FrostFlow", "", []string{"ID-COOLING FROSTFLOW 240"}, 0},
		{"obudowa be quiet 140mm", "", []string{"be quiet! Silent Wings 4 140mm"}, none},
		// a maker alone
		{"obudowa be quiet", "", []string{"be quiet! Dark Rock Pro 5", "be quiet! Silent Wings 4 140mm"}, none},
		{"Kingston Fury Beast 32GB 6000 UDIMM", "", []string{"Kingston FURY Beast 32GB 6000MHz"}, 0},

		// "Pro" belongs to the word before it.
		{"B650 GAMING PRO", "", []string{"Gigabyte GAMING B650-PRO"}, none},
		{"ASUS B650 GAMING PRO", "", []string{"ASUS GAMING B650 PRO", "ASUS B650 GAMING PRO"}, 1},
		{"Samsung 990 PRO 2TB", "", []string{"Samsung PRO Plus 990 2TB", "Samsung 990 PRO 2TB"}, 1},
		{"Gaming Plus B650", "", []string{"ASUS TUF GAMING B650-PLUS"}, none},
		{"B650-PLUS GAMING", "", []string{"MSI B650 GAMING PLUS"}, none},
		{"MSI B650 PRO", "", []string{"MSI PRO B650"}, none},
		{"obudowa Krux White Pro", "", []string{"Obudowa Krux Pro White"}, 0}, // not to its colour

		{"ASUS H610M-C", "", []string{"ASUS PRO H610M-C"}, 0}, // a maker's prefix

		// The generation of memory is implied by speed and latency, unless they are ambiguous.
		{"DDR3 16GB 1866", "", []string{"Crucial 16GB 1866MHz"}, 0},
		{
			"DDR3 16GB 2133", "", []string{"Crucial 16GB 2133MHz CL11", "Crucial 16GB 2133MHz CL15",
				"Crucial 16GB 2133MHz"}, none,
		},
		{"DDR4 16GB 2133", "", []string{"Crucial 16GB 2133MHz CL11", "Crucial 16GB 2133MHz CL15"}, 1},
		{"DDR4 16GB 2666", "", []string{"Crucial 16GB 2666MHz"}, 0},
		{"DDR5 16GB 4800", "", []string{"Crucial 16GB 4800MHz CL19", "Crucial 16GB 4800MHz"}, 1},

		// Fewer extra words win, then the order of the source.
		{"RTX 4070", "", []string{"MSI GeForce RTX 4070 Gaming X Trio 12GB", "PNY RTX 4070", "KFA2 RTX 4070"}, 1},
		{"RTX 4070", "", []string{"PNY RTX 4070 (VCG4070-12DFXPB1-O)", "KFA2 RTX 4070"}, 0},
		{
			"Samsung 990 PRO 2TB", "", []string{"Samsung 990 PRO 2TB M.2 szybki", "Samsung 990 PRO 2TB",
				"Samsung 990 PRO 2TB M.2"}, 1,
		},
		{
			"Kingston Fury Beast DDR5 6000", "",
			[]string{"Kingston FURY Beast DDR5 2x16GB 6000MHz", "Kingston FURY Beast DDR5 16GB 6000MHz"}, 0,
		},
		{"dysk SSD Kingston NV3 1TB", "", []string{"Dysk Kingston NV3 1TB NVMe", "Dysk SSD Kingston NV3 1TB M.2"}, 0},
		{"dysk SSD Kingston NV3 1TB", "", []string{"Kingston NV3 1TB", "Dysk SSD Kingston NV3 1TB M.2"}, 1},
		{"MSI B650-P WiFi", "", []string{"MSI B650-P WiFi ATX", "MSI B650-P WiFi6"}, 1},
		{"Freezer 36", "cooling", []string{"Arctic Freezer 36", "Freezer 36"}, 1},
		// the number is the code's
		{
			"F5-6000J3238F16GX2", "",
			[]string{"G.Skill 32GB (F5-6000J3238F16GX2)", "G.Skill 6000MHz (F5-6000J3238F16GX2)"}, 0,
		},
		{"RTX 4070", "", nil, none},
		{"RTX 4070", "", []string{"", "   ", "4070", "RTX"}, none},
		{"RTX 4070", "", []string{"RTX\u00a04070", "RTX 4070"}, 0},
		{"the", "", []string{"the"}, none},
		{"Logitech MX Keys", "", []string{"Logitech MX Keys DE"}, 0}, // two letters, of which each may be a variant
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			got := Choose(catalog.Query{Text: tt.query, Category: tt.category}, named(tt.names...))
			if got.Index != tt.want || got.Ambiguous {
				t.Errorf("Choose(%q, %q) = %+v; want %d", tt.query, tt.names, got, tt.want)
			}
		})
	}
}

func TestTheLongestQueryIsRead(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("RTX 4070 ", catalog.MaxQueryLength/9))
	if c := Choose(catalog.Query{Text: long}, named("RTX 4080", "RTX 4070")); c.Index != 1 {
		t.Errorf("repeated words: %+v", c)
	}
	if c := Choose(catalog.Query{Text: strings.Repeat("ą", catalog.MaxQueryLength)},
		named(strings.Repeat("a", catalog.MaxQueryLength))); c.Index != 0 {
		t.Errorf("one long word: %+v", c)
	}
}

// Hostile text must cost no more than plain text of its length: ten rows of a
// megabyte each are cut before they are read.
func TestHostileTextIsCheap(t *testing.T) {
	hostile := []string{"4070 ", "ti ", "4070ti", "2x16gb ", "x3", "(((", "....", "1,1", "80+ ", "\u0301", "ddr5 "}
	queries := []string{"RTX 4070", strings.Repeat("1x", 100), strings.Repeat("ti ", 66), strings.Repeat("7 7", 66)}
	started := time.Now()
	for _, h := range hostile {
		names := named(strings.Repeat(h, 1<<20/len(h)))
		for _, q := range queries {
			Choose(catalog.Query{Text: q}, names)
		}
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestBarCodesHaveACheckDigit(t *testing.T) {
	for text, want := range map[string]bool{
		"0740617331691": true, "740617331691": true, "4006381333931": true, "96385074": true, "10012345678902": true,
		"4006381333932": false, "740617331692": false, "96385075": false,
		"920009553": false, "1234567895": false, "12345678905": false, "123456789012343": false, "RTX 4070": false,
		"": false, "40063813339 31": false,
	} {
		if got := IsBarCode(catalog.Query{Text: text}); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestCodesAreLongMixedWordsOrBarCodes(t *testing.T) {
	for word, want := range map[string]string{
		"gvn4070wf3oc12gd": "gvn4070wf3oc12gd", "0a12345678": "0a12345678", "bn343": "", "b650ma": "b650ma",
		"abcdefgh": "", "ripjaws36": "",
		"1234567": "", "12345678": "12345678", "012345678905": "12345678905",
	} {
		if got := codeIn(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestKindOfDepartment(t *testing.T) {
	for department, want := range map[string]string{
		"Karty graficzne": "gpu", "Procesory": "cpu", "Pamięci RAM": "ram", "Płyty główne": "motherboard",
		"Dyski SSD": "storage", "Dyski zewnętrzne": "storage", "Zasilacze komputerowe": "psu",
		"Chłodzenie procesorów":    "cooling",
		"Wentylatory i chłodzenie": "cooling", "Wentylatory komputerowe": "cooling", "Obudowy komputerowe": "case",
		"Podzespoły komputerowe": "", "": "",
		"Laptopy": wholePC, "Komputery stacjonarne": wholePC, "Serwery plików NAS": wholePC,
		"Zasilacze do laptopów": wholePC,
		"Karty pamięci":         otherGoods, "Pamięci USB": otherGoods, "Zasilacze awaryjne UPS": otherGoods,
		"Zasilacze LED": otherGoods, "Obudowy na dyski": otherGoods, "Akcesoria do kart graficznych": otherGoods,
		"Tablety graficzne":   otherGoods,
		"Krzesła komputerowe": otherGoods, "Aparaty bezlusterkowe": otherGoods, "Kamery przemysłowe": otherGoods,
	} {
		if got := kindOfDepartment(department); got != want {
			t.Errorf("%q: %q, want %q", department, got, want)
		}
	}
}

func TestTheRowsOwnCategoryDecides(t *testing.T) {
	for _, tt := range []struct {
		query, name, department string // without a name, it is the query
		hint                    catalog.Category
		fits                    bool
	}{
		{query: "RTX 4060", department: "Karty graficzne", fits: true},
		{query: "RTX 4060", department: "Karty graficzne", hint: "gpu", fits: true},
		{query: "RTX 4060", department: "Podzespoły komputerowe", fits: true},
		{query: "RTX 4060", department: "", fits: true},
		{query: "RTX 4060", department: "Komputery do gier"},
		{query: "RTX 4060", department: "Laptopy"},
		{query: "laptop RTX 4060", department: "Laptopy", fits: true},
		{query: "RTX 4060", department: "Chłodzenie komputerowe"},
		{query: "RTX 4060", department: "Akcesoria do kart graficznych"},
		{query: "RTX 4060", department: "Kable i przejściówki"},
		{query: "RTX 4060", department: "Karty graficzne", hint: "cpu"},
		{query: "Freezer 36", department: "Chłodzenie procesorów", hint: "cooling", fits: true},
		{query: "Freezer 36", department: "Chłodzenie procesorów", hint: "cpu"},
		{query: "Freezer 36", department: "Chłodzenie procesorów", fits: true},
		{query: "MX Keys", department: "Klawiatury", fits: true},
		{query: "mata Razer Strider", name: "Razer Strider", department: "Maty do myszy"},
		{query: "fotelik Recaro", name: "Recaro Rae", department: "Fotele dla graczy"},
		{query: "cooler Deepcool Assassin", name: "Deepcool Assassin", department: "Chłodzenie procesorów", fits: true},
		{query: "dysk zewnętrzny WD Elements 2TB", name: "WD Elements Portable 2TB (WDBU6Y0020BBK)",
			department: "Dyski zewnętrzne", fits: true},
		{query: "dysk zewnętrzny WD Elements 2TB", name: "WD Elements Portable 2TB (WDBU6Y0020BBK)",
			department: "Dyski HDD"},
		{query: "Pamięć Crucial 16GB", department: "Pamięci RAM", fits: true},
		{query: "Pamięć Crucial 16GB", department: "Pamięci do laptopów"},
		{query: "zasilacz 90W", department: "Zasilacze do laptopów"},
		{query: "obudowa Fractal North", name: "Fractal North", department: "Obudowy", fits: true},
		{query: "obudowa Fractal North", name: "Fractal North"},
		{query: "RTX 4060", department: "Konsole"},
		{query: "gygabyte 4060", name: "Gigabyte RTX 4060", hint: "cpu"},
	} {
		q := catalog.Query{Text: tt.query, Category: tt.hint}
		c := Choose(q, []Candidate{{Name: cmp.Or(tt.name, tt.query), Department: tt.department}})
		if (c.Index == 0) != tt.fits {
			t.Errorf("%q (%s) in %q: %+v", tt.query, tt.hint, tt.department, c)
		}
	}
}

func TestMeans(t *testing.T) {
	for _, tt := range []struct {
		query, name string
		means       bool
	}{
		{"Silverstone Alta", "Silver Stone Alta", true},
		{"gygabyte 4060", "Gigabyte RTX 4060", true},
		{"pamięć laptop Kingston 16GB", "Pamięć laptop Kingston 16GB KVR32S22S8", true}, // a code of SO-DIMM
		{"Kingston DDR3 8GB", "Kingston DDR3 8GB PC3-12800K", true},                     // no processor

		// What only says for which product it is.
		{"Samsung 20W", "Ładowarka 20W do Samsung", false},
		{"procesor Dell Precision", "Procesor do Dell Precision", false},
		{"SSD Synology", "SSD do Synology", false},
	} {
		if got := Means(catalog.Query{Text: tt.query}, tt.name); got != tt.means {
			t.Errorf("%q, %q: %t", tt.query, tt.name, got)
		}
	}
}

func TestAChipMeansTheCheapestCard(t *testing.T) {
	rows := []Candidate{
		{Name: "PNY RTX 4060", Price: 1399}, {Name: "MSI GeForce RTX 4060 VENTUS 2X BLACK OC 8GB", Price: 1249},
		{Name: "Zotac RTX 4060 Ti", Price: 999}, {Name: "KFA2 GeForce RTX 4060 1-Click OC", Price: 0},
		{Name: "Gigabyte GeForce RTX 4060 EAGLE OC 8GB", Price: 1299},
		{Name: "Palit RTX 4060 Dual", Price: 900, Single: true},
		{Name: "Gigabyte GeForce RTX 4060 EAGLE OC 8GB outlet", Price: 899},
		{Name: "Gigabyte GeForce RTX 4060 EAGLE 8GB", Price: 1349},
	}
	for query, want := range map[string]Choice{
		"rtx 4060":                           {Index: 1, Others: []int{4, 7, 0, 3, 5}},
		"karta graficzna rtx 4060 8gb gddr6": {Index: 1, Others: []int{4, 7}},
		"gigabyte rtx 4060":                  {Index: 4, Others: []int{7}},
		"gigabyte rtx 4060 eagle":            {Index: 7}, // its name has nothing else
		"rtx 4060 ventus":                    {Index: 1},
	} {
		if got := Choose(catalog.Query{Text: query}, rows); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", query, got, want)
		}
	}
}

func TestAProductOfManyShopsIsPreferred(t *testing.T) {
	rows := []Candidate{{Name: "Samsung 990 PRO 2TB", Single: true}, {Name: "Samsung 990 PRO 2TB M.2 NVMe PCIe 4.0"}}
	if got := Choose(catalog.Query{Text: "samsung 990 pro 2tb"}, rows); got.Index != 1 {
		t.Errorf("%+v, want the one that is not of a single shop", got)
	}
}

func TestATypoIsCorrectedInAWordAlone(t *testing.T) {
	for _, tt := range []struct {
		query string
		names []string
		want  int
	}{
		{"gigab7te rtx 4060", []string{"Gigabyte GeForce RTX 4060"}, none},
		{"gygabyte rtx 4060", []string{"Gigabyte GeForce RTX 4060"}, 0},
		{"GYGABYTE RTX 4060", []string{"Gigabyte GeForce RTX 4060"}, 0},
		{"gigabyterx rtx 4060", []string{"Gigabyte GeForce RTX 4060"}, none},        // two letters
		{"gygabyte rtx 4070", []string{"Gigabyte GeForce RTX 4060"}, none},          // a number
		{"gygabyte rtx 4060 vents", []string{"Gigabyte RTX 4060 Ventus"}, none},     // two words
		{"gygabyte gygabyte rtx 4060", []string{"Gigabyte GeForce RTX 4060"}, none}, // twice
		{"gv-n4060eagel oc-8gd", []string{"Gigabyte (GV-N4060EAGLE OC-8GD)"}, none}, // an order code
		{"endorfy fera", []string{"Endorfy Fera5"}, none},                           // another model
		{"thermaltake tower 500", []string{"Thermaltake Power 500"}, none},          // another word
		{"corsair fyry rm", []string{"Corsair Fury RM"}, none},                      // four letters
		{"corsair lanzer 320", []string{"Corsair Lancer Lanter 320"}, 0},
		{"corsair lite 5", []string{"Corsair Elite 5"}, none},                           // a line
		{"corsair lancer 99", []string{"Corsair Lancer 32", "Corsair Lanzer 99"}, none}, // a word of a row
		{"thermaltake power 500", []string{"Thermaltake Tower 500"}, none},
		{"acer swift 14", []string{"Acer Shift 14"}, none},
		{"acer shift 14", []string{"Acer Swift 14"}, none},
		{"arctic p12", []string{"Arctis P12"}, none},
		{"steelseries arctis 5", []string{"SteelSeries Arctic 5"}, none},
		{"asus light 5", []string{"ASUS Night 5"}, none},
		{"asus night 5", []string{"ASUS Light 5"}, none},
		{"asus prime 5", []string{"ASUS Prism 5"}, none},
		{"asus prism 5", []string{"ASUS Prime 5"}, none},
		{"Samsung DDR4 32GB 3200 UDIMM", []string{"Samsung DDR4 32GB 3200 RDIMM"}, none}, // a server's
		{"asus prine b650m", []string{"ASUS PRIME B650M", "ASUS PRINE B650M"}, 1},
		{"samsung 990 sper", []string{"Samsung 990 SUPER"}, 0},
		{"samsung super 5", []string{"Samsung Supen 5"}, none}, // words that mean something themselves
		{"samsung dual 5", []string{"Samsung Duals 5"}, none},
		{"samsung white 5", []string{"Samsung Write 5"}, none},
		{"samsung mobile 5", []string{"Samsung Mobil 5"}, none},
		{"samsung notebook 5", []string{"Samsung Noteboot 5"}, none},
		{"corsair lanzer 32", []string{"Corsair Lancer 32", "Corsair Lanter 32"}, none}, // either
	} {
		if got := Choose(catalog.Query{Text: tt.query}, named(tt.names...)); got.Index != tt.want {
			t.Errorf("%q of %q: %+v, want %d", tt.query, tt.names, got, tt.want)
		}
	}
}

// Of disks and memory that differ in technology or form factor none is chosen, whatever else fits.
func TestNoneOfDifferentTechnologiesIsChosen(t *testing.T) {
	for query, tt := range map[string]struct {
		names []string
		want  Choice
	}{
		"dysk Seagate 1TB": {[]string{"Dysk Seagate 1TB", "Dysk Seagate 1TB HDD", "Dysk Seagate 1TB SSD"},
			Choice{Index: -1, Ambiguous: true, Others: []int{0, 1, 2}}},
		"dysk Seagatte 1TB": {[]string{"Dysk Seagate 1TB HDD", "Dysk Seagate 1TB SSD"},
			Choice{Index: -1, Ambiguous: true, Others: []int{0, 1}}},
		"Gigabyte Aorus":     {[]string{"Pamięć Gigabyte Aorus DDR5", "Płyta główna Gigabyte Aorus DDR4"}, Choice{}},
		"dysk Seagate 1TB X": {[]string{"Dysk Seagate 1TB X HDD", "Dysk Seagate 1TB SSD"}, Choice{}},
	} {
		if got := Choose(catalog.Query{Text: query}, named(tt.names...)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q of %q: %+v, want %+v", query, tt.names, got, tt.want)
		}
	}
}

func TestTheCorrectionsOfAQueryAreBounded(t *testing.T) {
	query := catalog.Query{Text: "lance"}
	got := corrections(query, named("lancea lanceb lancec lanced", "lancef lanceg lanceh lancei lancej lancek"))
	var texts []string
	for _, c := range got {
		texts = append(texts, c.Text)
	}
	if want := strings.Fields("lancea lanceb lancec lanced lancef lanceg lanceh lancei"); !slices.Equal(texts, want) {
		t.Errorf("%q, want the first %d in order, %q", texts, maxCorrections, want)
	}
}

func TestSocketsAndMemoryTypesAreOneWord(t *testing.T) {
	for text, want := range map[string]int{
		"am5": 2, "am 5": 0, "am50": 0, "am5x": 0, "lga 1700": 2, "lga1700x": 0, "s1150": 2, "s1151": 2, "s1155": 2,
		"s1200": 2, "s1700": 2, "s1851": 2, "s2066": 2, "socket 1700": 2, "gniazdo 1200": 2, "s1701": 0, "s1700x": 0,
		"gddr6x": 3, "gddr6 x trio": 2, "gddr6": 2, "gddr6xt": 0, "rtx 4070": 0,
	} {
		if got := standard(scan([]rune(text))); got != want {
			t.Errorf("%s: %d tokens, want %d", text, got, want)
		}
	}
}

func TestTitlesOfOffersThatAreNotPlain(t *testing.T) {
	const card, phone, disk = "MSI GeForce RTX 4060 VENTUS 2X BLACK 8G OC", "Apple iPhone 15 128GB Czarny",
		"Samsung 990 PRO 2TB"
	for _, tt := range []struct {
		product, title string
		plain          bool
	}{
		{card, "", true},
		{card, "Karta graficzna MSI GeForce RTX 4060 VENTUS 2X BLACK OC 8GB GDDR6", true},
		{card, "MSI RTX 4060 VENTUS OUTLET powystawowy", false},
		{card, "MSI RTX 4060 VENTUS (B-Stock)", false},
		{card, "Karta MSI RTX 4060 VENTUS używana, gwarancja", false},
		{card, "MSI RTX 4060 VENTUS zwrot 14 dni", false},
		{card, "MSI RTX 4060 VENTUS DARMOWY ZWROT 14 dni", true},
		{card, "MSI RTX 4060 VENTUS, 30 dni na zwrot", true},
		{card, "MSI RTX 4060 VENTUS możliwość zwrotu", true},
		{card, "MSI RTX 4060 VENTUS po zwrocie, darmowa wysyłka", false},
		{card, "Fan Gigabyte RTX 4060 Windforce", false},
		{card, "Mini PC RTX 4060", false},
		{card, "MSI RTX 4060 VENTUS 2X 8G + gra Star Wars Outlaws GRATIS", true},
		{card, "MSI RTX 4060 VENTUS 2X 8G + zasilacz GRATIS", false},
		{card, "Laptop MSI Thin GF63 RTX 4060", false},
		{card, "ASUS TUF Gaming A15 RTX 4060", false},
		{card, "PROMOCJA! Karta MSI RTX 4060 VENTUS 2X", true},
		{card, "VENTUS 2X RTX 4060 8G", true},
		{card, "VENTUS", true},
		{"MSI GeForce RTX 4060 VENTUS 2X", "MSI RTX 4060 VENTUS 2X 8GB", true}, // of which the product says nothing
		{card, "Karta graficzna MSI GeForce RTX 4060 VENTUS 2X, PCIe 4.0 x16, 15 dni na zwrot", true},
		{card, "Backplate MSI RTX 4060 VENTUS 2X", false},
		{card, "Wentylator do karty MSI RTX 4060 VENTUS 2X", false},
		{card, "Komputer gamingowy RTX 4060 VENTUS 16GB", false},
		{card, "MSI RTX 4060 VENTUS 2X 8GB + Ryzen 5 7600", false},
		{phone, "Apple iPhone 15 128GB Czarny (Black) WIOSNA Z NOWĄ MOCĄ W SUPER CENIE", true},
		{phone, "Smartfon Apple iPhone 15 5G 6/128GB czarny", true},
		{phone, "Apple iPhone 15 128GB Black - darmowy odbiór w 22 miastach i bezpłatny zwrot Paczkomatem aż do 15 dni",
			true},
		{phone, "Smartfon APPLE iPhone 15 256GB", false},
		{phone, "Smartfon Apple iPhone 15 128GB odnowiony", false},
		{phone, "Etui do iPhone 15", false},
		{phone, "Apple iPhone 15 128GB Mobile", true},
		{phone, "Zestaw Apple iPhone 15 128GB i etui", false},
		{phone, "Apple iPhone 15 128GB komplet", false},
		{phone, "Apple iPhone 15 128GB + etui", false},
		{disk, "Samsung 990 PRO 2TB heatsink", false},
		{"Logitech MK295 zestaw", "Logitech MK295 zestaw", true},
		{phone, "Uchwyt Apple iPhone 15 128GB", false},
		{phone, "Apple iPhone 15, pamięć 128GB", true},
		{disk, "Obudowa Samsung 990 PRO 2TB", false},
		{disk, "Dysk SSD Samsung 990 PRO 2TB M.2 PCIe 4.0", true},
		{disk, "Dysk SSD Samsung 990 PRO 1TB", false},
		{disk, "Dysk Samsung 990 PRO 2TB recertyfikowany", false},
		{"Kingston FURY Beast 32GB (2x16GB) 6000MHz", "Pamięć Kingston Fury Beast 2x16GB DDR5 6000", true},
		{"Kingston FURY Beast 32GB (2x16GB) 6000MHz", "Pamięć Kingston Fury Beast 16GB DDR5 6000", false},
		{"AMD Ryzen 7 7800X3D BOX", "Procesor AMD Ryzen 7 7800X3D, AM5, 4.2GHz, 96 MB", true},
		{"AMD Ryzen 7 7800X3D BOX", "Zestaw AMD Ryzen 7 7800X3D i płyta", false},
		{card, "WYPRZEDAŻ! MSI RTX 4060 VENTUS 2X", true},
		{card, "Raty 0% MSI RTX 4060 VENTUS 2X", true},
		{card, "24h FV23% MSI RTX 4060 VENTUS 2X + gra GRATIS", true},
		{card, "Graphics card MSI RTX 4060 VENTUS 2X", true},
		{card, "Black Friday MSI RTX 4060 VENTUS 2X", true},
		{disk, "Samsung 990 PRO 2TB nowy, nie używany", true},
		{disk, "Samsung 990 PRO 2TB zwrot do 30 dni", true},
		{disk, "Samsung 990 PRO 2TB dysk do PC i laptopa", true},
		{"Samsung 990 PRO 2TB", "Samsung 990 PRO 2TB PCIe 4.0 x4", true},
		{"Arctic P12 PWM PST", "Arctic P12 PWM PST 5 szt.", false},
		{"Arctic P12 PWM PST", "Arctic P12 PWM PST 2-pak", false},
		{"Arctic P12 PWM PST", "Arctic P12 PWM PST x3", false},
		{"Arctic P12 PWM PST", "Arctic P12 PWM PST 1 szt.", true},
		{"Arctic P12 PWM PST 5 szt.", "Arctic P12 PWM PST 5-Pack", true},
	} {
		if got := IsPlain(tt.product, tt.title); got != tt.plain {
			t.Errorf("%q as %q: %t", tt.product, tt.title, got)
		}
	}
}

// FuzzChoose: the choice is one of the names and matches alone, too.
func FuzzChoose(f *testing.F) {
	f.Add("RTX 4070 Ti", "Gigabyte RTX 4070 Ti 12GB", "Gigabyte RTX 4070 12GB")
	f.Add("karta graficzna", "(((", "karta graficzna)")
	f.Add("80+ Gold 750W", "750 W 80 Plus Gold", "")
	f.Add("i5-14600K", "Intel Core i5 14600KF", "i5‑14600K BOX")
	f.Add("RTX 4070 Ti", "Gigabyte RTX4070Ti (GV-N407T) 2x16GB 80+", "RTX 4070 Ti")
	f.Add("DDR5 32GB 6000 CL30", "1,5 .5 5. M.2 x + 9999999999999999999999tb", "DDR5")
	f.Add("WD Blue 1TB", "WD Blue 1TB HDD", "WD Blue 1TB SSD")
	f.Add("ddr5 2x16 6000", "DDR5 32GB (2x16GB) 6000MHz", "2x16x6000")
	f.Fuzz(func(t *testing.T, text, a, b string) {
		q := catalog.Query{Text: text}
		for _, names := range [][]string{{a, b}, {b, a}} {
			c := Choose(q, named(names...))
			switch {
			case c.Index < -1 || c.Index > 1, c.Ambiguous && (c.Index != -1 || len(c.Others) != 2):
				t.Errorf("%q of %q: %+v", text, names, c)
			case c.Index >= 0 && !Means(q, names[c.Index]):
				t.Errorf("%q of %q: %+v, which does not match alone", text, names, c)
			}
		}
	})
}

// BenchmarkChoose chooses among the rows of a long page of results.
func BenchmarkChoose(b *testing.B) {
	var rows []Candidate
	for _, p := range readPairs(b, "testdata/pairs/gpu.txt") {
		rows = append(rows, p.candidate)
	}
	q := catalog.Query{Text: "karta graficzna gigabyte rtx 4070 super gaming oc"}
	for b.Loop() {
		Choose(q, rows[:100])
	}
}
