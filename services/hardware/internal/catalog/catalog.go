// Package catalog defines the parameters of the service: families, categories and queries, and validates them.
package catalog

import (
	"slices"
	"strings"

	"backend.example/services/internal/kit/fault"
)

// Family is a kind of component that has a benchmark ranking.
type Family string

// Families lists the allowed values in the order of answers.
func Families() []string { return []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} }

// CodeUnknownFamily is the fault of ParseFamily.
const CodeUnknownFamily = "unknown_type"

// ParseFamily accepts the values of Families, no other spelling.
func ParseFamily(s string) (Family, error) {
	if slices.Contains(Families(), s) {
		return Family(s), nil
	}
	return "", fault.New(fault.Invalid, CodeUnknownFamily, "Nieznany rodzaj podzespołu.")
}

// Upper returns the family as ranking rows carry it, "GPU".
func (f Family) Upper() string { return strings.ToUpper(string(f)) }
