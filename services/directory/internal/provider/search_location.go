package provider

import (
	"context"
	"regexp"

	"backend.example/services/directory/internal/directory"
)

// searchBusinessURL is the address of the Business Information API
// (https://developers.google.com/my-business/ref_overview).
const searchBusinessURL = "https://mybusinessbusinessinformation.googleapis.com/v1/"

// The page size is the largest that the API allows. At most 2000 locations are read
// of one account.
const (
	locationPageSize = 100
	maxLocationPages = 20
)

// locationMask names the fields that a list shows. The API accepts only whole
// top-level fields.
const locationMask = "name,title,storeCode,phoneNumbers,categories,storefrontAddress,websiteUri,metadata"

// locationName is the form of resource names, which become part of addresses.
var locationName = regexp.MustCompile(`^locations/[\w-]+$`)

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

// toLocation maps the location to one of the list, found under account a.
func (l *location) toLocation(a account) directory.Location {
	return directory.Location{
		Name: l.Name, Title: l.Title, AccountName: a.Name, AccountType: a.Type, StoreCode: l.StoreCode,
		Address: l.StorefrontAddress.line(), Phone: l.PhoneNumbers.PrimaryPhone, Website: l.WebsiteURI,
		Category: l.Categories.Primary.DisplayName, PlaceID: l.Metadata.PlaceID, MapsURL: l.Metadata.MapsURI,
	}
}
