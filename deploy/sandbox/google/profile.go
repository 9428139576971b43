package google

import (
	_ "embed"
	"encoding/json"
	"errors"
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
		p.accounts[key], p.sites[key] = fake.ReadFixtures[account](person.Accounts),
			fake.ReadFixtures[Object](person.Sites)
	}
}

// listAccounts answers the accounts that a person may see, their own first
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list).
func (p *Provider) listAccounts(r request) (any, error) {
	var accounts []Object
	for _, account := range p.accounts[r.person] {
		if !p.On(toggleEmpty) {
			accounts = append(accounts, account.Account)
		}
	}
	return list("accounts", "accounts "+r.person, accounts, r.query, 20, 20)
}

// listLocations answers the masked locations of an account, or of all accounts that a
// person may see if it is "-"
// (https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations/list).
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

// locationsOf returns the locations of an account that a person may see, each once. The
// name "accounts/-" stands for all accounts.
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

// readMask returns the fields of a mask. Only top-level fields can be asked for.
func readMask(text string) ([]string, error) {
	if text == "" {
		return nil, Invalid("read_mask", "Request contains an invalid argument.")
	}
	mask := strings.Split(text, ",")
	for _, name := range mask {
		switch name {
		case "name", "languageCode", "storeCode", "title", "phoneNumbers", "categories", "storefrontAddress",
			"websiteUri",
			"regularHours", "specialHours", "serviceArea", "labels", "latlng", "openInfo", "metadata", "profile",
			"serviceItems",
			"moreHours", "relationshipData", "adWordsLocationExtensions":
		default:
			return nil, Invalid("read_mask", "Invalid field mask provided")
		}
	}
	return mask, nil
}

// showLocation answers the masked fields of one location, if the person may see it.
func (p *Provider) showLocation(r request) (any, error) {
	all, _ := p.locationsOf(r.person, "accounts/-")
	for _, location := range all {
		if location["name"] == "locations/"+r.PathValue("location") {
			return Apply(r.mask, location), nil
		}
	}
	return nil, Missing()
}

// showVoice answers whether the owner's changes to a location are published
// (https://developers.google.com/my-business/reference/verifications/rest/v1/locations/getVoiceOfMerchantState).
func (p *Provider) showVoice(r request) (any, error) {
	if _, err := p.showLocation(r); err != nil {
		return nil, err
	}
	return map[string]bool{"hasVoiceOfMerchant": true, "hasBusinessAuthority": true}, nil
}
