package pages_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// audited is an audit with a field of each status.
func audited() directory.Audit {
	value, rating := "Piekarnia <K>", 4.666
	return directory.Audit{
		ID: 3, At: now, Score: 69.3, Category: "needs_work", Source: directory.FromPlaces, Version: "1.0", ReviewCount: 218, AverageRating: &rating,
		Fields: map[directory.Field]directory.FieldStatus{
			directory.FieldName:    {Status: "complete", Value: &value, Score: 10, MaxScore: 10},
			directory.FieldAddress: {Status: "partial", Value: &value, Score: 6, MaxScore: 10},
			directory.FieldHours:   {Status: "missing", MaxScore: 10},
			directory.FieldPhotos:  {Status: "unknown", MaxScore: 15},
		},
		Recommendations: []directory.Recommendation{
			{Field: directory.FieldHours, Points: 10, Text: "Dodaj godziny."}, {Field: directory.FieldAddress, Points: 4, Text: "Popraw adres."},
			{Field: directory.FieldPhotos, Text: "Połącz wizytówkę."},
		},
	}
}

func TestAudit(t *testing.T) {
	w := newWorld(t)
	earlier := audited()
	earlier.At, earlier.Score, earlier.Category = now.Add(-48*time.Hour), 95, "excellent"
	w.history = []directory.Audit{audited(), earlier}
	want := []string{
		"Kompletność profilu: 69,3 na 100 punktów", "Wymaga poprawy", "21 listopada 2026, 13:00", "publiczna wizytówka", "218, średnia 4,7",
		"Godziny otwarcia +10 pkt Dodaj godziny. Adres +4 pkt Popraw adres. Zdjęcia Połącz wizytówkę.",
		"Nazwa Kompletne Piekarnia <K> 10 z 10", "Adres Częściowe Piekarnia <K> 6 z 10",
		"Godziny otwarcia Brak nie znaleziono 0 z 10", "Zdjęcia Nie wiadomo żadne źródło tego nie podaje nie liczy się", "Zdjęcia nie wiadomo Opinie 218",
		"19 listopada 2026: 95; 21 listopada 2026: 69,3", "Znakomity 95",
	}
	w.get("/audyt/piekarnia").shows(200, want...).lacks("Uruchom audyt", "Publiczny adres")
	w.as(directory.Member).get("/konto/audyt").shows(200, want...).shows(200, "Uruchom audyt", "/audyt/piekarnia")
	w.history = w.history[:1]
	w.get("/audyt/piekarnia").shows(200).lacks("Wynik audytu w czasie")
}

func TestNoAuditYet(t *testing.T) {
	w := newWorld(t)
	w.get("/audyt/piekarnia").shows(404, "jeszcze nie sprawdzono").lacks("Uruchom audyt")
	w.as(directory.Member).get("/konto/audyt").shows(200, "jeszcze nie sprawdzono", "Uruchom audyt", "Pierwszy audyt")
}

func TestLimitIsShown(t *testing.T) {
	w := newWorld(t).as(directory.Member)
	w.get("/konto/audyt").shows(200, "Pozostało w tej godzinie: 19 audytów.")
	w.left = directory.LimitState{RetryAfter: 17*time.Minute - time.Second}
	a := w.get("/konto/audyt").shows(200, "Następny będzie możliwy za 17 min.")
	if !strings.Contains(a.Body.String(), "disabled>Uruchom audyt") {
		t.Error("another audit is offered")
	}
}

func TestRunAudit(t *testing.T) {
	w := newWorld(t).as(directory.Member)
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt?wynik=audit_done")
	w.post("/audyt/piekarnia", "od_nowa=1").leadsTo("/konto/audyt?wynik=audit_done")
	w.fetch = &directory.Fetch{}
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt?wynik=audit_unfetched")
	if want := []string{"audit piekarnia", "audit piekarnia anew", "audit piekarnia"}; !slices.Equal(w.done, want) {
		t.Errorf("did %q", w.done)
	}
	for _, code := range []string{"not_allowed", "audit_limit", "no_profile_data"} {
		w.triggerErr = fault.New(fault.Limited, code, "Nie.")
		w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt?wynik=" + code)
	}
	w.triggerErr = fault.New(fault.NotFound, "no_company", "Nie znaleziono firmy.")
	w.post("/audyt/inna", "").shows(404, "Nie znaleziono firmy.")
	w.triggerErr = errors.New("away")
	w.post("/audyt/piekarnia", "").shows(500)
	w.triggerErr, *w.user.CompanyID = nil, 2
	w.post("/audyt/piekarnia", "").leadsTo("/audyt/piekarnia?wynik=audit_unfetched")
}

func TestFindAudit(t *testing.T) {
	w := newWorld(t)
	for typed, want := range map[string]string{
		"piekarnia": "/audyt/piekarnia", "+Piekarnia-Kowalski+": "/audyt/piekarnia-kowalski",
		"": "", "health": "", "..%2Fkonto": "", "%2F%2Fevil.example": "", "a+b": "",
	} {
		a := w.get("/audyt?firma=" + typed)
		if want == "" {
			a.shows(404, "Nie znaleziono firmy.")
			continue
		}
		a.leadsTo(want)
	}
}
