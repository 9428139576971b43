package search

import (
	"net/http"
	"net/url"
	"strings"

	"backend.example/deploy/sandbox/internal/googleapi"
)

// The sizes of the lists' pages
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list,
// https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations/list).
const (
	accountsPage     = 20
	locationsPage    = 10
	maxLocationsPage = 100
)

type accountList struct {
	Accounts      []account `json:"accounts,omitempty"`
	NextPageToken string    `json:"nextPageToken,omitempty"`
}

// listAccounts answers the accounts that a person may see, their own first.
func (s *site) listAccounts(r *http.Request, person string) (any, error) {
	query, err := googleapi.Query(r, "pageSize", "pageToken")
	if err != nil {
		return nil, err
	}
	var accounts []account
	if !s.toggles.On(toggleEmpty) {
		accounts = s.accounts[person]
	}
	paging := googleapi.Paging{List: "accounts " + person, Default: accountsPage, Max: accountsPage}
	page, err := paging.Read(query)
	if err != nil {
		return nil, err
	}
	var list accountList
	list.Accounts, list.NextPageToken = googleapi.Cut(page, accounts)
	return list, nil
}

type locationList struct {
	Locations     []map[string]any `json:"locations,omitempty"`
	NextPageToken string           `json:"nextPageToken,omitempty"`
}

// listLocations answers the masked locations of an account, or of all accounts
// that a person may see when it is "-".
func (s *site) listLocations(r *http.Request, person string) (any, error) {
	query, err := googleapi.Query(r, "readMask", "pageSize", "pageToken")
	if err != nil {
		return nil, err
	}
	mask, err := readMask(query)
	if err != nil {
		return nil, err
	}
	name := "accounts/" + r.PathValue("account")
	locations, err := s.locationsOf(person, name)
	if err != nil {
		return nil, err
	}
	paging := googleapi.Paging{List: name + " " + person, Default: locationsPage, Max: maxLocationsPage}
	page, err := paging.Read(query)
	if err != nil {
		return nil, err
	}
	part, next := googleapi.Cut(page, locations)
	list := locationList{NextPageToken: next}
	for _, l := range part {
		masked, err := mask.Apply(l)
		if err != nil {
			return nil, err
		}
		list.Locations = append(list.Locations, masked)
	}
	return list, nil
}

func (s *site) locationsOf(person, name string) ([]location, error) {
	account, mine, exists := s.findAccount(person, name)
	switch {
	case s.toggles.On(toggleEmpty):
		return nil, nil
	case name == "accounts/-":
		return s.allLocations(person), nil
	case mine:
		return account.locations, nil
	case exists:
		return nil, googleapi.Forbidden()
	default:
		return nil, googleapi.Missing()
	}
}

// readMask reads the mask, which must be there and name top-level fields alone.
func readMask(query url.Values) (googleapi.Mask, error) {
	text := query.Get("readMask")
	if text == "" {
		refusal := googleapi.Invalid("Request contains an invalid argument.")
		refusal.Field = "read_mask"
		return nil, refusal
	}
	mask := googleapi.ParseMask(text)
	_, unknown := mask.Unknown(location{})
	if unknown || strings.ContainsAny(text, ".*") {
		refusal := googleapi.Invalid("Invalid field mask provided")
		refusal.Field = "read_mask"
		return nil, refusal
	}
	return mask, nil
}

// showLocation answers the masked fields of one location.
func (s *site) showLocation(r *http.Request, person string) (any, error) {
	query, err := googleapi.Query(r, "readMask")
	if err != nil {
		return nil, err
	}
	mask, err := readMask(query)
	if err != nil {
		return nil, err
	}
	found, mine, exists := s.findLocation(person, "locations/"+r.PathValue("location"))
	switch {
	case mine:
		if s.toggles.On(toggleSuspended) {
			known := *found.Metadata
			known.HasVoiceOfMerchant, found.Metadata = false, &known
		}
		return mask.Apply(found)
	case exists:
		return nil, googleapi.Forbidden()
	default:
		return nil, googleapi.Missing()
	}
}

// voice says whether the owner of a location is heard, and what is missing otherwise
// (https://developers.google.com/my-business/reference/verifications/rest/v1/locations/getVoiceOfMerchantState).
type voice struct {
	HasVoiceOfMerchant   bool              `json:"hasVoiceOfMerchant,omitempty"`
	HasBusinessAuthority bool              `json:"hasBusinessAuthority,omitempty"`
	ComplyWithGuidelines map[string]string `json:"complyWithGuidelines,omitempty"`
}

// showVoice answers the state of one location.
func (s *site) showVoice(r *http.Request, person string) (any, error) {
	if _, err := googleapi.Query(r); err != nil {
		return nil, err
	}
	_, mine, exists := s.findLocation(person, "locations/"+r.PathValue("location"))
	switch {
	case mine && s.toggles.On(toggleSuspended):
		return voice{HasBusinessAuthority: true, ComplyWithGuidelines: map[string]string{"recommendationReason": "BUSINESS_LOCATION_SUSPENDED"}}, nil
	case mine:
		return voice{HasVoiceOfMerchant: true, HasBusinessAuthority: true}, nil
	case exists:
		return nil, googleapi.Forbidden()
	default:
		return nil, googleapi.Missing()
	}
}
