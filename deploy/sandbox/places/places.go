// Package places fakes the public places: the Places API (New), version 1, with its text search and the details of
// one place. The paths are those of the real host. It is strict where the real one is: it needs a key in its header
// and a field mask, and answers nothing that the mask does not name.
package places

import (
	"cmp"
	_ "embed"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/fake"
	"backend.example/deploy/sandbox/google"
)

const maxPage = 20 // of a search

type site struct {
	*fake.Fake
	key    string
	places []google.Object
}

//go:embed places.json
var placesJSON []byte

// New returns the fake, which takes one API key.
func New(apiKey string) *fake.Fake {
	s := &site{
		key: apiKey, Fake: fake.New([]byte(`{"name": "places", "title": "Publiczne wizytówki (places)"}`), nil),
	}
	s.places = fake.ReadFixtures[google.Object](placesJSON)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/places:searchText", s.guard("SearchText", s.searchText))
	mux.HandleFunc("GET /v1/places/{place}", s.guard("GetPlace", s.showPlace))
	mux.HandleFunc("/", google.ShowMissing)
	s.Handle(mux)
	return s.Fake
}

// guard takes the key from the header only, although the API would accept it in the address.
func (s *site) guard(method string, next func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.Count("requests", method)
		var body any
		var err error
		switch key := r.Header.Get("X-Goog-Api-Key"); {
		case key == "":
			err = google.Error{
				HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED",
				Message: "Method doesn't allow unregistered callers (callers without established identity). Please " +
					"use API Key or other form of API consumer identity to call this API.",
			}
		case key != s.key:
			refused := google.Invalid("", "API key not valid. Please pass a valid API key.")
			refused.Reason, refused.Service = "API_KEY_INVALID", "places.googleapis.com"
			err = refused
		default:
			body, err = next(r)
		}
		google.Send(s.Fake, w, body, err)
	}
}

func readMask(r *http.Request, prefix string) ([]string, error) {
	text := r.Header.Get("X-Goog-FieldMask")
	if text == "" {
		return nil,
			google.Invalid("", "FieldMask is a required parameter. See "+
				"https://cloud.google.com/apis/docs/system-parameters on how to provide it. As an example, you can "+
				"set the header 'X-Goog-FieldMask' to value '*' to get all fields.")
	}
	var mask []string
	for path := range strings.SplitSeq(text, ",") {
		name, found := strings.CutPrefix(path, prefix)
		if !found || !slices.Contains(fields(), name) {
			return nil,
				google.Invalid("", "Error expanding 'fields' parameter. Cannot find matching fields for path '%s'.",
					path)
		}
		mask = append(mask, name)
	}
	return mask, nil
}

// fields are those of https://developers.google.com/maps/documentation/places/web-service/reference/rest/v1/places.
func fields() []string {
	return []string{
		"name", "id", "photos", "types", "formattedAddress", "postalAddress", "displayName", "primaryType",
		"primaryTypeDisplayName",
		"businessStatus", "pureServiceAreaBusiness", "nationalPhoneNumber", "internationalPhoneNumber", "websiteUri",
		"regularOpeningHours", "rating", "userRatingCount", "editorialSummary", "location", "googleMapsUri", "reviews",
		"currentOpeningHours", "movedPlace", "movedPlaceId",
	}
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{20,256}$`)

// showPlace: see https://developers.google.com/maps/documentation/places/web-service/place-details.
func (s *site) showPlace(r *http.Request) (any, error) {
	if _, err := google.Query(r, "languageCode", "regionCode", "sessionToken"); err != nil {
		return nil, err
	}
	mask, err := readMask(r, "")
	if err != nil {
		return nil, err
	}
	id := r.PathValue("place")
	if !idForm.MatchString(id) {
		return nil, google.Invalid("", "Not a valid Place ID: %s", id)
	}
	i := slices.IndexFunc(s.places, func(place google.Object) bool { return place["id"] == id })
	if i < 0 {
		missing := google.Missing()
		missing.Message = "The Place ID is no longer valid. Please refresh cached Place IDs as per " +
			"https://developers.google.com/maps/documentation/places/web-service/place-id#save-id"
		return nil, missing
	}
	return google.Apply(mask, s.places[i]), nil
}

// searchText answers the first page, or {}
// (https://developers.google.com/maps/documentation/places/web-service/text-search).
func (s *site) searchText(r *http.Request) (any, error) {
	mask, err := readMask(r, "places.")
	if err != nil {
		return nil, err
	}
	var asked struct {
		TextQuery    string `json:"textQuery"`
		LanguageCode string `json:"languageCode"`
		RegionCode   string `json:"regionCode"`
		PageSize     int    `json:"pageSize"` // 0: maxPage
	}
	if err := fake.ReadObject(r.Body, &asked); err != nil {
		return nil, google.Invalid("", "Invalid JSON payload received. %v", err)
	}
	_, err = google.Query(r)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(asked.TextQuery) == "":
		return nil, google.Invalid("text_query", "Request contains an invalid argument: Empty text_query.")
	case asked.PageSize < 0:
		return nil, google.Invalid("page_size", "Request contains an invalid argument: page_size must not be negative")
	case asked.PageSize == 0 || asked.PageSize > maxPage:
		asked.PageSize = maxPage
	}
	var list struct {
		Places []google.Object `json:"places,omitempty"`
	}
	found := s.find(fake.Words(asked.TextQuery))
	for _, place := range found[:min(len(found), asked.PageSize)] {
		list.Places = append(list.Places, google.Apply(mask, place))
	}
	return list, nil
}

// find returns the places with at least half of the words, one of these in the name or trade, the best first.
func (s *site) find(query []string) []google.Object {
	agreeing := map[any]int{}
	var found []google.Object
	for _, place := range s.places {
		what := text(place["displayName"]) + " " + text(place["primaryTypeDisplayName"])
		named, all := agree(query, what), agree(query, what+" "+text(place["formattedAddress"]))
		if named > 0 && 2*all >= len(query) {
			agreeing[place["id"]] = all
			found = append(found, place)
		}
	}
	slices.SortStableFunc(
		found, func(a, b google.Object) int { return cmp.Compare(agreeing[b["id"]], agreeing[a["id"]]) },
	)
	return found
}

func text(value any) string {
	if localized, ok := value.(google.Object); ok {
		value = localized["text"]
	}
	plain, _ := value.(string)
	return plain
}

func agree(query []string, text string) int {
	count := 0
	words := fake.Words(text)
	for _, word := range query {
		if slices.Contains(words, word) {
			count++
		}
	}
	return count
}
