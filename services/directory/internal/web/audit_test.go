package web_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
)

// audited is an audit with a field of each status.
func audited() audit.Audit {
	value, rating := "Piekarnia <K>", 4.666
	return audit.Audit{
		At: now, Score: 69.3, Category: "needs_work", Source: audit.FromPlace, Version: "1.0", ReviewCount: 218, AverageRating: &rating, PlaceID: "p-1",
		Sources: []audit.Step{{Status: audit.StepFailed, Message: "Nie udało się pobrać danych z profilu firmy."}, {Status: audit.StepOK, Message: "Dane z publicznej wizytówki zostały pobrane."}},
		Fields: map[audit.Field]audit.FieldStatus{
			audit.FieldName:    {Status: "complete", Value: &value, Score: 10, MaxScore: 10},
			audit.FieldAddress: {Status: "partial", Value: &value, Score: 6, MaxScore: 10},
			audit.FieldHours:   {Status: "missing", MaxScore: 10},
			audit.FieldPhotos:  {Status: "unknown", MaxScore: 15},
		},
		Recommendations: []audit.Recommendation{
			{Field: audit.FieldHours, Points: 10, Text: "Dodaj godziny."}, {Field: audit.FieldAddress, Points: 4, Text: "Popraw adres."},
			{Field: audit.FieldPhotos, Text: "Połącz wizytówkę."},
		},
	}
}

// keep stores audits of the company, oldest first.
func (w *world) keep(audits ...audit.Audit) {
	w.t.Helper()
	for _, a := range audits {
		a.CompanyID = w.Company.ID
		if err := w.Audits.Save(w.t.Context(), &a); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestAudit(t *testing.T) {
	w := newWorld(t)
	earlier := audited()
	earlier.At, earlier.Score, earlier.Category = now.Add(-48*time.Hour), 95, "excellent"
	w.keep(earlier)
	w.get("/audyt/piekarnia").shows(200).lacks("Wynik audytu w czasie")
	w.keep(audited())
	want := []string{
		"Kompletność profilu: 69,3 na 100 punktów", "Wymaga poprawy", "21 listopada 2026, 13:00", "Dotyczy Piekarnia <K>, Piekarnia <K> Źródło danych publiczna wizytówka Nie udało się pobrać danych z profilu firmy. Zdjęcia", "218 opinii, średnia 4,7",
		"Godziny otwarcia +10 pkt Dodaj godziny. Adres +4 pkt Popraw adres. Zdjęcia Połącz wizytówkę.",
		"Nazwa Kompletne Piekarnia <K> 10 z 10", "Adres Częściowe Piekarnia <K> 6 z 10",
		"Godziny otwarcia Brak nie znaleziono 0 z 10", "Zdjęcia Nie wiadomo żadne źródło tego nie podaje nie wlicza się do wyniku", "Zdjęcia nie wiadomo Opinie 218",
		"19 listopada 2026: 95; 21 listopada 2026: 69,3", "Znakomity 66,7 95",
	}
	w.get("/audyt/piekarnia").shows(200, want...).lacks("Uruchom audyt", "Publiczny adres", "business.google.com")
	w.loggedIn(account.Member).get("/konto/audyt").shows(200, "Uruchom audyt", "/audyt/piekarnia",
		"Dodaj godziny. Popraw w Profilu Firmy Google", "Zdjęcia Połącz wizytówkę. Sprawdzone pola")
}

// TestLosingAccessIsNoProgress: the audit of a connected profile has 75 of the points to
// assess; without the connection fewer are left, and the score is higher.
func TestLosingAccessIsNoProgress(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	connected := audited()
	connected.At, connected.Score, connected.Source = now.Add(-48*time.Hour), 40, audit.FromLocation
	w.keep(connected)
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_apart")
	const reason = "inne źródło: publiczna wizytówka, wcześniej profil firmy w wyszukiwarce"
	a := w.get("/konto/audyt").shows(200, "nie można porównać", "Wyniku nie można porównać z poprzednim: "+reason, "("+reason+")").
		lacks("Audyt został zakończony.")
	a.shows(200, "Przerywana kreska: zmiana lokalizacji, źródła")
	if !strings.Contains(a.Body.String(), `class="chart-break"`) {
		t.Error("the chart draws a line between the two")
	}
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_done") // the same source again
	w.get("/konto/audyt").lacks("Wyniku nie można porównać z poprzednim")
	connected.At = now.Add(time.Hour)
	w.keep(connected)
	w.Now, w.Place.Err = now.Add(31*24*time.Hour), provider.Gone(nil) // that nothing could be fetched does not hide it
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_apart")
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_unfetched")
}

func TestAuditApart(t *testing.T) {
	for name, test := range map[string]struct {
		before func(*audit.Audit)
		want   string // empty: they compare
	}{
		"the same": {before: func(*audit.Audit) {}},
		"another location": {
			before: func(a *audit.Audit) {
				a.PlaceID = "p-2"
				a.Fields = map[audit.Field]audit.FieldStatus{audit.FieldName: {Value: new("Filia")}}
			},
			want: "inna lokalizacja: Piekarnia <K> (Piekarnia <K>), wcześniej Filia",
		},
		"other rules":   {before: func(a *audit.Audit) { a.Version = "0.9" }, want: "inne reguły: 1.0, wcześniej 0.9"},
		"another range": {before: func(a *audit.Audit) { a.Fields = nil }, want: "inny zakres: 66,7 ze 100 punktów, wcześniej 0"},
	} {
		t.Run(name, func(t *testing.T) {
			w, earlier := newWorld(t), audited()
			earlier.At = now.Add(-48 * time.Hour)
			test.before(&earlier)
			w.keep(earlier, audited())
			a := w.get("/audyt/piekarnia").shows(200, "Oceniono 66,7 ze 100 punktów; o reszcie źródło nic nie mówi.", test.want)
			if test.want == "" {
				a.lacks("nie można porównać")
			}
		})
	}
}

func TestSignalsAreShown(t *testing.T) {
	w, a := newWorld(t), audited()
	a.Signals = []google.Signal{
		google.SignalSuspended, google.SignalNotVerified, google.SignalEditsPending, google.SignalChanged, audit.SignalNoSpecialHours,
	}
	w.keep(a)
	w.get("/audyt/piekarnia").shows(200, "Uwagi do profilu", "zawiesił profil", "nie jest zweryfikowany", "czeka na sprawdzenie", "inne dane niż podane", "godziny specjalne")
	a.Signals = []google.Signal{}
	w.keep(a)
	w.get("/audyt/piekarnia").lacks("Uwagi do profilu")
}

// TestWhereToMend: the directory's own data are not Google's to mend.
func TestWhereToMend(t *testing.T) {
	w, a := newWorld(t).loggedIn(account.Member), audited()
	a.Recommendations = append(a.Recommendations, audit.Recommendation{Field: audit.FieldServices, Text: "Podaj usługi."})
	a.Source = audit.FromRecord
	w.keep(a)
	w.get("/konto/audyt").shows(200, "Dane w katalogu zmienia administrator.", "Podaj usługi. Połącz profil firmy").lacks("business.google.com")
	a.Source = audit.FromLocation
	w.keep(a)
	w.get("/konto/audyt").shows(200, "Dodaj godziny. Popraw w Profilu Firmy Google").lacks("zmienia administrator")
}

func TestNoAuditYet(t *testing.T) {
	w := newWorld(t)
	w.get("/audyt/piekarnia").shows(404, "jeszcze nie sprawdzono").lacks("Uruchom audyt")
	w.loggedIn(account.Member).get("/konto/audyt").shows(200, "jeszcze nie sprawdzono", "Uruchom audyt", "Pierwszy audyt")
}

func TestLimitIsShown(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.post("/audyt/piekarnia", "")
	w.get("/konto/audyt").shows(200, "W tej godzinie możesz uruchomić jeszcze 19 audytów.")
	for range 19 {
		w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_done")
	}
	w.Now = w.Now.Add(43*time.Minute + time.Second)
	a := w.get("/konto/audyt").shows(200, "Następny będzie możliwy za 17 min.")
	if !strings.Contains(a.Body.String(), "disabled>Uruchom audyt") {
		t.Error("another audit is offered")
	}
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_limit")
}

func TestRunAudit(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_done")
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_done") // the first one's data are fresh
	w.post("/audyt/piekarnia", "od_nowa=1").leadsTo("/konto/audyt", "audit_done")
	if len(w.Place.Asked) != 2 {
		t.Errorf("asked for the place %d times, want 2", len(w.Place.Asked))
	}
	w.Place.Err = provider.Gone(nil)
	w.post("/audyt/piekarnia", "od_nowa=1").leadsTo("/konto/audyt", "audit_apart")
	w.post("/audyt/inna", "").shows(404, "Nie znaleziono firmy.")
	restore := w.FailInserts("profile_audits")
	w.post("/audyt/piekarnia", "").shows(500)
	restore()
	w.AddCompany("pusta", func(c *company.Company) { *c = company.Company{Name: "Pusta", Slug: c.Slug, Status: c.Status} })
	w.loggedIn(account.Admin).post("/audyt/pusta", "").leadsTo("/audyt/pusta", "no_profile_data")
	w.loggedIn(account.Member).post("/audyt/pusta", "").leadsTo("/audyt/pusta", "not_allowed")
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
