package match

import "testing"

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
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
}

func TestTraitsDifferIfBothStateThem(t *testing.T) {
	for _, tt := range []struct {
		a, b   traits
		differ bool
	}{
		{traits{"ssd", "m2"}, traits{"ssd", "m2"}, false},
		{traits{"ssd", ""}, traits{"hdd", ""}, true},
		{traits{"ssd", ""}, traits{"", ""}, false},
		{traits{"", ""}, traits{"ssd", ""}, false},
		{traits{"ssd", "m2"}, traits{"ssd", "2.5"}, true},
		{traits{"", "m2"}, traits{"", ""}, false},
		{traits{"", ""}, traits{"", "m2"}, false},
	} {
		if got := tt.a.differ(tt.b); got != tt.differ {
			t.Errorf("%+v, %+v: %t", tt.a, tt.b, got)
		}
	}
}
