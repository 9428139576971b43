package places_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

type results struct {
	Places []struct {
		ID          string
		DisplayName struct{ Text string }
	}
	NextPageToken string
}

func search(t *testing.T, c client, body string) results {
	t.Helper()
	return read[results](t, c.send("POST", "/v1/places:searchText", "places.id,places.displayName,nextPageToken", body))
}

func TestSearchText(t *testing.T) {
	for query, want := range map[string][]string{
		"Piekarnia Kowalski ul. Floriańska 12, 31-021 Kraków": {"Piekarnia Kowalski", "Piekarnia Kowalski – Podgórze"},
		"piekarnia kowalski walowa 12 krakow":                 {"Piekarnia Kowalski – Podgórze", "Piekarnia Kowalski"},
		"Warsztat Nowak ul. Głogowska 200, 60-104 Poznań":     {"Warsztat Nowak"},
		"Studio Fotografii Wiśniewska Gdańsk":                 {"Studio Fotografii Wiśniewska"},
		"fotograf Gdańsk":                                     {"Studio Fotografii Wiśniewska"},
		"Kraków":                                              nil,
		"Kancelaria Adwokacka Kraków":                         nil,
		"!!!":                                                 nil,
	} {
		var names []string
		for _, p := range search(t, newClient(t), fmt.Sprintf(`{"textQuery":%q,"languageCode":"pl","regionCode":"PL","pageSize":5}`, query)).Places {
			names = append(names, p.DisplayName.Text)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q: got %q, want %q", query, names, want)
		}
	}
}

func TestNothingFoundIsAnEmptyObject(t *testing.T) {
	c := newClient(t)
	if got := compact(t, c.send("POST", "/v1/places:searchText", "places.id", `{"textQuery":"brak takiej firmy"}`)); got != `{}` {
		t.Errorf("got %s", got)
	}
	c.set(`{"empty_lists":true}`)
	if got := compact(t, c.send("POST", "/v1/places:searchText", "*", `{"textQuery":"Piekarnia Kowalski"}`)); got != `{}` {
		t.Errorf("with the knob: %s", got)
	}
}

func TestSearchPages(t *testing.T) {
	c := newClient(t)
	seen := map[string]bool{}
	pages, token := 0, ""
	for pages == 0 || token != "" {
		body, _ := json.Marshal(map[string]any{"textQuery": "Kwiaciarnia\nPolna", "pageSize": 25, "pageToken": token})
		got := search(t, c, string(body))
		for _, p := range got.Places {
			seen[p.ID] = true
		}
		pages, token = pages+1, got.NextPageToken
	}
	if pages != 3 || len(seen) != 60 {
		t.Errorf("%d places on %d pages, want 60 on 3", len(seen), pages)
	}
	first := search(t, c, `{"textQuery":"Kwiaciarnia Polna"}`).NextPageToken
	if got := c.send("POST", "/v1/places:searchText", "places.id", fmt.Sprintf(`{"textQuery":"Piekarnia","pageToken":%q}`, first)); got.Code != 400 {
		t.Errorf("a token of another search: %d", got.Code)
	}
}

func TestTheMaskOfASearchHidesTheToken(t *testing.T) {
	got := read[results](t, newClient(t).send("POST", "/v1/places:searchText", "places.id", `{"textQuery":"Kwiaciarnia Polna"}`))
	if got.NextPageToken != "" || len(got.Places) != 20 || got.Places[0].ID == "" || got.Places[0].DisplayName.Text != "" {
		t.Errorf("got %+v", got)
	}
}
