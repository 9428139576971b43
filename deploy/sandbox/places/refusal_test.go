package places_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

const bakery = "/v1/places/ChIJdemo-piekarnia-kowalski"

func TestRefusals(t *testing.T) {
	const path = "/v1/places:searchText"
	cases := map[string]struct {
		method, target, mask, body string
		status                     int
		want                       string
	}{
		"no mask":         {"GET", bakery, "-", "", 400, "FieldMask is a required parameter"},
		"unknown field":   {"GET", bakery, "id,colour", "", 400, "Cannot find matching fields for path 'colour'"},
		"search prefix":   {"GET", bakery, "places.id", "", 400, "Cannot find matching fields for path 'places.id'"},
		"not an id":       {"GET", "/v1/places/abc%20def", "id", "", 400, "Not a valid Place ID: abc def"},
		"unknown id":      {"GET", "/v1/places/ChIJdemo-nobody-has-this-id", "id", "", 404, "NOT_FOUND"},
		"unknown option":  {"GET", bakery + "?colour=red", "id", "", 400, `Unknown name \"colour\"`},
		"key in address":  {"GET", bakery + "?key=x", "id", "", 400, `Unknown name \"key\"`},
		"no prefix":       {"POST", path, "id", `{"textQuery":"x"}`, 400, "Cannot find matching fields for path 'id'"},
		"search no mask":  {"POST", path, "-", `{"textQuery":"x"}`, 400, "FieldMask is a required parameter"},
		"no text":         {"POST", path, "places.id", `{"textQuery":" "}`, 400, "Empty text_query"},
		"no JSON":         {"POST", path, "places.id", `textQuery=x`, 400, "Invalid JSON payload"},
		"two objects":     {"POST", path, "places.id", `{"textQuery":"x"}{}`, 400, "more than one object"},
		"unknown member":  {"POST", path, "places.id", `{"textQuery":"x","query":"y"}`, 400, "unknown field"},
		"negative page":   {"POST", path, "places.id", `{"textQuery":"x","pageSize":-1}`, 400, "page_size"},
		"other path":      {"GET", "/maps/api/place/details/json", "id", "", 404, "<!DOCTYPE html>"},
		"search with GET": {"GET", path, "id", "", 404, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := newClient(t).send(c.method, c.target, c.mask, c.body)
			if got.Code != c.status || !strings.Contains(got.Body.String(), c.want) {
				t.Errorf("got %d %s, want %d %s", got.Code, got.Body, c.status, c.want)
			}
		})
	}
}

func TestTheKeyIsNeeded(t *testing.T) {
	for sent, want := range map[string]struct {
		status int
		text   string
	}{
		"":        {403, "unregistered callers"},
		"another": {400, "API_KEY_INVALID"},
		key + "x": {400, "API_KEY_INVALID"},
	} {
		request := httptest.NewRequest("GET", bakery, nil)
		request.Header.Set("X-Goog-FieldMask", "id")
		request.Header.Set("X-Goog-Api-Key", sent)
		got := newClient(t).do(request)
		if got.Code != want.status || !strings.Contains(got.Body.String(), want.text) || strings.Contains(got.Body.String(), key) {
			t.Errorf("%q: got %d %s", sent, got.Code, got.Body)
		}
	}
}

func TestTogglesOfTheProject(t *testing.T) {
	for toggle, want := range map[string]struct {
		status int
		texts  []string
		retry  string
	}{
		"quota_exceeded":   {429, []string{"RESOURCE_EXHAUSTED", `"quota_limit_value": "600"`, "GetPlaceRequestPerMinutePerProject"}, "30"},
		"service_disabled": {403, []string{"SERVICE_DISABLED"}, ""},
	} {
		c := newClient(t)
		c.SetToggle(toggle, true)
		got := c.send("GET", bakery, "id", "")
		for _, text := range want.texts {
			if !strings.Contains(got.Body.String(), text) {
				t.Errorf("%s: the body lacks %s: %s", toggle, text, got.Body)
			}
		}
		if got.Code != want.status || got.Header().Get("Retry-After") != want.retry {
			t.Errorf("%s: got %d %v", toggle, got.Code, got.Header())
		}
	}
}
