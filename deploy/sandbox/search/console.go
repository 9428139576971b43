package search

import (
	"net/http"
	"slices"

	"backend.example/deploy/sandbox/internal/googleapi"
)

// The permission level that sees a site in the list, and nothing else of it.
const unverifiedUser = "siteUnverifiedUser"

type siteList struct {
	SiteEntry []siteEntry `json:"siteEntry,omitempty"`
}

// listSites answers the sites that a person may see.
func (s *site) listSites(r *http.Request, person string) (any, error) {
	if _, err := googleapi.Query(r); err != nil {
		return nil, err
	}
	if s.knobs.On(knobEmpty) {
		return siteList{}, nil
	}
	return siteList{s.estate.sites[person]}, nil
}

// queryAnalytics answers the figures of one site
// (https://developers.google.com/webmaster-tools/v1/searchanalytics/query).
func (s *site) queryAnalytics(r *http.Request, person string) (any, error) {
	if _, err := googleapi.Query(r); err != nil {
		return nil, err
	}
	asked, err := readAnalytics(r)
	if err != nil {
		return nil, err
	}
	address := r.PathValue("site")
	if !s.mayQuery(person, address) {
		return nil, googleapi.Refusal{
			HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED",
			Message: "User does not have sufficient permission for site '" + address + "'. See also: https://support.google.com/webmasters/answer/2451999.",
		}
	}
	answer := analyticsAnswer{ResponseAggregationType: asked.aggregation()}
	if !s.knobs.On(knobEmpty) {
		answer.Rows = asked.cut(s.analyticsRows(address, asked))
	}
	return answer, nil
}

func (s *site) mayQuery(person, address string) bool {
	return slices.ContainsFunc(s.estate.sites[person], func(e siteEntry) bool {
		return e.SiteURL == address && e.PermissionLevel != unverifiedUser
	})
}
