package google

import (
	"testing"

	"backend.example/services/internal/kit/testkit"
)

func placeAt(name, line, postcode, town string) place {
	p := place{ID: "ChIJ5", DisplayName: localizedText{name}}
	p.PostalAddress = postalAddress{PostalCode: postcode, Locality: town}
	if line != "" {
		p.PostalAddress.AddressLines = []string{line}
	}
	return p
}

func TestSameName(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Auto Serwis Nowak Sp. z o.o.", "Nowak Auto-Serwis", true},
		{"Piekarnia Żółć s.c.", "PIEKARNIA ŻÓŁĆ", true},
		{"Piekarnia Zolc", "Piekarnia Żółć", true},
		{"AutoSerwis Nowak", "Auto Serwis Nowak", true},
		{"Kwiaciarnia Róża", "Kwiaciarnia Róża Warszawa Mokotów", true},
		{"4F", "4F", true},
		{"Gasthof Müller", "Muller Gasthof", true},
		{"Café Crème Köhler & Bär", "Bar Kohler Creme Cafe", true},
		{"Hotel 4", "Hotel 5", false},
		{"Auto Serwis Nowak", "Auto Serwis Kowalski", false},
		{"Auto Serwis Nowak", "Pizzeria Roma", false},
		{"Nowak", "Nowakowski", false},
		{"Spółka z o.o.", "Auto Serwis", false},
		{"", "Auto Serwis", false},
		{"Auto Serwis", "", false},
		{"S.A.", "S.C.", false},
	}
	for _, test := range tests {
		testkit.Equal(t, test.a+" is "+test.b, SameName(test.a, test.b), test.want)
		testkit.Equal(t, test.b+" is "+test.a, SameName(test.b, test.a), test.want)
	}
}

func TestSameCompanyByAddress(t *testing.T) {
	tests := []struct {
		name, address        string // the address is the company's
		line, postcode, town string // of the place
		want                 bool
	}{
		{"same", "ul. Długa 12, 00-238 Warszawa", "Długa 12", "00-238", "Warszawa", true},
		{"flat on one side", "ul. Długa 12/3, 00-238 Warszawa", "Długa 12", "00-238", "Warszawa", true},
		{"flat on the other", "ul. Długa 12, 00-238 Warszawa", "Długa 12 lok. 3", "00-238", "Warszawa", true},
		{"no postcode, same town", "ul. Długa 12, Warszawa", "Długa 12", "00-238", "Warszawa", true},
		{"place without postcode", "ul. Długa 12, 00-238 Warszawa", "Długa 12", "", "Warszawa", true},
		{"initials", "al. J. Piłsudskiego 7, 90-307 Łódź", "Aleja Józefa Piłsudskiego 7", "90-307", "Łódź",
			true},
		{"number in the name", "3 Maja 12, 00-391 Warszawa", "al. 3 Maja 12", "00-391", "Warszawa", true},
		{"name of four letters", "ul. św. Jana 5, 31-018 Kraków", "Świętego Jana 5", "31-018", "Kraków", true},
		{"short name", "ul. Bór 5, 42-202 Częstochowa", "Bór 5", "42-202", "Częstochowa", true},
		{"village without streets", "Komorów 12, 05-806 Komorów", "Komorów 12", "05-806", "Komorów", true},
		{"words that are no name", "Długa 12, 00-238 Warszawa, Polska", "ulica Długa 12", "00-238", "Warszawa",
			true},
		{"country at the end", "Długa 12, 00-238 Warszawa, Polska", "Długa 12", "00-238", "Warszawa", true},

		{"other postcode", "ul. Długa 12, 00-238 Warszawa", "Długa 12", "31-147", "Kraków", false},
		{"other postcode of the town", "ul. Długa 12, 00-238 Warszawa", "Długa 12", "04-001", "Warszawa", false},
		{"other town", "ul. Długa 12, Warszawa", "Długa 12", "31-147", "Kraków", false},
		{"no town to compare", "ul. Długa 12", "Długa 12", "31-147", "", false},
		{"other street", "ul. Długa 12, 00-238 Warszawa", "Krótka 12", "00-238", "Warszawa", false},
		{"other street with a common word", "Jana Pawła II 12, 00-175 Warszawa", "Jana Kochanowskiego 12", "00-175",
			"Warszawa", false},
		{"other short name", "ul. Bór 5, 42-202 Częstochowa", "Gaj 5", "42-202", "Częstochowa", false},
		{"other number", "ul. Długa 12, 00-238 Warszawa", "Długa 14", "00-238", "Warszawa", false},
		{"flat's number alone", "ul. Długa 12/3, 00-238 Warszawa", "Długa 3", "00-238", "Warszawa", false},
		{"other number in 3 Maja", "3 Maja 12, 00-391 Warszawa", "3 Maja 7", "00-391", "Warszawa", false},
		{"other letter", "ul. Długa 12A, 00-238 Warszawa", "Długa 12B", "00-238", "Warszawa", false},
		{"place without street", "ul. Długa 12, 00-238 Warszawa", "", "00-238", "Warszawa", false},
		{"company without street", "00-238 Warszawa", "Długa 12", "00-238", "Warszawa", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := PlaceQuery{Name: "Auto Serwis Nowak", Address: test.address}
			p := placeAt("Auto Serwis Nowak", test.line, test.postcode, test.town)
			testkit.Equal(t, "is the company", sameCompany(c, p), test.want)
			p.DisplayName.Text = "Pizzeria Roma"
			if sameCompany(c, p) {
				t.Error("another name at the same address is the company")
			}
		})
	}
	// Without structured parts the formatted address is read.
	c := PlaceQuery{Name: "Nowak", Address: "ul. Długa 12, 00-238 Warszawa"}
	for address, want := range map[string]bool{
		"Długa 12, 00-238 Warszawa, Polska": true, "Długa 14, 00-238 Warszawa, Polska": false,
		"Długa 12, 31-147 Kraków, Polska": false, "Krótka 12, 00-238 Warszawa, Polska": false,
	} {
		got := sameCompany(c, place{ID: "ChIJ5", DisplayName: localizedText{"Nowak"}, FormattedAddress: address})
		testkit.Equal(t, address+" is the company's", got, want)
	}
}

func TestSameCompanyByContact(t *testing.T) {
	nowak := placeAt("Nowak", "Długa 12", "00-238", "Warszawa")
	nowak.InternationalPhone, nowak.WebsiteURI = "+48 22 123 45 67", "https://www.nowak.example/kontakt"
	tests := []struct {
		name    string
		company PlaceQuery
		want    bool
	}{
		{"telephone", PlaceQuery{Phone: "22 123-45-67"}, true},
		{"telephone with words around", PlaceQuery{Phone: "tel. 22 123 45 67 (biuro)"}, true},
		{"website", PlaceQuery{Website: "nowak.example"}, true},
		{"website in capitals", PlaceQuery{Website: "WWW.NOWAK.EXAMPLE"}, true},
		{"website with spaces around", PlaceQuery{Website: " HTTP://www.nowak.example "}, true},
		{"town and telephone", PlaceQuery{Address: "Warszawa", Phone: "(22) 1234567"}, true},
		{"address of spaces", PlaceQuery{Address: "  ", Phone: "22 123 45 67"}, true},
		{"name alone", PlaceQuery{}, false},
		{"other telephone", PlaceQuery{Phone: "22 123 45 68"}, false},
		{"end of a telephone", PlaceQuery{Phone: "123 45 67"}, false},
		{"same number in another town", PlaceQuery{Phone: "33 123 45 67"}, false},
		{"other website", PlaceQuery{Website: "https://nowak.example.org"}, false},
		{"other town, same telephone", PlaceQuery{Address: "Kraków", Phone: "22 123 45 67"}, false},
		{"other street without a number", PlaceQuery{Address: "Krótka, Warszawa", Phone: "22 123 45 67"}, false},
		{"other street, same website", PlaceQuery{Address: "Krótka 1, Warszawa", Website: "https://nowak.example"},
			false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.company.Name = "Nowak"
			testkit.Equal(t, "is the company", sameCompany(test.company, nowak), test.want)
		})
	}
	nowak.InternationalPhone = "+48 22 100 90 99"
	if !sameCompany(PlaceQuery{Name: "Nowak", Phone: "221009099"}, nowak) {
		t.Error("a number with the digits 0 and 9 is not the same as itself")
	}
	nowak.WebsiteURI = "https://facebook.com/nowak"
	if sameCompany(PlaceQuery{Name: "Nowak", Website: "https://www.facebook.com/innynowak"}, nowak) {
		t.Error("two pages of Facebook are the same company")
	}
}

func TestSameCompanyLeavesOut(t *testing.T) {
	c := PlaceQuery{Name: "Nowak", Address: "Długa 12, 00-238 Warszawa"}
	for name, change := range map[string]func(*place){
		"closed for good": func(p *place) { p.BusinessStatus = "CLOSED_PERMANENTLY" },
		"moved":           func(p *place) { p.MovedPlaceID = "ChIJ6" },
		"no id":           func(p *place) { p.ID = "" },
	} {
		p := placeAt("Nowak", "Długa 12", "00-238", "Warszawa")
		if !sameCompany(c, p) {
			t.Fatal("the place is not the company to begin with")
		}
		change(&p)
		if sameCompany(c, p) {
			t.Errorf("%s: still the company", name)
		}
	}
}

func TestBestMatch(t *testing.T) {
	result := func(id, name, line string) place {
		p := placeAt(name, line, "00-238", "Warszawa")
		p.ID, p.NationalPhone = id, "22 123 45 67"
		return p
	}
	here := PlaceQuery{Name: "Nowak Sp. z o.o.", Address: "Długa 12, 00-238 Warszawa"}
	somewhere := PlaceQuery{Name: "Nowak", Phone: "22 123 45 67"}
	tests := []struct {
		name    string
		company PlaceQuery
		results []place
		want    string // id; empty: no result is the company
	}{
		{"none", here, nil, ""},
		{"second", here, []place{result("1", "Roma", "Długa 12"), result("2", "Nowak Serwis", "Długa 12")}, "2"},
		{"exact name", here, []place{result("1", "Nowak Serwis", "Długa 12"), result("2", "NOWAK", "Długa 12")}, "2"},
		{"exact name, first", here, []place{result("1", "NOWAK", "Długa 12"), result("2", "Nowak Serwis", "Długa 12")},
			"1"},
		{"two others", here,
			[]place{result("1", "Nowak Serwis", "Długa 12"), result("2", "Nowak Opony", "Długa 12")}, ""},
		{"branches", here, []place{result("1", "Nowak", "Krótka 1"), result("2", "Nowak", "Długa 12")}, "2"},
		{"one with the telephone", somewhere, []place{result("1", "Nowak", "Krótka 1")}, "1"},
		{"branches with one telephone", somewhere,
			[]place{result("1", "Nowak", "Krótka 1"), result("2", "Nowak", "Długa 12")},
			""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := bestMatch(test.company, test.results)
			testkit.Equal(t, "id of the match", got.ID, test.want)
			testkit.Equal(t, "whether there is a match", ok, test.want != "")
		})
	}
}

// at is a time of day.
func at(hours, minutes int) clock { return clock{hours, minutes} }

func TestLocationHours(t *testing.T) {
	tests := []struct {
		name    string
		periods []locationPeriod
		want    []string
	}{
		{"none", nil, nil},
		{
			"split day, unordered", []locationPeriod{
				{"TUESDAY", at(13, 0), "TUESDAY", at(18, 30)},
				{"TUESDAY", at(8, 0), "TUESDAY", at(12, 0)},
				{"MONDAY", at(9, 5), "MONDAY", at(17, 0)},
			}, []string{"poniedziałek: 09:05–17:00", "wtorek: 08:00–12:00, 13:00–18:30"},
		},
		{"over the night", []locationPeriod{{"FRIDAY", at(20, 0), "SATURDAY", at(2, 0)}},
			[]string{"piątek: 20:00–02:00"}},
		{"over the week's end", []locationPeriod{{"SUNDAY", at(22, 0), "MONDAY", at(4, 0)}},
			[]string{"niedziela: 22:00–04:00"}},
		{"to midnight as 24", []locationPeriod{{"SATURDAY", at(18, 0), "SATURDAY", at(24, 0)}},
			[]string{"sobota: 18:00–24:00"}},
		{"to midnight as zero", []locationPeriod{{"SATURDAY", at(18, 0), "SUNDAY", clock{}}},
			[]string{"sobota: 18:00–24:00"}},
		{"from midnight", []locationPeriod{{"THURSDAY", clock{}, "THURSDAY", at(6, 0)}},
			[]string{"czwartek: 00:00–06:00"}},
		{"to a minute before midnight", []locationPeriod{{"SATURDAY", clock{}, "SATURDAY", at(23, 59)}},
			[]string{"sobota: 00:00–23:59"}},
		{"all day as 24", []locationPeriod{{"WEDNESDAY", clock{}, "WEDNESDAY", at(24, 0)}},
			[]string{"środa: całą dobę"}},
		{"all day to next", []locationPeriod{{"WEDNESDAY", clock{}, "THURSDAY", clock{}}},
			[]string{"środa: całą dobę"}},
		{"all day without times", []locationPeriod{{"WEDNESDAY", clock{}, "WEDNESDAY", clock{}}},
			[]string{"środa: całą dobę"}},
		{
			"all the weekend in one", []locationPeriod{{"FRIDAY", at(18, 0), "SUNDAY", at(24, 0)}},
			[]string{"piątek: 18:00–24:00", "sobota: całą dobę", "niedziela: całą dobę"},
		},
		{
			"over the week's end in one", []locationPeriod{{"SUNDAY", at(18, 0), "MONDAY", at(24, 0)}},
			[]string{"poniedziałek: całą dobę", "niedziela: 18:00–24:00"},
		},
		{
			"24 hours from the morning", []locationPeriod{{"MONDAY", at(6, 0), "TUESDAY", at(6, 0)}},
			[]string{"poniedziałek: 06:00–24:00", "wtorek: 00:00–06:00"},
		},
		{
			"twice and touching", []locationPeriod{
				{"MONDAY", at(8, 0), "MONDAY", at(12, 0)}, {"MONDAY", at(8, 0), "MONDAY", at(12, 0)},
				{"MONDAY", at(12, 0), "MONDAY", at(16, 0)},
			}, []string{"poniedziałek: 08:00–16:00"},
		},
		{
			"whole day and night",
			[]locationPeriod{{"MONDAY", clock{}, "MONDAY", at(24, 0)}, {"MONDAY", at(20, 0), "TUESDAY", at(2, 0)}},
			[]string{"poniedziałek: całą dobę"},
		},
		{
			"what cannot be", []locationPeriod{
				{"DAY_OF_WEEK_UNSPECIFIED", at(8, 0), "MONDAY", at(9, 0)}, {"MONDAY", at(8, 0), "", at(9, 0)},
				{"MONDAY", at(25, 0), "MONDAY", at(9, 0)}, {"MONDAY", at(8, 60), "MONDAY", at(9, 0)},
				{"MONDAY", at(8, 0), "MONDAY", at(24, 1)}, {"MONDAY", at(-1, 0), "MONDAY", at(9, 0)},
				{"MONDAY", at(8, -1), "MONDAY", at(9, 0)},
			}, nil,
		},
	}
	for _, test := range tests {
		testkit.Equal(t, test.name, weekLines(locationOpenings(test.periods)), test.want)
	}
}

func TestPlaceHours(t *testing.T) {
	always := []string{
		"poniedziałek: całą dobę", "wtorek: całą dobę", "środa: całą dobę", "czwartek: całą dobę",
		"piątek: całą dobę", "sobota: całą dobę", "niedziela: całą dobę",
	}
	tests := []struct {
		name    string
		periods []placePeriod
		want    []string
	}{
		{"sunday is zero", []placePeriod{{placePoint{0, 10, 0}, &placePoint{0, 14, 0}}},
			[]string{"niedziela: 10:00–14:00"}},
		{"saturday night", []placePeriod{{placePoint{6, 20, 0}, &placePoint{0, 3, 0}}},
			[]string{"sobota: 20:00–03:00"}},
		{"monday", []placePeriod{{placePoint{1, 8, 0}, &placePoint{1, 16, 0}}},
			[]string{"poniedziałek: 08:00–16:00"}},
		{"all the time", []placePeriod{{placePoint{0, 0, 0}, nil}}, always},
		{"day of no week", []placePeriod{{placePoint{9, 8, 0}, &placePoint{-1, 9, 0}}}, nil},
	}
	for _, test := range tests {
		testkit.Equal(t, test.name, weekLines(placeOpenings(test.periods)), test.want)
	}
}
