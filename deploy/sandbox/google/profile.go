package google

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/fake"
)

// The sizes of the lists' pages
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list,
// https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations/list).
const (
	accountsPage     = 20
	locationsPage    = 10
	maxLocationsPage = 100
)

// account is a Business Profile account
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts).
type account struct {
	Name              string `json:"name"` // "accounts/123"
	AccountName       string `json:"accountName"`
	Type              string `json:"type"` // PERSONAL, LOCATION_GROUP, USER_GROUP or ORGANIZATION
	Role              string `json:"role,omitempty"`
	VerificationState string `json:"verificationState"`
	VettedState       string `json:"vettedState"`
	PermissionLevel   string `json:"permissionLevel,omitempty"`

	Holds []string `json:"holds,omitempty"` // in the fixtures: groups of locations
}

//go:embed people.json
var peopleJSON []byte

//go:embed locations.json
var locationsJSON []byte

func (p *Provider) readFixtures() {
	var people map[string]struct {
		Accounts json.RawMessage
		Sites    []siteEntry
	}
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(peopleJSON, &people); err != nil {
		panic(err) // the file is part of the binary
	}
	if err := json.Unmarshal(locationsJSON, &groups); err != nil {
		panic(err)
	}
	p.accounts, p.sites, p.locations = map[string][]account{}, map[string][]siteEntry{}, map[string][]Object{}
	for group, text := range groups {
		var locations []Object
		fake.ReadFixtures(text, &locations)
		p.locations[group] = locations
	}
	for key, person := range people {
		var accounts []account
		fake.ReadFixtures(person.Accounts, &accounts)
		p.accounts[key], p.sites[key] = accounts, person.Sites
	}
}

// listAccounts answers the accounts that a person may see, their own first.
func (p *Provider) listAccounts(r *http.Request, person string) (any, error) {
	query, err := Query(r, "pageSize", "pageToken")
	if err != nil {
		return nil, err
	}
	accounts := slices.Clone(p.accounts[person])
	if p.On(toggleEmpty) {
		accounts = nil
	}
	for i := range accounts {
		accounts[i].Holds = nil
	}
	var list struct {
		Accounts      []account `json:"accounts,omitempty"`
		NextPageToken string    `json:"nextPageToken,omitempty"`
	}
	list.Accounts, list.NextPageToken, err = cut(accounts, "accounts "+person, query, accountsPage, accountsPage)
	return list, err
}

// listLocations answers the masked locations of an account, or of all accounts that a
// person may see if it is "-".
func (p *Provider) listLocations(r *http.Request, person string) (any, error) {
	query, err := Query(r, "readMask", "pageSize", "pageToken")
	if err != nil {
		return nil, err
	}
	mask, err := readMask(query)
	if err != nil {
		return nil, err
	}
	name := "accounts/" + r.PathValue("account")
	locations, mine := p.locationsOf(person, name)
	if !mine {
		return nil, forbiddenOrMissing(p.accounts, func(a account) bool { return a.Name == name })
	}
	var list struct {
		Locations     []Object `json:"locations,omitempty"`
		NextPageToken string   `json:"nextPageToken,omitempty"`
	}
	list.Locations, list.NextPageToken, err = cut(locations, name+" "+person, query, locationsPage, maxLocationsPage)
	list.Locations = slices.Clone(list.Locations)
	for i, location := range list.Locations {
		list.Locations[i] = Apply(mask, location)
	}
	return list, err
}

// locationsOf returns the locations of an account that a person may see, each once. The
// name "accounts/-" stands for all accounts.
func (p *Provider) locationsOf(person, name string) (locations []Object, mine bool) {
	seen := map[string]bool{}
	for _, account := range p.accounts[person] {
		if name != "accounts/-" && name != account.Name {
			continue
		}
		mine = true
		for _, group := range account.Holds {
			if !seen[group] && !p.On(toggleEmpty) {
				locations = append(locations, p.locations[group]...)
			}
			seen[group] = true
		}
	}
	return locations, mine
}

// forbiddenOrMissing returns the error of an object that a person may not see.
func forbiddenOrMissing[T any](all map[string][]T, wanted func(T) bool) error {
	for _, list := range all {
		if slices.ContainsFunc(list, wanted) {
			return forbidden()
		}
	}
	return Missing()
}

// readMask returns the fields that a request asks for. Only top-level fields can be asked
// for.
func readMask(query url.Values) ([]string, error) {
	mask := strings.Split(query.Get("readMask"), ",")
	if mask[0] == "" {
		return nil, Invalid("read_mask", "Request contains an invalid argument.")
	}
	for _, name := range mask {
		switch name {
		case "name", "languageCode", "storeCode", "title", "phoneNumbers", "categories", "storefrontAddress", "websiteUri",
			"regularHours", "specialHours", "serviceArea", "labels", "latlng", "openInfo", "metadata", "profile", "serviceItems",
			"moreHours", "relationshipData", "adWordsLocationExtensions":
		default:
			return nil, Invalid("read_mask", "Invalid field mask provided")
		}
	}
	return mask, nil
}

// findLocation returns the location that the path names, if the person may see it.
func (p *Provider) findLocation(r *http.Request, person string) (Object, error) {
	wanted := func(l Object) bool { return l["name"] == "locations/"+r.PathValue("location") }
	all, _ := p.locationsOf(person, "accounts/-")
	if i := slices.IndexFunc(all, wanted); i >= 0 {
		return all[i], nil
	}
	return nil, forbiddenOrMissing(p.locations, wanted)
}

// showLocation answers the masked fields of one location.
func (p *Provider) showLocation(r *http.Request, person string) (any, error) {
	query, err := Query(r, "readMask")
	if err != nil {
		return nil, err
	}
	mask, err := readMask(query)
	if err != nil {
		return nil, err
	}
	location, err := p.findLocation(r, person)
	if err != nil {
		return nil, err
	}
	return Apply(mask, location), nil
}

// showVoice answers whether the owner's changes to a location are published
// (https://developers.google.com/my-business/reference/verifications/rest/v1/locations/getVoiceOfMerchantState).
func (p *Provider) showVoice(r *http.Request, person string) (any, error) {
	if _, err := Query(r); err != nil {
		return nil, err
	}
	if _, err := p.findLocation(r, person); err != nil {
		return nil, err
	}
	return map[string]bool{"hasVoiceOfMerchant": true, "hasBusinessAuthority": true}, nil
}
