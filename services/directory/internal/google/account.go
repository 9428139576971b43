package google

import (
	"context"
	"regexp"

	"backend.example/services/directory/internal/provider"
)

// searchAccountsURL is the address of the Account Management API
// (https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list).
const searchAccountsURL = "https://mybusinessaccountmanagement.googleapis.com/v1/accounts"

// The page size is the largest that the API allows. At most 200 accounts are read.
const (
	accountPageSize = 20
	maxAccountPages = 10
)

// accountName is the form of resource names, which become part of addresses.
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

// Account names what was connected: the first Business Profile account, which is
// the user's own, or the first site whose figures the user may read. Without the
// scope for it there is no call and no name.
func (s *Client) Account(ctx context.Context, service provider.Service, token provider.Token) (id, name string, err error) {
	if len(s.Lacks(service, token.Scopes)) > 0 {
		return "", "", nil
	}
	if service == provider.SearchAnalytics {
		return s.firstSite(ctx, token.AccessToken)
	}
	list, err := s.accountPage(ctx, token.AccessToken, "")
	if err != nil || len(list.Accounts) == 0 {
		return "", "", err
	}
	return list.Accounts[0].Name, list.Accounts[0].AccountName, nil
}

func (s *Client) accounts(ctx context.Context, accessToken string) (accounts []account, complete bool, err error) {
	complete, err = provider.EachPage(maxAccountPages, func(pageToken string) (string, error) {
		list, err := s.accountPage(ctx, accessToken, pageToken)
		accounts = append(accounts, list.Accounts...)
		return list.NextPageToken, err
	})
	return accounts, complete, err
}

func (s *Client) accountPage(ctx context.Context, accessToken, pageToken string) (accountList, error) {
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
