package web_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/trail"
)

const companiesPath = "/konto/firmy"

func (w *world) named(slug, name string) {
	w.AddCompany(slug, func(c *company.Company) { c.Name = name })
}

func TestAdministratorsFindCompanies(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	w.named("lodz", "Łódź <b>")
	w.named("lodka", "ŁÓDKA")
	w.named("inna", "Żółw")
	w.AddCompany("dawna", func(c *company.Company) { c.Name, c.Status = "Dawna", "archived" })
	w.get("/").shows(200, "Audyt Firmy")
	w.get(companiesPath).shows(200, "Firmy", "Dawna Ukryta dawna", "ŁÓDKA", "Żółw").lacks("Następne", "/audyt/dawna")
	w.get(companiesPath+"?szukaj=+%C5%82%C3%93d").shows(200, "Łódź <b>", "ŁÓDKA").lacks("Żółw", "Dawna")
	w.get(companiesPath+"?szukaj=zolw").shows(200, "Żółw").lacks("Dawna")
	w.get(companiesPath+"?szukaj=inna").shows(200, "Żółw inna brak audytu Brak połączeń") // by its slug
	for _, hostile := range []string{"%25", "_", "'", "%00", "%FF", "zzz&za=x&od=%00", "&za=-1", "&za=99999999999999999999"} {
		w.get(companiesPath+"?szukaj="+hostile).shows(200, "Firmy").lacks("SQL")
	}
	w.get(companiesPath+"?szukaj=zzz").shows(200, "Nie ma takich firm.")
}

// TestListOfCompaniesIsPaged follows the links through the companies of two names, all of
// which have lost a credential.
func TestListOfCompaniesIsPaged(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	for i := range 60 {
		w.named(fmt.Sprintf("bar-%02d", i), "Bar "+string(rune('A'+i%2)))
		w.Company.ID = int64(i + 2)
		w.Connect(connection.Connection{Pair: directorytest.PagesPair, AccessToken: "page-1", ReconnectReason: "Zgoda cofnięta."})
	}
	w.paged(companiesPath+"?szukaj=bar", ">bar-")
	w.paged(companiesPath+"?stan=przerwane", ">bar-")
}

// TestListOfUsersIsPaged: each line has the company.
func TestListOfUsersIsPaged(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	for i := range 60 {
		w.AddUser(fmt.Sprintf("jan-%02d", i), account.Member, &w.Company)
	}
	w.AddUser("ewa", account.Member, &w.Company)
	w.paged("/konto/uzytkownicy?szukaj=jan", `"Firma">piekarnia</td>`)
}

var nextPage = regexp.MustCompile(`href="([^"]+)">Następn[ei]<`)

// paged follows the links through a list of 60 rows.
func (w *world) paged(address, row string) {
	w.t.Helper()
	for page, rows := range []int{25, 25, 10} {
		body := w.get(address).shows(200).Body.String()
		if n := strings.Count(body, row); n != rows || strings.Contains(body, "Od początku") != (page > 0) {
			w.t.Errorf("%s has %d rows, or no way back", address, n)
		}
		if found := nextPage.FindStringSubmatch(body); (found != nil) != (page < 2) {
			w.t.Fatalf("%s: next %q", address, found)
		} else if found != nil {
			address = html.UnescapeString(found[1])
		}
	}
}

// TestLostCredentialsComeFirst: with the score and what has to be repaired.
func TestLostCredentialsComeFirst(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	w.named("a", "Aaa")
	w.connectPage()
	w.keep(audited())
	w.get(companiesPath).shows(200, "Firma piekarnia piekarnia 69,3 pkt").lacks("Połączenia do naprawy")
	w.get(companiesPath+"?stan=przerwane").shows(200, "Wszystkie połączenia działają.")
	w.Connect(connection.Connection{
		Pair: directorytest.PagesPair, AccessToken: "page-1", Scopes: []string{directorytest.Scope}, ReconnectReason: "Zgoda cofnięta.",
	})
	shown := "Firma piekarnia piekarnia 69,3 pkt : audyt firmy Firma piekarnia Do naprawy: " + directorytest.PagesPair.Name()
	w.get(companiesPath).shows(200, "Połączenia do naprawy Wszystkie takie firmy Firma Wynik audytu Połączenia "+shown, "Wszystkie firmy Firma Wynik audytu Połączenia Aaa a brak audytu Brak połączeń")
	w.get(companiesPath+"?stan=przerwane").shows(200, shown).lacks("Aaa")
	w.loggedIn(account.Member).get(companiesPath+"?stan=przerwane").shows(200, "Twoja firma").lacks("Do naprawy")
}

func TestCompanyPageOfAdministrators(t *testing.T) {
	w := newWorld(t).loggedIn(account.Admin)
	w.keep(audited())
	w.Connect(connection.Connection{
		Pair: directorytest.PagesPair, AccessToken: "page-1", Scopes: []string{directorytest.Scope}, ReconnectReason: "Zgoda cofnięta.",
	})
	w.post(companiesPath+"/1", values("telefon", "12 345", "przed-telefon", "")).leadsTo(companiesPath+"/1", "company_saved")
	w.get(companiesPath+"/1").shows(200, directorytest.PagesPair.Name()+" Zgoda cofnięta. Wymaga ponownego połączenia", "69,3 pkt Zobacz audyt", "company edit użytkownik 1", "Edytuj dane albo ukryj firmę")
	for actor, want := range map[string]string{"ola": "erase ola", "": "erase serwis"} {
		if err := w.Store.Record(t.Context(), trail.Entry{CompanyID: w.Company.ID, Actor: actor, Action: "erase"}); err != nil {
			t.Fatal(err)
		}
		w.get(companiesPath+"/1").shows(200, want)
	}
	if body := w.get("/konto/uzytkownicy?firma=piekarnia").Body.String(); !strings.Contains(body, `name="firma" value="piekarnia"`) {
		t.Error("the invitation is not for the company")
	}
}

// TestNavigation: also where each begins.
func TestNavigation(t *testing.T) {
	const ofCompany = "Przegląd Statystyki Połączenia Audyt Kreator PC API"
	w := newWorld(t)
	w.get("/konto/logowanie").shows(200, ofCompany)
	w.loggedIn(account.Member).get("/konto").leadsTo("/konto/przeglad")
	w.get("/").shows(200, ofCompany)
	w.browser.userErr = errors.New("away")
	w.get("/konto/nie-ma").shows(404, ofCompany)
	w.browser.userErr = nil
	w.loggedIn(account.Admin).Anna.CompanyID = nil
	w.get("/konto").leadsTo(companiesPath)
	w.get("/").shows(200, "Firmy Użytkownicy Kreator PC").lacks("Statystyki") // of no company
}

// TestOthersSeeTheirOwn: whatever they ask for.
func TestOthersSeeTheirOwn(t *testing.T) {
	w := newWorld(t).loggedIn(account.OfficeManager)
	w.named("inna", "Inna firma")
	for _, query := range []string{"", "?szukaj=inna", "?szukaj=i&za=1&od=a"} {
		w.get(companiesPath+query).shows(200, "piekarnia").lacks("Inna firma", "Szukaj", ">Firmy</a>")
	}
	w.Anna.CompanyID = nil
	w.get(companiesPath).shows(200, "nie jest przypisane do żadnej firmy")
	for role, want := range map[account.Role]bool{account.Admin: true, account.Member: false} {
		w.loggedIn(role)
		for _, path := range []string{"/konto/integracje", "/konto/audyt"} {
			if a := w.get(path).shows(200, "nie jest przypisane"); strings.Contains(a.Body.String(), "Lista firm") != want {
				t.Errorf("%s to %s: the list is offered: %t", path, role, !want)
			}
		}
	}
}

// TestStatementsOfTheList: the number does not grow with the companies.
func TestStatementsOfTheList(t *testing.T) {
	for query, want := range map[string][]string{
		"":              {"query companies", "query oauth_tokens", "query profile_audits", "row t"},
		"?szukaj=bar+a": {"query companies", "query profile_audits", "row t"}, "?szukaj=inna": {"query companies", "query companies"},
	} {
		w := newWorld(t).loggedIn(account.Admin)
		for i := range 30 {
			w.named(fmt.Sprint("bar-", i), "Bar A")
		}
		var sent []string
		trace := func(ctx context.Context, name string) (context.Context, func(error)) {
			sent = append(sent, name)
			return ctx, func(error) {}
		}
		if err := w.Store.Trace(trace); err != nil {
			t.Fatal(err)
		}
		w.get(companiesPath + query).shows(200)
		if !slices.Equal(sent, want) {
			t.Errorf("%q sent %q, want %q", query, sent, want)
		}
	}
}
