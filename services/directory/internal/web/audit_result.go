package web

import (
	"net/url"
	"path"
	"strings"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/google"
	"backend.example/services/internal/kit/site"
)

// grade is a result or a state in Polish, and how good it is.
type grade struct {
	Text  string
	Level site.Level
}

type auditResult struct {
	Gauge        gauge
	Grade        grade
	At           time.Time
	Subject      audit.Subject
	Sources      []stateLine
	Shows        string // whose values the fields have, in Polish
	Coverage     string // how many fields were checked, in Polish
	Version      string
	Advice       []adviceView // most points first
	Fine         []fieldView  // fields with nothing to mend
	Hint         string       // how else the advice is followed; empty: nothing to say
	Signals      []string     // Polish
	DataAt       time.Time    // when the data were read; zero if that was at the time of the audit
	Incomparable string       // why the score does not compare with the one before
}

type stateLine struct {
	Name, Reason string // the reason may be empty
	State        grade
}

type fieldView struct {
	Name, Value string
	Points      string // "8 z 10"
}

type adviceView struct {
	Field, Value, Text, Points string
	Action                     *fieldAction // nil: none, or not for the visitor
}

var sourceNames = map[audit.Source]string{
	audit.FromLocation: "Profil Firmy w Google",
	audit.FromPlace:    "Publiczna wizytówka w Google",
	audit.FromRecord:   "Dane w katalogu",
}

var sourceStates = map[string]grade{
	audit.StepOK:       {"Odczytano", site.Good},
	audit.StepReused:   {Text: "Odczytano wcześniej"},
	audit.StepSkipped:  {Text: "Nie użyto"},
	audit.StepNotFound: {"Nie znaleziono", site.Warning},
	audit.StepFailed:   {"Nie odczytano", site.Bad},
}

func gradeOf(category string) grade {
	return map[string]grade{
		"excellent":  {"Znakomity", site.Good},
		"good":       {"Dobry", site.Good},
		"needs_work": {"Wymaga poprawy", site.Warning},
		"poor":       {"Słaby", site.Bad},
	}[category]
}

func resultOf(a audit.Audit) auditResult {
	v := auditResult{
		Grade: gradeOf(a.Category), At: a.At, Subject: a.Subject, Sources: sourcesOf(a),
		Shows: "Google pokazuje", Version: a.Version, Coverage: coverageOf(a),
	}
	v.Gauge = gauge{
		ID: "wynik", Title: "Kompletność profilu", Value: a.Score, Max: 100,
		Text: site.Figure(a.Score), Caption: "na 100 punktów", Level: v.Grade.Level,
	}
	if a.Source == audit.FromRecord {
		v.Shows = "W katalogu"
	}
	v.Signals = signalsOf(a)
	if !a.DataAt.Equal(a.At) {
		v.DataAt = a.DataAt
	}
	advised := map[audit.Field]bool{}
	for _, r := range a.Recommendations {
		advised[r.Field] = true
		advice := adviceView{Field: r.Field.Label(), Text: r.Text, Value: valueOf(a.Fields[r.Field])}
		if r.Points > 0 {
			advice.Points = "+" + site.Figure(r.Points) + "\u00a0pkt"
		}
		v.Advice = append(v.Advice, advice)
	}
	for _, f := range audit.Fields() {
		if s, ok := a.Fields[f]; ok && !advised[f] {
			v.Fine = append(
				v.Fine, fieldView{f.Label(), valueOf(s), site.Figure(s.Score) + " z " + site.Figure(s.MaxScore)},
			)
		}
	}
	return v
}

// sourcesOf includes the one source that older audits stored.
func sourcesOf(a audit.Audit) (list []stateLine) {
	for _, step := range a.Sources {
		source := stateLine{Name: sourceNames[step.Step], State: sourceStates[step.Status]}
		if step.Status != audit.StepOK {
			source.Reason = step.Message
		}
		list = append(list, source)
	}
	if len(list) == 0 || a.Source == audit.FromRecord {
		list = append(list, stateLine{Name: sourceNames[a.Source], State: sourceStates[audit.StepOK]})
	}
	return list
}

func coverageOf(a audit.Audit) string {
	known := 0
	for _, s := range a.Fields {
		if s.Status != audit.StatusUnknown {
			known++
		}
	}
	if known == len(a.Fields) {
		return "Sprawdziliśmy wszystkie " + site.Plural(known, "pole", "pola", "pól") + "."
	}
	return "Sprawdziliśmy " + site.Count(known) + " z " + site.Count(len(a.Fields)) + " pól. " +
		"O pozostałych żadne źródło nie podało danych, więc nie liczą się do wyniku."
}

func valueOf(s audit.FieldStatus) string {
	switch {
	case s.Value != nil:
		return *s.Value
	case s.Status == audit.StatusUnknown:
		return "nie wiadomo"
	}
	return "brak"
}

func (v *auditResult) addActions(a audit.Audit) {
	for i, r := range a.Recommendations {
		v.Advice[i].Action = fieldLink(a, r)
	}
	if a.Source == audit.FromRecord {
		v.Hint = "Dane w katalogu zmienia administrator. Po połączeniu Profilu Firmy audyt oceni to, co pokazuje " +
			"Google."
	}
}

var signalTexts = map[google.Signal]string{
	google.SignalUnderReview: "Google sprawdza jeszcze zweryfikowany profil. " +
		"Nic nie trzeba robić: zmiany pojawią się po sprawdzeniu.",
	google.SignalDuplicate: "Google zna drugi profil tego miejsca, który ma już właściciela. " +
		"Poproś o dostęp do niego albo zgłoś duplikat.",
	google.SignalSuspended: "Google zawiesił profil i nie pokazuje go klientom. " +
		"Sprawdź powód w Profilu Firmy i złóż odwołanie.",
	google.SignalNotVerified: "Profil nie jest zweryfikowany, więc zmiany nie są pokazywane. " +
		"Dokończ weryfikację w Profilu Firmy.",
	google.SignalEditsPending: "Część zmian czeka na sprawdzenie przez Google.",
	google.SignalChanged:      "Google pokazuje inne dane niż podane przez firmę. Przejrzyj je w Profilu Firmy.",
}

// signalsOf names the holidays without hours.
func signalsOf(a audit.Audit) (texts []string) {
	for _, s := range a.Signals {
		if s != audit.SignalNoSpecialHours {
			texts = append(texts, signalTexts[s])
			continue
		}
		var days []string
		for _, text := range a.Holidays {
			if day, err := time.Parse(time.DateOnly, text); err == nil {
				days = append(days, site.Date(day))
			}
		}
		texts = append(texts, "Google nie wie, czy firma jest otwarta w święta: "+strings.Join(days, ", ")+
			". Podaj godziny na te dni: w Profilu Firmy wybierz Edytuj profil › Godziny › Godziny w święta.")
	}
	return texts
}

// incomparable returns why the score of a does not compare with that of the audit before
// it, as the end of a sentence and as the outcome of the form. Both are empty if it does.
func incomparable(a, before audit.Audit) (reason, outcome string) {
	switch {
	case a.Compares(&before):
		return "", ""
	case !a.SameSubject(&before):
		return "poprzedni audyt dotyczył innej lokalizacji: " + describeSubject(before.Subject), "audit_other_subject"
	case a.Source != before.Source:
		return "tym razem dane pochodzą z " + map[audit.Source]string{
			audit.FromLocation: "Profilu Firmy w Google", audit.FromPlace: "publicznej wizytówki",
			audit.FromRecord: "katalogu",
		}[a.Source], "audit_other_source"
	case a.Version != before.Version:
		return "od tego czasu zmieniły się zasady oceny", "audit_other_fields"
	}
	return "tym razem źródła podały dane o innych polach", "audit_other_fields"
}

func describeSubject(s audit.Subject) string {
	if s.Address == "" {
		return s.Name
	}
	return s.Name + " (" + s.Address + ")"
}

type fieldAction struct {
	site.Link
	Copy  bool   // the address is for customers, so that it is offered to be copied
	Where string // where the field is in Google's editor, which has no address of its own for it
}

var connectProfile = fieldAction{Link: site.Link{Href: integrationsPath, Text: "Połącz Profil Firmy"}}

// fieldLink returns where an owner follows a recommendation of a, or nil if the owner cannot: only
// the operator's key brings photos and reviews, and administrators change the directory's own data.
// A field that the source does not assess gains points only by a source that does.
func fieldLink(a audit.Audit, r audit.Recommendation) *fieldAction {
	unknown := a.Fields[r.Field].Status == audit.StatusUnknown
	ofPlaces := r.Field == audit.FieldPhotos || r.Field == audit.FieldReviews
	switch {
	case unknown && ofPlaces:
		return nil
	case unknown && a.Source != audit.FromLocation:
		return &connectProfile
	case a.Source == audit.FromRecord:
		return nil
	case r.Field == audit.FieldReviews && a.PlaceID != "":
		return &fieldAction{
			Link: site.Link{Href: reviewAddress(a.PlaceID), Text: "Skopiuj link do wystawienia opinii"}, Copy: true,
		}
	}
	text, where := r.Field.Edit()
	return &fieldAction{Link: site.Link{Href: profileAddress(a.Location), Text: text}, Where: where}
}

// reviewAddress returns the page where customers write a review of a place
// (https://developers.google.com/maps/documentation/places/web-service/place-id).
func reviewAddress(placeID string) string {
	return "https://search.google.com/local/writereview?placeid=" + url.QueryEscape(placeID)
}

// profileAddress returns where Google shows the editor of a location, or the list of all profiles.
// Google documents the list (https://support.google.com/business/answer/7655842), but no address
// for a single field.
func profileAddress(location string) string {
	if location == "" {
		return "https://business.google.com/locations"
	}
	return "https://business.google.com/n/" + url.PathEscape(path.Base(location)) + "/searchprofile"
}
