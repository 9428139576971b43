package places_test

import (
	"fmt"
	"slices"
	"testing"
)

type results struct {
	Places []struct {
		ID          string
		DisplayName struct{ Text string }
	}
}

func search(t *testing.T, c client, body string) results {
	t.Helper()
	return read[results](t, c.send("POST", "/v1/places:searchText", "places.id,places.displayName", body))
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
	c.SetToggle("empty_lists", true)
	if got := compact(t, c.send("POST", "/v1/places:searchText", "places.id", `{"textQuery":"Piekarnia Kowalski"}`)); got != `{}` {
		t.Errorf("with the toggle: %s", got)
	}
}
