package web_test

import (
	"errors"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/history"
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
	w.post(pagePath, "wybor=104119").leadsTo("/konto/integracje", "page_chosen")
	if c := w.Stored(directorytest.PagesPair); c.AccountID != "104119" {
		t.Errorf("stored %+v", c)
	}
	w.post(pagePath, "").leadsTo(pagePath, "nothing_chosen")
	w.get(pagePath).shows(200, "Zaznacz jedną z pozycji")
	w.post(pagePath, "wybor=4").leadsTo(pagePath, "page_not_found")
	w.post(pagePath, "wybor=104120").leadsTo(pagePath, "page_without_credential")
	w.Social.Fail["ReadPage"] = provider.Temporary(nil)
	w.post(pagePath, "wybor=104118").leadsTo("/konto/integracje", "page_unsynced")
}

func TestChooseLocation(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectProfile()
	listed := w.Search.Locations
	w.Search.Locations = nil
	w.get(locationPath).shows(200, "W profilu firmy nie ma żadnej lokalizacji.")
	w.Search.Locations = listed
	w.Search.Locations[0].StoreCode = "S1"
	w.get(locationPath).shows(200, "Piekarnia ul. Długa 5, Kraków · S1").lacks("Nie wszystkie")
	w.Search.Cut, w.Search.Unread = true, []string{"Sieć <1>"}
	w.get(locationPath).shows(200, "Nie wszystkie lokalizacje", "Nie odczytano kont: Sieć <1>.")
	w.Search.Cut, w.Search.Unread = false, nil
	w.post(locationPath, "wybor=locations/2").leadsTo("/konto/integracje", "location_chosen")
	if c := w.Stored(directorytest.ProfilePair); c.AccountID != "locations/2" {
		t.Errorf("stored %+v", c)
	}
	w.post(locationPath, "").leadsTo(locationPath, "nothing_chosen")
	w.get(locationPath).shows(200, "Zaznacz jedną z pozycji")
	w.post(locationPath, "wybor=locations/7").leadsTo(locationPath, "location_not_found")
}

// TestChooseFails: what the list itself cannot mend leads back to the integrations.
func TestChooseFails(t *testing.T) {
	for path, choice := range map[string]string{pagePath: "wybor=104118", locationPath: "wybor=locations/1"} {
		w := newWorld(t).loggedIn(account.Member)
		w.get(path).leadsTo("/konto/integracje", "no_connection")
		w.post(path, choice).leadsTo("/konto/integracje", "no_connection")
		w.connectPage()
		w.connectProfile()
		for err, code := range map[error]string{
			provider.Throttled(nil, 0): "provider_throttled", provider.Temporary(nil): "provider_temporary", provider.Gone(nil): "provider_gone",
		} {
			w.Social.Err, w.Search.Err = err, err
			w.get(path).leadsTo("/konto/integracje", code)
			w.post(path, choice).leadsTo("/konto/integracje", code)
		}
		w.Social.Err, w.Search.Err = errors.New("away"), errors.New("away")
		w.post(path, choice).shows(500)
		w.loggedIn(account.Unaffiliated).get(path).leadsTo("/konto/integracje", "not_allowed")
		w.post(path, choice).leadsTo(path, "not_allowed")
		w.Anna.CompanyID = nil
		w.get(path).leadsTo("/konto/integracje", "no_company")
	}
}

func TestSync(t *testing.T) {
	for path, want := range map[string]struct {
		service provider.Service
		outcome string
	}{
		"/konto/integracje/statystyki/strona":  {provider.SocialPages, "page_synced"},
		"/konto/integracje/statystyki/zdjecia": {provider.SocialPhotos, "photos_synced"},
	} {
		w := newWorld(t).loggedIn(account.Member)
		w.post(path, "").leadsTo("/konto/integracje", "no_connection")
		w.connectPage()
		w.post(path, "").leadsTo("/konto/integracje", want.outcome)
		if r, err := history.Latest[struct{}](t.Context(), w.Store.DB, w.Company.ID, want.service); err != nil || r.Data == nil {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
		for _, err := range []*fault.Error{provider.Throttled(nil, 0), provider.Revoked(nil, "Hasło zmienione.")} {
			w.Social.Err = err
			w.post(path, "").leadsTo("/konto/integracje", err.Code)
		}
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "" })
		w.Social.Err = errors.New("away")
		w.post(path, "").shows(500)
		w.Change(directorytest.PagesPair, func(c *connection.Connection) { c.Chosen, c.UserAccessToken = connection.ChosenNothing, "" })
		w.post(path, "").leadsTo("/konto/integracje", "no_page")
		w.loggedIn(account.Unaffiliated).post(path, "").leadsTo("/konto/integracje", "not_allowed")
	}
}
