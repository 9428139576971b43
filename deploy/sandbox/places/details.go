package places

import (
	"net/http"
	"regexp"
	"strings"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/internal/googleapi"
)

// idForm is the form of place ids; anything else is refused rather than not found.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{20,256}$`)

// showPlace answers the masked fields of one place
// (https://developers.google.com/maps/documentation/places/web-service/place-details).
func (s *site) showPlace(r *http.Request) (any, error) {
	if _, err := googleapi.Query(r, "languageCode", "regionCode", "sessionToken"); err != nil {
		return nil, err
	}
	mask, err := readMask(r, "")
	if err != nil {
		return nil, err
	}
	id := r.PathValue("place")
	if !idForm.MatchString(id) {
		return nil, googleapi.Invalid("Not a valid Place ID: %s", id)
	}
	for _, b := range fixtures.Businesses() {
		if s.idOf(b) == id {
			return mask.Apply(newPlace(b, id))
		}
	}
	return nil, googleapi.Refusal{
		HTTP: http.StatusNotFound, Status: "NOT_FOUND",
		Message: "The Place ID is no longer valid. Please refresh cached Place IDs as per https://developers.google.com/maps/documentation/places/web-service/place-id#save-id",
	}
}

// idOf is the id under which a business is found now.
func (s *site) idOf(b fixtures.Business) string {
	if s.toggles.On(toggleRenewedIDs) {
		return b.PlaceID() + "-2"
	}
	return b.PlaceID()
}

// readMask reads the field mask of the header. Each of its paths begins with prefix,
// behind which stands a field of a place.
func readMask(r *http.Request, prefix string) (googleapi.Mask, error) {
	text := r.Header.Get("X-Goog-FieldMask")
	if text == "" {
		return nil, googleapi.Invalid("FieldMask is a required parameter. See https://cloud.google.com/apis/docs/system-parameters on how to provide it. As an example, you can set the header 'X-Goog-FieldMask' to value '*' to get all fields.")
	}
	var mask googleapi.Mask
	for _, path := range googleapi.ParseMask(text) {
		name, found := strings.CutPrefix(path, prefix)
		if _, unknown := (googleapi.Mask{name}).Unknown(place{}); !found || unknown {
			return nil, googleapi.Invalid("Error expanding 'fields' parameter. Cannot find matching fields for path '%s'.", path)
		}
		mask = append(mask, name)
	}
	return mask, nil
}
