package search_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type accountPage struct {
	Accounts []struct {
		Name, AccountName, Type, Role, PermissionLevel string
	}
	NextPageToken string
}

type locationPage struct {
	Locations     []struct{ Name, Title, StoreCode string }
	NextPageToken string
}

func TestAccountsOfPeople(t *testing.T) {
	a := newApp(t)
	for person, want := range map[string][]string{
		"anna":   {"PERSONAL Anna Kowalska", "LOCATION_GROUP Piekarnia Kowalski"},
		"marek":  {"PERSONAL Marek Nowak"},
		"tomasz": {"PERSONAL Tomasz Wójcik"},
	} {
		var got []string
		for _, account := range read[accountPage](t, a.call("GET", "/v1/accounts?pageSize=20", a.connect(person).AccessToken, "")).Accounts {
			got = append(got, account.Type+" "+account.AccountName)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", person, got, want)
		}
	}
}

// accounts pages through the accounts of a token.
func (a *app) accounts(token string) (names []string, pages int) {
	a.t.Helper()
	next := ""
	for pages == 0 || next != "" {
		query := url.Values{"pageSize": {"20"}, "pageToken": {next}}
		page := read[accountPage](a.t, a.call("GET", "/v1/accounts?"+query.Encode(), token, ""))
		for _, account := range page.Accounts {
			names = append(names, account.Name)
		}
		next, pages = page.NextPageToken, pages+1
	}
	return names, pages
}

// locations pages through the locations of an account, 100 at a time.
func (a *app) locations(token, account string) (titles []string, pages int) {
	a.t.Helper()
	next := ""
	for pages == 0 || next != "" {
		query := url.Values{"pageSize": {"100"}, "pageToken": {next}, "readMask": {"name,title,storeCode"}}
		page := read[locationPage](a.t, a.call("GET", "/v1/"+account+"/locations?"+query.Encode(), token, ""))
		for _, location := range page.Locations {
			titles = append(titles, location.Title+location.StoreCode)
		}
		next, pages = page.NextPageToken, pages+1
	}
	return titles, pages
}

func TestTheAgencySeesMoreThanOnePage(t *testing.T) {
	a := newApp(t)
	token := a.connect("piotr").AccessToken
	names, pages := a.accounts(token)
	if len(names) != 26 || pages != 2 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 26 {
		t.Errorf("%d accounts on %d pages", len(names), pages)
	}
	if titles, pages := a.locations(token, "accounts/-"); len(titles) != 140 || pages != 2 {
		t.Errorf("%d locations on %d pages, want 130 of the chain, 5 companies and 5 oddities on 2", len(titles), pages)
	}
}

func TestLocationsOfAnAccount(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna").AccessToken
	names, _ := a.accounts(token)
	for i, want := range [][]string{nil, {"Piekarnia Kowalski", "Piekarnia Kowalski – Podgórze"}} {
		if titles, _ := a.locations(token, names[i]); !slices.Equal(titles, want) {
			t.Errorf("account %d: got %q, want %q", i, titles, want)
		}
	}
	if body := a.call("GET", "/v1/"+names[0]+"/locations?readMask=name", token, "").Body.String(); strings.Join(strings.Fields(body), "") != "{}" {
		t.Errorf("an account without locations: %s", body)
	}
}

func TestWrongRequestsOfTheProfileAPIs(t *testing.T) {
	a := newApp(t)
	token, stranger := a.connect("anna").AccessToken, a.connect("marek").AccessToken
	foreign, _ := a.accounts(stranger)
	for target, want := range map[string]struct {
		status int
		text   string
	}{
		"/v1/accounts?pageSize=21":                                 {400, "pageSize"},
		"/v1/accounts?pageSize=0":                                  {400, "pageSize"},
		"/v1/accounts?pageToken=abc":                               {400, "page_token"},
		"/v1/accounts?colour=red":                                  {400, "Unknown name"},
		"/v1/accounts/-/locations":                                 {400, `"field": "read_mask"`},
		"/v1/accounts/-/locations?readMask=colour":                 {400, "Invalid field mask provided"},
		"/v1/accounts/-/locations?readMask=*":                      {400, "Invalid field mask provided"},
		"/v1/accounts/-/locations?readMask=categories.displayName": {400, "Invalid field mask provided"},
		"/v1/accounts/-/locations?readMask=name&pageSize=101":      {400, "pageSize"},
		"/v1/accounts/1/locations?readMask=name":                   {404, "NOT_FOUND"},
		"/v1/" + foreign[0] + "/locations?readMask=name":           {403, "PERMISSION_DENIED"},
		"/v1/locations/1?readMask=name":                            {404, "NOT_FOUND"},
		"/v1/locations/1":                                          {400, `"field": "read_mask"`},
	} {
		if answer := a.call("GET", target, token, ""); answer.Code != want.status || !strings.Contains(answer.Body.String(), want.text) {
			t.Errorf("%s: got %d %s, want %d %s", target, answer.Code, answer.Body, want.status, want.text)
		}
	}
}

func TestEmpty(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna", "scope", business+" "+sites).AccessToken
	a.set(`{"empty_lists":true}`)
	for _, target := range []string{"/v1/accounts", "/v1/accounts/-/locations?readMask=name", "/webmasters/v3/sites"} {
		if answer := a.call("GET", target, token, ""); answer.Code != 200 || strings.Join(strings.Fields(answer.Body.String()), "") != "{}" {
			t.Errorf("%s: %d %s", target, answer.Code, answer.Body)
		}
	}
}

func TestSuspendedLocations(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna").AccessToken
	list := a.call("GET", "/v1/accounts/-/locations?readMask=name", token, "").Body.String()
	name := regexp.MustCompile(`locations/\d+`).FindString(list)
	for toggles, wants := range map[string][2]string{
		`{"suspended_locations":false}`: {`"hasVoiceOfMerchant": true`, `"hasVoiceOfMerchant": true`},
		`{"suspended_locations":true}`:  {`"hasVoiceOfMerchant": false`, `"recommendationReason": "BUSINESS_LOCATION_SUSPENDED"`},
	} {
		a.set(toggles)
		for i, path := range []string{"?readMask=metadata", "/VoiceOfMerchantState"} {
			if answer := a.call("GET", "/v1/"+name+path, token, ""); answer.Code != 200 || !strings.Contains(answer.Body.String(), wants[i]) {
				t.Errorf("%s with %s: %d %s", path, toggles, answer.Code, answer.Body)
			}
		}
	}
	if answer := a.call("GET", "/v1/locations/1/VoiceOfMerchantState", token, ""); answer.Code != 404 {
		t.Errorf("an unknown location: %d", answer.Code)
	}
}
