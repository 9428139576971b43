package web

import (
	"net/url"
	"path"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/internal/kit/site"
)

// fieldAction is where an owner follows a recommendation.
type fieldAction struct {
	site.Link
	Copy  bool   // the address is for customers, so that it is offered to be copied
	Where string // where the field is in Google's editor, which has no address of its own for it
}

// connectProfile leads to where a source is connected that can assess more fields.
var connectProfile = fieldAction{Link: site.Link{Href: integrationsPath, Text: "Połącz Profil Firmy"}}

// fieldLink returns where an owner follows a recommendation of a, or nil if the owner
// cannot. A field that a source does not assess gains no points by editing, but by a source
// that does; only the operator's key for public places brings photos and reviews. The
// directory's own data are changed by administrators.
func fieldLink(a audit.Audit, r audit.Recommendation) *fieldAction {
	unknown := a.Fields[r.Field].Status == audit.StatusUnknown
	ofPlaces := r.Field == audit.FieldPhotos || r.Field == audit.FieldReviews
	switch {
	case unknown && ofPlaces:
		return nil
	case unknown && a.Source != audit.FromLocation:
		return &connectProfile
	case a.Source == audit.FromRecord:
		return nil
	case r.Field == audit.FieldReviews && a.PlaceID != "":
		return &fieldAction{
			Link: site.Link{Href: reviewAddress(a.PlaceID), Text: "Skopiuj link do wystawienia opinii"}, Copy: true,
		}
	}
	text, where := r.Field.Edit()
	return &fieldAction{Link: site.Link{Href: profileAddress(a.Location), Text: text}, Where: where}
}

// reviewAddress returns the page where customers write a review of a place
// (https://developers.google.com/maps/documentation/places/web-service/place-id).
func reviewAddress(placeID string) string {
	return "https://search.google.com/local/writereview?placeid=" + url.QueryEscape(placeID)
}

// profileAddress returns where Google shows the editor of a location, which is given by its
// resource name, or the list of all profiles if that is empty. Google documents the list
// (https://support.google.com/business/answer/7655842), but no address for a single field.
func profileAddress(location string) string {
	if location == "" {
		return "https://business.google.com/locations"
	}
	return "https://business.google.com/n/" + url.PathEscape(path.Base(location)) + "/searchprofile"
}
