package audit

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// rule is how many points a field is worth.
type rule struct {
	field   Field
	label   string // Polish
	points  float64
	value   func(*Profile) string // what was found; empty if the field is missing
	tiers   []tier                // best first; the first that holds counts, and the last always holds
	missing string                // Polish: what to do if it is missing
	unknown string                // Polish: how to make the field known
	keyless string                // Polish: the same if only places have the field and there is no key for them
	edit    string                // Polish: the act in the editor of Google
	where   string                // Polish: where that editor has the field
}

// How a field becomes known that only places have.
const (
	matchPlace = "Sprawdź, czy nazwa i adres firmy są takie jak w wizytówce."
	setKey     = "Administrator serwisu musi ustawić klucz Places, " +
		"a nazwa i adres firmy muszą być takie jak w wizytówce."
)

// tier is a part of a rule: points for a value for which holds is true.
type tier struct {
	points float64
	holds  func(*Profile) bool
	advice string // Polish: how to gain more points; empty at the top
}

func anything(*Profile) bool { return true }

// Fields lists the checked fields in the order in which pages show them.
func Fields() (fields []Field) {
	for _, r := range rules() {
		fields = append(fields, r.field)
	}
	return fields
}

func ruleOf(f Field) rule {
	all := rules()
	i := slices.IndexFunc(all, func(r rule) bool { return r.field == f })
	if i < 0 {
		return rule{}
	}
	return all[i]
}

// Label returns the Polish name of the field.
func (f Field) Label() string { return ruleOf(f).label }

// Edit returns what a link to Google's editor says, and where the field is in it.
func (f Field) Edit() (text, where string) {
	r := ruleOf(f)
	return r.edit, r.where
}

// rules is the published table. Its points sum to 100.
func rules() []rule {
	return []rule{
		{
			field: FieldName, label: "Nazwa", points: 10,
			edit: "Popraw nazwę w Google", where: "Edytuj profil › Informacje",
			value: func(p *Profile) string { return p.Name },
			tiers: []tier{
				{10, func(p *Profile) bool { return plainName(p.Name) }, ""}, // 2 to 80 characters, with a letter
				{ // anything else
					5, anything,
					"Podaj nazwę firmy taką jak na szyldzie: od 2 do 80 znaków, bez haseł reklamowych.",
				},
			},
			missing: "Dodaj nazwę firmy.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić nazwę.",
		},
		{
			field: FieldAddress, label: "Adres", points: 10,
			edit: "Popraw adres w Google", where: "Edytuj profil › Lokalizacja",
			value: func(p *Profile) string { return p.Address },
			tiers: []tier{
				{ // street or village with number, postal code (NN-NNN) and town
					10, func(p *Profile) bool { return addressParts(p.Address) == 3 },
					"",
				},
				{ // two of the three
					6, func(p *Profile) bool { return addressParts(p.Address) == 2 },
					"Uzupełnij adres: podaj ulicę z numerem, kod pocztowy i miejscowość.",
				},
				{3, anything, "Podaj pełny adres: ulicę z numerem, kod pocztowy i miejscowość."}, // anything else
			},
			missing: "Dodaj adres firmy: ulicę z numerem, kod pocztowy i miejscowość.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić adres. " +
				"Firma, która dojeżdża do klientów, nie musi go podawać.",
		},
		{
			field: FieldPhone, label: "Telefon", points: 8,
			edit: "Popraw telefon w Google", where: "Edytuj profil › Kontakt",
			value: func(p *Profile) string { return p.Phone },
			tiers: []tier{
				{ // Polish number of 9 digits, or an international one (E.164)
					8, func(p *Profile) bool { return validPhone(p.Phone) },
					"",
				},
				{ // anything else
					4, anything,
					"Popraw numer telefonu: podaj 9 cyfr albo numer międzynarodowy zaczynający się od +.",
				},
			},
			missing: "Dodaj numer telefonu, pod którym odbiera firma.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić numer telefonu.",
		},
		{
			field: FieldWebsite, label: "Strona internetowa", points: 8,
			edit: "Popraw adres strony w Google", where: "Edytuj profil › Kontakt",
			value: func(p *Profile) string { return p.Website },
			tiers: []tier{
				{8, func(p *Profile) bool { return websiteScheme(p.Website) == "https" }, ""}, // https address
				{ // http address, or one without a scheme
					5, func(p *Profile) bool { return websiteScheme(p.Website) == "http" },
					"Włącz szyfrowanie na stronie i podaj jej adres zaczynający się od https://.",
				},
				{ // anything else
					2, anything,
					"Popraw adres strony internetowej: powinien wyglądać jak https://firma.pl.",
				},
			},
			missing: "Dodaj adres strony internetowej firmy.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić adres strony.",
		},
		{
			field: FieldHours, label: "Godziny otwarcia", points: 10,
			edit: "Popraw godziny w Google", where: "Edytuj profil › Godziny",
			value: func(p *Profile) string { return strings.Join(p.Hours, "; ") },
			tiers: []tier{
				{10, func(p *Profile) bool { return openDays(p.Hours) >= 5 }, ""}, // 5 to 7 days
				{ // 3 or 4 days
					7, func(p *Profile) bool { return openDays(p.Hours) >= 3 },
					"Uzupełnij godziny otwarcia w pozostałych dniach tygodnia.",
				},
				{ // 1 or 2 days, or no day that can be read
					4, anything,
					"Podaj godziny otwarcia osobno dla każdego dnia tygodnia.",
				},
			},
			missing: "Dodaj godziny otwarcia w poszczególnych dniach tygodnia.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić godziny otwarcia. " +
				"Źródło nie podaje godzin firmy oznaczonej jako zamknięta na stałe.",
		},
		{
			field: FieldCategories, label: "Kategorie", points: 10,
			edit: "Popraw kategorie w Google", where: "Edytuj profil › Informacje",
			value: func(p *Profile) string { return strings.Join(p.Categories, ", ") },
			tiers: []tier{
				{ // 3 or more; the primary one of a place, which shows no others
					10, func(p *Profile) bool { return len(p.Categories) >= 3 || p.Source == FromPlace },
					"",
				},
				{ // 2
					7, func(p *Profile) bool { return len(p.Categories) == 2 },
					"Dodaj trzecią kategorię działalności.",
				},
				{4, anything, "Dodaj kolejne kategorie działalności, łącznie co najmniej trzy."}, // 1
			},
			missing: "Wybierz kategorie działalności, co najmniej trzy.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić kategorie.",
		},
		{
			field: FieldPhotos, label: "Zdjęcia", points: 15,
			edit: "Dodaj zdjęcia w Google", where: "Dodaj zdjęcie",
			value: photoValue,
			tiers: []tier{
				{15, func(p *Profile) bool { return p.PhotoCount >= maxPlacePhotos }, ""}, // 10 or more
				{ // 5 to 9
					10, func(p *Profile) bool { return p.PhotoCount >= 5 },
					"Dodaj kolejne zdjęcia, łącznie co najmniej 10.",
				},
				{5, anything, "Dodaj więcej zdjęć firmy, wnętrza i produktów: łącznie co najmniej 10."}, // 1 to 4
			},
			missing: "Dodaj zdjęcia firmy, co najmniej 10: z zewnątrz, wnętrza, zespołu i produktów.",
			unknown: "Liczbę zdjęć podaje publiczna wizytówka. " + matchPlace,
			keyless: "Liczbę zdjęć podaje publiczna wizytówka. " + setKey,
		},
		{
			field: FieldDescription, label: "Opis", points: 12,
			edit: "Popraw opis w Google", where: "Edytuj profil › Informacje",
			value: func(p *Profile) string { return p.Description },
			tiers: []tier{
				{ // 250 characters or more; any summary that Places itself wrote
					12, func(p *Profile) bool { return characters(p.Description) >= 250 || p.Source == FromPlace },
					"",
				},
				{ // 100 to 249 characters
					8, func(p *Profile) bool { return characters(p.Description) >= 100 },
					"Rozwiń opis firmy do co najmniej 250 znaków.",
				},
				{ // 1 to 99 characters
					4, anything,
					"Opis firmy jest bardzo krótki. Napisz co najmniej 250 znaków " +
						"o ofercie i o tym, co firmę wyróżnia.",
				},
			},
			missing: "Dodaj opis firmy: co najmniej 250 znaków o ofercie i o tym, co firmę wyróżnia.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić opis.",
		},
		{
			field: FieldServices, label: "Usługi", points: 7,
			edit: "Popraw usługi w Google", where: "Edytuj usługi",
			value: func(p *Profile) string { return strings.Join(p.Services, ", ") },
			tiers: []tier{
				{7, func(p *Profile) bool { return len(p.Services) >= 5 }, ""}, // 5 or more
				{ // 2 to 4
					5, func(p *Profile) bool { return len(p.Services) >= 2 },
					"Dodaj kolejne usługi, łącznie co najmniej pięć.",
				},
				{3, anything, "Dodaj więcej usług, łącznie co najmniej pięć."}, // 1
			},
			missing: "Dodaj listę usług, co najmniej pięć.",
			unknown: "Połącz profil firmy i wybierz lokalizację, aby sprawdzić listę usług.",
		},
		{
			field: FieldReviews, label: "Opinie", points: 10,
			edit: "Poproś o opinie w Google", where: "Poproś o opinie",
			value: reviewValue,
			tiers: []tier{
				{ // 10 or more, 4.0 or better on average
					10, func(p *Profile) bool { return p.ReviewCount >= 10 && p.AverageRating >= 4 },
					"",
				},
				{ // 5 or more, 3.5 or better on average
					7, func(p *Profile) bool { return p.ReviewCount >= 5 && p.AverageRating >= 3.5 },
					"Proś zadowolonych klientów o opinie. Celem jest co najmniej 10 opinii i średnia od 4,0.",
				},
				{ // anything else
					4, anything,
					"Odpowiadaj na opinie i proś klientów o nowe. Celem jest co najmniej 10 opinii i średnia od 4,0.",
				},
			},
			missing: "Poproś klientów o pierwsze opinie.",
			unknown: "Opinie podaje publiczna wizytówka. " + matchPlace,
			keyless: "Opinie podaje publiczna wizytówka. " + setKey,
		},
	}
}

// maxPlacePhotos is how many photos a place shows at most: that many means at
// least that many.
const maxPlacePhotos = 10

func photoValue(p *Profile) string {
	switch {
	case p.PhotoCount <= 0:
		return ""
	case p.PhotoCount == maxPlacePhotos:
		return "10 lub więcej"
	}
	return strconv.Itoa(p.PhotoCount)
}

// reviewValue is, for example, "128 (średnia ocena 4,6)".
func reviewValue(p *Profile) string {
	if p.ReviewCount <= 0 {
		return ""
	}
	average := strings.Replace(strconv.FormatFloat(p.AverageRating, 'f', 1, 64), ".", ",", 1)
	return strconv.Itoa(p.ReviewCount) + " (średnia ocena " + average + ")"
}

func characters(s string) int { return utf8.RuneCountInString(s) }

// Assess applies the rule table to a profile. The same profile gives the same audit;
// company, time and user are left to the caller. If no field is known, the score is 0.
func Assess(p *Profile) Audit {
	a := Audit{
		Fields: map[Field]FieldStatus{}, PhotoCount: p.PhotoCount, ReviewCount: p.ReviewCount, PlaceID: p.PlaceID,
		Source: p.Source, Version: Version, DataAt: p.FetchedAt, Location: p.Location,
		LogoPresent: p.LogoPresent, CoverPresent: p.CoverPresent, Signals: p.Signals, Holidays: []string{},
	}
	if p.ReviewCount > 0 {
		a.AverageRating = &p.AverageRating
	}
	if p.Signals != nil {
		a.Holidays = p.holidaysWithoutHours()
	}
	if len(a.Holidays) > 0 {
		a.Signals = append(slices.Clone(a.Signals), SignalNoSpecialHours)
	}
	var points, known float64
	for _, r := range rules() {
		status := r.apply(p)
		a.Fields[r.field] = status
		if status.Status != StatusUnknown {
			points, known = points+status.Score, known+r.points
		}
	}
	if known > 0 {
		a.Score = math.Round(1000*points/known) / 10
	}
	a.Category = gradeOf(scoreGrades, a.Score)
	a.Recommendations = recommend(a.Fields, 100-a.Score)
	a.complete()
	return a
}

// apply returns the result of one rule.
func (r *rule) apply(p *Profile) FieldStatus {
	s := FieldStatus{MaxScore: r.points}
	if !p.CanReport(r.field) {
		s.Status, s.Recommendation = StatusUnknown, r.unknown
		if p.keyless && r.keyless != "" {
			s.Recommendation = r.keyless
		}
		return s
	}
	value := r.value(p)
	if value == "" {
		s.Status, s.Recommendation = StatusMissing, r.missing
		return s
	}
	s.Value = &value
	for _, t := range r.tiers {
		if t.holds(p) {
			s.Score, s.Recommendation = t.points, t.advice
			break
		}
	}
	s.Status = StatusPartial
	if s.Score == s.MaxScore {
		s.Status = StatusComplete
	}
	return s
}

// recommend lists what to do about the fields, most points first. The points are those of
// the score, rounded to one decimal so that their sum is gap, what the score lacks. Making
// an unknown field known gains none by itself.
func recommend(fields map[Field]FieldStatus, gap float64) []Recommendation {
	list := []Recommendation{}
	var open float64
	for _, r := range rules() {
		s := fields[r.field]
		if s.Recommendation == "" {
			continue
		}
		advice := Recommendation{Field: r.field, Text: s.Recommendation}
		if s.Status != StatusUnknown {
			advice.Points = s.MaxScore - s.Score
			open += advice.Points
		}
		list = append(list, advice)
	}
	mostFirst := func(a, b Recommendation) int { return cmp.Compare(b.Points, a.Points) }
	slices.SortStableFunc(list, mostFirst)
	var sum, shown float64 // rounding the sums instead of the parts loses nothing
	for i := range list {
		r := &list[i]
		if open > 0 {
			sum += r.Points
			upTo := math.Round(10 * gap * sum / open)
			r.Points, shown = (upTo-shown)/10, upTo
		}
		r.Priority = gradeOf(priorityGrades, r.Points)
	}
	slices.SortStableFunc(list, mostFirst) // the rest of rounding may have swapped equal ones
	return list
}

// grade is the name of the figures from a least one on.
type grade struct {
	from float64
	name string
}

// scoreGrades are the categories of a score, priorityGrades the priorities of a
// recommendation by its points.
var (
	scoreGrades    = []grade{{90, "excellent"}, {70, "good"}, {50, "needs_work"}, {0, "poor"}}
	priorityGrades = []grade{{8, "high"}, {4, "medium"}, {0, "low"}}
)

// gradeOf returns the name for a figure that is not negative.
func gradeOf(grades []grade, figure float64) string {
	i := slices.IndexFunc(grades, func(g grade) bool { return figure >= g.from })
	return grades[i].name
}
