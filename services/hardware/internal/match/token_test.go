package match

import (
	"strings"
	"testing"
)

// spell writes tokens one after the other: an amount with its unit in brackets, "+" before what
// is glued to the token before, "·" before another part of the same word, "~" behind what is
// implied, "'" behind what is in brackets with a digit, and ">" before what follows a preposition.
func spell(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		switch {
		case i == 0 || t.implied:
		case t.glued:
			b.WriteString("+")
		case t.written == tokens[i-1].written:
			b.WriteString("·")
		}
		if i > 0 && !t.glued && (t.implied || t.written != tokens[i-1].written) {
			b.WriteString(" ")
		}
		if t.behind {
			b.WriteString(">")
		}
		b.WriteString(t.text)
		switch {
		case t.form == amount:
			b.WriteString("[" + t.unit + "]")
		case t.form == number:
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
		if got := spell(read(text).tokens); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTheBeginningOfALongNameIsRead(t *testing.T) {
	for length, want := range map[int]int{399: 399, 400: 400, 401: 400} {
		if got := len(fold(strings.Repeat("a", length))); got != want {
			t.Errorf("of %d runes %d are read, want %d", length, got, want)
		}
	}
}
