package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
)

func (s *googleServer) placesAdapter(change ...func(*provider.PlacesOptions)) *provider.Places {
	options := provider.PlacesOptions{
		APIKey: googleKey, Transport: memory{s.serve}, Now: func() time.Time { return googleNow },
	}
	for _, c := range change {
		c(&options)
	}
	return provider.NewPlaces(options)
}

var knownPlaceFields = strings.Split("id,name,displayName,formattedAddress,shortFormattedAddress,postalAddress,addressComponents,"+
	"nationalPhoneNumber,internationalPhoneNumber,websiteUri,regularOpeningHours,currentOpeningHours,types,primaryType,"+
	"primaryTypeDisplayName,photos,editorialSummary,reviews,rating,userRatingCount,businessStatus,googleMapsUri,"+
	"pureServiceAreaBusiness,movedPlace,movedPlaceId", ",")

// place plays the Places API: the key in its header, and a mask of known fields.
func (s *googleServer) place(c googleCall, r *http.Request) googleReply {
	search := c.Path == "/v1/places:searchText"
	if r.Header.Get("X-Goog-Api-Key") != googleKey {
		return s.refuse(c, 400, "INVALID_ARGUMENT", "API_KEY_INVALID", "")
	}
	mask := strings.Split(r.Header.Get("X-Goog-FieldMask"), ",")
	for i, field := range mask {
		name, prefixed := strings.CutPrefix(field, "places.")
		if prefixed != search || !slices.Contains(knownPlaceFields, name) {
			s.t.Errorf("%s: mask names %q", c.Path, field)
		}
		mask[i] = name
	}
	if search {
		return s.searchText(r, mask)
	}
	id := strings.TrimPrefix(c.Path, "/v1/places/")
	if c.Method != http.MethodGet || c.Query.Get("languageCode") != "pl" || c.Query.Get("regionCode") != "PL" {
		s.t.Errorf("%s %s?%v", c.Method, c.Path, c.Query)
	}
	if strings.ContainsAny(id, " /") {
		return s.refuse(c, 400, "INVALID_ARGUMENT", "", "") // "Not a valid Place ID"
	}
	if object, ok := s.places[id]; ok {
		return googleReply{status: 200, body: keep(s.t, object, mask)}
	}
	return s.refuse(c, 404, "NOT_FOUND", "", "")
}

func (s *googleServer) searchText(r *http.Request, mask []string) googleReply {
	var body struct {
		TextQuery, LanguageCode, RegionCode string
		PageSize                            int
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Content-Type") != "application/json" {
		s.t.Errorf("body not read: %v", err)
	}
	if body.TextQuery == "" || body.LanguageCode != "pl" || body.RegionCode != "PL" || body.PageSize < 1 || body.PageSize > 20 {
		s.t.Errorf("search = %+v", body)
	}
	s.queries = append(s.queries, body.TextQuery)
	if s.results == "" {
		return googleReply{status: 200, body: "{}"}
	}
	var results []json.RawMessage
	if err := json.Unmarshal([]byte(s.results), &results); err != nil {
		s.t.Error(err)
	}
	var kept []string
	for _, result := range results {
		kept = append(kept, keep(s.t, string(result), mask))
	}
	return googleReply{status: 200, body: fmt.Sprintf(`{"places":[%s]}`, strings.Join(kept, ","))}
}
