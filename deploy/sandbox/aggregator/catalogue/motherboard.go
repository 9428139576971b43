package catalogue

import (
	"fmt"
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

func motherboards() []draft {
	return named(append(amdBoards(), intelBoards()...))
}

// named makes drafts of full names; the code is made of the initials.
func named(models []priced) []draft {
	drafts := make([]draft, 0, len(models))
	for _, model := range models {
		brand, short := splitBrand(model.name)
		drafts = append(drafts, draft{brand: brand, short: short, code: madeUpCode(model.name), zlotys: model.zlotys})
	}
	return drafts
}

// splitBrand takes the brand off a name: its first word, or two where the
// maker is called so.
func splitBrand(name string) (brand, rest string) {
	for _, maker := range []string{"be quiet!", "Cooler Master", "Fractal Design", "Lian Li"} {
		if rest, found := strings.CutPrefix(name, maker+" "); found {
			return maker, rest
		}
	}
	brand, rest, _ = strings.Cut(name, " ")
	return brand, rest
}

// madeUpCode is the initials of a name and a number.
func madeUpCode(name string) string {
	var initials strings.Builder
	for _, word := range Words(name) {
		initials.WriteByte(word[0])
	}
	return fmt.Sprintf("%s-%05d", strings.ToUpper(initials.String()), seeded.IntN(100_000, "code", name))
}

func amdBoards() []priced {
	return []priced{
		{"MSI MAG B650 TOMAHAWK WIFI", 749}, {"MSI PRO B650M-A WIFI", 599}, {"MSI B650 GAMING PLUS WIFI", 629},
		{"MSI MAG B850 TOMAHAWK MAX WIFI", 949}, {"MSI MAG X870 TOMAHAWK WIFI", 1249}, {"MSI PRO B840-P WIFI", 549},
		{"MSI MPG X870E CARBON WIFI", 1999}, {"MSI B550-A PRO", 449}, {"MSI MAG B550 TOMAHAWK", 549},
		{"MSI B450 TOMAHAWK MAX II", 379}, {"MSI PRO A620M-E", 319}, {"ASUS TUF GAMING B650-PLUS WIFI", 739},
		{"ASUS TUF GAMING B650M-PLUS WIFI", 679}, {"ASUS ROG STRIX B650E-F GAMING WIFI", 999},
		{"ASUS PRIME B650M-A II", 529}, {"ASUS PRIME B650-PLUS", 569}, {"ASUS ROG STRIX X670E-E GAMING WIFI", 1799},
		{"ASUS TUF GAMING X870-PLUS WIFI", 1199}, {"ASUS ROG STRIX B850-F GAMING WIFI", 1149},
		{"ASUS TUF GAMING B550-PLUS", 529}, {"ASUS PRIME B550M-A", 399}, {"ASUS PRIME A520M-K", 249},
		{"Gigabyte B650 AORUS ELITE AX", 769}, {"Gigabyte B650 EAGLE AX", 639}, {"Gigabyte B650M DS3H", 519},
		{"Gigabyte X870 AORUS ELITE WIFI7", 1199}, {"Gigabyte B850 AORUS ELITE WIFI7", 899},
		{"Gigabyte B550 AORUS ELITE V2", 519}, {"Gigabyte B550M DS3H", 369}, {"Gigabyte A520M DS3H V2", 259},
		{"ASRock B650M Pro RS", 549}, {"ASRock B650E PG Riptide WiFi", 729}, {"ASRock X870 Pro RS WiFi", 949},
		{"ASRock B550M Pro4", 399}, {"ASRock B450M-HDV R4.0", 259}, {"ASRock A620M-HDV/M.2+", 339},
	}
}

func intelBoards() []priced {
	return []priced{
		{"MSI PRO Z790-P WIFI", 849}, {"MSI MAG Z790 TOMAHAWK WIFI", 1049}, {"MSI PRO B760-P WIFI DDR4", 579},
		{"MSI PRO B760M-A WIFI", 599}, {"MSI MAG Z890 TOMAHAWK WIFI", 1299}, {"MSI PRO H610M-G DDR4", 309},
		{"ASUS ROG STRIX Z790-F GAMING WIFI II", 1599}, {"ASUS TUF GAMING B760-PLUS WIFI D4", 659},
		{"ASUS PRIME B760M-K", 429}, {"ASUS PRIME Z890-P WIFI", 1099}, {"ASUS PRIME H610M-E D4", 329},
		{"Gigabyte Z790 AORUS ELITE AX", 999}, {"Gigabyte B760 GAMING X AX", 649}, {"Gigabyte B760M DS3H DDR4", 449},
		{"Gigabyte Z890 EAGLE WIFI7", 999}, {"Gigabyte H610M S2H V2", 299}, {"ASRock B760M Pro RS", 479},
		{"ASRock Z790 Pro RS WiFi", 819}, {"ASRock B860M Pro RS WiFi", 639}, {"ASRock H610M-HVS", 269},
	}
}
