// Package catalog defines the parameters of the service: component families, product
// categories and the text of a query, each with its validation.
package catalog

import (
	"slices"
	"strings"

	"backend.example/services/internal/kit/fault"
)

// Family is a kind of component that has a benchmark ranking.
type Family string

// Families lists the allowed values in the order in which answers show them.
func Families() []string { return []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} }

// CodeUnknownFamily is the fault of ParseFamily.
const CodeUnknownFamily = "unknown_type"

// ParseFamily accepts exactly the values of Families, no other spelling.
func ParseFamily(s string) (Family, error) {
	if slices.Contains(Families(), s) {
		return Family(s), nil
	}
	return "", fault.New(fault.Invalid, CodeUnknownFamily, "Nieznany rodzaj podzespołu.")
}

// Upper is the family as the ranking rows carry it, e.g. "GPU".
func (f Family) Upper() string { return strings.ToUpper(string(f)) }
