package search

import (
	"fmt"
	"slices"

	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/internal/seeded"
)

// account is a Business Profile account as its API shows it
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts).
type account struct {
	Name              string `json:"name"` // "accounts/123"
	AccountName       string `json:"accountName"`
	Type              string `json:"type"` // PERSONAL, LOCATION_GROUP, USER_GROUP or ORGANIZATION
	Role              string `json:"role,omitempty"`
	VerificationState string `json:"verificationState"`
	VettedState       string `json:"vettedState"`
	PermissionLevel   string `json:"permissionLevel,omitempty"`

	locations []location
}

// siteEntry is a site of the search console
// (https://developers.google.com/webmaster-tools/v1/sites).
type siteEntry struct {
	SiteURL         string `json:"siteUrl"`         // "https://example.pl/" or "sc-domain:example.pl"
	PermissionLevel string `json:"permissionLevel"` // siteOwner, siteFullUser, siteRestrictedUser or siteUnverifiedUser
}

// estate is who may see which accounts, locations and sites. It never changes.
type estate struct {
	accounts map[string][]account // by person
	sites    map[string][]siteEntry
}

// emptyGroups gives the agency more accounts than a page of the list holds.
const emptyGroups = 20

func newEstate() *estate {
	companies := demo.Companies()
	bakeries := group("Piekarnia Kowalski", companies[0], companies[1])
	agency := []account{
		personal("piotr"),
		newAccount("ORGANIZATION", "Widoczni – agencja marketingu lokalnego", "PRIMARY_OWNER"),
		managed(bakeries),
		managed(group("Klienci", companies...)),
		managed(group("Kwiaciarnia Polna", demo.Chain()...)),
		managed(group("Lokale nietypowe", demo.Oddities()...)),
	}
	for number := 1; number <= emptyGroups; number++ {
		agency = append(agency, managed(group(fmt.Sprintf("Klient %02d", number))))
	}
	return &estate{
		accounts: map[string][]account{
			"anna":   {personal("anna"), bakeries},
			"marek":  {personal("marek", companies[2])},
			"zofia":  {personal("zofia", companies[3])},
			"piotr":  agency,
			"tomasz": {personal("tomasz")},
		},
		sites: map[string][]siteEntry{
			"anna":  {{"sc-domain:piekarnia-kowalski.example", "siteOwner"}, {"https://piekarnia-kowalski.example/", "siteFullUser"}},
			"marek": {{"https://warsztat-nowak.example/", "siteUnverifiedUser"}},
			"piotr": {
				{"https://warsztat-nowak.example/", "siteUnverifiedUser"}, {"sc-domain:kwiaciarnia-polna.example", "siteRestrictedUser"},
				{"sc-domain:piekarnia-kowalski.example", "siteFullUser"},
			},
		},
	}
}

func newAccount(kind, name, role string, businesses ...demo.Business) account {
	a := account{
		Name: "accounts/" + number("account", kind, name, 21), AccountName: name, Type: kind, Role: role,
		VerificationState: "UNVERIFIED", VettedState: "NOT_VETTED", PermissionLevel: "OWNER_LEVEL",
	}
	for _, business := range businesses {
		a.locations = append(a.locations, newLocation(business))
	}
	return a
}

// personal is somebody's own account: its locations are those owned directly.
func personal(person string, businesses ...demo.Business) account {
	owner, _ := demo.FindPerson(person)
	a := newAccount("PERSONAL", owner.Name, "", businesses...)
	a.PermissionLevel = ""
	return a
}

func group(name string, businesses ...demo.Business) account {
	return newAccount("LOCATION_GROUP", name, "PRIMARY_OWNER", businesses...)
}

// managed is the account as one sees it who only manages it.
func managed(a account) account {
	a.Role, a.PermissionLevel = "MANAGER", "MEMBER_LEVEL"
	return a
}

// number is one of that many digits, always the same one for the same words.
func number(kind, word, more string, digits int) string {
	random := seeded.Rand(kind, word, more)
	text := fmt.Sprint(1 + random.IntN(9))
	for len(text) < digits {
		text += fmt.Sprint(random.IntN(10))
	}
	return text
}

// find returns an account of a person by its resource name; found by nobody is
// there for nobody.
func (e *estate) find(person, name string) (a account, mine, exists bool) {
	for owner, accounts := range e.accounts {
		i := slices.IndexFunc(accounts, func(a account) bool { return a.Name == name })
		if i >= 0 && owner == person {
			return accounts[i], true, true
		}
		exists = exists || i >= 0
	}
	return account{}, false, exists
}

// locations lists what a person may see in any account, each once.
func (e *estate) locations(person string) []location {
	var all []location
	seen := map[string]bool{}
	for _, a := range e.accounts[person] {
		for _, l := range a.locations {
			if !seen[l.Name] {
				seen[l.Name] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// findLocation returns a location by its resource name, if the person may see it.
func (e *estate) findLocation(person, name string) (l location, mine, exists bool) {
	for other := range e.accounts {
		all := e.locations(other)
		i := slices.IndexFunc(all, func(l location) bool { return l.Name == name })
		if i >= 0 && other == person {
			return all[i], true, true
		}
		exists = exists || i >= 0
	}
	return location{}, false, exists
}
