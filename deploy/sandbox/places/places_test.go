package places_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/fake"
	"backend.example/deploy/sandbox/fake/faketest"
	"backend.example/deploy/sandbox/places"
)

const (
	key    = "key-of-the-test"
	id     = "/v1/places/ChIJdemo-"
	bakery = id + "piekarnia-kowalski"
	search = "/v1/places:searchText"
)

// send makes a request to a new fake. A mask of "-" is none.
func send(method, target, sent, mask, body string) *httptest.ResponseRecorder {
	return sendTo(places.New(places.Options{APIKey: key}), method, target, sent, mask, body)
}

func sendTo(f *fake.Fake, method, target, sent, mask, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.Header.Set("X-Goog-Api-Key", sent)
	if mask != "-" {
		request.Header.Set("X-Goog-FieldMask", mask)
	}
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, request)
	return recorder
}

func TestOnlyMaskedFieldsWithAValueAreShown(t *testing.T) {
	for _, c := range []struct{ target, mask, want string }{
		{bakery + "?languageCode=pl&regionCode=PL", "id", `{"id":"ChIJdemo-piekarnia-kowalski"}`},
		{bakery, "displayName", `{"displayName":{"languageCode":"pl","text":"Piekarnia Kowalski"}}`},
		{bakery, "rating,userRatingCount", `{"rating":4.7,"userRatingCount":218}`},
		{bakery, "nationalPhoneNumber", `{"nationalPhoneNumber":"12 000 10 01"}`},
		{bakery, "types", `{"types":["bakery","cake_shop","cafe","point_of_interest","establishment"]}`},
		{bakery, "businessStatus,websiteUri", `{"businessStatus":"OPERATIONAL","websiteUri":"https://piekarnia-kowalski.example/"}`},
		{bakery, "movedPlace,movedPlaceId", `{}`},
		{id + "studio-wisniewska_", "rating,userRatingCount,websiteUri,nationalPhoneNumber,regularOpeningHours,photos,reviews,editorialSummary", `{}`},
		{id + "hydraulik-wojcik__", "formattedAddress,postalAddress,location,pureServiceAreaBusiness", `{"pureServiceAreaBusiness":true}`},
		{id + "pensjonat-mewa____", "businessStatus,regularOpeningHours", `{"businessStatus":"CLOSED_TEMPORARILY"}`},
		{id + "stacja-pod-lasem__", "regularOpeningHours", `{"regularOpeningHours":{"periods":[{"open":{"day":0,"hour":0,"minute":0}}]}}`},
	} {
		got := send("GET", c.target, key, c.mask, "")
		if got.Code != 200 || strings.TrimSpace(got.Body.String()) != c.want {
			t.Errorf("%s %s: got %d %s, want %s", c.target, c.mask, got.Code, got.Body, c.want)
		}
	}
}

func TestPhotosAndHours(t *testing.T) {
	for target, want := range map[string][2]int{
		bakery: {10, 7}, id + "warsztat-nowak____": {3, 5}, bakery + "-podgorze": {6, 11}, id + "bar-ksiezyc_______": {10, 5},
	} {
		body := send("GET", target, key, "photos,regularOpeningHours", "").Body.String()
		if photos, periods := strings.Count(body, "/photos/"), strings.Count(body, `"open"`); photos != want[0] || periods != want[1] {
			t.Errorf("%s: %d photos, %d periods, want %v", target, photos, periods, want)
		}
	}
	const past = `{"close":{"day":0,"hour":4,"minute":0},"open":{"day":6,"hour":18,"minute":0}}`
	if body := send("GET", id+"bar-ksiezyc_______", key, "regularOpeningHours", "").Body.String(); !strings.Contains(body, past) {
		t.Errorf("hours after midnight: %s", body)
	}
}

func TestWrongRequestsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		method, target, mask, body string
		status                     int
		want                       string
	}{
		"no mask":         {"GET", bakery, "-", "", 400, "FieldMask is a required parameter"},
		"unknown field":   {"GET", bakery, "id,colour", "", 400, "Cannot find matching fields for path 'colour'"},
		"not an id":       {"GET", "/v1/places/abc%20def", "id", "", 400, "Not a valid Place ID: abc def"},
		"unknown id":      {"GET", "/v1/places/ChIJdemo-no-place-has-this-id", "id", "", 404, "no longer valid"},
		"unknown option":  {"GET", bakery + "?colour=red", "id", "", 400, `Unknown name \"colour\"`},
		"key in address":  {"GET", bakery + "?key=x", "id", "", 400, `Unknown name \"key\"`},
		"no prefix":       {"POST", search, "id", `{"textQuery":"x"}`, 400, "Cannot find matching fields for path 'id'"},
		"no text":         {"POST", search, "places.id", `{"textQuery":" "}`, 400, "Empty text_query"},
		"negative size":   {"POST", search, "places.id", `{"textQuery":"x","pageSize":-1}`, 400, "page_size"},
		"too short an id": {"GET", "/v1/places/ChIJdemo", "id", "", 400, "Not a valid Place ID: ChIJdemo"},
		"search option":   {"POST", search + "?colour=red", "places.id", `{"textQuery":"x"}`, 400, `Unknown name \"colour\"`},
		"no JSON":         {"POST", search, "places.id", `textQuery=x`, 400, "Invalid JSON payload"},
		"unknown member":  {"POST", search, "places.id", `{"textQuery":"x","query":"y"}`, 400, "unknown field"},
		"other path":      {"GET", "/maps/api/place/details/json", "id", "", 404, "<!DOCTYPE html>"},
		"search with GET": {"GET", search, "id", "", 404, ""},
	} {
		if got := send(c.method, c.target, key, c.mask, c.body); got.Code != c.status || !strings.Contains(got.Body.String(), c.want) {
			t.Errorf("%s: got %d %s, want %d %s", name, got.Code, got.Body, c.status, c.want)
		}
	}
	for sent, want := range map[string]string{"": "unregistered callers", "another": "API_KEY_INVALID", key + "x": "API_KEY_INVALID"} {
		got := send("GET", bakery, sent, "id", "")
		if got.Code == 200 || !strings.Contains(got.Body.String(), want) || strings.Contains(got.Body.String(), key) {
			t.Errorf("key %q: got %d %s", sent, got.Code, got.Body)
		}
	}
}

func TestSearchText(t *testing.T) {
	for query, want := range map[string][]string{
		"Piekarnia Kowalski ul. Floriańska 12, 31-021 Kraków": {"Piekarnia Kowalski", "Piekarnia Kowalski – Podgórze"},
		"piekarnia kowalski walowa 12 krakow":                 {"Piekarnia Kowalski – Podgórze", "Piekarnia Kowalski"},
		"Warsztat Nowak ul. Głogowska 200, 60-104 Poznań":     {"Warsztat Nowak"},
		"Studio Fotografii Wiśniewska Gdańsk":                 {"Studio Fotografii Wiśniewska"},
		"fotograf Gdańsk":                                     {"Studio Fotografii Wiśniewska"},
		"fotograf Gdańsk Oliwa Długa":                         {"Studio Fotografii Wiśniewska"}, // half of the words
		"fotograf Gdańsk Oliwa Długa Wrzeszcz":                nil,
		"Kraków":                                              nil,
		"!!!":                                                 nil,
	} {
		body := fmt.Sprintf(`{"textQuery":%q,"languageCode":"pl","regionCode":"PL","pageSize":5}`, query)
		got := send("POST", search, key, "places.displayName", body)
		var found struct {
			Places []struct{ DisplayName struct{ Text string } }
		}
		if err := json.Unmarshal(got.Body.Bytes(), &found); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range found.Places {
			names = append(names, p.DisplayName.Text)
		}
		if !slices.Equal(names, want) || want == nil && strings.TrimSpace(got.Body.String()) != `{}` {
			t.Errorf("%q: got %s, want %q", query, got.Body, want)
		}
	}
}

func TestASearchHasOnePage(t *testing.T) {
	for size, want := range map[int]int{0: 20, 1: 1, 3: 3, 20: 20, 21: 20} {
		body := send("POST", search, key, "places.id", fmt.Sprintf(`{"textQuery":"Kwiaciarnia Polna","pageSize":%d}`, size)).Body.String()
		if got := strings.Count(body, `"id"`); got != want {
			t.Errorf("page size %d: got %d, want %d", size, got, want)
		}
	}
}

// TestAnswersStayTheSame compares whole answers, with their headers, with the kept ones, on
// which the directory's client relies.
func TestAnswersStayTheSame(t *testing.T) {
	f := places.New(places.Options{APIKey: key})
	got := faketest.Transcript{Fake: f}
	for _, c := range []struct{ method, target, sent, mask, body string }{
		{"GET", bakery + "?languageCode=pl&regionCode=PL&sessionToken=x", key, "id,rating,userRatingCount,googleMapsUri", ""}, {"GET", bakery, "", "id", ""}, {"GET", bakery, "another", "id", ""},
		{"GET", bakery, key, "", ""}, {"GET", bakery, key, "id,colour", ""}, {"GET", bakery + "?colour=red", key, "id", ""}, {"GET", "/v1/places/abc%20def", key, "id", ""},
		{"GET", "/v1/places/ChIJdemo-no-place-has-this-id", key, "id", ""}, {"POST", search, key, "places.id,places.types", `{"textQuery":"piekarnia kowalski","pageSize":1}`},
		{"POST", search, "", "places.id", `{"textQuery":"x"}`}, {"POST", search, key, "places.id", `{"textQuery":" "}`}, {"POST", search, key, "places.id", `{"textQuery":"x","pageSize":-1}`},
		{"POST", search, key, "id", `{"textQuery":"x"}`}, {"POST", search, key, "places.id", "x"}, {"POST", search, key, "places.id", `{"textQuery":"hydraulik"}`}, {"GET", "/v1", key, "id", ""},
	} {
		got.Add(fmt.Sprint(c), sendTo(f, c.method, c.target, c.sent, c.mask, c.body))
	}
	got.Kept(t)
}
