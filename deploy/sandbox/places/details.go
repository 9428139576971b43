package places

import (
	"net/http"
	"regexp"

	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/internal/googleapi"
)

// idForm is the form of place ids; anything else is refused rather than not found.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{20,256}$`)

// showPlace answers the masked fields of one place
// (https://developers.google.com/maps/documentation/places/web-service/place-details).
func (s *site) showPlace(r *http.Request) (any, error) {
	if _, err := googleapi.Query(r, "languageCode", "regionCode", "sessionToken", "fields", "$fields"); err != nil {
		return nil, err
	}
	mask, err := readMask(r, place{})
	if err != nil {
		return nil, err
	}
	id := r.PathValue("place")
	if !idForm.MatchString(id) {
		return nil, googleapi.Invalid("Not a valid Place ID: %s", id)
	}
	for _, b := range demo.Businesses() {
		if s.idOf(b) == id {
			s.tally.Add(countSKUs, skuOf(mask, false))
			return mask.Apply(newPlace(b, id, s.now()))
		}
	}
	return nil, googleapi.Refusal{
		HTTP: http.StatusNotFound, Status: "NOT_FOUND",
		Message: "The Place ID is no longer valid. Please refresh cached Place IDs as per https://developers.google.com/maps/documentation/places/web-service/place-id#save-id",
	}
}

// idOf is the id under which a business is found now.
func (s *site) idOf(b demo.Business) string {
	if s.knobs.On(knobRenewedIDs) {
		return b.PlaceID() + "-2"
	}
	return b.PlaceID()
}
