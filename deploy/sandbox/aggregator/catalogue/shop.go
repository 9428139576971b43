package catalogue

import "strconv"

// Shop sells products. Its ratings are made up.
type Shop struct {
	ID       int
	Domain   string
	Label    string
	Rating   string // "4,7"
	Opinions int
}

// shops returns well-known Polish shops and made-up ones, which carry a
// reserved domain (RFC 2606).
func shops() []Shop {
	names := [][2]string{
		{"morele.net", "morele.net"}, {"x-kom.pl", "x-kom"}, {"komputronik.pl", "Komputronik"},
		{"mediaexpert.pl", "Media Expert"}, {"euro.com.pl", "RTV EURO AGD"}, {"mediamarkt.pl", "MediaMarkt"},
		{"neonet.pl", "NEONET"}, {"allegro.pl", "Allegro"}, {"al.to", "al.to"}, {"proline.pl", "ProLine"},
		{"sferis.pl", "Sferis"}, {"vobis.pl", "Vobis"}, {"empik.com", "Empik"}, {"oleole.pl", "OleOle!"},
		{"zadowolenie.pl", "Zadowolenie.pl"}, {"senetic.pl", "Senetic"}, {"net-s.pl", "NET-S"},
		{"esus-it.pl", "Esus IT"}, {"amazon.pl", "Amazon.pl"}, {"electro.pl", "Electro.pl"},
		{"bajtownia.example", "Bajtownia"}, {"pixelowo.example", "Pixelowo"}, {"zlotyzlacz.example", "Złote Złącze"},
		{"krzem24.example", "Krzem24"}, {"podzespol.example", "Podzespół"}, {"rdzen.example", "Rdzeń"},
		{"chipsklep.example", "ChipSklep"}, {"turbodysk.example", "TurboDysk"}, {"gniazdko.example", "Gniazdko"},
		{"radiator.example", "Radiator"}, {"swiatlowod.example", "Światłowód"}, {"megaherc.example", "MegaHerc"},
		{"procesornia.example", "Procesornia"}, {"kompozyt.example", "Kompozyt"}, {"plytka.example", "Płytka"},
		{"cichypecet.example", "Cichy Pecet"}, {"wattownia.example", "Wattownia"}, {"blaszak.example", "Blaszak"},
		{"klatkaipc.example", "Klatka i PC"}, {"sztukabitu.example", "Sztuka Bitu"}, {"hurtkomp.example", "HurtKomp"},
		{"elektroluk.example", "Elektrołuk"}, {"zpolki.example", "Z półki"}, {"tranzystor.example", "Tranzystor"},
		{"gorapc.example", "Góra PC"}, {"nadmorski.example", "Nadmorski Komputer"}, {"slaskibit.example", "Śląski Bit"},
		{"mazurek.example", "Mazurek Elektronika"}, {"kaszub.example", "Kaszub IT"}, {"taktowanie.example", "Taktowanie"},
	}
	list := make([]Shop, 0, len(names))
	for place, name := range names {
		list = append(list, Shop{
			ID: 300 + 37*place, Domain: name[0], Label: name[1],
			Rating: "4," + strconv.Itoa(2+5*place%8), Opinions: 1 + 1571*place%4000,
		})
	}
	return list
}
