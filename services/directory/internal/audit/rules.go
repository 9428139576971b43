package audit

import (
	"cmp"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rule is how many points a field is worth. Its texts are Polish.
type rule struct {
	field   Field
	label   string
	points  float64
	edit    string // the act in the editor of Google
	where   string // where that editor has the field
	partial []tier // for less than all points, best first, see measure
	missing string
	unknown string
	keyless string // replaces unknown if only public places report the field and there is no key to read them
}

type tier struct {
	points float64
	advice string
}

const (
	connectProfile = "Połącz profil firmy i wybierz lokalizację, aby sprawdzić "

	matchPlace = "Sprawdź, czy nazwa i adres firmy są takie jak w wizytówce."
	setKey     = "Administrator serwisu musi ustawić klucz Places, " +
		"a nazwa i adres firmy muszą być takie jak w wizytówce."
)

// rules is the published table. Its points sum to 100.
var rules = []rule{
	{
		field: FieldName, label: "Nazwa", points: 10,
		edit: "Popraw nazwę w Google", where: "Edytuj profil › Informacje",
		partial: []tier{
			{5, "Podaj nazwę firmy taką jak na szyldzie: od 2 do 80 znaków, bez haseł reklamowych."},
		},
		missing: "Dodaj nazwę firmy.",
		unknown: connectProfile + "nazwę.",
	},
	{
		field: FieldAddress, label: "Adres", points: 10,
		edit: "Popraw adres w Google", where: "Edytuj profil › Lokalizacja",
		partial: []tier{
			{6, "Uzupełnij adres: podaj ulicę z numerem, kod pocztowy i miejscowość."},
			{3, "Podaj pełny adres: ulicę z numerem, kod pocztowy i miejscowość."},
		},
		missing: "Dodaj adres firmy: ulicę z numerem, kod pocztowy i miejscowość.",
		unknown: connectProfile + "adres. " +
			"Firma, która dojeżdża do klientów, nie musi go podawać.",
	},
	{
		field: FieldPhone, label: "Telefon", points: 8,
		edit: "Popraw telefon w Google", where: "Edytuj profil › Kontakt",
		partial: []tier{
			{4, "Popraw numer telefonu: podaj 9 cyfr albo numer międzynarodowy zaczynający się od +."},
		},
		missing: "Dodaj numer telefonu, pod którym odbiera firma.",
		unknown: connectProfile + "numer telefonu.",
	},
	{
		field: FieldWebsite, label: "Strona internetowa", points: 8,
		edit: "Popraw adres strony w Google", where: "Edytuj profil › Kontakt",
		partial: []tier{
			{5, "Włącz szyfrowanie na stronie i podaj jej adres zaczynający się od https://."},
			{2, "Popraw adres strony internetowej: powinien wyglądać jak https://firma.pl."},
		},
		missing: "Dodaj adres strony internetowej firmy.",
		unknown: connectProfile + "adres strony.",
	},
	{
		field: FieldHours, label: "Godziny otwarcia", points: 10,
		edit: "Popraw godziny w Google", where: "Edytuj profil › Godziny",
		partial: []tier{
			{7, "Uzupełnij godziny otwarcia w pozostałych dniach tygodnia."},
			{4, "Podaj godziny otwarcia osobno dla każdego dnia tygodnia."},
		},
		missing: "Dodaj godziny otwarcia w poszczególnych dniach tygodnia.",
		unknown: connectProfile + "godziny otwarcia. " +
			"Źródło nie podaje godzin firmy oznaczonej jako zamknięta na stałe.",
	},
	{
		field: FieldCategories, label: "Kategorie", points: 10,
		edit: "Popraw kategorie w Google", where: "Edytuj profil › Informacje",
		partial: []tier{
			{7, "Dodaj trzecią kategorię działalności."},
			{4, "Dodaj kolejne kategorie działalności, łącznie co najmniej trzy."},
		},
		missing: "Wybierz kategorie działalności, co najmniej trzy.",
		unknown: connectProfile + "kategorie.",
	},
	{
		field: FieldPhotos, label: "Zdjęcia", points: 15,
		edit: "Dodaj zdjęcia w Google", where: "Dodaj zdjęcie",
		partial: []tier{
			{10, "Dodaj kolejne zdjęcia, łącznie co najmniej 10."},
			{5, "Dodaj więcej zdjęć firmy, wnętrza i produktów: łącznie co najmniej 10."},
		},
		missing: "Dodaj zdjęcia firmy, co najmniej 10: z zewnątrz, wnętrza, zespołu i produktów.",
		unknown: "Liczbę zdjęć podaje publiczna wizytówka. " + matchPlace,
		keyless: "Liczbę zdjęć podaje publiczna wizytówka. " + setKey,
	},
	{
		field: FieldDescription, label: "Opis", points: 12,
		edit: "Popraw opis w Google", where: "Edytuj profil › Informacje",
		partial: []tier{
			{8, "Rozwiń opis firmy do co najmniej 250 znaków."},
			{4, "Opis firmy jest bardzo krótki. Napisz co najmniej 250 znaków " +
				"o ofercie i o tym, co firmę wyróżnia."},
		},
		missing: "Dodaj opis firmy: co najmniej 250 znaków o ofercie i o tym, co firmę wyróżnia.",
		unknown: connectProfile + "opis.",
	},
	{
		field: FieldServices, label: "Usługi", points: 7,
		edit: "Popraw usługi w Google", where: "Edytuj usługi",
		partial: []tier{
			{5, "Dodaj kolejne usługi, łącznie co najmniej pięć."},
			{3, "Dodaj więcej usług, łącznie co najmniej pięć."},
		},
		missing: "Dodaj listę usług, co najmniej pięć.",
		unknown: connectProfile + "listę usług.",
	},
	{
		field: FieldReviews, label: "Opinie", points: 10,
		edit: "Poproś o opinie w Google", where: "Poproś o opinie",
		partial: []tier{
			{7, "Proś zadowolonych klientów o opinie. Celem jest co najmniej 10 opinii i średnia od 4,0."},
			{4, "Odpowiadaj na opinie i proś klientów o nowe. Celem jest co najmniej 10 opinii i średnia od 4,0."},
		},
		missing: "Poproś klientów o pierwsze opinie.",
		unknown: "Opinie podaje publiczna wizytówka. " + matchPlace,
		keyless: "Opinie podaje publiczna wizytówka. " + setKey,
	},
}

// Fields lists the checked fields in the order in which pages show them.
func Fields() (fields []Field) {
	for _, r := range rules {
		fields = append(fields, r.field)
	}
	return fields
}

func ruleOf(f Field) (found rule) {
	for _, r := range rules {
		if r.field == f {
			found = r
		}
	}
	return found
}

// Label returns the Polish name of the field.
func (f Field) Label() string { return ruleOf(f).label }

// Edit returns what a link to Google's editor says, and where the field is in it.
func (f Field) Edit() (text, where string) {
	r := ruleOf(f)
	return r.edit, r.where
}

// maxPlacePhotos is how many photos a place shows at most.
const maxPlacePhotos = 10

// measure returns what p has in a field, empty if it is missing, and the tier that this
// reaches: 0 for all points, then those of rule.partial.
func (p *Profile) measure(f Field) (value string, tier int) {
	switch f {
	case FieldName:
		n := utf8.RuneCountInString(p.Name)
		return p.Name, first(n >= 2 && n <= 80 && strings.ContainsFunc(p.Name, unicode.IsLetter))
	case FieldAddress:
		parts := addressParts(p.Address)
		return p.Address, first(parts == 3, parts == 2)
	case FieldPhone:
		return p.Phone, first(validPhone(p.Phone))
	case FieldWebsite:
		scheme := websiteScheme(p.Website)
		return p.Website, first(scheme == "https", scheme == "http")
	case FieldHours:
		days := openDays(p.Hours)
		return strings.Join(p.Hours, "; "), first(days >= 5, days >= 3)
	case FieldCategories: // a place shows only the primary one
		n := len(p.Categories)
		return strings.Join(p.Categories, ", "), first(n >= 3 || p.Source == FromPlace, n == 2)
	case FieldPhotos:
		return p.photoValue(), first(p.PhotoCount >= maxPlacePhotos, p.PhotoCount >= 5)
	case FieldDescription: // that of a place is a summary by Google
		n := utf8.RuneCountInString(p.Description)
		return p.Description, first(n >= 250 || p.Source == FromPlace, n >= 100)
	case FieldServices:
		return strings.Join(p.Services, ", "), first(len(p.Services) >= 5, len(p.Services) >= 2)
	case FieldReviews:
		return p.reviewValue(), first(p.ReviewCount >= 10 && p.AverageRating >= 4,
			p.ReviewCount >= 5 && p.AverageRating >= 3.5)
	}
	return "", 0
}

func first(conditions ...bool) int {
	i := slices.Index(conditions, true)
	if i < 0 {
		return len(conditions)
	}
	return i
}

func (p *Profile) photoValue() string {
	switch {
	case p.PhotoCount <= 0:
		return ""
	case p.PhotoCount == maxPlacePhotos:
		return "10 lub więcej"
	}
	return strconv.Itoa(p.PhotoCount)
}

// reviewValue is, for example, "128 (średnia ocena 4,6)".
func (p *Profile) reviewValue() string {
	if p.ReviewCount <= 0 {
		return ""
	}
	average := strings.Replace(strconv.FormatFloat(p.AverageRating, 'f', 1, 64), ".", ",", 1)
	return strconv.Itoa(p.ReviewCount) + " (średnia ocena " + average + ")"
}

var (
	postalCode = regexp.MustCompile(`\b\d{2}-\d{3}\b`)
	// houseNumber is a word and the number at the end: "Długa 12A/4", "al. 3 Maja 7 lok. 2".
	houseNumber = regexp.MustCompile(`(?i)\pL\S*\s+\d+\s?\pL?(\s?[/-]\s?\d+\pL?)?(,?\s+(lok|m|pok)\b.*)?$`)
	streetWord  = regexp.MustCompile(`(?i)^(ul|al|os|pl|ulica|aleja|aleje|osiedle|plac)(\.|\s|$)`)
	country     = regexp.MustCompile(`(?i)^(polska|poland)$`)
)

// addressParts counts house number, Polish postal code and town.
func addressParts(address string) int {
	var number, code, town bool
	for _, part := range strings.FieldsFunc(address, func(r rune) bool { return r == ',' || r == '\n' }) {
		street := strings.TrimSpace(part)
		if at := postalCode.FindStringIndex(part); at != nil {
			code = true
			town = town || isTown(part[at[1]:])
			street = strings.TrimSpace(part[:at[0]])
		}
		switch {
		case houseNumber.MatchString(street):
			number = true
		case isTown(street):
			town = true
		}
	}
	return countTrue(number, code, town)
}

func countTrue(all ...bool) (count int) {
	for _, is := range all {
		if is {
			count++
		}
	}
	return count
}

func isTown(part string) bool {
	part = strings.TrimSpace(part)
	isName := utf8.RuneCountInString(part) >= 2 && strings.ContainsFunc(part, unicode.IsLetter)
	if !isName || strings.ContainsFunc(part, unicode.IsDigit) {
		return false
	}
	return !streetWord.MatchString(part) && !country.MatchString(part)
}

var (
	phoneFiller = regexp.MustCompile(`[\s\pZ().\-–/]`)
	phoneForm   = regexp.MustCompile(`^((\+48|0048)?[1-9]\d{8}|(\+|00)([1-35-9]\d|4[0-79])\d{6,13})$`)
)

// validPhone accepts a Polish number of nine digits, and any other number with its country
// (ITU-T E.164: at most 15 digits).
func validPhone(phone string) bool {
	return phoneForm.MatchString(phoneFiller.ReplaceAllString(phone, ""))
}

// websiteScheme returns https, or http also for a bare host, or nothing.
func websiteScheme(website string) string {
	if !strings.Contains(website, "://") {
		website = "http://" + website
	}
	u, err := url.Parse(website)
	if err != nil || u.User != nil {
		return ""
	}
	isWeb := u.Scheme == "https" || u.Scheme == "http"
	if !isWeb || !strings.Contains(strings.Trim(u.Hostname(), "."), ".") {
		return ""
	}
	return u.Scheme
}

// Assess applies the rule table to a profile. Company, time and user are left to the caller.
// If no field is known, the score is 0.
func Assess(p *Profile) Audit {
	a := Audit{
		Fields: map[Field]FieldStatus{}, PlaceID: p.PlaceID, Source: p.Source, Version: Version, DataAt: p.FetchedAt,
		Location: p.Location, Signals: p.Signals,
		Outcome: Outcome{PhotoCount: p.PhotoCount, ReviewCount: p.ReviewCount},
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
	for _, r := range rules {
		status := r.apply(p)
		a.Fields[r.field] = status
		if status.Status != StatusUnknown {
			points += status.Score
			known += r.points
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

func (r *rule) apply(p *Profile) FieldStatus {
	s := FieldStatus{MaxScore: r.points}
	value, tier := p.measure(r.field)
	switch {
	case !slices.Contains(p.Reports, r.field):
		s.Status, s.Recommendation = StatusUnknown, r.unknown
		if p.keyless {
			s.Recommendation = cmp.Or(r.keyless, r.unknown)
		}
		return s
	case value == "":
		s.Status, s.Recommendation = StatusMissing, r.missing
		return s
	}
	s.Value = &value
	if tier == 0 {
		s.Status, s.Score = StatusComplete, r.points
		return s
	}
	reached := r.partial[tier-1]
	s.Status, s.Score = StatusPartial, reached.points
	s.Recommendation = reached.advice
	return s
}

// recommend lists what to do about the fields, most points first. The points, to one decimal,
// add up to gap, what the score lacks. Making an unknown field known gains none by itself.
func recommend(fields map[Field]FieldStatus, gap float64) []Recommendation {
	list := []Recommendation{}
	var open float64
	for _, r := range rules {
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

type grade struct {
	from float64
	name string
}

var (
	scoreGrades    = []grade{{90, "excellent"}, {70, "good"}, {50, "needs_work"}, {0, "poor"}}
	priorityGrades = []grade{{8, "high"}, {4, "medium"}, {0, "low"}}
)

func gradeOf(grades []grade, figure float64) string {
	i := slices.IndexFunc(grades, func(g grade) bool { return figure >= g.from })
	return grades[i].name
}
