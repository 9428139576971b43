package provider

import "strings"

// postalAddress is google.type.PostalAddress, as Business Profile and Places
// write an address
// (https://github.com/googleapis/googleapis/blob/master/google/type/postal_address.proto).
type postalAddress struct {
	PostalCode   string   `json:"postalCode"`
	Locality     string   `json:"locality"`
	AddressLines []string `json:"addressLines"`
}

// line is the address on one line: "ul. Długa 12, 00-238 Warszawa".
func (a postalAddress) line() string {
	town := strings.TrimSpace(a.PostalCode + " " + a.Locality)
	var parts []string
	for _, part := range append(append([]string{}, a.AddressLines...), town) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
