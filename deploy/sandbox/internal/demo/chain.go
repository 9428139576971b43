package demo

import (
	"fmt"

	"backend.example/deploy/sandbox/internal/seeded"
)

// chainSize makes the chain longer than one page of any provider's lists.
const chainSize = 130

// town is where the chain has shops.
type town struct {
	name, voivodeship, postal string // postal is the beginning of its postal codes
	area                      int    // telephone
	latitude, longitude       float64
}

func towns() []town {
	return []town{
		{"Warszawa", "mazowieckie", "02-", 22, 52.2297, 21.0122},
		{"Kraków", "małopolskie", "31-", 12, 50.0614, 19.9366},
		{"Wrocław", "dolnośląskie", "53-", 71, 51.1079, 17.0385},
		{"Poznań", "wielkopolskie", "61-", 61, 52.4064, 16.9252},
		{"Gdańsk", "pomorskie", "80-", 58, 54.3520, 18.6466},
		{"Łódź", "łódzkie", "91-", 42, 51.7592, 19.4560},
		{"Rzeszów", "podkarpackie", "35-", 17, 50.0412, 21.9991},
	}
}

// Chain lists the shops of one chain: the same name at 130 addresses.
func Chain() []Business {
	shops := make([]Business, 0, chainSize)
	for number := 1; number <= chainSize; number++ {
		shops = append(shops, shop(number))
	}
	return shops
}

func shop(number int) Business {
	slug := fmt.Sprintf("kwiaciarnia-polna-%03d", number)
	town := towns()[number%len(towns())]
	random := seeded.Rand("chain", slug)
	return Business{
		Slug: slug, Name: "Kwiaciarnia Polna", StoreCode: fmt.Sprintf("KP-%03d", number),
		Street:     fmt.Sprintf("ul. %s %d", seeded.Pick([]string{"Różana", "Tulipanowa", "Wrzosowa", "Irysowa", "Bzowa"}, slug), 1+random.IntN(90)),
		PostalCode: fmt.Sprintf("%s%03d", town.postal, 100+random.IntN(800)), City: town.name, Voivodeship: town.voivodeship,
		Latitude: town.latitude + random.Float64()/10, Longitude: town.longitude + random.Float64()/10,
		Phone: fmt.Sprintf("+48 %d 000 40 %02d", town.area, random.IntN(100)), Website: "https://kwiaciarnia-polna.example/",
		Categories: []Category{{"gcid:florist", "Kwiaciarnia", "florist"}},
		Hours:      weekOf(nil, []Span{hours(9, 18)}, []Span{hours(9, 14)}),
		Photos:     random.IntN(9), Rating: 4 + float64(random.IntN(10))/10, ReviewCount: 1 + random.IntN(60),
	}
}
