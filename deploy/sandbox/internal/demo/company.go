package demo

// bakery has everything that an audit looks for.
func bakery() Business {
	return Business{
		Slug: "piekarnia-kowalski", Name: "Piekarnia Kowalski",
		Street: "ul. Floriańska 12", PostalCode: "31-021", City: "Kraków", Voivodeship: "małopolskie",
		Latitude: 50.0641, Longitude: 19.9403, Phone: "+48 12 000 10 01", Website: "https://piekarnia-kowalski.example/",
		Categories: bakeryTrades(),
		Hours:      weekOf([]Span{hours(7, 13)}, []Span{hours(5.5, 18)}, []Span{hours(5.5, 15)}),
		Description: "Rodzinna piekarnia w centrum Krakowa. Od 1978 roku pieczemy chleb na naturalnym zakwasie, " +
			"bułki, drożdżówki i ciasta według przepisów dziadka Józefa. Mąkę kupujemy w młynie pod Miechowem, a ciasto wyrabiamy " +
			"w nocy, dlatego o szóstej rano na półkach leży jeszcze ciepłe pieczywo. Przyjmujemy zamówienia na torty, " +
			"pieczywo bezglutenowe i dostawy do restauracji. W lokalu jest mała kawiarnia z ogródkiem.",
		Services: []Service{
			{"Torty na zamówienie", "job_type_id:custom_cakes"}, {"Wypiek chleba na zakwasie", ""}, {"Pieczywo bezglutenowe", ""},
			{"Dostawa pieczywa do restauracji", "job_type_id:wholesale_bread"}, {"Ciasta na wesela i chrzciny", ""}, {"Warsztaty pieczenia chleba", ""},
		},
		Photos: 34, Rating: 4.7, ReviewCount: 218, Reviews: bakeryReviews(),
	}
}

func bakeryTrades() []Category {
	return []Category{
		{"gcid:bakery", "Piekarnia", "bakery"},
		{"gcid:pastry_shop", "Cukiernia", "cake_shop"},
		{"gcid:cafe", "Kawiarnia", "cafe"},
	}
}

func bakeryReviews() []Review {
	return []Review{
		{"Ewa Mazur", 5, "Najlepszy chleb żytni w Krakowie, a drożdżówki z serem znikają przed ósmą.", 4},
		{"Krzysztof Lis", 5, "Tort na urodziny córki był piękny i smaczny. Polecam.", 11},
		{"Barbara Pająk", 4, "Pyszne pieczywo, tylko w sobotę trzeba swoje odstać w kolejce.", 19},
		{"Jakub Górski", 5, "Ciepłe bułki o szóstej rano i przemiła obsługa.", 33},
		{"Halina Sowa", 4, "Dobra kawa, ogródek mały, ale przytulny.", 52},
		{"Rafał Bąk", 5, "Zakwas od nich żyje u mnie w kuchni już drugi rok.", 71},
	}
}

func bakeryBranch() Business {
	return Business{
		Slug: "piekarnia-kowalski-podgorze", Name: "Piekarnia Kowalski – Podgórze",
		Street: "ul. Wałowa 12", PostalCode: "30-704", City: "Kraków", Voivodeship: "małopolskie",
		Latitude: 50.0453, Longitude: 19.9521, Phone: "+48 12 000 10 02", Website: "https://piekarnia-kowalski.example/podgorze",
		Categories: bakeryTrades()[:1],
		Hours:      weekOf(nil, []Span{hours(6, 12), hours(13, 18)}, []Span{hours(6, 14)}),
		Photos:     6, Rating: 4.5, ReviewCount: 41,
	}
}

// workshop has about half of it.
func workshop() Business {
	return Business{
		Slug: "warsztat-nowak", Name: "Warsztat Nowak",
		Street: "ul. Głogowska 200", PostalCode: "60-104", City: "Poznań", Voivodeship: "wielkopolskie",
		Latitude: 52.3852, Longitude: 16.8737, Phone: "+48 61 000 20 17",
		Categories: []Category{{"gcid:auto_repair_shop", "Warsztat samochodowy", "car_repair"}},
		Hours:      weekOf(nil, []Span{hours(8, 16)}, nil),
		Services:   []Service{{"Wymiana oleju", "job_type_id:oil_change"}, {"Naprawa hamulców", "job_type_id:brake_repair"}},
		Photos:     3, Rating: 4.1, ReviewCount: 7,
		Reviews: []Review{
			{"Damian Kruk", 5, "Szybko, uczciwie i bez naciągania na części.", 20},
			{"Monika Zając", 3, "Naprawa w porządku, ale trudno się dodzwonić.", 64},
		},
	}
}

// bookshop is closed for good; the directory keeps it in its archive.
func bookshop() Business {
	return Business{
		Slug: "dawna-ksiegarnia", Name: "Dawna Księgarnia",
		Street: "ul. Piotrkowska 1", PostalCode: "90-001", City: "Łódź", Voivodeship: "łódzkie",
		Latitude: 51.7764, Longitude: 19.4547, Phone: "+48 42 000 20 01",
		Categories: []Category{{"gcid:book_store", "Księgarnia", "book_store"}},
		Photos:     4, Rating: 4.6, ReviewCount: 52, Status: ClosedForGood,
	}
}

// studio has hardly any of it.
func studio() Business {
	return Business{
		Slug: "studio-wisniewska", Name: "Studio Fotografii Wiśniewska",
		Street: "ul. Obiektywowa 3", PostalCode: "80-244", City: "Gdańsk", Voivodeship: "pomorskie",
		Latitude: 54.3782, Longitude: 18.6093,
		Categories: []Category{{"gcid:photographer", "Fotograf", "photographer"}},
	}
}
