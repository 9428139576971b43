package web_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
)

// audited is an audit with a field of each status.
func audited() audit.Audit {
	value, rating := "Piekarnia <K>", 4.666
	return audit.Audit{
		At: now, Score: 69.3, Category: "needs_work", Source: audit.FromPlace, Version: "1.0", ReviewCount: 218, AverageRating: &rating, PlaceID: "p-1",
		Sources: []audit.Step{
			{Step: "business_profile", Status: audit.StepFailed, Message: "Nie udało się pobrać danych z profilu firmy."},
			{Step: "places", Status: audit.StepOK, Message: "Dane z publicznej wizytówki zostały pobrane."},
		},
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
		"Kompletność profilu: 69,3 na 100 punktów", "Wymaga poprawy", "21 listopada 2026, 13:00", "Dotyczy: Piekarnia <K> , Piekarnia <K> Kompletność",
		"Źródła danych Profil Firmy w Google Nie udało się pobrać danych z profilu firmy. Nie odczytano Publiczna wizytówka w Google Odczytano",
		"Godziny otwarcia +10 pkt Google pokazuje: brak. Dodaj godziny. Adres +4 pkt Google pokazuje: Piekarnia <K>. Popraw adres. Zdjęcia Google pokazuje: nie wiadomo. Połącz wizytówkę.",
		"Kompletne pola", "Pole Google pokazuje Punkty Nazwa Piekarnia <K> 10 z 10", "Sprawdziliśmy 3 z 4 pól.",
		"19 listopada: 95", "21 listopada: 69,3", "Znakomity 95",
	}
	a := w.get("/audyt/piekarnia").shows(200, want...).lacks("Uruchom audyt", "Publiczny adres", "business.google.com")
	if !strings.Contains(a.Body.String(), `stroke-dasharray="69.3 200"`) {
		t.Error("the gauge does not show the score")
	}
	stranger, other := w.Anna, w.AddCompany("inna")
	stranger.CompanyID, w.browser.user = &other.ID, &stranger
	w.get("/audyt/piekarnia").shows(200).lacks("jest publiczny pod adresem")
	w.loggedIn(account.Member).get("/konto/audyt").shows(200, "Uruchom audyt", "jest publiczny pod adresem /audyt/piekarnia",
		"Dodaj godziny. Popraw godziny w Google", "Połącz wizytówkę. Kompletne pola")
	whole := audited()
	delete(whole.Fields, audit.FieldPhotos)
	w.keep(whole)
	w.get("/audyt/piekarnia").shows(200, "Sprawdziliśmy wszystkie 3 pola.")
}

// TestLosingAccessIsNoProgress: the audit of a connected profile has 75 of the points to
// assess; without the connection fewer are left, and the score is higher.
func TestLosingAccessIsNoProgress(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	connected := audited()
	connected.At, connected.Score, connected.Source = now.Add(-48*time.Hour), 40, audit.FromLocation
	w.keep(connected)
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_other_source")
	const reason = "bo tym razem dane pochodzą z publicznej wizytówki."
	a := w.get("/konto/audyt").shows(200, "Wyniku nie da się porównać z poprzednim, "+reason, "Nie porównujemy z wcześniejszym, "+reason).
		lacks("Audyt został zakończony.")
	a.shows(200, "Przerywana kreska oznacza zmianę lokalizacji, źródła")
	if !strings.Contains(a.Body.String(), `class="chart-break"`) {
		t.Error("the chart draws a line between the two")
	}
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_done") // the same source again
	w.get("/konto/audyt").lacks("nie da się porównać z poprzednim")
	connected.At = now.Add(time.Hour)
	w.keep(connected)
	w.Now, w.Place.Err = now.Add(31*24*time.Hour), provider.Gone(nil) // that nothing could be fetched does not hide it
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_other_source")
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_unfetched")
}

func TestAuditApart(t *testing.T) {
	for name, test := range map[string]struct {
		before  func(*audit.Audit)
		want    string // empty: they compare
		outcome string
	}{
		"the same": {before: func(*audit.Audit) {}, outcome: "audit_done"},
		"another location": {
			before: func(a *audit.Audit) {
				a.PlaceID = "p-2"
				a.Fields = map[audit.Field]audit.FieldStatus{audit.FieldName: {Value: new("Filia")}}
			},
			want: "bo poprzedni audyt dotyczył innej lokalizacji: Filia.", outcome: "audit_other_subject",
		},
		"a location with an address": {
			before: func(a *audit.Audit) {
				a.PlaceID = "p-2"
				a.Fields = map[audit.Field]audit.FieldStatus{audit.FieldName: {Value: new("Filia")}, audit.FieldAddress: {Value: new("ul. Polna 1")}}
			},
			want: "innej lokalizacji: Filia (ul. Polna 1).", outcome: "audit_other_subject",
		},
		"other rules": {before: func(a *audit.Audit) { a.Version = "0.9" }, want: "bo od tego czasu zmieniły się zasady oceny.", outcome: "audit_other_fields"},
		"another range": {
			before: func(a *audit.Audit) { a.Fields = nil },
			want:   "bo tym razem źródła podały dane o innych polach.", outcome: "audit_other_fields",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, earlier := newWorld(t), audited()
			earlier.At = now.Add(-48 * time.Hour)
			test.before(&earlier)
			w.keep(earlier, audited())
			a := w.get("/audyt/piekarnia").shows(200, test.want)
			if test.want == "" {
				a.lacks("nie da się porównać")
			}
			w = newWorld(t).loggedIn(account.Member)
			w.Place.Profile.PlaceID = "p-1"
			w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_done")
			_, last, err := w.Audits.Latest(t.Context(), audit.CompanyRef{Slug: "piekarnia"})
			if err != nil {
				t.Fatal(err)
			}
			last.ID = 0
			test.before(&last)
			w.keep(last)
			w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", test.outcome)
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
	w.get("/konto/audyt").shows(200, "Dane w katalogu zmienia administrator.", "Podaj usługi. Połącz Profil Firmy").lacks("business.google.com")
	a.Source, a.Location = audit.FromLocation, "locations/42"
	a.Recommendations = append(a.Recommendations, audit.Recommendation{Field: audit.FieldReviews, Points: 3, Text: "Proś o opinie."})
	w.keep(a)
	page := w.get("/konto/audyt").shows(200, "Dodaj godziny. Popraw godziny w Google", "Skopiuj link do wystawienia opinii").lacks("zmienia administrator")
	for _, address := range []string{"https://business.google.com/n/42/searchprofile", "https://search.google.com/local/writereview?placeid=p-1"} {
		if !strings.Contains(page.Body.String(), `"`+address+`"`) {
			t.Errorf("no link to %s", address)
		}
	}
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
	w.post("/audyt/piekarnia", "od_nowa=1").leadsTo("/konto/audyt", "audit_other_source")
	w.post("/audyt/inna", "").shows(404, "Nie znaleziono firmy.")
	restore := w.FailInserts("profile_audits")
	w.post("/audyt/piekarnia", "").shows(500)
	restore()
	w.AddCompany("pusta", func(c *company.Company) { *c = company.Company{Name: "Pusta", Slug: c.Slug, Status: c.Status} })
	w.loggedIn(account.Admin).post("/audyt/pusta", "").leadsTo("/audyt/pusta", "no_profile_data")
	w.loggedIn(account.Member).post("/audyt/pusta", "").leadsTo("/audyt/pusta", "not_allowed")
}

// TestThrottledAuditIsNoPlainSuccess: the location was read, but not the place with photos
// and reviews.
func TestThrottledAuditIsNoPlainSuccess(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.Connect(connection.Connection{
		Pair: directorytest.ProfilePair, AccessToken: "access-1", Scopes: []string{directorytest.Scope},
		Chosen: connection.ChosenLocation, AccountID: "locations/42", AccountName: "Piekarnia",
	})
	w.Place.Err = provider.Throttled(nil, time.Minute)
	w.post("/audyt/piekarnia", "").leadsTo("/konto/audyt", "audit_in_part")
	w.get("/konto/audyt").shows(200, "nie wszystkie źródła udało się odczytać", "Profil Firmy w Google Odczytano Publiczna wizytówka w Google Nie udało się", "ogranicza liczbę zapytań")
}

func TestFindAudit(t *testing.T) {
	w := newWorld(t)
	w.AddCompany("filia", func(c *company.Company) { c.Name = "Żaba Pierwsza" })
	w.AddCompany("druga", func(c *company.Company) { c.Name = "Żaba Druga" })
	w.AddCompany("ukryta", func(c *company.Company) { c.Name, c.Status = "Żaba Ukryta", company.StatusArchived })
	for typed, want := range map[string]string{
		"+Piekarnia+": "/audyt/piekarnia", "zaba+PIERWSZA": "/audyt/filia", "+": "/", "druga": "/audyt/druga",
	} {
		w.get("/audyt?firma=" + typed).leadsTo(want)
	}
	w.get("/audyt?firma=zaba").shows(200, "Żaba Druga Żaba Pierwsza").lacks("Ukryta")
	for _, typed := range []string{"ukryta", "zaba+ukryta", "z", "health", "..%2Fkonto", "%2F%2Fevil.example", "%25"} {
		w.get("/audyt?firma="+typed).shows(404, "Nie znaleźliśmy firmy")
	}
	if body := w.get("/audyt?firma=Nikt+%3Cx%3E").Body.String(); !strings.Contains(body, `value="Nikt &lt;x&gt;"`) {
		t.Error("the input is lost")
	}
}
