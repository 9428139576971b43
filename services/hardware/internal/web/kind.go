package web

import (
	"slices"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/fault"
)

// kind is a place in a build that a part goes to.
type kind struct {
	Key      string // parameter of the address
	Name     string
	Category catalog.Category // of queries; empty if none fits
	Families []catalog.Family // whose rankings list such parts
	Many     bool
}

// kinds are in the order of a build.
func kinds() []kind {
	return []kind{
		{Key: "cpu", Name: "Procesor", Category: "cpu", Families: []catalog.Family{"cpu"}},
		{Key: "gpu", Name: "Karta graficzna", Category: "gpu", Families: []catalog.Family{"gpu"}},
		{Key: "motherboard", Name: "Płyta główna", Category: "motherboard"},
		{Key: "ram", Name: "Pamięć RAM", Category: "ram", Families: []catalog.Family{"ram"}, Many: true},
		{Key: "storage", Name: "Dysk", Category: "storage", Families: []catalog.Family{"ssd", "hdd"}, Many: true},
		{Key: "psu", Name: "Zasilacz", Category: "psu"},
		{Key: "cooling", Name: "Chłodzenie", Category: "cooling"},
		{Key: "case", Name: "Obudowa", Category: "case"},
		{Key: "usb", Name: "Pamięć USB", Families: []catalog.Family{"usb"}, Many: true},
	}
}

func parseKind(key string) (kind, error) {
	all := kinds()
	if i := slices.IndexFunc(all, func(k kind) bool { return k.Key == key }); i >= 0 {
		return all[i], nil
	}
	return kind{}, fault.New(fault.NotFound, "unknown_kind", "Nie ma takiego rodzaju podzespołu.")
}

func parseFamily(name string) (catalog.Family, error) {
	f, err := catalog.ParseFamily(name)
	if err != nil {
		return "", fault.Wrap(err, fault.NotFound, "unknown_type", "Nie ma takiej rodziny podzespołów.")
	}
	return f, nil
}

func kindOf(f catalog.Family) kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k kind) bool { return slices.Contains(k.Families, f) })]
}

func familyName(f catalog.Family) string {
	return map[catalog.Family]string{
		"cpu": "Procesory", "gpu": "Karty graficzne", "ssd": "Dyski SSD", "hdd": "Dyski HDD", "ram": "Pamięć RAM",
		"usb": "Pamięci USB",
	}[f]
}

func memoryLabel(f catalog.Family) string {
	if f == "gpu" {
		return "Pamięć"
	}
	return "Pojemność"
}
