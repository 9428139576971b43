package directory

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
}
