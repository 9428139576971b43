package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
	"backend.example/services/internal/kit/testkit"
)

var now = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// full is a profile that is complete in every field.
func full() *Profile {
	b := google.Business{
		PlaceID: "place-1", Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków",
		Phone: "+48 12 421 00 12", Website: "https://piekarnia-kowalski.example/",
		Hours: []string{"pn-pt 6-18"}, Categories: []string{"Piekarnia", "Cukiernia", "Kawiarnia"},
		Description: strings.Repeat("ż", 250), Services: []string{"Chleb", "Bułki", "Torty", "Ciasta", "Kawa"},
	}
	p := fromLocation("locations/5", b, now)
	b.PhotoCount = 10
	b.ReviewCount = 128
	b.AverageRating = 4.6
	b.Description = ""
	p.fill(fromPlace(b, now))
	return p
}

func TestFullProfile(t *testing.T) {
	got := Assess(full())
	fields := got.Fields
	got.Fields = nil
	want := Audit{
		DataAt: now, Outcome: Outcome{100, "excellent", 10, 128, new(4.6)},
		Recommendations: []Recommendation{}, Sources: []Step{},
		Version: "1.0", Source: FromLocation, PlaceID: "place-1", Location: "locations/5",
		Coverage: 100, Holidays: []string{},
		Subject: Subject{Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków"},
		Found:   Found{true, true, true, true, true, true, true, true, true, true},
	}
	testkit.Equal(t, "audit", got, want)
	testkit.Equal(t, "value of the reviews", *fields[FieldReviews].Value, "128 (średnia ocena 4,6)")
}

// A field that no source reports costs nothing, and is the object of advice without points.
func TestUnknownFields(t *testing.T) {
	for _, r := range rules {
		p := full()
		p.Reports = slices.DeleteFunc(p.Reports, func(f Field) bool { return f == r.field })
		a := Assess(p)
		want := []Recommendation{{Field: r.field, Priority: "low", Text: r.unknown}}
		testkit.Equal(t, string(r.field)+": score", a.Score, 100)
		testkit.Equal(t, string(r.field)+": recommendations", a.Recommendations, want)
	}
}

// The record of a company reports eight fields, so that what is empty there is missing.
func TestLittleIsKnown(t *testing.T) {
	bar := google.Business{Name: "Bar"}
	for name, test := range map[string]struct {
		profile *Profile
		score   float64
		unknown int // fields
	}{
		"no field reported":    {&Profile{Business: bar}, 0, 10},
		"name of the record":   {fromRecord(company.Company{Name: "Bar"}, now), 13.3, 2},
		"name of the location": {fromLocation("locations/1", bar, now), 13.3, 2},
	} {
		a := Assess(test.profile)
		unknown := 0
		for _, s := range a.Fields {
			if s.Status == StatusUnknown {
				unknown++
			}
		}
		testkit.Equal(t, name+": score", a.Score, test.score)
		testkit.Equal(t, name+": number of unknown fields", unknown, test.unknown)
	}
}

// The points sum up to what the score lacks, also where the score is of some fields only.
func TestRecommendations(t *testing.T) {
	p := full()
	p.Hours = nil
	p.Address = ""
	p.Services = []string{"Chleb"}
	p.PhotoCount = 5
	p.Website = "http://p.example"
	p.Reports = slices.DeleteFunc(p.Reports, func(f Field) bool { return f == FieldReviews })
	a := Assess(p)
	got := slices.Clone(a.Recommendations)
	var sum float64
	for i := range got {
		sum += got[i].Points
		got[i].Text = ""
	}
	want := []Recommendation{ // of 90 points that are known
		{Field: FieldAddress, Priority: "high", Points: 11.1},
		{Field: FieldHours, Priority: "high", Points: 11.1},
		{Field: FieldPhotos, Priority: "medium", Points: 5.6},
		{Field: FieldServices, Priority: "medium", Points: 4.5},
		{Field: FieldWebsite, Priority: "low", Points: 3.3},
		{Field: FieldReviews, Priority: "low"},
	}
	testkit.Equal(t, "recommendations", got, want)
	if gap := 100 - a.Score; math.Abs(sum-gap) > 1e-9 {
		t.Errorf("the points sum up to %g, the score lacks %g", sum, gap)
	}
}

func TestGrades(t *testing.T) {
	for figure, want := range map[float64]string{
		100: "excellent", 90: "excellent", 89.9: "good", 70: "good", 69.9: "needs_work", 50: "needs_work", 49.9: "poor",
	} {
		testkit.Equal(t, fmt.Sprint(figure), gradeOf(scoreGrades, figure), want)
	}
}

func TestHolidays(t *testing.T) {
	day := func(text string) time.Time {
		d, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for name, test := range map[string]struct {
		read    string // the day
		hours   string
		special []time.Time // days with hours of their own
		address string
		want    []string
	}{
		"Christmas": {"2026-12-01", "codziennie 6-18", nil, "31-021 Kraków",
			[]string{"2026-12-24", "2026-12-25", "2026-12-26"}},
		"one has hours": {"2026-12-01", "pn-pt 6-18", []time.Time{day("2026-12-24")}, "31-021 Kraków",
			[]string{"2026-12-25"}},
		"closed on that day": {"2026-10-31", "pn-pt 6-18", nil, "31-021 Kraków", []string{"2026-11-11"}},
		"Easter and Pentecost": {"2027-04-25", "codziennie 6-18", nil, "31-021 Kraków",
			[]string{"2027-05-01", "2027-05-03", "2027-05-16"}},
		"Corpus Christi":     {"2027-05-20", "codziennie 6-18", nil, "31-021 Kraków", []string{"2027-05-27"}},
		"in another country": {"2026-12-01", "codziennie 6-18", nil, "10115 Berlin", []string{}},
		"31 days ahead":      {"2026-11-24", "pn-pt 6-18", nil, "31-021 Kraków", []string{}},
	} {
		p := full()
		p.FetchedAt = day(test.read)
		p.Hours = []string{test.hours}
		p.SpecialDays = test.special
		p.Address = test.address
		p.Signals = []google.Signal{}
		a := Assess(p)
		testkit.Equal(t, name, a.Holidays, test.want)
		testkit.Equal(t, name+": signals", slices.Contains(a.Signals, SignalNoSpecialHours), len(test.want) > 0)
	}
}

func TestThresholds(t *testing.T) {
	distinctList := func(n int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = strings.Repeat("x", i+1)
		}
		return list
	}
	name := func(s string) func(*Profile) { return func(p *Profile) { p.Name = s } }
	address := func(s string) func(*Profile) { return func(p *Profile) { p.Address = s } }
	phone := func(s string) func(*Profile) { return func(p *Profile) { p.Phone = s } }
	website := func(s string) func(*Profile) { return func(p *Profile) { p.Website = s } }
	days := func(n int) func(*Profile) {
		return func(p *Profile) {
			p.Hours = []string{"poniedziałek: 1", "wtorek: 1", "środa: 1", "czwartek: 1", "piątek: 1", "sobota: 1",
				"niedziela: 1"}[:n]
		}
	}
	hours := func(s string) func(*Profile) { return func(p *Profile) { p.Hours = []string{s} } }
	cats := func(n int) func(*Profile) { return func(p *Profile) { p.Categories = distinctList(n) } }
	photos := func(n int) func(*Profile) { return func(p *Profile) { p.PhotoCount = n } }
	text := func(n int) func(*Profile) { return func(p *Profile) { p.Description = strings.Repeat("ą", n) } }
	services := func(n int) func(*Profile) { return func(p *Profile) { p.Services = distinctList(n) } }
	reviews := func(n int, average float64) func(*Profile) {
		return func(p *Profile) { p.ReviewCount, p.AverageRating = n, average }
	}
	tests := []struct {
		field  Field
		title  string
		change func(*Profile) // of a full profile
		want   float64        // points
	}{
		{FieldName, "none", name(""), 0},
		{FieldName, "blank", name(" \t"), 0},
		{FieldName, "1 character", name("X"), 5},
		{FieldName, "2 characters", name("4F"), 10},
		{FieldName, "no letter", name("123"), 5},
		{FieldName, "80 characters", name(strings.Repeat("ż", 80)), 10},
		{FieldName, "81 characters", name(strings.Repeat("ż", 81)), 5},
		{FieldAddress, "none", address(""), 0},
		{FieldAddress, "all", address("ul. Floriańska 12, 31-021 Kraków"), 10},
		{FieldAddress, "no number", address("ul. Floriańska, 31-021 Kraków"), 6},
		{FieldAddress, "no code", address("ul. Floriańska 12, Kraków"), 6},
		{FieldAddress, "no town", address("ul. Floriańska 12, 31-021"), 6},
		{FieldAddress, "town", address("Gdańsk"), 3},
		{FieldAddress, "town of two letters", address("ul. Floriańska 12, 31-021 Bo"), 10},
		{FieldAddress, "one letter", address("ul. Floriańska 12, 31-021 B"), 6},
		{FieldAddress, "neither", address("ul. Floriańska"), 3},
		{FieldPhone, "none", phone(""), 0},
		{FieldPhone, "good", phone("12 421 00 12"), 8},
		{FieldPhone, "short", phone("421 00 12"), 4},
		{FieldWebsite, "none", website(""), 0},
		{FieldWebsite, "https", website("https://firma.example"), 8},
		{FieldWebsite, "http", website("http://firma.example"), 5},
		{FieldWebsite, "bare", website("firma.example/kontakt"), 5},
		{FieldWebsite, "text", website("mamy stronę"), 2},
		{FieldHours, "0 days", days(0), 0},
		{FieldHours, "1 day", days(1), 4},
		{FieldHours, "2 days", days(2), 4},
		{FieldHours, "3 days", days(3), 7},
		{FieldHours, "4 days", days(4), 7},
		{FieldHours, "5 days", days(5), 10},
		{FieldHours, "7 days", days(7), 10},
		{FieldHours, "unreadable", hours("jak zwykle"), 4},
		{FieldHours, "a range", hours("pn–pt 8–16"), 10},
		{FieldCategories, "0", cats(0), 0},
		{FieldCategories, "1", cats(1), 4},
		{FieldCategories, "2", cats(2), 7},
		{FieldCategories, "3", cats(3), 10},
		{FieldCategories, "1 said three times", func(p *Profile) { p.Categories = []string{"Bar", " bar", "", "BAR "} },
			4},
		{FieldPhotos, "0", photos(0), 0},
		{FieldPhotos, "1", photos(1), 5},
		{FieldPhotos, "4", photos(4), 5},
		{FieldPhotos, "5", photos(5), 10},
		{FieldPhotos, "9", photos(9), 10},
		{FieldPhotos, "10", photos(10), 15},
		{FieldPhotos, "31", photos(31), 15},
		{FieldDescription, "0", text(0), 0},
		{FieldDescription, "1", text(1), 4},
		{FieldDescription, "99", text(99), 4},
		{FieldDescription, "100", text(100), 8},
		{FieldDescription, "249", text(249), 8},
		{FieldDescription, "250", text(250), 12},
		{FieldCategories, "primary category of a place",
			func(p *Profile) { p.Source, p.Categories = FromPlace, []string{"Piekarnia"} }, 10},
		{
			FieldDescription, "summary of a place",
			func(p *Profile) { p.Source, p.Description = FromPlace, "Dobra piekarnia." }, 12,
		},
		{FieldServices, "0", services(0), 0},
		{FieldServices, "1", services(1), 3},
		{FieldServices, "2", services(2), 5},
		{FieldServices, "4", services(4), 5},
		{FieldServices, "5", services(5), 7},
		{FieldReviews, "none", reviews(0, 0), 0},
		{FieldReviews, "1", reviews(1, 5), 4},
		{FieldReviews, "4", reviews(4, 5), 4},
		{FieldReviews, "5 at 3.4", reviews(5, 3.4), 4},
		{FieldReviews, "5 at 3.5", reviews(5, 3.5), 7},
		{FieldReviews, "9 at 5", reviews(9, 5), 7},
		{FieldReviews, "10 at 3.9", reviews(10, 3.9), 7},
		{FieldReviews, "10 at 4", reviews(10, 4), 10},
		{FieldReviews, "500 at 2", reviews(500, 2), 4},
	}
	for _, test := range tests {
		t.Run(string(test.field)+"/"+test.title, func(t *testing.T) {
			p := full()
			test.change(p)
			tidy(&p.Business)
			got := Assess(p).Fields[test.field]
			status := StatusPartial
			switch test.want {
			case 0:
				status = StatusMissing
			case got.MaxScore:
				status = StatusComplete
			}
			testkit.Equal(t, "points", got.Score, test.want)
			testkit.Equal(t, "status", got.Status, status)
		})
	}
}

func TestAddressParts(t *testing.T) {
	for address, want := range map[string]int{
		"ul. Długa 12, 00-238 Warszawa":               3,
		"Długa 12, 00-238 Warszawa, Polska":           3,
		"ul. Długa 12A/4, 00-238 Warszawa":            3,
		"ul. Długa 12-14 lok. 5, 00-238 Warszawa":     3,
		"ul. Długa 12 lok. 5, II piętro, 00-238 Łódź": 3,
		"al. 3 Maja 7, 00-401 Warszawa":               3,
		"al. 3 Maja, 00-401 Warszawa":                 2,
		"os. Centrum A 7, 31-923 Kraków":              3,
		"Wólka 12, 05-300 Mińsk Mazowiecki":           3,
		"31-021 Kraków, ul. Floriańska 12":            3,
		"ul. Floriańska 12 31-021 Kraków":             3,
		"ul. Floriańska 12\n31-021 Kraków":            3,
		"ul. Floriańska 12  31-021 Kraków":            3,
		"ul. Floriańska 12  , 31-021 Kraków":          3,
		"ul. Floriańska 12, Kraków, 31-021":           3,
		"ul. Floriańska 12, ---":                      1,
		"3 Maja, 00-401":                              1,
		"ul. Długa 12, Polska":                        1,
		"Rynek, Kraków":                               1,
		"31-021":                                      1,
		"plac Wolności":                               0,
		"Polska":                                      0,
		"123-456":                                     0,
		"":                                            0,
		", ,\n":                                       0,
	} {
		testkit.Equal(t, address, addressParts(address), want)
	}
}

func TestValidPhone(t *testing.T) {
	for phone, want := range map[string]bool{
		"12 421 00 12":                   true,
		"124210012":                      true,
		"(12) 421-00-12":                 true,
		"+48 12 421 00 12":               true,
		"+48\u00a0600\u00a0700\u00a0800": true,
		"0048 600 700 800":               true,
		"+49 30 901820":                  true,
		"+1 (650) 253-0000":              true,
		"+44 20 7946 0958":               true,
		"+380 44 123 45 67":              true,
		"+123456789012345":               true,
		"+1234567890123456":              false,
		"+1234567":                       false,
		"+48 12 421 00 1":                false,
		"+48 12 421 00 123":              false,
		"+48 012 421 00 1":               false,
		"012 421 00 1":                   false,
		"421 00 12":                      false,
		"12 421 00 12 wew. 5":            false,
		"49 30 901820 11":                false,
		"brak":                           false,
		"":                               false,
	} {
		testkit.Equal(t, phone, validPhone(phone), want)
	}
}

func TestWebsiteScheme(t *testing.T) {
	for website, want := range map[string]string{
		"https://firma.pl":        "https",
		"HTTPS://Firma.PL/o-nas":  "https",
		"http://firma.pl:8080/":   "http",
		"firma.pl":                "http",
		"www.firma.pl/kontakt?a=": "http",
		"https://łódź.pl":         "https",
		"https://localhost":       "",
		"https://":                "",
		"https://firma.":          "",
		"ftp://firma.pl":          "",
		"biuro@firma.pl":          "",
		"nasza firma.pl":          "",
		"mailto:a@b.pl":           "",
		"javascript:alert(1.2)":   "",
		"https://a.pl:x":          "",
	} {
		testkit.Equal(t, website, websiteScheme(website), want)
	}
}

func TestOpenDays(t *testing.T) {
	for hours, want := range map[string]int{
		"":                          0,
		"jak zwykle":                0,
		"nie dotyczy":               0,
		"poniedziałek: 08:00–16:00": 1,
		"pn-pt 8-16":                5,
		"Pon. – Pt.: 8:00–16:00, sob. 9–13":       6,
		"od poniedziałku do piątku 8-16":          5,
		"PONIEDZIAŁEK-NIEDZIELA 10-22":            7,
		"pon 8-16, wt 8-16, śr 8-16":              3,
		"pn. 8 - 16; czw. 8 - 16":                 2,
		"sob–pon 10–14":                           3,
		"pn, pn, pn":                              1,
		"codziennie 10–22":                        7,
		"24/7":                                    7,
		"wt 9-17\nczw 9-17":                       2,
		"pn i czw 8–16":                           2,
		"od 8 do pt":                              1,
		"poniedziałek 8–16\nniedziela: zamknięte": 2,
	} {
		testkit.Equal(t, hours, openDays(strings.Split(hours, "\n")), want)
	}
}

// An address or hours that do not apply are not missing.
func TestReports(t *testing.T) {
	with := func(more ...Field) []Field { return append(slices.Clone(common), more...) }
	bakery := []string{"Piekarnia"}
	for name, test := range map[string]struct {
		profile *Profile
		want    []Field
	}{
		"location": {fromLocation("locations/1", google.Business{}, now), with(FieldDescription, FieldServices)},
		"record":   {fromRecord(company.Company{}, now), with(FieldDescription, FieldServices)},
		"place":    {fromPlace(google.Business{Categories: bakery}, now), with(FieldPhotos, FieldReviews)},
		"place with a summary": {
			fromPlace(google.Business{Description: "Opis.", Categories: bakery}, now),
			with(FieldPhotos, FieldReviews, FieldDescription),
		},
		"location without address and hours": {
			fromLocation("l", google.Business{NoAddress: true, NoHours: true}, now),
			[]Field{FieldName, FieldPhone, FieldWebsite, FieldCategories, FieldDescription, FieldServices},
		},
		"place without a category": {
			fromPlace(google.Business{}, now),
			[]Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldPhotos, FieldReviews},
		},
	} {
		testkit.Equal(t, name, test.profile.Reports, test.want)
	}
}

// The week of a company begins at the same time every week, and those of many companies spread over all days.
func TestWeeksOfCompanies(t *testing.T) {
	const companies = 7000
	now := time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC)
	var days [7]int
	for id := range int64(companies) {
		begin := weekOf(id, now)
		age := now.Sub(begin)
		if age < 0 || age >= week {
			t.Fatalf("week of company %d begins at %s, which is not within the week before %s", id, begin, now)
		}
		for at, want := range map[time.Time]time.Time{
			begin: begin, begin.Add(week - 1): begin, begin.Add(week): begin.Add(week),
		} {
			if got := weekOf(id, at); !got.Equal(want) {
				t.Fatalf("at %s the week of company %d began at %s, want %s", at, id, got, want)
			}
		}
		days[age/(24*time.Hour)]++
	}
	// All versions of the service have to agree.
	testkit.Equal(t, "week of company 12", weekOf(12, now), time.Date(2026, time.November, 23, 9, 47, 29, 0, time.UTC))
	const mean = companies / 7
	for day, n := range days {
		if n < mean*9/10 || n > mean*11/10 {
			t.Errorf("%d weeks begin on day %d, want %d give or take a tenth", n, day, mean)
		}
	}
}
