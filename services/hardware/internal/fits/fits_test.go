package fits

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/catalog"
)

func TestNamesRevealSocketAndMemory(t *testing.T) {
	for _, tt := range []struct {
		category catalog.Category
		name     string
		want     string
	}{
		{"cpu", "AMD Ryzen 5 5600", "AM4, DDR4"},
		{"cpu", "AMD Ryzen 5 3400G", "AM4, DDR4"},
		{"cpu", "AMD Ryzen 9 5900XT", "AM4, DDR4"},
		{"cpu", "r7 5700x3d", "AM4, DDR4"},
		{"cpu", "AMD Ryzen 7 9800X3D BOX", "AM5, DDR5"},
		{"cpu", "AMD Ryzen 5 8400F", "AM5, DDR5"},
		{"cpu", "AMD Ryzen 9 9950X3D2", "AM5, DDR5"},
		{"cpu", "Intel Core i7-7700K", "LGA1151"},
		{"cpu", "Intel Core i5-9400F", "LGA1151 v2, DDR4"},
		{"cpu", "Intel Core i3-10105F", "LGA1200, DDR4"},
		{"cpu", "Intel Pentium Gold G6400", "LGA1200, DDR4"},
		{"cpu", "Intel Core i9‑14900F", "LGA1700, DDR4/DDR5"}, // a dash that does not break
		{"cpu", "Intel Celeron G5905", "LGA1200, DDR4"},
		{"cpu", "Intel Celeron G6900", "LGA1700, DDR4/DDR5"},
		{"cpu", "Intel Pentium G7400", "LGA1700, DDR4/DDR5"},
		{"cpu", "Intel® Core™ Ultra 7 265KF", "LGA1851, DDR5"},
		{"cpu", "AMD\u00a0Ryzen\u00a05\u00a05600", "AM4, DDR4"}, // spaces that do not break
		// Laptops, workstations, and what no name of a model is.
		{"cpu", "AMD Ryzen 7 7735HS", ""},
		{"cpu", "Ryzen 5 5500U", ""},
		{"cpu", "AMD 4700S", ""},
		{"cpu", "AMD Ryzen Threadripper 3970X", ""},
		{"cpu", "AMD Ryzen AI 9 HX 370", ""},
		{"cpu", "Intel Core i7-12700H", ""},
		{"cpu", "Intel Core i5-1135G7", ""},
		{"cpu", "Intel Core i9-10900X", ""},
		{"cpu", "Intel Core i7-6800K", ""},
		{"cpu", "Intel Core Ultra 7 258V", ""},
		{"cpu", "Intel Core Ultra 7 155H", ""},
		{"cpu", "Intel Core i5-4690K", ""},
		{"cpu", "Intel Core i9", ""},
		{"motherboard", "ASRock A520M‑HDV", "AM4, DDR4"},
		{"motherboard", "Gigabyte X570S AORUS ELITE", "AM4, DDR4"},
		{"motherboard", "MSI MAG B650 TOMAHAWK WIFI", "AM5, DDR5"},
		{"motherboard", "MSI B840 GAMING PLUS WIFI", "AM5, DDR5"},
		{"motherboard", "Gigabyte X870E AORUS PRO", "AM5, DDR5"},
		{"motherboard", "ASRock B650 PRO RS DDR4", "AM5"}, // contradicts the table
		{"motherboard", "ASUS PRIME Z270-A", "LGA1151"},
		{"motherboard", "ASUS H110M-K D3", "LGA1151, DDR3"},
		{"motherboard", "MSI Z390-A PRO", "LGA1151 v2, DDR4"},
		{"motherboard", "ASRock H310CM-DVS", ""},
		{"motherboard", "Gigabyte H410M S2H V3", "LGA1200, DDR4"},
		{"motherboard", "ASRock B760 PRO RS/D4 WIFI", "LGA1700, DDR4"},
		{"motherboard", "ASUS PRO B660M‑C D4‑CSM", "LGA1700, DDR4"},
		{"motherboard", "ASRock H610M‑HDV/M.2+ D5", "LGA1700, DDR5"},
		{"motherboard", "Gigabyte B760 DS3H", "LGA1700"},
		{"motherboard", "NZXT N7 Z790 Black", "LGA1700"},
		{"motherboard", "Onda B760 DDR5 DDR4", "LGA1700, DDR4/DDR5"},
		{"motherboard", "ASUS PRIME Z890M-PLUS WIFI", "LGA1851, DDR5"},
		{"motherboard", "Gigabyte TRX50 AERO D", ""},
		{"motherboard", "AMD Ryzen 5 5600", ""},
		{"ram", "Kingston Fury Beast DDR5 6000 C30 2x16GB", "DDR5"},
		{"ram", "G.Skill D4-3200 2x8GB", "DDR4"},
		{"ram", "Pamięć DDR5 Lexar Ares DDR5-6000", "DDR5"},
		{"ram", "Crucial 16GB DDR4 3200 SO-DIMM", ""},
		{"ram", "Goodram 16GB DDR4 3200 SO DIMM", ""},
		{"ram", "Samsung 32GB DDR4 2400 ECC REG", ""},
		{"ram", "Crucial 16GB DDR4 3200 do laptopa", ""},
		{"ram", "Goodram 16GB DDR4 / DDR5", ""},
		{"ram", "Hynix 64GB DDR4 2666 LRDIMM", ""},
		{"ram", "Crucial Pro 32GB 6000", ""},
		{"gpu", "RTX 4070 DDR5", ""},
	} {
		if got := Read(tt.category, tt.name).String(); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.category, tt.name, got, tt.want)
		}
	}
}

func TestEveryChipsetHasItsSocket(t *testing.T) {
	for socket, chipsets := range map[string]string{
		"AM4":        "A320 B350 X370 B450 X470 A520 B550 X570",
		"AM5":        "A620 B650 X670 B840 B850 X870",
		"LGA1151":    "H110 B150 H170 Z170 Q150 Q170 B250 H270 Z270 Q250 Q270",
		"LGA1151 v2": "H310 B360 B365 H370 Q370 Z370 Z390",
		"LGA1200":    "H410 B460 H470 Q470 Z490 H510 B560 H570 Q570 Z590",
		"LGA1700":    "H610 B660 H670 Q670 Z690 B760 H770 Z790",
		"LGA1851":    "H810 B860 Q870 Z890",
		"":           "X99 X299 B250ABCDE TRX40 H310C",
	} {
		for chipset := range strings.FieldsSeq(chipsets) {
			for _, name := range []string{"MSI " + chipset + "-A", strings.ToLower(chipset)} {
				if got := Read("motherboard", name).Socket; got != socket {
					t.Errorf("%s: %q, want %q", name, got, socket)
				}
			}
		}
	}
}

func TestDashesAndMarksOfNamesDoNotMatter(t *testing.T) {
	for name := range strings.SplitSeq("AMD Ryzen™ 5 5600, AMD Ryzen® 5 5600, AMD Ryzen 5-5600, AMD "+
		"Ryzen\u20105\u20105600, AMD Ryzen\u20115\u20115600, "+
		"AMD Ryzen\u20125\u20125600, AMD Ryzen\u20135\u20135600, ryzen5 5600", ", ") {
		if got := Read("cpu", name).Socket; got != "AM4" {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestVerdicts(t *testing.T) {
	const ok, no, open, none = Compatible, Incompatible, Unknown, Verdict("")
	for name, tt := range map[string]struct {
		parts string // category and name of each
		want  []Verdict
	}{
		"all fit": {"cpu Ryzen 7 7800X3D; motherboard MSI B650 Tomahawk; ram Fury DDR5 6000",
			[]Verdict{ok, ok, ok}},
		"another maker's socket":  {"cpu Core i9-14900K; motherboard MSI B650 Tomahawk", []Verdict{no, no}},
		"older socket":            {"cpu Ryzen 5 5600; motherboard MSI B650 Tomahawk", []Verdict{no, no}},
		"LGA1151 of two kinds":    {"cpu i5-9400F; motherboard Z270-A", []Verdict{no, no}},
		"memory of the board":     {"motherboard PRIME B760M-R D4; ram Fury DDR5 6000", []Verdict{no, no}},
		"memory of the processor": {"cpu Ryzen 7 7700; ram Vengeance DDR4 3200", []Verdict{no, no}},
		"memory alone is wrong": {"cpu Core i5-12400; motherboard PRO B760M-P DDR4; ram Fury DDR5",
			[]Verdict{ok, no, no}},
		"the board does not say": {"cpu Core i5-12400; motherboard Gigabyte B760 DS3H; ram Fury DDR4",
			[]Verdict{ok, open, open}},
		"processor of a laptop":         {"cpu Ryzen 7 7735HS; motherboard MSI B650 Tomahawk", []Verdict{open, open}},
		"unknown board":                 {"cpu Ryzen 7 7700; motherboard Gigabyte TRX50 AERO D", []Verdict{open, open}},
		"unknown memory":                {"cpu Ryzen 7 7700; ram Crucial Pro 32GB", []Verdict{open, open}},
		"new processor on an old board": {"cpu Ryzen 5 5600; motherboard ASRock A320M-HDV", []Verdict{open, open}},
		"old processor on a new board":  {"cpu Ryzen 5 2600; motherboard MSI B550-A PRO", []Verdict{open, open}},
		"Zen 2 on the first boards":     {"cpu Ryzen 5 3600; motherboard ASUS PRIME B350-PLUS", []Verdict{open, open}},
		"first Ryzen on X570":           {"cpu Ryzen 7 1700; motherboard ASUS PRIME X570-P", []Verdict{open, open}},
		"Zen 2 on X370":                 {"cpu Ryzen 5 3600; motherboard ASUS PRIME X370-PRO", []Verdict{open, open}},
		"old processor on A520":         {"cpu Ryzen 5 2600; motherboard ASRock A520M-HDV", []Verdict{open, open}},
		"old graphics on B550":          {"cpu Ryzen 3 3200GE; motherboard MSI B550-A PRO", []Verdict{open, open}},
		"second Ryzen on X570":          {"cpu Ryzen 7 2700X; motherboard ASUS PRIME X570-P", []Verdict{ok, ok}},
		"first graphics on X570":        {"cpu Ryzen 5 2400G; motherboard ASUS PRIME X570-P", []Verdict{open, open}},
		"old graphics on a new board":   {"cpu Ryzen 5 3400G; motherboard ASRock A520M-HDV", []Verdict{open, open}},
		"B450 takes all":                {"cpu Ryzen 7 5800X3D; motherboard MSI B450 Tomahawk MAX", []Verdict{ok, ok}},
		"Rocket Lake on H410":           {"cpu Core i5-11400F; motherboard ASUS H410M-K", []Verdict{open, open}},
		"Rocket Lake on B460":           {"cpu Core i5-11400F; motherboard MSI B460M-A PRO", []Verdict{open, open}},
		"Comet Lake on H410":            {"cpu Core i5-10400F; motherboard ASUS H410M-K", []Verdict{ok, ok}},
		"order does not matter":         {"motherboard ASUS H410M-K; cpu Core i5-11400F", []Verdict{open, open}},
		"memory before the board":       {"ram Fury DDR5 6000; motherboard MSI B650 Tomahawk", []Verdict{ok, ok}},
		"card before the processor":     {"gpu RTX 4070; cpu Ryzen 7 7700", []Verdict{none, none}},
		"nothing to compare":            {"cpu Ryzen 7 7700; gpu RTX 4070; storage NM790", []Verdict{none, none, none}},
		"too weak a supply":             {"cpu Ryzen 7 7700; gpu RTX 5090; psu RM750x", []Verdict{none, no, no}},
		"unknown first": {"cpu Ryzen 7 7700; motherboard Gigabyte TRX50 AERO D; ram Fury DDR4",
			[]Verdict{no, open, no}},
		"the worst of several": {"cpu Ryzen 7 7700; cpu Core i5-12400; motherboard MSI B650 Tomahawk",
			[]Verdict{ok, no, no}},
	} {
		if got := Verdicts(readBuild(tt.parts)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestAProductAddsToItsQuery(t *testing.T) {
	for _, tt := range []struct{ query, product, want string }{
		{"B760M-R", "ASUS PRIME B760M-R D4", "LGA1700, DDR4"},
		{"B760M-R", "", "LGA1700"},
		{"B650 Tomahawk", "MSI MAG B650 TOMAHAWK WIFI", "AM5, DDR5"},
		{"B650 Tomahawk", "MSI MAG B550 TOMAHAWK", ""}, // another one
	} {
		if got := Read("motherboard", tt.query, tt.product).String(); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.query, tt.product, got, tt.want)
		}
	}
}

// readBuild reads "category name; category name".
func readBuild(text string) (parts []Part) {
	for part := range strings.SplitSeq(text, "; ") {
		category, name, _ := strings.Cut(part, " ")
		parts = append(parts, Read(catalog.Category(category), name))
	}
	return parts
}

func TestChecks(t *testing.T) {
	const (
		watts   = "Szacujemy do "
		room    = "Obudowa mieści płyty do "
		noRoom  = "Z nazw nie wynika, jakie płyty mieści obudowa."
		bios    = "Procesor jest nowszy od chipsetu płyty, więc może wymagać nowszego BIOS-u."
		noMount = "Nazwa chłodzenia nie mówi, czy ma mocowanie do gniazda płyty."
	)
	for build, want := range map[string]Check{
		"motherboard MSI B650 Tomahawk; cooling Arctic Freezer 36 AM5 LGA1700": {
			Verdict: Compatible, Reason: "Nazwa chłodzenia wymienia gniazdo AM5."},
		"motherboard MSI B650 Tomahawk; cooling be quiet! Dark Rock 4": {Verdict: Unknown, Reason: noMount},
		"motherboard Onda XYZ; cooling Arctic Freezer 36 AM5":          {Verdict: Unknown, Reason: noMount},
		"motherboard MSI B650 Tomahawk; case NZXT H510 Midi Tower": {
			Verdict: Compatible, Reason: room + "ATX, a ta ma format ATX."},
		"motherboard ASRock B650M PG Riptide; case Cooler Master Q300L micro-ATX": {
			Verdict: Compatible, Reason: room + "Micro-ATX, a ta ma format Micro-ATX."},
		"motherboard MSI B650 Tomahawk; case Cooler Master Q300L mATX": {
			Verdict: Incompatible, Reason: room + "Micro-ATX, a ta ma format ATX."},
		"motherboard ASUS ROG STRIX B650E-I; case Fractal Design Terra Mini-ITX": {
			Verdict: Compatible, Reason: room + "Mini-ITX, a ta ma format Mini-ITX."},
		"motherboard ASRock A520M-ITX/ac; case Fractal Design Terra Mini ITX": {
			Verdict: Compatible, Reason: room + "Mini-ITX, a ta ma format Mini-ITX."},
		"motherboard ASUS X870E HERO E-ATX; case Corsair 4000D ATX": {
			Verdict: Incompatible, Reason: room + "ATX, a ta ma format E-ATX."},
		"motherboard MSI B650 Tomahawk; case Endorfy Signum 300": {Verdict: Unknown, Reason: noRoom},
		"motherboard MSI B650 Tomahawk; storage Samsung 990 PRO 2TB M.2 NVMe": {
			Verdict: Compatible, Reason: "Płyty z gniazdem AM5 mają gniazdo M.2."},
		"motherboard ASUS H110M-K; storage Lexar NM790 NVMe": {
			Verdict: Unknown, Reason: "Sprawdź, czy płyta ma gniazdo M.2."},
		"psu Corsair RM850x; gpu Gigabyte RTX 4070 Ti SUPER Windforce": {
			Verdict: Compatible, Reason: watts + "535 W (karta 285, procesor 150, reszta 100), a zasilacz ma 850 W."},
		"psu be quiet! Pure Power 12 M 650W; gpu MSI RTX 5090; cpu Intel Core i9-14900K": {
			Verdict: Incompatible, Reason: watts + "925 W (karta 575, procesor 250, reszta 100), a zasilacz ma 650 W."},
		"psu Seasonic Focus GX-750; gpu Sapphire Pulse RX 9070XT": {
			Verdict: Compatible, Reason: watts + "554 W (karta 304, procesor 150, reszta 100), a zasilacz ma 750 W."},
		"psu SilentiumPC Vero; gpu RTX 4060": {Verdict: Unknown,
			Reason: "Z nazw nie wynika moc zasilacza albo karty."},
		"cpu Ryzen 7 9700X; motherboard MSI B650 Tomahawk": {Verdict: Compatible, Reason: bios},
		"cpu Ryzen 7 9700X; motherboard MSI B850 Tomahawk": {Verdict: Compatible},
		"cpu i5-14600K; motherboard MSI PRO Z690-A DDR4":   {Verdict: Compatible, Reason: bios},
		"cpu i5-12400F; motherboard MSI PRO B760M-P DDR4":  {Verdict: Compatible},
		"cpu Ryzen 7 9700X; motherboard Gigabyte TRX50": {Verdict: Unknown,
			Reason: "Sprawdź na stronie producenta płyty."},
		"cpu Ryzen 7 9700X; motherboard MSI Z790 Tomahawk": {Verdict: Incompatible},
	} {
		checks := Checks(readBuild(build))
		if len(checks) != 1 {
			t.Errorf("%s: %d checks, want 1", build, len(checks))
			continue
		}
		got := checks[0]
		got.Parts = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", build, diff)
		}
	}
}

func TestNothingToCheck(t *testing.T) {
	for _, build := range []string{
		"motherboard MSI B650 Tomahawk", "psu Corsair RM850x", "motherboard MSI B650; storage Seagate Barracuda 2TB",
	} {
		if got := Checks(readBuild(build)); len(got) > 0 {
			t.Errorf("%s: %+v", build, got)
		}
	}
}

func TestSizeAndPowerOfNames(t *testing.T) {
	type known struct {
		Size  string
		Watts int
	}
	for name, want := range map[string]known{
		"motherboard MSI B650M Project Zero":                  {"Micro-ATX", 0},
		"motherboard ASUS ROG STRIX B650E-I":                  {"Mini-ITX", 0},
		"motherboard MSI B650 Tomahawk":                       {"ATX", 0},
		"motherboard Onda XYZ":                                {"", 0},
		"case Fractal Design Pop Mini, Micro-ATX, Mini-ITX":   {"Micro-ATX", 0},
		"case Endorfy Arx 700 Big Tower":                      {"E-ATX", 0},
		"case Lian Li Lancool 216, E-ATX, ATX, mATX":          {"E-ATX", 0},
		"psu Corsair SF750 SFX 750W":                          {"SFX", 750},
		"psu be quiet! SFX-L Power 600W":                      {"SFX-L", 600},
		"psu Seasonic Focus GX-850 ATX 3.1":                   {"ATX", 850},
		"psu SilentiumPC Vero":                                {"", 0},
		"gpu Gigabyte RTX 4070 850W, which has none of these": {"", 0},
	} {
		part := readBuild(name)[0]
		if diff := cmp.Diff(want, known{part.Size, part.Watts}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
