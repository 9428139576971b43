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
		if got.Index != tt.want || got.Ambiguous {
			t.Errorf("Choose(%q, %q) = %+v; want %d", tt.query, tt.names, got, tt.want)
		}
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
