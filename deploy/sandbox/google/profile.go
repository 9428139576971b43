package google

import (
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/fake"
)

// account is a Business Profile account
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts).
type account struct {
	Account Object
	Holds   []string // groups of locations
}

//go:embed people.json
var peopleJSON []byte

//go:embed locations.json
var locationsJSON []byte

func (p *Provider) readFixtures() {
	var people map[string]struct{ Accounts, Sites json.RawMessage }
	var groups map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(peopleJSON, &people), json.Unmarshal(locationsJSON, &groups)); err != nil {
		panic(err) // the files are part of the binary
	}
	p.accounts = map[string][]account{}
	p.sites = map[string][]Object{}
	p.locations = map[string][]Object{}
	for group, locations := range groups {
		p.locations[group] = fake.ReadFixtures[Object](locations)
	}
	for key, person := range people {
		p.accounts[key] = fake.ReadFixtures[account](person.Accounts)
		p.sites[key] = fake.ReadFixtures[Object](person.Sites)
	}
}

// listAccounts: see https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list.
func (p *Provider) listAccounts(r request) (any, error) {
	var accounts []Object
	for _, account := range p.accounts[r.person] {
		if !p.On(toggleEmpty) {
			accounts = append(accounts, account.Account)
		}
	}
	return list("accounts", "accounts "+r.person, accounts, r.query, 20, 20)
}

// listLocations: see
// https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations/list.
func (p *Provider) listLocations(r request) (any, error) {
	name := "accounts/" + r.PathValue("account")
	locations, mine := p.locationsOf(r.person, name)
	if !mine {
		return nil, Missing()
	}
	var masked []Object
	for _, location := range locations {
		masked = append(masked, Apply(r.mask, location))
	}
	return list("locations", name+" "+r.person, masked, r.query, 10, 100)
}

// locationsOf returns the locations of an account, each once. "accounts/-" stands for all accounts of the person.
func (p *Provider) locationsOf(person, name string) (locations []Object, mine bool) {
	seen := map[string]bool{}
	for _, account := range p.accounts[person] {
		if name != "accounts/-" && name != account.Account["name"] {
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

// readMask returns the fields of a mask, top-level ones only.
func readMask(text string) ([]string, error) {
	if text == "" {
		return nil, Invalid("read_mask", "Request contains an invalid argument.")
	}
	mask := strings.Split(text, ",")
	known := []string{
		"name", "languageCode", "storeCode", "title", "phoneNumbers", "categories", "storefrontAddress", "websiteUri",
		"regularHours", "specialHours", "serviceArea", "labels", "latlng", "openInfo", "metadata", "profile",
		"serviceItems", "moreHours", "relationshipData", "adWordsLocationExtensions",
	}
	if slices.ContainsFunc(mask, func(name string) bool { return !slices.Contains(known, name) }) {
		return nil, Invalid("read_mask", "Invalid field mask provided")
	}
	return mask, nil
}

// find returns a location that the person may see. All of them are verified.
func (p *Provider) find(r request, id string) (location Object, found bool) {
	all, _ := p.locationsOf(r.person, "accounts/-")
	i := slices.IndexFunc(all, func(location Object) bool { return location["name"] == "locations/"+id })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

func (p *Provider) showLocation(r request) (any, error) {
	location, found := p.find(r, r.PathValue("location"))
	if !found {
		return nil, Missing()
	}
	return Apply(r.mask, location), nil
}

// showVoice: see
// https://developers.google.com/my-business/reference/verifications/rest/v1/locations/getVoiceOfMerchantState.
func (p *Provider) showVoice(r request) (any, error) {
	if _, err := p.showLocation(r); err != nil {
		return nil, err
	}
	return map[string]bool{"hasVoiceOfMerchant": true, "hasBusinessAuthority": true}, nil
}
