package httpapi_test

import (
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
)

const (
	discoverLocations = "/api/oauth/provider_search/discover-locations"
	selectLocation    = "/api/oauth/provider_search/select-location"
)

func TestLocations(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		b := w.loggedInAs(w.Anna)
		a := b.post(discoverLocations, "").want(200)
		locations, _ := a.at("locations").([]any)
		if first, _ := locations[0].(map[string]any); len(locations) != 2 || first["name"] != "locations/1" || first["place_id"] != "place-1" {
			t.Errorf("locations %s", a.Body)
		}
		b.post(selectLocation, `{"location_name":"locations/2"}`).want(200).
			wantAt("Lokalizacja została wybrana.", "message").wantAt("Cukiernia", "location", "title")
		if c := w.connection(profilePair); c.AccountID != "locations/2" || c.AccountName != "Cukiernia" {
			t.Errorf("stored %+v", c)
		}
		a.wantAt(true, "complete")
		w.Search.Cut, w.Search.Unread = true, []string{"Sieć"}
		part := b.post(discoverLocations, "").want(200).wantAt(false, "complete")
		if unread, _ := part.at("unread_accounts").([]any); len(unread) != 1 || unread[0] != "Sieć" {
			t.Errorf("locations %s", part.Body)
		}
		w.Search.Locations = nil
		if none, ok := b.post(discoverLocations, "").want(200).at("locations").([]any); !ok || len(none) != 0 {
			t.Errorf("no locations are %v", none)
		}
	})
}

func TestLocationsRefused(t *testing.T) {
	const textNoLocation, textNoComponent = "Nie znaleziono wybranej lokalizacji.", "Zarządzanie profilem firmy jest niedostępne."
	withService(t, func(t *testing.T, w *world) {
		anna, alone := w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("jan", account.Admin, nil))
		alone.post(discoverLocations, "").wantErrorOnly(403, textNoCompany)
		alone.post(selectLocation, `{"location_name":"locations/1"}`).wantErrorOnly(403, textNoCompany)
		guest := w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company))
		guest.post(selectLocation, `{"location_name":"locations/1"}`).wantErrorOnly(403, textNotAllowed)
		anna.post(discoverLocations, "").wantErrorOnly(404, textNoConnection)
		anna.post(selectLocation, `{"location_name":"locations/1"}`).wantErrorOnly(404, textNoConnection)
		w.connect(profilePair)
		for _, name := range []string{"locations/9", "Piekarnia", `\u0000`, " locations/1"} {
			anna.post(selectLocation, `{"location_name":"`+name+`"}`).wantErrorOnly(404, textNoLocation)
		}
		for _, body := range []string{`{}`, `{"location_name":""}`, `{"location_name":null}`} {
			anna.post(selectLocation, body).wantErrorOnly(400, textMissing("location_name"))
		}
		anna.post(selectLocation, `{"location_name":1}`).wantErrorOnly(400, textInvalid("location_name"))
		anna.post("/api/oauth/disconnect/"+profilePair.String(), "").want(200)
		anna.post(discoverLocations, "").wantErrorOnly(404, textNoConnection)
		w.connect(profilePair)
		for _, broken := range []func(){
			func() { w.Search.Err = provider.NotSetUp(errSecret) },
			func() { w.Unconfigure(provider.Search); w.Search.Err = nil },
		} {
			broken()
			requireNoLeak(t, anna.post(discoverLocations, "").wantErrorOnly(503, textNoComponent))
			anna.post(selectLocation, `{"location_name":"locations/1"}`).wantErrorOnly(503, textNoComponent)
		}
	})
}
