package web_test

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	contracts "backend.example/proto-free-contracts"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	pagePath     = "/konto/integracje/strona"
	locationPath = "/konto/integracje/lokalizacja"
)

func TestChoosePage(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	chosen := w.Social.Pages
	w.Social.Pages = nil
	w.get(pagePath).shows(200, "Połączone konto nie zarządza żadną stroną.")
	w.Social.Pages = chosen
	w.Social.Pages[0].Name = "Piekarnia <1>"
	w.get(pagePath).shows(200, "Piekarnia <1> Piekarnia", "Cudza Połączona osoba nie może działać").lacks("page-1", "Nie wszystkie strony")
	w.Social.Cut = true
	w.get(pagePath).shows(200, "Nie wszystkie strony udało się odczytać.")
	w.Social.Cut = false
	w.post(pagePath, "wybor=104119").leadsTo("/konto/integracje#facebook", "page_chosen#facebook")
	if c := w.Stored(directorytest.PagesPair); c.AccountID != "104119" {
		t.Errorf("stored %+v", c)
	}
	w.post(pagePath, "").leadsTo(pagePath, "nothing_chosen")
	w.get(pagePath).shows(200, "Wybierz coś z listy.")
	w.post(pagePath, "wybor=4").leadsTo(pagePath, "page_not_found")
	w.post(pagePath, "wybor=104120").leadsTo(pagePath, "page_without_credential")
	w.Social.Fail["ReadPage"] = provider.Temporary(nil)
	w.post(pagePath, "wybor=104118").leadsTo("/konto/integracje#facebook", "page_unsynced#facebook")
}

func TestChooseLocation(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectProfile()
	listed := w.Search.Locations
	w.Search.Locations = nil
	w.get(locationPath).shows(200, "W Profilu Firmy w Google nie ma żadnej lokalizacji.")
	w.Search.Locations = listed
	w.Search.Locations[0].StoreCode = "S1"
	w.get(locationPath).shows(200, "Piekarnia ul. Długa 5, Kraków · S1").lacks("Nie wszystkie")
	w.Search.Cut, w.Search.Unread = true, []string{"Sieć <1>"}
	w.get(locationPath).shows(200, "Nie wszystkie lokalizacje", "Nie odczytano kont: Sieć <1>.")
	w.Search.Cut, w.Search.Unread = false, nil
	w.post(locationPath, "wybor=locations/2").leadsTo("/konto/integracje#profil", "location_chosen#profil")
	if c := w.Stored(directorytest.ProfilePair); c.AccountID != "locations/2" {
		t.Errorf("stored %+v", c)
	}
	w.post(locationPath, "").leadsTo(locationPath, "nothing_chosen")
	w.get(locationPath).shows(200, "Wybierz coś z listy.")
	w.post(locationPath, "wybor=locations/7").leadsTo(locationPath, "location_not_found")
	w.post(locationPath+"/audyt", "").leadsTo(locationPath, "nothing_chosen")
	w.post(locationPath+"/audyt", "wybor=locations/1").leadsTo("/konto/audyt", "audit_done")
	if c := w.Stored(directorytest.ProfilePair); c.AccountID != "locations/1" {
		t.Errorf("stored %+v", c)
	}
	w.Search.Locations[0].Closed = google.ClosedSuspended
	w.get(locationPath).shows(200, "Cukiernia Piekarnia ul. Długa 5, Kraków · S1 Google ją zawiesiło")
}

// TestChooseFails: what the list itself cannot mend leads back to the integrations.
func TestChooseFails(t *testing.T) {
	for path, choice := range map[string]string{pagePath: "wybor=104118", locationPath: "wybor=locations/1"} {
		row := map[string]string{pagePath: "#facebook", locationPath: "#profil"}[path]
		w := newWorld(t).loggedIn(account.Member)
		w.get(path).leadsTo("/konto/integracje", "no_connection")
		w.post(path, choice).leadsTo("/konto/integracje"+row, "no_connection"+row)
		w.connectPage()
		w.connectProfile()
		for err, code := range map[error]string{
			provider.Throttled(nil, 0): "provider_throttled", provider.Temporary(nil): "provider_temporary", provider.Gone(nil): "provider_gone",
		} {
			w.Social.Err, w.Search.Err = err, err
			w.get(path).leadsTo("/konto/integracje", code)
			w.post(path, choice).leadsTo("/konto/integracje"+row, code+row)
		}
		w.Social.Err, w.Search.Err = errors.New("away"), errors.New("away")
		w.post(path, choice).shows(500)
		w.loggedIn(account.Unaffiliated).get(path).leadsTo("/konto/integracje", "not_allowed")
		w.post(path, choice).leadsTo(path, "not_allowed")
		w.Anna.CompanyID = nil
		w.get(path).leadsTo("/konto/integracje", "no_company")
	}
}

// TestChooseAmongMany: names are in the order of the Polish alphabet, what cannot be chosen
// is last, and a search finds names without their accents.
func TestChooseAmongMany(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.Social.Pages = []meta.Page{{ID: "1", Name: "Żabka"}}
	for i, name := range []string{"łosoś", "Zebra", "Żółw", "Lato", "Ćma", "Ziemia", "Cień", "Źródło", "Firma Piekarnia", "Mąka", "ósemka", "Oko"} {
		w.Social.Pages = append(w.Social.Pages, meta.Page{ID: strconv.Itoa(i + 2), Name: name, AccessToken: "page"})
	}
	w.Company.Name = "firma piekarnia"
	a := w.get(pagePath).shows(200, "Szukaj po nazwie", "Cień Ćma Firma Piekarnia Lato łosoś Mąka Oko ósemka Zebra Ziemia Źródło Żółw Żabka Połączona osoba nie może")
	if checked := regexp.MustCompile(`value="(\d+)" required checked`).FindAllStringSubmatch(a.Body.String(), -1); len(checked) != 1 || checked[0][1] != "10" {
		t.Errorf("checked %q", checked)
	}
	w.get(pagePath+"?szukaj=+ZRODLO").shows(200, "Źródło").lacks("Zebra")
	w.get(pagePath+"?szukaj=%3Cx%3E").shows(200, "Żadna nazwa nie pasuje do „<x>”.", "Pokaż wszystkie")
}

func TestSync(t *testing.T) {
	for path, want := range map[string]struct {
		service provider.Service
		outcome string
		channel string
	}{
		"/konto/statystyki/facebook":  {provider.SocialPages, "page_synced", "facebook"},
		"/konto/statystyki/instagram": {provider.SocialPhotos, "photos_synced", "instagram"},
	} {
		back, place := statisticsOf+"#"+want.channel, "#"+want.channel
		w := newWorld(t).loggedIn(account.Member)
		w.post(path, "").leadsTo(back, "no_connection", place)
		w.connectPage()
		w.post(path, "").leadsTo(back, want.outcome, place)
		if r, err := history.Latest[struct{}](t.Context(), w.Store.DB, w.Company.ID, want.service); err != nil || r.Data == nil {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
		for _, err := range []*fault.Error{provider.Throttled(nil, 0), provider.Revoked(nil, "Hasło zmienione.")} {
			w.Social.Err = err
			w.post(path, "").leadsTo(back, err.Code, place)
		}
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "" })
		w.Social.Err = errors.New("away")
		w.post(path, "").shows(500)
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.Chosen, c.UserAccessToken = connection.ChosenNothing, "" })
		w.post(path, "").leadsTo(back, "no_page", place)
		w.loggedIn(account.Unaffiliated).post(path, "").leadsTo("/konto/statystyki", "not_allowed")
	}
}

// TestDeletion: the code shows the state of the request, without a login.
func TestDeletion(t *testing.T) {
	w := newWorld(t)
	d, address, err := w.Erasures.DeleteData(t.Context(), "", provider.Social, directorytest.SignedRequest("osoba-1", directorytest.Start))
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(address, directorytest.PublicURL)
	w.get(path).shows(200, "Przyjęliśmy zgłoszenie 21 listopada 2026, 13:00 . Usuwamy dane.", d.Code).lacks("Dane zostały usunięte")
	w.Now = w.Now.Add(time.Minute)
	if err := w.Erasures.CarryOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.get(path).shows(200, "Usunęliśmy dane 21 listopada 2026, 13:01 .", "zapisanych do 21 listopada 2026, 13:00", d.Code)
}

var address = regexp.MustCompile(`(?:src|href)="([^"#]*)(#[^"]+)?"`)

// TestReference follows every link of both pages, within the page and to files of
// ours.
func TestReference(t *testing.T) {
	w := newWorld(t)
	for path, wants := range map[string][]string{
		"/docs":          {`href="/openapi/directory.yaml"`, `id="connect"`, `id="schema-Audit"`, "invalid_state_format", "Login required"},
		"/docs/hardware": {`href="/openapi/hardware.yaml"`, `id="getPrices"`, `id="schema-Offer"`, "query_too_short", `data-path="/api/benchmark/{type}"`},
	} {
		body := w.get(path).shows(200, "API:").Body.String()
		for _, want := range append(wants, "<strong>Access.</strong>", `href="#header-NoStore"`) {
			if !strings.Contains(body, want) {
				t.Errorf("no %s at %s", want, path)
			}
		}
		for _, match := range address.FindAllStringSubmatch(body, -1) {
			target, fragment := match[1], match[2]
			if fragment != "" && !strings.Contains(body, ` id="`+fragment[1:]+`"`) {
				t.Errorf("%s leads nowhere at %s", fragment, path)
			}
			if !strings.HasPrefix(target, "/konto/static/") && !strings.HasPrefix(target, "/openapi/") {
				continue
			}
			if a := w.get(target); a.Code != 200 || a.Body.Len() == 0 {
				t.Errorf("%s: %d", target, a.Code)
			}
		}
		if n := strings.Count(body, "<details class=\"card operation\">"); n != strings.Count(body, `data-method="`) || n == 0 {
			t.Errorf("%d operations at %s", n, path)
		}
	}
}

func TestDocuments(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string][]byte{"/openapi/directory.yaml": contracts.Directory(), "/openapi/hardware.yaml": contracts.Hardware()} {
		first := w.get(path)
		if first.Body.String() != string(want) || first.Header().Get("Content-Type") != "application/yaml" {
			t.Errorf("%s: %d bytes of %s", path, first.Body.Len(), first.Header().Get("Content-Type"))
		}
		again := w.do(http.MethodGet, path, "", "If-None-Match", first.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d", path, again.Code)
		}
	}
}

func TestLogin(t *testing.T) {
	w := newWorld(t)
	w.SetPassword(w.Anna, "haslo-anny-2026")
	w.get("/konto/logowanie?powrot=%2Fkonto%2Faudyt").shows(200, "Adres e-mail", "Hasło")
	w.post("/konto/logowanie", values("email", w.Anna.Email, "password", "haslo-anny-2026", "powrot", "/konto/audyt?x=1")).
		leadsTo("/konto/audyt?x=1")
	if want := []string{"begin 1"}; !slices.Equal(w.browser.did, want) || !strings.Contains(w.Log.String(), `"client":"198.51.100.7"`) {
		t.Errorf("did %q, want %q; log %s", w.browser.did, want, w.Log.String())
	}
	w.loggedIn(account.Manager).get("/konto/logowanie?powrot=/audyt/piekarnia").leadsTo("/audyt/piekarnia")
	for _, other := range []string{"https://evil.example/konto/x", "//evil.example/konto/x", "https:/konto/x", "/konto/../x", "/docs"} {
		w.get("/konto/logowanie?powrot=" + other).leadsTo("/konto/przeglad")
	}
	w.get("/konto").leadsTo("/konto/przeglad")
	w.post("/konto/wylogowanie", "").leadsTo("/konto/logowanie", "logged_out")
	w.browser.user = nil
	w.get("/konto/logowanie").shows(200, "Wylogowano.")
}
