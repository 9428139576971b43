package google

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// searchBusinessURL is the address of the Business Information API
// (https://developers.google.com/my-business/ref_overview).
const searchBusinessURL = "https://mybusinessbusinessinformation.googleapis.com/v1/"

const (
	locationPageSize = 100 // the largest that the API allows
	maxLocationPages = 50  // of one account
)

// The API accepts only whole top-level fields.
const locationMask = "name,title,storeCode,phoneNumbers,categories,storefrontAddress,websiteUri,openInfo,metadata"

// Location is a business-profile location that a company may choose.
type Location struct {
	Name        string `json:"name"` // resource name, "locations/123"
	Title       string `json:"title"`
	AccountName string `json:"account_name"` // resource name of the account it was found under, "accounts/123"
	AccountType string `json:"account_type"`
	StoreCode   string `json:"store_code"`
	Address     string `json:"address"`
	Phone       string `json:"phone"`
	Website     string `json:"website"`
	Category    string `json:"category"`
	PlaceID     string `json:"place_id"`
	MapsURL     string `json:"maps_url"`
	Closed      Closed `json:"-"`
}

// Closed is why customers do not find a location as an open one.
type Closed uint8

// The reasons.
const (
	NotClosed Closed = iota
	ClosedForNow
	ClosedForGood
	ClosedSuspended // or not verified: the owner has no say in what Google shows
)

func (l *location) closed() Closed {
	switch {
	case !l.Metadata.HasVoiceOfMerchant:
		return ClosedSuspended
	case l.OpenInfo.Status == "CLOSED_PERMANENTLY":
		return ClosedForGood
	case l.OpenInfo.Status == "CLOSED_TEMPORARILY":
		return ClosedForNow
	}
	return NotClosed
}

var locationName = regexp.MustCompile(`^locations/[\w-]+$`)

// Locations lists the locations of every account, each once. An account that cannot be read is named;
// if none can, or the token is refused, that is an error. If a person has more accounts than one page
// lists, all locations are read in one list, which does not name their accounts.
func (s *Client) Locations(ctx context.Context, accessToken string) (list provider.List[Location], err error) {
	first, err := s.firstAccounts(ctx, accessToken)
	if err != nil {
		return list, err
	}
	accounts := first.Accounts
	if first.NextPageToken != "" {
		accounts = []account{{Name: "accounts/-"}}
	}
	lists, failures := make([]provider.List[Location], len(accounts)), make([]error, len(accounts))
	provider.EachAtOnce(
		len(accounts), func(i int) { lists[i], failures[i] = s.locationsOf(ctx, accessToken, accounts[i]) },
	)
	list = provider.List[Location]{Items: []Location{}, Complete: true}
	seen := map[string]bool{}
	for i, found := range lists {
		if failures[i] != nil {
			list.Unread = append(list.Unread, cmp.Or(accounts[i].AccountName, accounts[i].Name))
		}
		list.Complete = list.Complete && found.Complete
		for _, l := range found.Items {
			if !seen[l.Name] {
				seen[l.Name] = true
				list.Items = append(list.Items, l)
			}
		}
	}
	if err := worst(failures); err != nil {
		return provider.List[Location]{}, err
	}
	return list, nil
}

func worst(failures []error) error {
	for _, err := range failures {
		if fault.Is(err, provider.CodeReconnect) || errors.Is(err, context.Canceled) {
			return err
		}
	}
	if len(failures) == 0 || slices.Contains(failures, nil) {
		return nil
	}
	return failures[0]
}

func (s *Client) locationsOf(ctx context.Context, accessToken string, a account) (list provider.List[Location],
	err error) {
	list.Complete, err = provider.EachPage(maxLocationPages, func(pageToken string) (string, error) {
		query := pageQuery(locationPageSize, pageToken)
		query.Set("readMask", locationMask)
		var part struct {
			Locations     []location `json:"locations"`
			NextPageToken string     `json:"nextPageToken"`
		}
		if err := s.get(ctx, accessToken, searchBusinessURL+a.Name+"/locations", query, &part); err != nil {
			return "", err
		}
		for _, l := range part.Locations {
			if !locationName.MatchString(l.Name) {
				return "", missingName("location")
			}
			list.Items = append(list.Items, l.toLocation(a))
		}
		return part.NextPageToken, nil
	})
	return list, err
}

func (l *location) toLocation(a account) Location {
	return Location{
		Name: l.Name, Title: l.Title, AccountName: a.Name, AccountType: a.Type, StoreCode: l.StoreCode,
		Address: l.StorefrontAddress.line(), Phone: l.PhoneNumbers.PrimaryPhone, Website: l.WebsiteURI,
		Category: l.Categories.Primary.DisplayName, PlaceID: l.Metadata.PlaceID, MapsURL: l.Metadata.MapsURI,
		Closed: l.closed(),
	}
}

// searchAccountsURL is the address of the Account Management API
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list).
const searchAccountsURL = "https://mybusinessaccountmanagement.googleapis.com/v1/accounts"

const accountPageSize = 20 // the largest that the API allows

var accountName = regexp.MustCompile(`^accounts/[\w-]+$`)

type account struct {
	Name        string `json:"name"` // resource name, "accounts/123"
	AccountName string `json:"accountName"`
	Type        string `json:"type"` // PERSONAL, LOCATION_GROUP, USER_GROUP or ORGANIZATION
}

type accountList struct {
	Accounts      []account `json:"accounts"`
	NextPageToken string    `json:"nextPageToken"`
}

// Account names the user's own Business Profile account, which is the first. It is empty without the
// scope, and for Search Console, whose property is found by the website.
func (s *Client) Account(ctx context.Context, service provider.Service, token provider.Token) (id, name string,
	err error) {
	if service == provider.SearchAnalytics || len(s.Lacks(service, token.Scopes)) > 0 {
		return "", "", nil
	}
	list, err := s.firstAccounts(ctx, token.AccessToken)
	if err != nil || len(list.Accounts) == 0 {
		return "", "", err
	}
	return list.Accounts[0].Name, list.Accounts[0].AccountName, nil
}

func (s *Client) firstAccounts(ctx context.Context, accessToken string) (accountList, error) {
	var list accountList
	if err := s.get(ctx, accessToken, searchAccountsURL, pageQuery(accountPageSize, ""), &list); err != nil {
		return accountList{}, err
	}
	for _, a := range list.Accounts {
		if !accountName.MatchString(a.Name) {
			return accountList{}, missingName("account")
		}
	}
	return list, nil
}
