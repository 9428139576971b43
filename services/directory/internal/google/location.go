package google

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"backend.example/services/directory/internal/provider"
)

// profileMask names the fields that an audit reads.
const profileMask = "name,title,phoneNumbers,categories,storefrontAddress,websiteUri,regularHours,serviceArea,openInfo,metadata,profile,serviceItems,specialHours"

// location is a Business Profile location
// (https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations).
// The API leaves empty values out.
type location struct {
	Name         string `json:"name"`
	Title        string `json:"title"`
	StoreCode    string `json:"storeCode"`
	WebsiteURI   string `json:"websiteUri"`
	PhoneNumbers struct {
		PrimaryPhone string `json:"primaryPhone"`
	} `json:"phoneNumbers"`
	Categories struct {
		Primary    category   `json:"primaryCategory"`
		Additional []category `json:"additionalCategories"`
	} `json:"categories"`
	StorefrontAddress postalAddress `json:"storefrontAddress"`
	ServiceArea       struct {
		BusinessType string `json:"businessType"` // CUSTOMER_LOCATION_ONLY or CUSTOMER_AND_BUSINESS_LOCATION
	} `json:"serviceArea"`
	RegularHours struct {
		Periods []locationPeriod `json:"periods"`
	} `json:"regularHours"`
	OpenInfo struct {
		Status string `json:"status"` // OPEN, CLOSED_PERMANENTLY or CLOSED_TEMPORARILY
	} `json:"openInfo"`
	Metadata struct {
		PlaceID string `json:"placeId"`
		MapsURI string `json:"mapsUri"`

		HasVoiceOfMerchant bool `json:"hasVoiceOfMerchant"` // the owner's word counts
		HasPendingEdits    bool `json:"hasPendingEdits"`
		HasGoogleUpdated   bool `json:"hasGoogleUpdated"`
	} `json:"metadata"`
	SpecialHours struct {
		Periods []specialPeriod `json:"specialHourPeriods"`
	} `json:"specialHours"`
	Profile struct {
		Description string `json:"description"`
	} `json:"profile"`
	ServiceItems []serviceItem `json:"serviceItems"`
}

type category struct {
	DisplayName  string `json:"displayName"`
	ServiceTypes []struct {
		ID          string `json:"serviceTypeId"`
		DisplayName string `json:"displayName"`
	} `json:"serviceTypes"`
}

type serviceItem struct {
	Structured struct {
		TypeID string `json:"serviceTypeId"` // "job_type_id:oil_change"
	} `json:"structuredServiceItem"`
	FreeForm struct {
		Label struct {
			DisplayName string `json:"displayName"`
		} `json:"label"`
	} `json:"freeFormServiceItem"`
}

// ReadLocation reads the location with that resource name ("locations/123").
func (s *Client) ReadLocation(ctx context.Context, accessToken, name string) (Business, error) {
	if !locationName.MatchString(name) {
		return Business{}, provider.Gone(errors.New("not a location's resource name"))
	}
	var l location
	if err := s.get(ctx, accessToken, searchBusinessURL+name, url.Values{"readMask": {profileMask}}, &l); err != nil {
		return Business{}, err
	}
	if l.Name != name {
		return Business{}, missingName("location")
	}
	b := l.business()
	if !l.Metadata.HasVoiceOfMerchant {
		b.Signals = append([]Signal{s.whyUnheard(ctx, accessToken, name)}, b.Signals...)
	}
	return b, nil
}

// business maps the location to the common form of Google's profiles.
func (l *location) business() Business {
	b := Business{
		PlaceID: l.Metadata.PlaceID, Name: l.Title, Address: l.StorefrontAddress.line(), Phone: l.PhoneNumbers.PrimaryPhone,
		Website: l.WebsiteURI, Categories: l.categories(), Description: strings.TrimSpace(l.Profile.Description), Services: l.services(),
		NoHours: l.OpenInfo.Status == "CLOSED_PERMANENTLY", Signals: l.signals(), SpecialDays: specialDays(l.SpecialHours.Periods),
	}
	if !b.NoHours {
		b.Hours = weekLines(locationOpenings(l.RegularHours.Periods))
	}
	b.NoAddress = l.ServiceArea.BusinessType == "CUSTOMER_LOCATION_ONLY" && b.Address == ""
	return b
}

func (l *location) categories() []string {
	var names []string
	for _, c := range append([]category{l.Categories.Primary}, l.Categories.Additional...) {
		if c.DisplayName != "" {
			names = append(names, c.DisplayName)
		}
	}
	return names
}

// services lists the services by name. Those of the provider's catalogue have their
// names in the categories; those that the owner added have their own.
func (l *location) services() []string {
	catalogue := map[string]string{}
	for _, c := range append([]category{l.Categories.Primary}, l.Categories.Additional...) {
		for _, t := range c.ServiceTypes {
			catalogue[t.ID] = t.DisplayName
		}
	}
	var names []string
	for _, item := range l.ServiceItems {
		name := item.FreeForm.Label.DisplayName
		if id := item.Structured.TypeID; name == "" && id != "" {
			if name = catalogue[id]; name == "" {
				name = strings.ReplaceAll(strings.TrimPrefix(id, "job_type_id:"), "_", " ")
			}
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}
