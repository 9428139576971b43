package match

import (
	"testing"
)

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
