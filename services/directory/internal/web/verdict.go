package web

import (
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

// verdict is what one audit found.
type verdict struct {
	Gauge           gauge
	Grade           grade
	At              time.Time
	Subject         audit.Subject
	Source          string   // Polish
	Sources         []string // why others were not used, in Polish
	Version         string
	Photos, Reviews string
	Rating          string // empty: no reviews
	Fields          []fieldView
	Recommendations []adviceView // most points first
	Hint            string       // how else the recommendations are followed; empty: nothing to say
	Coverage        string
	Whole           bool     // the source can assess everything
	Signals         []string // Polish
	Incomparable    string   // why the score does not compare with the one before
}

// fieldView is one line of the table of fields.
type fieldView struct {
	Name   string
	Grade  grade
	Value  string
	Note   string // in the place of a value that is not there
	Points string // "8 z 10"
}

// adviceView is one recommendation.
type adviceView struct {
	field               audit.Field
	Field, Text, Points string
	Mend                *site.Link // where it is followed; nil: nowhere, or not by the visitor
}

var sourceNames = map[audit.Source]string{
	audit.FromLocation: "profil firmy w wyszukiwarce",
	audit.FromPlace:    "publiczna wizytówka",
	audit.FromRecord:   "dane podane w katalogu",
}

// gradeOf describes a category of the score.
func gradeOf(category string) grade {
	return map[string]grade{
		"excellent":  {"Znakomity", site.Good},
		"good":       {"Dobry", site.Good},
		"needs_work": {"Wymaga poprawy", site.Warning},
		"poor":       {"Słaby", site.Bad},
	}[category]
}

// stateOf describes the status of a field.
func stateOf(status string) grade {
	return map[string]grade{
		audit.StatusComplete: {"Kompletne", site.Good},
		audit.StatusPartial:  {"Częściowe", site.Warning},
		audit.StatusMissing:  {"Brak", site.Bad},
		audit.StatusUnknown:  {Text: "Nie wiadomo"},
	}[status]
}

func verdictOf(a audit.Audit) verdict {
	v := verdict{
		Grade: gradeOf(a.Category), At: a.At, Subject: a.Subject, Source: sourceNames[a.Source], Version: a.Version,
		Coverage: site.Figure(a.Coverage), Whole: a.Coverage == 100,
		Photos:  counted(a, audit.FieldPhotos, site.Count(a.PhotoCount)),
		Reviews: counted(a, audit.FieldReviews, site.Plural(a.ReviewCount, "opinia", "opinie", "opinii")),
	}
	v.Gauge = gauge{
		ID: "wynik", Title: "Kompletność profilu", Value: a.Score, Max: 100, Text: site.Figure(a.Score), Caption: "na 100 punktów", Level: v.Grade.Level,
	}
	if a.AverageRating != nil {
		v.Rating = site.Number(*a.AverageRating, 1)
	}
	for _, s := range a.Sources {
		if s.Status != audit.StepOK {
			v.Sources = append(v.Sources, s.Message)
		}
	}
	for _, s := range a.Signals {
		v.Signals = append(v.Signals, signalTexts[s])
	}
	for _, f := range audit.Fields() {
		if status, ok := a.Fields[f]; ok {
			v.Fields = append(v.Fields, describeField(f.Label(), status))
		}
	}
	for _, r := range a.Recommendations {
		advice := adviceView{field: r.Field, Field: r.Field.Label(), Text: r.Text}
		if r.Points > 0 {
			advice.Points = "+" + site.Figure(r.Points) + "\u00a0pkt"
		}
		v.Recommendations = append(v.Recommendations, advice)
	}
	return v
}

// Where what an audit found is mended. Google documents no address of the form for one
// field, so that the link leads to the list of one's profiles, the Business Profile
// Manager of https://support.google.com/business/answer/7655842, at the address that
// https://www.ayrshare.com/docs/dashboard/connect-social-accounts/google-business names.
var (
	editProfile    = site.Link{Href: "https://business.google.com/locations", Text: "Popraw w Profilu Firmy Google"}
	connectProfile = site.Link{Href: integrationsPath, Text: "Połącz profil firmy"}
)

// showWays adds to the recommendations where they are followed. What a source does not
// assess gains no points by editing, but by a source that does; photos and reviews only
// the operator's key for the public places brings.
func (v *verdict) showWays(source audit.Source) {
	for i := range v.Recommendations {
		advice := &v.Recommendations[i]
		switch {
		case advice.Points == "" && (advice.field == audit.FieldPhotos || advice.field == audit.FieldReviews):
		case advice.Points == "" && source != audit.FromLocation:
			advice.Mend = &connectProfile
		case source != audit.FromRecord:
			advice.Mend = &editProfile
		}
	}
	if source == audit.FromRecord {
		v.Hint = "Dane w katalogu zmienia administrator. Po połączeniu profilu firmy audyt oceni jej wizytówkę w Google."
	}
}

// signalTexts say what a signal means and what to do about it.
var signalTexts = map[google.Signal]string{
	google.SignalSuspended:     "Google zawiesił profil i nie pokazuje go klientom. Sprawdź powód w Profilu Firmy i złóż odwołanie.",
	google.SignalNotVerified:   "Profil nie jest zweryfikowany, więc zmiany nie są pokazywane. Dokończ weryfikację w Profilu Firmy.",
	google.SignalEditsPending:  "Część zmian czeka na sprawdzenie przez Google.",
	google.SignalChanged:       "Google pokazuje inne dane niż podane przez firmę. Przejrzyj je w Profilu Firmy.",
	audit.SignalNoSpecialHours: "W ciągu 30 dni wypada święto w dniu, w którym firma bywa otwarta. Podaj godziny specjalne.",
}

// incomparable says why the score of a does not compare with that of the audit before it;
// empty: it does.
func incomparable(a, before audit.Audit) string {
	switch {
	case a.Compares(&before):
		return ""
	case !a.SameSubject(&before):
		return "inna lokalizacja: " + describeSubject(a.Subject) + ", wcześniej " + describeSubject(before.Subject)
	case a.Source != before.Source:
		return "inne źródło: " + sourceNames[a.Source] + ", wcześniej " + sourceNames[before.Source]
	case a.Version != before.Version:
		return "inne reguły: " + a.Version + ", wcześniej " + before.Version
	}
	return "inny zakres: " + site.Figure(a.Coverage) + " ze 100 punktów, wcześniej " + site.Figure(before.Coverage)
}

func describeSubject(s audit.Subject) string {
	if s.Address == "" {
		return s.Name
	}
	return s.Name + " (" + s.Address + ")"
}

func describeField(name string, s audit.FieldStatus) fieldView {
	shown := fieldView{Name: name, Grade: stateOf(s.Status), Note: "nie znaleziono", Points: site.Figure(s.Score) + " z " + site.Figure(s.MaxScore)}
	if s.Status == audit.StatusUnknown {
		shown.Note, shown.Points = "żadne źródło tego nie podaje", "nie wlicza się do wyniku"
	}
	if s.Value != nil {
		shown.Value = *s.Value
	}
	return shown
}

// counted returns how many of f there are, if the source can assess it.
func counted(a audit.Audit, f audit.Field, n string) string {
	if a.Fields[f].Status == audit.StatusUnknown {
		return "nie wiadomo"
	}
	return n
}
