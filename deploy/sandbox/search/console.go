package search

import (
	"net/http"

	"backend.example/deploy/sandbox/internal/googleapi"
)

// siteEntry is a site of the search console
// (https://developers.google.com/webmaster-tools/v1/sites).
type siteEntry struct {
	SiteURL         string `json:"siteUrl"`         // "https://example.pl/" or "sc-domain:example.pl"
	PermissionLevel string `json:"permissionLevel"` // siteOwner, siteFullUser, siteRestrictedUser or siteUnverifiedUser
}

// sites lists what a person may see in the search console. An unverified user sees a
// site in the list, and nothing else of it.
func sites(person string) []siteEntry {
	return map[string][]siteEntry{
		"anna":  {{"sc-domain:piekarnia-kowalski.example", "siteOwner"}, {"https://piekarnia-kowalski.example/", "siteFullUser"}},
		"marek": {{"https://warsztat-nowak.example/", "siteUnverifiedUser"}},
		"piotr": {
			{"https://warsztat-nowak.example/", "siteUnverifiedUser"}, {"sc-domain:kwiaciarnia-polna.example", "siteRestrictedUser"},
			{"sc-domain:piekarnia-kowalski.example", "siteFullUser"},
		},
	}[person]
}

type siteList struct {
	SiteEntry []siteEntry `json:"siteEntry,omitempty"`
}

// listSites answers the sites that a person may see.
func (s *site) listSites(r *http.Request, person string) (any, error) {
	if _, err := googleapi.Query(r); err != nil {
		return nil, err
	}
	if s.toggles.On(toggleEmpty) {
		return siteList{}, nil
	}
	return siteList{sites(person)}, nil
}
