package search

import (
	"backend.example/deploy/sandbox/internal/fixtures"
)

// location is a business profile as its API shows it
// (https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations).
// A value that is not there is left out. The fields without a type of their own
// are known to the API, and to nobody's profile here.
type location struct {
	Name              string         `json:"name"` // "locations/123"
	LanguageCode      string         `json:"languageCode,omitempty"`
	StoreCode         string         `json:"storeCode,omitempty"`
	Title             string         `json:"title"`
	PhoneNumbers      *phoneNumbers  `json:"phoneNumbers,omitempty"`
	Categories        *categories    `json:"categories,omitempty"`
	StorefrontAddress *postalAddress `json:"storefrontAddress,omitempty"`
	WebsiteURI        string         `json:"websiteUri,omitempty"`
	RegularHours      *businessHours `json:"regularHours,omitempty"`
	ServiceArea       *serviceArea   `json:"serviceArea,omitempty"`
	OpenInfo          *openInfo      `json:"openInfo,omitempty"`
	Metadata          *metadata      `json:"metadata,omitempty"`
	Profile           *profile       `json:"profile,omitempty"`
	ServiceItems      []serviceItem  `json:"serviceItems,omitempty"`

	Latlng                    any `json:"latlng,omitempty"`
	SpecialHours              any `json:"specialHours,omitempty"`
	Labels                    any `json:"labels,omitempty"`
	AdWordsLocationExtensions any `json:"adWordsLocationExtensions,omitempty"`
	RelationshipData          any `json:"relationshipData,omitempty"`
	MoreHours                 any `json:"moreHours,omitempty"`
}

type phoneNumbers struct {
	PrimaryPhone string `json:"primaryPhone"`
}

type categories struct {
	PrimaryCategory      category   `json:"primaryCategory"`
	AdditionalCategories []category `json:"additionalCategories,omitempty"`
}

type category struct {
	Name         string        `json:"name"` // "categories/gcid:bakery"
	DisplayName  string        `json:"displayName"`
	ServiceTypes []serviceType `json:"serviceTypes,omitempty"`
}

type serviceType struct {
	ServiceTypeID string `json:"serviceTypeId"`
	DisplayName   string `json:"displayName"`
}

type postalAddress struct {
	RegionCode         string   `json:"regionCode"`
	LanguageCode       string   `json:"languageCode"`
	PostalCode         string   `json:"postalCode"`
	AdministrativeArea string   `json:"administrativeArea"`
	Locality           string   `json:"locality"`
	AddressLines       []string `json:"addressLines"`
}

type serviceArea struct {
	BusinessType string `json:"businessType"`
	RegionCode   string `json:"regionCode"`
}

type openInfo struct {
	Status    string `json:"status"`
	CanReopen bool   `json:"canReopen,omitempty"`
}

type metadata struct {
	PlaceID             string `json:"placeId"`
	MapsURI             string `json:"mapsUri"`
	NewReviewURI        string `json:"newReviewUri"`
	HasVoiceOfMerchant  bool   `json:"hasVoiceOfMerchant"`
	CanOperateLocalPost bool   `json:"canOperateLocalPost"`
}

type profile struct {
	Description string `json:"description"`
}

type serviceItem struct {
	Structured *structuredService `json:"structuredServiceItem,omitempty"`
	FreeForm   *freeFormService   `json:"freeFormServiceItem,omitempty"`
}

type structuredService struct {
	ServiceTypeID string `json:"serviceTypeId"`
}

type freeFormService struct {
	Category string `json:"category"`
	Label    struct {
		DisplayName  string `json:"displayName"`
		LanguageCode string `json:"languageCode"`
	} `json:"label"`
}

// newLocation is the profile of a business.
func newLocation(b fixtures.Business) location {
	l := location{
		Name: "locations/" + number("location", b.Slug, "", 19), LanguageCode: "pl", StoreCode: b.StoreCode, Title: b.Name, WebsiteURI: b.Website,
		Categories: newCategories(b), RegularHours: newHours(b.Hours), ServiceItems: newServices(b),
		OpenInfo: &openInfo{Status: "OPEN"},
		Metadata: &metadata{
			PlaceID: b.PlaceID(), MapsURI: "https://maps.google.com/maps?q=place_id:" + b.PlaceID(),
			NewReviewURI: "https://search.google.com/local/writereview?placeid=" + b.PlaceID(), HasVoiceOfMerchant: true, CanOperateLocalPost: true,
		},
	}
	if b.Phone != "" {
		l.PhoneNumbers = &phoneNumbers{b.Phone}
	}
	if b.Description != "" {
		l.Profile = &profile{b.Description}
	}
	if b.Status != fixtures.Open {
		l.OpenInfo = &openInfo{Status: string(b.Status), CanReopen: true}
	}
	if b.ComesToYou {
		l.ServiceArea = &serviceArea{"CUSTOMER_LOCATION_ONLY", "PL"}
	} else {
		l.StorefrontAddress = &postalAddress{"PL", "pl", b.PostalCode, b.Voivodeship, b.City, []string{b.Street}}
	}
	return l
}

func newCategories(b fixtures.Business) *categories {
	list := make([]category, 0, len(b.Categories))
	for _, c := range b.Categories {
		list = append(list, category{Name: "categories/" + c.ID, DisplayName: c.Name})
	}
	for _, service := range b.Services {
		if service.TypeID != "" {
			list[0].ServiceTypes = append(list[0].ServiceTypes, serviceType{service.TypeID, service.Name})
		}
	}
	return &categories{list[0], list[1:]}
}

func newServices(b fixtures.Business) []serviceItem {
	var items []serviceItem
	for _, service := range b.Services {
		if service.TypeID != "" {
			items = append(items, serviceItem{Structured: &structuredService{service.TypeID}})
			continue
		}
		item := &freeFormService{Category: "categories/" + b.Categories[0].ID}
		item.Label.DisplayName, item.Label.LanguageCode = service.Name, "pl"
		items = append(items, serviceItem{FreeForm: item})
	}
	return items
}
