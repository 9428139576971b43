package google_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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
		"/v1/accounts/-/locations":                                 {400, `"field":"read_mask"`},
		"/v1/accounts/-/locations?readMask=colour":                 {400, "Invalid field mask provided"},
		"/v1/accounts/-/locations?readMask=*":                      {400, "Invalid field mask provided"},
		"/v1/accounts/-/locations?readMask=categories.displayName": {400, "Invalid field mask provided"},
		"/v1/accounts/-/locations?readMask=name&pageSize=101":      {400, "pageSize"},
		"/v1/accounts/1/locations?readMask=name":                   {404, "NOT_FOUND"},
		"/v1/" + foreign[0] + "/locations?readMask=name":           {404, "NOT_FOUND"},
		"/v1/locations/1?readMask=name":                            {404, "NOT_FOUND"},
		"/v1/locations/1":                                          {400, `"field":"read_mask"`},
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

// profileMask is what an audit asks for.
const profileMask = "name,title,phoneNumbers,categories,storefrontAddress,websiteUri,regularHours,serviceArea,openInfo,metadata,profile,serviceItems"

type wholeLocation struct {
	Name, Title, WebsiteURI string
	PhoneNumbers            struct{ PrimaryPhone string }
	StorefrontAddress       *struct {
		PostalCode, Locality string
		AddressLines         []string
	}
	Categories struct {
		PrimaryCategory struct {
			DisplayName  string
			ServiceTypes []struct{ ServiceTypeID string }
		}
		AdditionalCategories []struct{ DisplayName string }
	}
	RegularHours *struct{ Periods []hoursPeriod }
	ServiceArea  *struct{ BusinessType string }
	OpenInfo     struct{ Status string }
	Metadata     struct{ PlaceID string }
	Profile      struct{ Description string }
	ServiceItems []struct {
		StructuredServiceItem *struct{ ServiceTypeID string }
		FreeFormServiceItem   *struct{ Label struct{ DisplayName string } }
	}
}

type hoursPeriod struct {
	OpenDay, CloseDay   string
	OpenTime, CloseTime struct{ Hours, Minutes int }
}

// location reads one location of a person by its title.
func (a *app) location(person, title string) wholeLocation {
	a.t.Helper()
	token := a.connect(person).AccessToken
	next := ""
	for {
		page := read[locationPage](a.t, a.call("GET", "/v1/accounts/-/locations?readMask=name,title&pageSize=100&pageToken="+next, token, ""))
		for _, l := range page.Locations {
			if l.Title == title {
				return read[wholeLocation](a.t, a.call("GET", "/v1/"+l.Name+"?readMask="+profileMask, token, ""))
			}
		}
		if next = page.NextPageToken; next == "" {
			a.t.Fatalf("%s has no %s", person, title)
		}
	}
}

// TestTheBakeryIsComplete holds what the audit of the directory gives 100 points
// for: all that a profile can tell, in full.
func TestTheBakeryIsComplete(t *testing.T) {
	l := newApp(t).location("anna", "Piekarnia Kowalski")
	if l.StorefrontAddress == nil || l.StorefrontAddress.PostalCode != "31-021" || l.StorefrontAddress.Locality != "Kraków" || l.StorefrontAddress.AddressLines[0] != "ul. Floriańska 12" {
		t.Errorf("address %+v", l.StorefrontAddress)
	}
	if l.PhoneNumbers.PrimaryPhone != "+48 12 000 10 01" || !strings.HasPrefix(l.WebsiteURI, "https://") || l.Metadata.PlaceID != "ChIJdemo-piekarnia-kowalski" {
		t.Errorf("contact %q %q, place %q", l.PhoneNumbers.PrimaryPhone, l.WebsiteURI, l.Metadata.PlaceID)
	}
	if len(l.Categories.AdditionalCategories) < 2 || len(l.ServiceItems) < 5 || utf8.RuneCountInString(l.Profile.Description) < 250 {
		t.Errorf("%d categories, %d services, description %q", 1+len(l.Categories.AdditionalCategories), len(l.ServiceItems), l.Profile.Description)
	}
	days := map[string]bool{}
	for _, p := range l.RegularHours.Periods {
		days[p.OpenDay] = true
	}
	if len(days) != 7 || l.OpenInfo.Status != "OPEN" {
		t.Errorf("open on %d days, %s", len(days), l.OpenInfo.Status)
	}
}

func TestTheOthersAreNotComplete(t *testing.T) {
	a := newApp(t)
	if l := a.location("marek", "Warsztat Nowak"); l.WebsiteURI != "" || l.Profile.Description != "" || len(l.ServiceItems) != 2 || len(l.RegularHours.Periods) != 5 {
		t.Errorf("the workshop: %+v", l)
	}
	if l := a.location("zofia", "Studio Fotografii Wiśniewska"); l.PhoneNumbers.PrimaryPhone != "" || l.RegularHours != nil || len(l.ServiceItems) != 0 {
		t.Errorf("the studio: %+v", l)
	}
	if l := a.location("piotr", "Hydraulik Wójcik"); l.StorefrontAddress != nil || l.ServiceArea == nil || l.ServiceArea.BusinessType != "CUSTOMER_LOCATION_ONLY" {
		t.Errorf("the plumber: %+v", l)
	}
	for title, want := range map[string]string{"Zakład Szewski Lis": "CLOSED_PERMANENTLY", "Pensjonat Mewa": "CLOSED_TEMPORARILY", "Dawna Księgarnia": "CLOSED_PERMANENTLY"} {
		if got := a.location("piotr", title).OpenInfo.Status; got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
}

func TestHoursAroundMidnight(t *testing.T) {
	a := newApp(t)
	periods := a.location("piotr", "Bar Nocny Księżyc").RegularHours.Periods
	for i, want := range []struct {
		open, close string
		hour        int
	}{
		{"TUESDAY", "WEDNESDAY", 0}, {"WEDNESDAY", "THURSDAY", 1}, {"THURSDAY", "FRIDAY", 2}, {"FRIDAY", "SATURDAY", 4}, {"SATURDAY", "SUNDAY", 4},
	} {
		if p := periods[i]; p.OpenDay != want.open || p.OpenTime.Hours != 18 || p.CloseDay != want.close || p.CloseTime.Hours != want.hour {
			t.Errorf("got %+v, want %+v", p, want)
		}
	}
	for _, p := range a.location("piotr", "Stacja Paliw Pod Lasem").RegularHours.Periods {
		if p.OpenDay != p.CloseDay || p.OpenTime.Hours != 0 || p.CloseTime.Hours != 24 {
			t.Errorf("a whole day is %+v", p)
		}
	}
}

func TestOnlyMaskedFieldsAreShown(t *testing.T) {
	a := newApp(t)
	token := a.connect("marek").AccessToken
	answer := a.call("GET", "/v1/accounts/-/locations?readMask=title,profile", token, "")
	if got := strings.Join(strings.Fields(answer.Body.String()), " "); got != `{"locations":[{"title":"Warsztat Nowak"}]}` {
		t.Errorf("got %s", got)
	}
}
