package search

import (
	"fmt"
	"slices"

	"backend.example/deploy/sandbox/internal/fixtures"
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

// emptyGroups gives the agency more accounts than a page of the list holds.
const emptyGroups = 20

// newAccounts lists by person which accounts they may see.
func newAccounts() map[string][]account {
	companies := fixtures.Companies()
	bakeries := group("Piekarnia Kowalski", companies[0], companies[1])
	agency := []account{
		personal("piotr"),
		newAccount("ORGANIZATION", "Widoczni – agencja marketingu lokalnego", "PRIMARY_OWNER"),
		managed(bakeries),
		managed(group("Klienci", companies...)),
		managed(group("Kwiaciarnia Polna", fixtures.Chain()...)),
		managed(group("Lokale nietypowe", fixtures.Oddities()...)),
	}
	for number := 1; number <= emptyGroups; number++ {
		agency = append(agency, managed(group(fmt.Sprintf("Klient %02d", number))))
	}
	return map[string][]account{
		"anna":   {personal("anna"), bakeries},
		"marek":  {personal("marek", companies[2])},
		"zofia":  {personal("zofia", companies[3])},
		"piotr":  agency,
		"tomasz": {personal("tomasz")},
	}
}

func newAccount(kind, name, role string, businesses ...fixtures.Business) account {
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
func personal(person string, businesses ...fixtures.Business) account {
	owner, _ := fixtures.FindPerson(person)
	a := newAccount("PERSONAL", owner.Name, "", businesses...)
	a.PermissionLevel = ""
	return a
}

func group(name string, businesses ...fixtures.Business) account {
	return newAccount("LOCATION_GROUP", name, "PRIMARY_OWNER", businesses...)
}

// managed is the account as one sees it who only manages it.
func managed(a account) account {
	a.Role, a.PermissionLevel = "MANAGER", "MEMBER_LEVEL"
	return a
}

// number is one of that many digits, always the same one for the same words.
func number(kind, word, more string, digits int) string {
	random := fixtures.Rand(kind, word, more)
	text := fmt.Sprint(1 + random.IntN(9))
	for len(text) < digits {
		text += fmt.Sprint(random.IntN(10))
	}
	return text
}

// findAccount returns an account of a person by its resource name. Exists tells that
// somebody has it.
func (s *site) findAccount(person, name string) (a account, mine, exists bool) {
	for owner, accounts := range s.accounts {
		i := slices.IndexFunc(accounts, func(a account) bool { return a.Name == name })
		if i >= 0 && owner == person {
			return accounts[i], true, true
		}
		exists = exists || i >= 0
	}
	return account{}, false, exists
}

// allLocations lists what a person may see in any account, each once.
func (s *site) allLocations(person string) []location {
	var all []location
	seen := map[string]bool{}
	for _, a := range s.accounts[person] {
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
func (s *site) findLocation(person, name string) (l location, mine, exists bool) {
	for other := range s.accounts {
		all := s.allLocations(other)
		i := slices.IndexFunc(all, func(l location) bool { return l.Name == name })
		if i >= 0 && other == person {
			return all[i], true, true
		}
		exists = exists || i >= 0
	}
	return location{}, false, exists
}
