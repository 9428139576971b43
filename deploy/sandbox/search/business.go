package search

import (
	"net/http"
	"net/url"
	"slices"
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
	query, err := googleapi.Query(r, "pageSize", "pageToken", "filter")
	if err != nil {
		return nil, err
	}
	var accounts []account
	if !s.knobs.On(knobEmpty) {
		accounts = s.estate.accounts[person]
	}
	if filter := query.Get("filter"); filter != "" {
		if accounts, err = ofType(accounts, filter); err != nil {
			return nil, err
		}
	}
	paging := googleapi.Paging{List: "accounts " + person + " " + query.Get("filter"), Default: accountsPage, Max: accountsPage}
	page, err := paging.Read(query)
	if err != nil {
		return nil, err
	}
	var list accountList
	list.Accounts, list.NextPageToken = googleapi.Cut(page, accounts)
	return list, nil
}

// ofType is the only filter that the API knows: type=LOCATION_GROUP.
func ofType(accounts []account, filter string) ([]account, error) {
	kind, found := strings.CutPrefix(filter, "type=")
	if !found || !slices.Contains([]string{"PERSONAL", "LOCATION_GROUP", "USER_GROUP", "ORGANIZATION"}, kind) {
		return nil, googleapi.InvalidField("filter", "the only filter is type=…")
	}
	return slices.DeleteFunc(slices.Clone(accounts), func(a account) bool { return a.Type != kind }), nil
}

type locationList struct {
	Locations     []map[string]any `json:"locations,omitempty"`
	NextPageToken string           `json:"nextPageToken,omitempty"`
}

// listLocations answers the masked locations of an account, or of all accounts
// that a person may see when it is "-".
func (s *site) listLocations(r *http.Request, person string) (any, error) {
	query, err := googleapi.Query(r, "readMask", "pageSize", "pageToken", "orderBy")
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
	if locations, err = order(locations, query.Get("orderBy")); err != nil {
		return nil, err
	}
	paging := googleapi.Paging{List: strings.Join([]string{name, person, query.Get("orderBy")}, " "), Default: locationsPage, Max: maxLocationsPage}
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
	account, mine, exists := s.estate.find(person, name)
	switch {
	case s.knobs.On(knobEmpty):
		return nil, nil
	case name == "accounts/-":
		return s.estate.locations(person), nil
	case mine:
		return account.locations, nil
	case exists:
		return nil, googleapi.Forbidden()
	default:
		return nil, googleapi.Missing()
	}
}

func order(locations []location, by string) ([]location, error) {
	field, direction, _ := strings.Cut(by, " ")
	if by == "" {
		return locations, nil
	}
	if (field != "title" && field != "store_code") || (direction != "" && direction != "desc") {
		return nil, googleapi.InvalidField("order_by", "orderBy is title or store_code, with or without desc")
	}
	sorted := slices.Clone(locations)
	slices.SortStableFunc(sorted, func(a, b location) int {
		if field == "title" {
			return strings.Compare(a.Title, b.Title)
		}
		return strings.Compare(a.StoreCode, b.StoreCode)
	})
	if direction == "desc" {
		slices.Reverse(sorted)
	}
	return sorted, nil
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

// routeLocation tells the methods of a location apart, which stand after a colon
// in the last part of the path.
func (s *site) routeLocation(w http.ResponseWriter, r *http.Request) {
	id, method, custom := strings.Cut(r.PathValue("location"), ":")
	r.SetPathValue("location", id)
	switch {
	case !custom:
		s.guard(locationsAPI, s.showLocation)(w, r)
	case method == "fetchMultiDailyMetricsTimeSeries":
		s.guard(performanceAPI, s.fetchMetrics)(w, r)
	default:
		showMissing(w, r)
	}
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
	location, err := s.locationOf(r, person)
	if err != nil {
		return nil, err
	}
	return mask.Apply(location)
}

// locationOf finds the location that the path names.
func (s *site) locationOf(r *http.Request, person string) (location, error) {
	found, mine, exists := s.estate.findLocation(person, "locations/"+r.PathValue("location"))
	switch {
	case mine:
		return found, nil
	case exists:
		return location{}, googleapi.Forbidden()
	default:
		return location{}, googleapi.Missing()
	}
}
