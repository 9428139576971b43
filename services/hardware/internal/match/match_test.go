package match

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/testkit"
)

// none is the index of a choice if no row is the product meant.
const none = -1

// named returns candidates with these names and nothing else.
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
		testkit.Equal(t, q.Text+" with the hint "+string(q.Category)+": category", Category(q), want)
	}
}

func TestOfRowsThatFitOneIsChosen(t *testing.T) {
	for _, tt := range []struct {
		query    string
		category catalog.Category
		names    []string
		want     int
	}{
		// The caller's hint goes before what the query says.
		{"chłodzenie procesora Arctic 36", "cpu", []string{"Procesor Arctic 36", "Chłodzenie procesora Arctic 36"},
			none},

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
	} {
		got := Choose(catalog.Query{Text: tt.query, Category: tt.category}, named(tt.names...))
		testkit.Equal(t, tt.query+": index", got.Index, tt.want)
		if got.Ambiguous {
			t.Errorf("Choose(%q, %q): ambiguous", tt.query, tt.names)
		}
	}
}

func TestTheLongestQueryIsRead(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("RTX 4070 ", catalog.MaxQueryLength/9))
	if c := Choose(catalog.Query{Text: long}, named("RTX 4080", "RTX 4070")); c.Index != 1 {
		t.Errorf("repeated words: index %d, want 1", c.Index)
	}
	marked, plain := strings.Repeat("ą", catalog.MaxQueryLength), strings.Repeat("a", catalog.MaxQueryLength)
	if c := Choose(catalog.Query{Text: marked}, named(plain)); c.Index != 0 {
		t.Errorf("one long word: index %d, want 0", c.Index)
	}
}

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
	if took, most := time.Since(started), 5*time.Second; took > most {
		t.Errorf("took %v, want at most %v", took, most)
	}
}

func TestBarCodesHaveACheckDigit(t *testing.T) {
	for text, want := range map[string]bool{
		"0740617331691": true, "740617331691": true, "4006381333931": true, "96385074": true, "10012345678902": true,
		"4006381333932": false, "740617331692": false, "96385075": false,
		"920009553": false, "1234567895": false, "12345678905": false, "123456789012343": false, "RTX 4070": false,
		"": false, "40063813339 31": false,
	} {
		testkit.Equal(t, text+": bar code", IsBarCode(catalog.Query{Text: text}), want)
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
		testkit.Equal(t, "department "+department+": kind", kindOfDepartment(department), want)
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
		name := cmp.Or(tt.name, tt.query)
		c := Choose(q, []Candidate{{Name: name, Department: tt.department}})
		if got := c.Index == 0; got != tt.fits {
			t.Errorf("%q with the hint %q, %q in %q: chosen %t, want %t",
				tt.query, tt.hint, name, tt.department, got, tt.fits)
		}
	}
}

func TestAQueryMeansAName(t *testing.T) {
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
		testkit.Equal(t, tt.query+" means "+tt.name, Means(catalog.Query{Text: tt.query}, tt.name), tt.means)
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
	for query, want := range map[string]Choice{ // indexes of rows
		"rtx 4060":                           {Index: 1, Others: []int{4, 7, 0, 3, 5}},
		"karta graficzna rtx 4060 8gb gddr6": {Index: 1, Others: []int{4, 7}},
		"gigabyte rtx 4060":                  {Index: 4, Others: []int{7}},
		"gigabyte rtx 4060 eagle":            {Index: 7}, // its name has nothing else
		"rtx 4060 ventus":                    {Index: 1},
	} {
		if got := Choose(catalog.Query{Text: query}, rows); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: choice %+v, want %+v", query, got, want)
		}
	}
}

func TestAProductOfManyShopsIsPreferred(t *testing.T) {
	rows := []Candidate{{Name: "Samsung 990 PRO 2TB", Single: true}, {Name: "Samsung 990 PRO 2TB M.2 NVMe PCIe 4.0"}}
	if got := Choose(catalog.Query{Text: "samsung 990 pro 2tb"}, rows); got.Index != 1 {
		t.Errorf("index %d, want 1, which is not of a single shop", got.Index)
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
			t.Errorf("%q of %q: index %d, want %d", tt.query, tt.names, got.Index, tt.want)
		}
	}
}

func TestNoneOfDifferentTechnologiesIsChosen(t *testing.T) {
	for query, tt := range map[string]struct {
		names []string
		want  Choice
	}{
		"dysk Seagate 1TB": {[]string{"Dysk Seagate 1TB", "Dysk Seagate 1TB HDD", "Dysk Seagate 1TB SSD"},
			Choice{Index: none, Ambiguous: true, Others: []int{0, 1, 2}}},
		"dysk Seagatte 1TB": {[]string{"Dysk Seagate 1TB HDD", "Dysk Seagate 1TB SSD"},
			Choice{Index: none, Ambiguous: true, Others: []int{0, 1}}},
		"Gigabyte Aorus":     {[]string{"Pamięć Gigabyte Aorus DDR5", "Płyta główna Gigabyte Aorus DDR4"}, Choice{}},
		"dysk Seagate 1TB X": {[]string{"Dysk Seagate 1TB X HDD", "Dysk Seagate 1TB SSD"}, Choice{}},
	} {
		if got := Choose(catalog.Query{Text: query}, named(tt.names...)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q of %q: choice %+v, want %+v", query, tt.names, got, tt.want)
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
		t.Errorf("corrections %q, want the first %d, %q", texts, maxCorrections, want)
	}
}

func TestSocketsAndMemoryTypesAreOneWord(t *testing.T) {
	for text, want := range map[string]int{
		"am5": 2, "am 5": 0, "am50": 0, "am5x": 0, "lga 1700": 2, "lga1700x": 0, "s1150": 2, "s1151": 2, "s1155": 2,
		"s1200": 2, "s1700": 2, "s1851": 2, "s2066": 2, "socket 1700": 2, "gniazdo 1200": 2, "s1701": 0, "s1700x": 0,
		"gddr6x": 3, "gddr6 x trio": 2, "gddr6": 2, "gddr6xt": 0, "rtx 4070": 0,
	} {
		if got := standard(scan([]rune(text))); got != want {
			t.Errorf("%q: %d tokens at the beginning, want %d", text, got, want)
		}
	}
}

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
			case c.Index < none || c.Index > 1:
				t.Errorf("%q of %q: index %d is none of them", text, names, c.Index)
			case c.Ambiguous && c.Index != none:
				t.Errorf("%q of %q: ambiguous, but %d is chosen", text, names, c.Index)
			case c.Ambiguous && len(c.Others) != 2:
				t.Errorf("%q of %q: ambiguous among %v, want both", text, names, c.Others)
			case c.Index >= 0 && !Means(q, names[c.Index]):
				t.Errorf("%q of %q: %d is chosen, which does not match alone", text, names, c.Index)
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

func TestTitlesOfOffersThatAreNotPlain(t *testing.T) {
	const (
		card  = "MSI GeForce RTX 4060 VENTUS 2X BLACK 8G OC"
		phone = "Apple iPhone 15 128GB Czarny"
		disk  = "Samsung 990 PRO 2TB"
		fan   = "Arctic P12 PWM PST"
	)
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
		{disk, "Samsung 990 PRO 2TB PCIe 4.0 x4", true},
		{fan, "Arctic P12 PWM PST 5 szt.", false},
		{fan, "Arctic P12 PWM PST 2-pak", false},
		{fan, "Arctic P12 PWM PST x3", false},
		{fan, "Arctic P12 PWM PST 1 szt.", true},
		{"Arctic P12 PWM PST 5 szt.", "Arctic P12 PWM PST 5-Pack", true},
	} {
		testkit.Equal(t, tt.product+" offered as "+tt.title+": plain", IsPlain(tt.product, tt.title), tt.plain)
	}
}

func TestTraitsOfDisksAndMemory(t *testing.T) {
	for name, want := range map[string]traits{
		"Seagate Barracuda 2TB": {"hdd", ""}, "Seagate IronWolf 4TB": {"hdd", ""}, "Seagate SkyHawk 4TB": {"hdd", ""},
		"Seagate Exos X18 18TB": {"hdd", ""}, "WD Ultrastar 8TB": {"hdd", ""}, "Toshiba 4TB 7200 rpm": {"hdd", ""},
		`Toshiba P300 1TB 3,5" HDD`: {"hdd", "3.5"}, `Seagate Barracuda 2TB 2,5" SSD`: {"ssd", "2.5"},
		"Crucial BX500 1TB SSD": {"ssd", ""}, "WD Blue SN580 1TB": {"ssd", ""}, "WD Blue SA510 1TB": {"ssd", ""},
		"WD SA510":              {"", ""},
		"Kingston NV3 1TB NVMe": {"ssd", "m2"}, "Samsung 990 PRO M.2": {"ssd", "m2"}, "WD Blue 1TB": {"", ""},
		"WD10EZEX": {"hdd", "3.5"}, "WD40EFPX": {"hdd", "3.5"}, "WD10SPZX": {"hdd", "2.5"}, "WD20JDRW": {"hdd", "2.5"},
		"ST2000DM008": {"hdd", "3.5"}, "ST4000VN006": {"hdd", "3.5"}, "ST2000LM015": {"hdd", "2.5"},
		"ST1000NX0313":                      {"hdd", "2.5"},
		"WD Blue 1TB WD10EZEX 718037779911": {"hdd", "3.5"}, // a bar code behind the part number
		"WDS100T3B0A":                       {"ssd", ""}, "MZ-V9P2T0BW": {"ssd", ""}, "CT1000P3SSD8": {"ssd", ""},
		"M471A1K43EB1": {"", "sodimm"}, "M425R1GB4BB0": {"", "sodimm"}, "KVR26S19S8": {"", "sodimm"},
		"KF432S20IB": {"", "sodimm"}, "HX432S20IB2": {"", "sodimm"},
		"CT16G4SFRA32A": {"", "sodimm"}, "CT16G48C40S5": {"", "sodimm"}, "CT2K16G4SFRA32A": {"", "sodimm"},
		"CMSX16GX4M1A3200C22": {"ddr4", "sodimm"}, "CMSO8GX3M1C1600C11": {"ddr3", "sodimm"},
		"F4-3200C22S-16GRS": {"ddr4", "sodimm"}, "GR3200S464L22": {"ddr4", "sodimm"}, "AD4S320016G22": {"", "sodimm"},
		"PSD416G32002S":      {"", "sodimm"},
		"F5-6000J3238F16GX2": {"ddr5", ""}, "CMK32GX5M2B6000C36": {"ddr5", ""}, "KF560C30BBK2": {"", ""},
		"KVR16N11":          {"", ""},
		"Goodram DDR4 16GB": {"ddr4", ""}, "Goodram SODIMM DDR5 16GB": {"ddr5", "sodimm"}, "DDR 16GB": {"", ""},
		"DDR54 16GB": {"", ""}, "DDR 1GB": {"", ""},
		"16GB 1332MHz": {"", ""}, "16GB 1333MHz": {"ddr3", ""}, "16GB 1866": {"ddr3", ""}, "16GB 1867": {"", ""},
		"4GB 1066/1333MHz": {"", ""},
		"16GB 2132 CL14":   {"", ""}, "16GB 2133 CL14": {"ddr4", ""}, "16GB 2400 CL13": {"", ""},
		"16GB 2401": {"ddr4", ""}, "16GB 4600": {"ddr4", ""}, "16GB 4601": {"", ""},
		"16GB 4799": {"", ""}, "16GB 4800": {"ddr5", ""}, "16GB 6000 CL26": {"ddr5", ""}, "16GB 6000 CL25": {"", ""},
		"16GB 10000": {"ddr5", ""}, "16GB 10001": {"", ""},
		"Kingston 480GB 3200": {"", ""}, "16GB 3200W": {"", ""},
	} {
		if got := read(name).traits(); got != want {
			t.Errorf("%q: traits %+v, want %+v", name, got, want)
		}
	}
}

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
			"optiplex thinkpad victus vivobook vostro zbox zenbook", ""},
		{"mini pc procesor", "", ""},
		{"* procesor", "adapter blok eisblock karton kieszeń microsd monoblok monoblock osłona pasta pendrive " +
			"przewód pudełko radiator ramka riser shroud śledź stojak ups waterblock nvlink", ""},
		{"karta pamięci 128gb ssd", "", ""},
		{"water block rtx 4080", "", ""},
		{"thermal pad rtx 4080", "", ""},
		{"anti sag rtx 4080", "", ""},
		{"* procesor", "backplate kable kabel cable naklejka podkładka przejściówka termopad thermopad thermalpad " +
			"uchwyt wspornik zaślepka podpórka holder bracket sticker antisag", ""},
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
			testkit.Equal(t, text+": category", Category(catalog.Query{Text: text}), tt.want)
		}
	}
}

func TestNamesOfLaptops(t *testing.T) {
	for names, want := range map[string]bool{
		"MSI Cyborg, MSI Raider, Acer Helios, Acer Triton, ASUS Zephyrus, ASUS ProArt Studiobook, ASUS ROG Scar, MSI " +
			"Crosshair, Alienware, Medion Erazer, Zotac Magnus, MSI Vector, MSI Stealth, MSI Bravo, Lenovo LOQ, ASUS " +
			"ROG NUC, Acer Aspire": true,
		"Gigabyte AORUS 15, Gigabyte Aero 16, MSI Pulse 17, Acer Nitro 16, Acer Nitro 18, Acer Nitro 13, XMG Neo 16, " +
			"MSI Thin 15, MSI Sword 16, ASUS TUF Dash 15, MSI Creator 16, ASUS TUF Gaming 15, ASUS ROG Strix 16, " +
			"Razer Blade 14, Acer Swift 14, Swift X 14, AORUS 16X, AORUS 15P": true,
		"ASUS TUF A15, ASUS TUF F17, ASUS ROG G16, ASUS ROG M16, MSI V15, Gigabyte A5, Gigabyte A7, Gigabyte G5, " +
			"Gigabyte G6X, Gigabyte G7": true,
		"MSI GF63, MSI GP76, MSI GE78, MSI GS66, Acer AN515, laptop 15.6, MSI 16.1 cala, MSI 17,3": true,
		"Gigabyte AORUS 12, Gigabyte AORUS 19, MSI 15, Swift X 20, AORUS 15XY, AORUS 15XYZ, Gigabyte A6, Gigabyte " +
			"G4, ASUS A12, ASUS A19, ASUS TUF C15, MSI GF633, MSI GX63, Acer AN51, MSI RTX15, karta 15.5, MSI Gaming " +
			"X 15W, (Cyborg 1), 15, karta N4060-G5-8GD, karta 17.3 cm, X 14, MSI Gaming OC 16, INNO3D Twin X 16, " +
			"ASUS ROG Strix 1660": false,
	} {
		for name := range strings.SplitSeq(names, ", ") {
			testkit.Equal(t, name+": laptop", alone(name).isLaptop(), want)
		}
	}
}

// cards are makers of graphics cards, as they begin the names of cards.
const cards = "Acer Afox AMD Aorus ASRock ASUS Biostar Club3D Colorful EVGA Gainward Gigabyte INNO3D Intel KFA2 " +
	"Leadtek Manli Matrox Maxsun MSI NVIDIA Palit PNY PowerColor Sapphire Sparkle XFX Yeston Zotac"

// chooseCard chooses between a card that is called like the query and a cheaper one with more words.
func chooseCard(query string) Choice {
	return Choose(catalog.Query{Text: query},
		[]Candidate{{Name: query, Price: 1399}, {Name: query + " Twin 8GB", Price: 1299}})
}

func TestAChipWithAMakerMeansItsCheapestCard(t *testing.T) {
	for maker := range strings.FieldsSeq(cards) {
		query := maker + " RTX 4060"
		if got := chooseCard(query); !reflect.DeepEqual(got, Choice{Index: 1, Others: []int{0}}) {
			t.Errorf("%s: %+v, want the cheaper one of two", query, got)
		}
	}
	for _, query := range strings.Split("GT 1030, GTX 1660 SUPER, RX 7900 GRE, RX 7900 XT, RX 7900 XTX, RX 580, Arc "+
		"A770, Arc B580, RTX 4090 D, RTX 4070 Ti, "+
		"GeForce RTX 4060, Radeon RX 7600, Quadro RTX 4000", ", ") {
		if got := chooseCard(query); got.Index != 1 {
			t.Errorf("%s: index %d, want 1, the cheaper one", query, got.Index)
		}
	}
	// These name more or less than a chip.
	for query := range strings.SplitSeq("Gigabyte 4060, Karta graficzna Gigabyte, RTX 4060 115W", ", ") {
		if got := chooseCard(query); got.Index != 0 {
			t.Errorf("%s: index %d, want 0, which says nothing else", query, got.Index)
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
			testkit.Equal(t, name+": starts as a card", alone(name).startsAsCard(), tt.card)
		}
	}
}

// alone reads a name without a question.
func alone(s string) name { return readName(Candidate{Name: s}, "", question{}) }

// spell writes tokens down: "+" joins those that are glued, "·" other ones of one word as written, and a space
// separates words. A number ends in "#", an amount in "[unit]", an implied token in "~", and one in brackets in "'".
// ">" stands before a token behind a preposition.
func spell(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		switch {
		case i == 0:
		case t.glued:
			b.WriteString("+")
		case t.implied, t.written != tokens[i-1].written:
			b.WriteString(" ")
		default:
			b.WriteString("·")
		}
		if t.behind {
			b.WriteString(">")
		}
		b.WriteString(t.text)
		switch t.form {
		case amount:
			b.WriteString("[" + t.unit + "]")
		case number:
			b.WriteString("#")
		}
		if t.implied {
			b.WriteString("~")
		}
		if t.aside {
			b.WriteString("'")
		}
	}
	return b.String()
}

func TestTextsAreCutIntoTokens(t *testing.T) {
	for text, want := range map[string]string{
		"RTX4070Ti":         "rtx+4070#+ti",
		"RTX 4070-Ti":       "rtx 4070#·ti",
		"Płyta główna ŻÓŁĆ": "plyta glowna zolc",
		"M.2 NVMe":          "m2 nvme",
		"a.b 1.2.3 4.0 2,5 2.5\" 4.00 DDR5,32GB 1234.5 12.x x.12": "a·b 1.2#·3# 4# " +
			"2.5# 2.5# 4# ddr+5#·32[gb] 1234#·5# 12#·x x+12#",
		"[MZ-V9P] (BOX (x2) y) (q) p": "mz'·v'+9#'+p' box' x'+2#' y q p",
		"80+ Gold 80 Plus P3+ Z790 + i5 i5+płyta +x x+": "80plus gold 80plus p+3#·plus z+790# bundle " +
			"i+5# i+5#·bundle·plyta bundle·x x·plus",
		"32 GB 32GB 2TB 1024GB 2048 GB 0,5TB 512GB 4096MB 256MB 1000GB": "32[gb] 32[gb] 2000[gb] 1000[gb] 2000[gb] " +
			"500[gb] 512[gb] 4[gb] 256[mb] 1000[gb]",
		"12G 5600G 8 G 128G": "12[gb] 5600#+g 8# g 128#+g",
		"6000MHz 6000 MT/s 550MB/s 7 GB/s 6000 MT 7200 obr 7200rpm 4,2GHz 144Hz 120 mm 12cm 750W": "6000[mhz] " +
			"6000[mhz] 550[mb/s] 7[gb/s] 6000[mhz] 7200[rpm] 7200[rpm] 4.2[ghz] 144[hz] 120[mm] 12[cm] 750[w]",
		"CL16 CL 16 C16 C 16 c160 CL16x":      "16[cl] 16[cl] 16[cl] c 16# c+160# cl+16#+x",
		"A12GB 12GBx 12GB":                    "a·12[gb] 12#+gbx 12[gb]",
		"2x16GB 2 x 16 GB 16GBx2 16GB x 2":    "2x16[kit] 2x16[kit] 16#+gbx+2# 16[gb] x 2# 32[gb]~ 32[gb]~",
		"DDR5 2x16GB":                         "ddr+5# 2x16[kit] 32[gb]~",
		"DDR5 2X 16GB":                        "ddr+5# 2x16[kit] 32[gb]~",
		"DDR5 32GB (2x16) 6000":               "ddr+5# 32[gb] 2x16[kit]' 6000# 32[gb]~",
		"DDR5 32GB 2x8":                       "ddr+5# 32[gb] 2#+x+8#",
		"DDR5 16GB x2":                        "ddr+5# 2x16[kit] 32[gb]~",
		"DDR5 16GBx20 16x16GB 17x16GB 0x16GB": "ddr+5# 16#+gbx+20# 16x16[kit] 17#+x·16[gb] 0#+x·16[gb] 256[gb]~",
		"Ventus 2X 12GB":                      "ventus 2#+x 12[gb]",
		"2x 4TB HDD":                          "2x4000[kit] hdd 8000[gb]~",
		"R5 7600 R4 7600 R5 340 xR5 7600 R 5 7600 R5 76000 R9 7950X": "ryzen·5# 7600# r+4# 7600# r+5# 340# xr+5# " +
			"7600# r 5# 7600# r+5# 76000# ryzen·9# 7950#+x",
		"D5 D4 D3 D50 xD4 D5x": "ddr+5# ddr+4# d+3# d+50# xd+4# d+5#+x",
		"RTX 4070S GTX 1660S RX 6600S " +
			"RTX 4070 S 4070S": "rtx 4070#+super gtx 1660#+super rx 6600#+s rtx 4070# s 4070#+s",
		"LGA1700 LGA 1700 s1700 socket 1700 gniazdo AM5 " +
			"AM4 GDDR6X GDDR6 gddr 6": "lga1700 lga1700 lga1700 lga1700 gniazdo am5 am4 gddr6x gddr6 gddr6",
		"SO-DIMM max-q thermal pad water block ek quantum ek vector " +
			"anti sag power color pcie 4 pcie 40": "sodimm maxq thermalpad waterblock ekquantum ekvector antisag " +
			"powercolor pcie4 pcie 40#",
		"karta pamięci cooler master mini pc e-atx micro atx m-atx western digital": "kartapamieci coolermaster " +
			"minipc eatx matx matx wd",
		"open box b-stock stan dobry": "used used " +
			"used",
		"laptop notebook notebooka używana radiatorem demo uż. wada win twardy tray bulk windows": "laptop laptop " +
			"laptop used heatsink used used used windows hdd oem oem windows",
		"karta do gier do PC karta do komputera karta do laptopa": "karta gier pc karta komputera karta >laptop",
		"pamięć do laptopa 16GB":                                  "pamiec >sodimm >16[gb]",
		"RTX 4060 do laptopa dla gracza pod biurko":               "rtx 4060# >laptop >gracza >biurko",
		"x-do-y i oraz w the a-i-b":                               "x·do·y a·i·b",
		"Radeon R7 Dual":                                          "radeon r+7# dual",
		"A12 GB":                                                  "a+12# gb",
		"2x120mm":                                                 "2#+x·120[mm]",
		"2 x120mm 3 x 140 mm":                                     "2# x·120[mm] 3# x 140[mm]",
		"4070S":                                                   "4070#+s",
		"glo\u0301wna":                                            "glowna",
		"1536MB":                                                  "1.5[gb]",
		"P3 + ":                                                   "p+3# plus",
		"Radeon R5":                                               "radeon r+5#",
		"gra\u00adficzna\u200b RTX\u200e":                         "graficzna rtx",
		"a(b12)c[d]e":                                             "a b'+12#' c d e",
		"2,5 cala":                                                "2.5# cala",
		"x2,5 x2.5":                                               "x+2#·5# x+2.5#",
		"0TB 0,5 TB 1,5TB":                                        "0[gb] 500[gb] 1500[gb]",
		"0,5GB 0,25 GB":                                           "0.5[gb] 0.25[gb]",
		"32 GiB 2TiB":                                             "32[gb] 2000[gb]",
		"DDR4 8GB x16 SODIMM":                                     "ddr+4# 8[gb] x+16# sodimm",
		"+ i5":                                                    "i+5#",
		"S":                                                       "s",
		"RTX S":                                                   "rtx s",
		"RTX4060S x":                                              "rtx+4060#+super x",
		"Wi-Fi WiFi A-RGB":                                        "wi·fi wifi a·rgb",
		"DDR4 16GB do laptopa":                                    "ddr+4# 16[gb] >sodimm",
		"RAM do laptopa 8GB":                                      "ram >sodimm >8[gb]",
		"DDR4 16GB laptop":                                        "ddr+4# 16[gb] laptop",
		"5R5 7600":                                                "5#+r+5# 7600#",
		"Kingston GB":                                             "kingston gb",
		"Toughpower 750W2":                                        "toughpower 750#+w+2#",
		"550MB/s":                                                 "550[mb/s]",
		"120mm S":                                                 "120[mm] s",
		"F4-3200C16":                                              "f+4#·3200#+c+16#",
		"CL X":                                                    "cl x",
		"16GB (2x8)":                                              "16[gb] 2x8[kit]' 16[gb]~",
		"2x 500GB":                                                "2#+x 500[gb]",
		"DDR5/2 x 16GB":                                           "ddr+5#·2x16[kit] 32[gb]~",
		"16GB/2 x 8":                                              "16[gb]·2x8[kit] 16[gb]~",
		"12GB 2x 6-pin":                                           "12[gb] 2#+x 6#·pin",
		"DDR5 6000MHz x2":                                         "ddr+5# 6000[mhz] x+2#",
		"DDR5 16GB x2 6000":                                       "ddr+5# 2x16[kit] 6000# 32[gb]~",
		"PCIe x16 2x8":                                            "pcie x+16# 2#+x+8#",
		"Pump D 5":                                                "pump d 5#",
		"GT1030D4":                                                "gt+1030#+d+4#",
		".5":                                                      "5#",
		"1) (x) y":                                                "1# x y",
		"Z790+5":                                                  "z+790#·bundle·5#",
		"Ryzen 5...":                                              "ryzen 5#",
	} {
		testkit.Equal(t, text+": tokens", spell(read(text).tokens), want)
	}
}

func TestTheBeginningOfALongNameIsRead(t *testing.T) {
	for _, length := range []int{maxNameRunes - 1, maxNameRunes, maxNameRunes + 1} {
		if got, want := len(fold(strings.Repeat("a", length))), min(length, maxNameRunes); got != want {
			t.Errorf("of %d runes %d are read, want %d", length, got, want)
		}
	}
}
