package pages_test

import (
	"errors"
	"slices"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// chooser is one of the two lists of which one is chosen.
var choosers = map[string]string{"/konto/integracje/strona": "page 104", "/konto/integracje/lokalizacja": "location 104"}

func TestChoose(t *testing.T) {
	w := newWorld(t).as(directory.Member)
	w.get("/konto/integracje/strona").shows(200, "Połączone konto nie zarządza żadną stroną.")
	w.get("/konto/integracje/lokalizacja").shows(200, "W profilu firmy nie ma żadnej lokalizacji.")
	w.pages = []directory.Page{{ID: "104", Name: "Piekarnia <1>", Category: "Piekarnia", AccessToken: "page-token"}, {ID: "105", Name: "Cudza"}}
	w.domain.places = []directory.Location{{Name: "locations/1", Title: "Sklep", Address: "ul. Długa 5", StoreCode: "S1"}}
	w.get("/konto/integracje/strona").shows(200, "Piekarnia <1> Piekarnia", "Cudza Konto nie może działać").lacks("page-token")
	w.get("/konto/integracje/lokalizacja").shows(200, "Sklep ul. Długa 5 · S1")
	for path, did := range choosers {
		w.done = nil
		outcome := map[string]string{"page 104": "page_chosen", "location 104": "location_chosen"}[did]
		w.post(path, "wybor=104").leadsTo("/konto/integracje?wynik=" + outcome)
		if !slices.Equal(w.done, []string{did}) {
			t.Errorf("%s did %q", path, w.done)
		}
		w.post(path, "").leadsTo(path + "?wynik=nothing_chosen")
		w.get(path+"?wynik=nothing_chosen").shows(200, "Zaznacz jedną z pozycji")
	}
	w.unsynced = true
	w.post("/konto/integracje/strona", "wybor=104").leadsTo("/konto/integracje?wynik=page_unsynced")
}

func TestChooseFails(t *testing.T) {
	for path := range choosers {
		w := newWorld(t).as(directory.Member)
		for code, back := range map[string]string{
			"page_not_found": path, "page_without_credential": path, "location_not_found": path,
			"no_connection": "/konto/integracje", directory.CodeTemporary: "/konto/integracje",
		} {
			if (path == "/konto/integracje/strona") == (code == "location_not_found") && back == path {
				continue // of the other list
			}
			w.selectErr = fault.New(fault.NotFound, code, "Nie.")
			w.post(path, "wybor=104").leadsTo(back + "?wynik=" + code)
		}
		w.selectErr = errors.New("away")
		w.post(path, "wybor=104").shows(500)
		w.discoverErr = directory.Throttled(nil, 0)
		w.get(path).leadsTo("/konto/integracje?wynik=provider_throttled")
		w.as(directory.Unaffiliated).get(path).leadsTo("/konto/integracje?wynik=not_allowed")
		w.post(path, "wybor=104").leadsTo(path + "?wynik=not_allowed")
		w.user.CompanyID = nil
		w.get(path).leadsTo("/konto/integracje?wynik=no_company")
	}
}

func TestSync(t *testing.T) {
	for path, want := range map[string][2]string{
		"/konto/integracje/statystyki/strona":  {"sync page", "page_synced"},
		"/konto/integracje/statystyki/zdjecia": {"sync photos", "photos_synced"},
	} {
		w := newWorld(t).as(directory.Member)
		w.post(path, "").leadsTo("/konto/integracje?wynik=" + want[1])
		if !slices.Equal(w.done, []string{want[0]}) {
			t.Errorf("%s did %q", path, w.done)
		}
		for _, code := range []string{
			"no_page", "no_connection", directory.CodeReconnect, directory.CodePermission, directory.CodeThrottled,
			directory.CodeTemporary, directory.CodeOperator, directory.CodeGone, directory.CodeChanged,
		} {
			w.syncErr = fault.New(fault.Internal, code, "Nie.")
			w.post(path, "").leadsTo("/konto/integracje?wynik=" + code)
			w.get("/konto/integracje?wynik=" + code).shows(200).lacks("Nie.</p>")
		}
		w.syncErr = errors.New("away")
		w.post(path, "").shows(500)
		w.as(directory.Unaffiliated).post(path, "").leadsTo("/konto/integracje?wynik=not_allowed")
	}
}
