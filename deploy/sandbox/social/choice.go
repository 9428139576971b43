package social

import (
	"net/http"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/consent"
	"backend.example/deploy/sandbox/social/network"
)

// A person with several pages may choose, in a second step of the dialog, which of
// them the app shall see. The first step is remembered in the address of the
// second, in these parameters.
const (
	chosenAccount = "chosen_account"
	chosenScopes  = "chosen_scopes" // between commas
	pickSuffix    = ".pages"        // of the account's key in the first step
)

// choice is what was decided in the first step.
type choice struct {
	asked   []consent.Scope
	allowed []string
}

// chooseAt is the address of the second step.
func chooseAt(r *http.Request, key string, allowed []string) string {
	query := r.URL.Query()
	query.Set(chosenAccount, key)
	query.Set(chosenScopes, strings.Join(allowed, ","))
	return r.URL.Path + "?" + query.Encode()
}

// choose is the page of the second step: the pages of one person stand where the
// permissions were. Of the permissions no more count than were asked for.
func (s *site) choose(person network.Person, asked []consent.Scope, allowed string) (consent.Page, *choice) {
	page := consent.Page{
		Provider: title + ": strony, które zobaczy aplikacja", App: s.client.Name,
		Accounts: []consent.Account{{Key: person.Key, Name: person.Name, Note: person.Note}},
	}
	for _, role := range person.Manages {
		managed, _ := s.network.Page(role.PageID)
		page.Scopes = append(page.Scopes, consent.Scope{Name: managed.ID, Text: managed.Name()})
	}
	c := &choice{asked: asked}
	for _, scope := range asked {
		if scope.Fixed || slices.Contains(strings.Split(allowed, ","), scope.Name) {
			c.allowed = append(c.allowed, scope.Name)
		}
	}
	return page, c
}

// accounts lists the people for the first step; those with several pages stand
// there a second time, for the way through the second step.
func (s *site) accounts() []consent.Account {
	var accounts []consent.Account
	for _, person := range s.network.People() {
		accounts = append(accounts, consent.Account{Key: person.Key, Name: person.Name, Note: person.Note})
		if len(person.Manages) > 1 {
			accounts = append(accounts, consent.Account{
				Key: person.Key + pickSuffix, Name: person.Name + " – wybrane strony", Note: "aplikacja zobaczy tylko strony wskazane w następnym kroku",
			})
		}
	}
	return accounts
}

// personOf returns the person with a key.
func (s *site) personOf(key string) (network.Person, bool) {
	for _, person := range s.network.People() {
		if person.Key == key {
			return person, true
		}
	}
	return network.Person{}, false
}

// personID is the id of the person with a key; empty when there is none.
func (s *site) personID(key string) string {
	person, _ := s.personOf(key)
	return person.ID
}
