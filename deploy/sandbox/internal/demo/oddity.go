package demo

// Oddities lists businesses with hours, states and addresses that readers of
// profiles get wrong easily.
func Oddities() []Business {
	return []Business{
		{
			Slug: "stacja-pod-lasem", Name: "Stacja Paliw Pod Lasem",
			Street: "ul. Leśna 1", PostalCode: "15-199", City: "Białystok", Voivodeship: "podlaskie", Latitude: 53.1641, Longitude: 23.1712,
			Phone: "+48 85 000 30 01", Categories: []Category{{"gcid:gas_station", "Stacja paliw", "gas_station"}},
			Hours: Week{allDay(), allDay(), allDay(), allDay(), allDay(), allDay(), allDay()}, Photos: 8, Rating: 4.2, ReviewCount: 96,
		},
		{
			Slug: "bar-ksiezyc", Name: "Bar Nocny Księżyc",
			Street: "ul. Nocna 22", PostalCode: "50-069", City: "Wrocław", Voivodeship: "dolnośląskie", Latitude: 51.1086, Longitude: 17.0312,
			Phone: "+48 71 000 30 02", Categories: []Category{{"gcid:bar", "Bar", "bar"}},
			Hours:  Week{nil, nil, {hours(18, 24)}, {hours(18, 25)}, {hours(18, 26)}, {hours(18, 28)}, {hours(18, 28)}},
			Photos: 21, Rating: 4.4, ReviewCount: 310,
		},
		{
			Slug: "szewc-lis", Name: "Zakład Szewski Lis",
			Street: "ul. Kopytowa 8", PostalCode: "20-112", City: "Lublin", Voivodeship: "lubelskie", Latitude: 51.2479, Longitude: 22.5686,
			Phone: "+48 81 000 30 03", Categories: []Category{{"gcid:shoe_repair_shop", "Szewc", "shoe_repair"}},
			Hours: weekOf(nil, []Span{hours(9, 17)}, nil), Photos: 2, Rating: 4.9, ReviewCount: 15, Status: ClosedForGood,
		},
		{
			Slug: "pensjonat-mewa", Name: "Pensjonat Mewa",
			Street: "ul. Wydmowa 4", PostalCode: "76-270", City: "Ustka", Voivodeship: "pomorskie", Latitude: 54.5805, Longitude: 16.8619,
			Phone: "+48 59 000 30 04", Website: "https://pensjonat-mewa.example/", Categories: []Category{{"gcid:guest_house", "Pensjonat", "guest_house"}},
			Photos: 12, Rating: 4.6, ReviewCount: 58, Status: ClosedTemporarily,
		},
		{
			Slug: "hydraulik-wojcik", Name: "Hydraulik Wójcik",
			City: "Łódź", Voivodeship: "łódzkie", ComesToYou: true,
			Phone: "+48 42 000 30 05", Categories: []Category{{"gcid:plumber", "Hydraulik", "plumber"}},
			Hours: weekOf(nil, []Span{hours(7, 19)}, []Span{hours(8, 14)}), Rating: 4.8, ReviewCount: 33,
			Services: []Service{{"Usuwanie awarii", "job_type_id:emergency_plumbing"}, {"Montaż baterii", ""}},
		},
	}
}

func allDay() []Span { return []Span{{0, day}} }
