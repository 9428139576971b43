package match

import (
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

// Each template is completed with each of the words, and its category is the same for all.
func TestWordsNameTheCategory(t *testing.T) {
	for _, tt := range []struct {
		template, words string
		want            catalog.Category
	}{
		{"* modułowy do komputera", "zasilacz", "psu"},
		{"czarna *", "obudowa", "case"},
		{"* asus prime", "płyta", "motherboard"},
		{"*", "dysk", "storage"},
		{"*", "procesor", "cpu"},
		{"*", "pamięć", "ram"},
		{"* procesora", "chłodzenie chłodnica wentylator wentylatory cooler", "cooling"},
		{"* rtx 4080", "ekwb barrow bitspower bykski heatkiller", "cooling"},
		{"ek quantum rtx 4080", "", "cooling"},
		{"ek vector rtx 4080", "", "cooling"},

		// Computers, and goods around components, are none of the categories.
		{"* procesor", "komputer minipc serwer laptop notebook ideapad inspiron katana legion loq macbook omen " +
			"optiplex thinkpad " +
			"victus vivobook vostro zbox zenbook", ""},
		{"mini pc procesor", "", ""},
		{"* procesor", "adapter blok eisblock karton kieszeń microsd monoblok monoblock osłona pasta pendrive " +
			"przewód pudełko radiator " +
			"ramka riser shroud śledź stojak ups waterblock nvlink", ""},
		{"karta pamięci 128gb ssd", "", ""},
		{"water block rtx 4080", "", ""},
		{"thermal pad rtx 4080", "", ""},
		{"anti sag rtx 4080", "", ""},
		{"* procesor", "backplate kable kabel cable naklejka podkładka przejściówka termopad thermopad thermalpad " +
			"uchwyt wspornik " +
			"zaślepka podpórka holder bracket sticker antisag", ""},
		{"zasilacz do *", "laptopa notebooka", ""},

		// Chips by their series.
		{"*", "rtx gtx geforce radeon quadro", "gpu"},
		{"* 1030", "gt", "gpu"},
		{"* 580", "rx", "gpu"},
		{"* 12", "gt rx", ""},
		{"* turbo", "gt", ""},
		{"arc * 580", "a b", "gpu"},
		{"arc * 580", "c", ""},
		{"*", "ryzen threadripper xeon celeron pentium athlon", "cpu"},
		{"*", "i3 i5 i7 i9", "cpu"},
		{"*", "i1 i4 i8 i55 i57", ""},
		{"ultra *", "3 5 7 9", "cpu"},
		{"ultra *", "4 55", ""},
		{"sandisk ultra", "", ""},
		{"i *", "5 7", ""},
		{"i-*", "5 7", ""},
		{"*", "gddr6 gddr6x", "gpu"},
		{"4070 *", "ti super xtx gre", "gpu"},
		{"470 *", "ti super", ""},
		{"* super", "twin a4070", ""},
		{"5800 x3d", "", "cpu"},
		{"* x3d", "9 580 58000", ""},
		{"*", "14600kf 14600f 12900ks", "cpu"},
		{"*", "24600kf 14600xt 1460kf", ""},
		{"14600 kf", "", ""},
		{"ryzen 5 rtx 4060", "", ""}, // two kinds

		// Motherboards by their chipset.
		{"msi *-a", "a320m a520m a620m b350 b360 b365 b450 b460 b550 b560 b650 b660 b760 b840 b850 b860 h310 h370 " +
			"h410 h470 h570 h610 h670 " +
			"h770 q370 q470 q570 q670 q870 x370 x470 x570 x670 x870 z370 z390 z490 z590 z690 z790 z890 b650e",
			"motherboard"},
		{"msi *-a", "a650 b600 b55 b5500 h650 x650 z600 c650 650 1b650", ""},
		{"b 650", "", ""},

		// Disks by their series.
		{"*", "ssd hdd nvme barracuda ironwolf firecuda exos kc3000 sn850 sn850x", "storage"},
		{"sn abc", "", ""},
		{"wd sn", "", ""},
		{"sn 850", "", ""},
		{"samsung * pro", "860 870 960 970 980 990 9100", "storage"},
		{"samsung 990 *", "pro evo qvo", "storage"},
		{"samsung *", "990 980", ""},
		{"samsung 990 max", "", ""},

		// Amounts, and makers that make little else of such amounts.
		{"* 1tb", "adata apacer corsair crucial goodram hat kingston kioxia lexar patriot pny sandisk seagate skill " +
			"gskill silicon toshiba transcend wd", "storage"},
		{"* 240gb", "kingston", "storage"},
		{"* 239gb", "kingston", ""},
		{"* 16gb 3200", "adata apacer corsair crucial goodram hat kingston kioxia lexar patriot pny sandisk seagate " +
			"skill gskill silicon toshiba transcend wd", "ram"},
		{"kingston 16gb *", "3200 3200mhz cl16", "ram"},
		{"kingston 16gb *", "320 32000", ""},
		{"2x8gb *", "3200 3200mhz cl16", "ram"},
		{"2x8gb", "", ""},
		{"*", "ddr5 dimm sodimm vengeance ripjaws trident dominator ballistix", "ram"},
		{"* 2tb", "vengeance", ""},
		{"* 750w", "quiet bequiet chieftec corsair endorfy msi asus reactor seasonic thermaltake toughpower", "psu"},
		{"*", "chieftec seasonic 750w", ""},
		{"80 plus *", "gold modular", "psu"},
		{"*", "noctua freezer peerless", "cooling"},
	} {
		words := strings.Fields(tt.words)
		if tt.words == "" {
			words = []string{""}
		}
		for _, word := range words {
			text := strings.ReplaceAll(tt.template, "*", word)
			if got := Category(catalog.Query{Text: text}); got != tt.want {
				t.Errorf("%q: category %q, want %q", text, got, tt.want)
			}
		}
	}
}

func TestNamesOfLaptops(t *testing.T) {
	for names, want := range map[string]bool{
		"MSI Cyborg, MSI Raider, Acer Helios, Acer Triton, ASUS Zephyrus, ASUS ProArt Studiobook, ASUS ROG Scar, MSI " +
			"Crosshair, Alienware, " +
			"Medion Erazer, Zotac Magnus, MSI Vector, MSI Stealth, MSI Bravo, " +
			"Lenovo LOQ, ASUS ROG NUC, Acer Aspire": true,
		"Gigabyte AORUS 15, Gigabyte Aero 16, MSI Pulse 17, Acer Nitro 16, Acer Nitro 18, Acer Nitro 13, XMG Neo 16, " +
			"MSI Thin 15, MSI Sword 16, ASUS TUF Dash 15, " +
			"MSI Creator 16, ASUS TUF Gaming 15, ASUS ROG Strix 16, Razer Blade 14, Acer Swift 14, Swift X 14, AORUS " +
			"16X, AORUS 15P": true,
		"ASUS TUF A15, ASUS TUF F17, ASUS ROG G16, ASUS ROG M16, MSI V15, Gigabyte A5, Gigabyte A7, Gigabyte G5, " +
			"Gigabyte G6X, Gigabyte G7": true,
		"MSI GF63, MSI GP76, MSI GE78, MSI GS66, Acer AN515, laptop 15.6, MSI 16.1 cala, MSI 17,3": true,
		"Gigabyte AORUS 12, Gigabyte AORUS 19, MSI 15, Swift X 20, AORUS 15XY, AORUS 15XYZ, Gigabyte A6, Gigabyte " +
			"G4, ASUS A12, ASUS A19, ASUS TUF C15, " +
			"MSI GF633, MSI GX63, Acer AN51, MSI RTX15, karta 15.5, MSI Gaming X 15W, (Cyborg 1), 15, karta " +
			"N4060-G5-8GD, " +
			"karta 17.3 cm, X 14, MSI Gaming OC 16, INNO3D Twin X 16, ASUS ROG Strix 1660": false,
	} {
		for name := range strings.SplitSeq(names, ", ") {
			if got := alone(name).isLaptop(); got != want {
				t.Errorf("%q: %t", name, got)
			}
		}
	}
}

// cards are the makers of the names of cards.
const cards = "Acer Afox AMD Aorus ASRock ASUS Biostar Club3D Colorful EVGA Gainward Gigabyte INNO3D Intel KFA2 " +
	"Leadtek Manli " +
	"Matrox Maxsun MSI NVIDIA Palit PNY PowerColor Sapphire Sparkle XFX Yeston Zotac"

func TestAChipWithAMakerMeansItsCheapestCard(t *testing.T) {
	for maker := range strings.FieldsSeq(cards) {
		query := maker + " RTX 4060"
		got := Choose(catalog.Query{Text: query},
			[]Candidate{{Name: query, Price: 1399}, {Name: query + " Twin 8GB", Price: 1299}})
		if got.Index != 1 || len(got.Others) != 1 {
			t.Errorf("%s: %+v, want the cheaper one of two", query, got)
		}
	}
	for _, query := range strings.Split("GT 1030, GTX 1660 SUPER, RX 7900 GRE, RX 7900 XT, RX 7900 XTX, RX 580, Arc "+
		"A770, Arc B580, RTX 4090 D, RTX 4070 Ti, "+
		"GeForce RTX 4060, Radeon RX 7600, Quadro RTX 4000", ", ") {
		got := Choose(catalog.Query{Text: query},
			[]Candidate{{Name: query, Price: 1399}, {Name: query + " Twin 8GB", Price: 1299}})
		if got.Index != 1 {
			t.Errorf("%s: %+v, want the cheaper one", query, got)
		}
	}
	// not just a chip
	for query := range strings.SplitSeq("Gigabyte 4060, Karta graficzna Gigabyte, RTX 4060 115W", ", ") {
		got := Choose(catalog.Query{Text: query},
			[]Candidate{{Name: query, Price: 1399}, {Name: query + " Twin 8GB", Price: 1299}})
		if got.Index != 0 {
			t.Errorf("%s: %+v, want the one that says nothing else", query, got)
		}
	}
}

func TestCardsBeginWithAMakerAChipOrTheirKind(t *testing.T) {
	for _, tt := range []struct {
		starts string
		card   bool
	}{
		{"A770 B580 D GTX GT RTX RX XT XTX GRE Ti SUPER Arc GeForce Radeon Quadro Karta Graficzna Nowa Nowość VGA " +
			"Grafika Promocja! Okazja! HIT!! GPU GDDR6 PCIe " + cards, true},
		{"(2Fan)RTX 8GB/RTX", true},
		{"Fan Shroud Etui Razer Dell Zestaw", false},
	} {
		for start := range strings.FieldsSeq(tt.starts) {
			name := start + " Dual 4060"
			if got := alone(name).startsAsCard(); got != tt.card {
				t.Errorf("%q: %t", name, got)
			}
		}
	}
}

func TestFormOfABoardFollowsItsChipset(t *testing.T) {
	for name, want := range map[string]string{
		"MSI B650 Tomahawk": "atx", "MSI PRO B650M-P": "matx", "Gigabyte B650I AX": "itx",
		"ASUS ROG STRIX X870E-E": "atx", "Gigabyte TRX50": "",
	} {
		if got := alone(name).boardForm(); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// alone reads a name without a question.
func alone(s string) name { return readName(Candidate{Name: s}, "", question{}) }

func TestOneEditIsALetterMoreLessElseOrTwoSwapped(t *testing.T) {
	for pair, want := range map[string]bool{
		"ab ab": true, "ab abc": true, "abc ac": true, "abc axc": true, "abcd acbd": true, "abc cba": false,
		"abcd abdc": true, "abcd axyd": false, "abc abcde": false,
		"abcde ac": false, "ab ba": true, "ab bc": false, "ab cd": false, "abc bca": false, "a ": true, "ab ": false,
	} {
		a, b, _ := strings.Cut(pair, " ")
		if isOneEdit(a, b) != want || isOneEdit(b, a) != want {
			t.Errorf("%q and %q: want %t", a, b, want)
		}
	}
}
