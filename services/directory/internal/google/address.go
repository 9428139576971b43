package google

import (
	"slices"
	"strings"
)

// postalAddress is google.type.PostalAddress, the address of Business Profile and
// Places
// (https://github.com/googleapis/googleapis/blob/master/google/type/postal_address.proto).
type postalAddress struct {
	PostalCode   string   `json:"postalCode"`
	Locality     string   `json:"locality"`
	AddressLines []string `json:"addressLines"`
}

// line writes the address on one line: "ul. Długa 12, 00-238 Warszawa".
func (a postalAddress) line() string {
	var parts []string
	for _, part := range append(slices.Clone(a.AddressLines), a.PostalCode+" "+a.Locality) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
