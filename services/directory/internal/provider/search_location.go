package provider

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"backend.example/services/directory/internal/directory"
)

// The addresses of the Business Profile APIs
// (https://developers.google.com/my-business/ref_overview).
const (
	searchAccountsURL = "https://mybusinessaccountmanagement.googleapis.com/v1/accounts"
	searchBusinessURL = "https://mybusinessbusinessinformation.googleapis.com/v1/"
)

// The page sizes are the largest that the APIs allow. At most 200 accounts are read,
// and 2000 locations of each.
const (
	accountPageSize  = 20
	locationPageSize = 100
	maxAccountPages  = 10
	maxLocationPages = 20
)

// locationMask names the fields that a list shows. The API accepts only whole
// top-level fields.
const locationMask = "name,title,storeCode,phoneNumbers,categories,storefrontAddress,websiteUri,metadata"

// Resource names become part of addresses, so they have to have these forms.
var (
	accountName  = regexp.MustCompile(`^accounts/[\w-]+$`)
	locationName = regexp.MustCompile(`^locations/[\w-]+$`)
)

type account struct {
	Name        string `json:"name"` // resource name, "accounts/123"
	AccountName string `json:"accountName"`
	Type        string `json:"type"` // PERSONAL, LOCATION_GROUP, USER_GROUP or ORGANIZATION
}

type accountList struct {
	Accounts      []account `json:"accounts"`
	NextPageToken string    `json:"nextPageToken"`
}

// Locations lists the locations of every account, each once, under the first
// account that has it.
func (s *Search) Locations(ctx context.Context, accessToken string) ([]directory.Location, error) {
	accounts, err := s.accounts(ctx, accessToken)
	if err != nil {
		return nil, err
	}
	locations := []directory.Location{}
	seen := map[string]bool{}
	for _, a := range accounts {
		found, err := s.locationsOf(ctx, accessToken, a)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			if !seen[l.Name] {
				seen[l.Name] = true
				locations = append(locations, l)
			}
		}
	}
	return locations, nil
}

func (s *Search) accounts(ctx context.Context, accessToken string) ([]account, error) {
	var accounts []account
	err := eachPage(maxAccountPages, func(pageToken string) (string, error) {
		list, err := s.accountPage(ctx, accessToken, pageToken)
		accounts = append(accounts, list.Accounts...)
		return list.NextPageToken, err
	})
	return accounts, err
}

func (s *Search) accountPage(ctx context.Context, accessToken, pageToken string) (accountList, error) {
	var list accountList
	if err := s.get(ctx, accessToken, searchAccountsURL, pageQuery(accountPageSize, pageToken), &list); err != nil {
		return accountList{}, err
	}
	for _, a := range list.Accounts {
		if !accountName.MatchString(a.Name) {
			return accountList{}, missingName("account")
		}
	}
	return list, nil
}

func (s *Search) locationsOf(ctx context.Context, accessToken string, a account) ([]directory.Location, error) {
	var locations []directory.Location
	err := eachPage(maxLocationPages, func(pageToken string) (string, error) {
		query := pageQuery(locationPageSize, pageToken)
		query.Set("readMask", locationMask)
		var list struct {
			Locations     []location `json:"locations"`
			NextPageToken string     `json:"nextPageToken"`
		}
		if err := s.get(ctx, accessToken, searchBusinessURL+a.Name+"/locations", query, &list); err != nil {
			return "", err
		}
		for _, l := range list.Locations {
			if !locationName.MatchString(l.Name) {
				return "", missingName("location")
			}
			locations = append(locations, l.toLocation(a))
		}
		return list.NextPageToken, nil
	})
	return locations, err
}

func pageQuery(size int, token string) url.Values {
	query := url.Values{"pageSize": {strconv.Itoa(size)}}
	if token != "" {
		query.Set("pageToken", token)
	}
	return query
}

// missingName says that a resource in an answer has no usable name.
func missingName(what string) error {
	return directory.Unreadable(fmt.Errorf("%s without a resource name", what))
}
