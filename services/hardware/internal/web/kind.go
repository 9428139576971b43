package web

import (
	"slices"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/fault"
)

// kind is a place in a build that a part goes to.
type kind struct {
	Key      string // name of the parameter in an address
	Name     string
	Category catalog.Category // narrows the price query; empty: none fits
	Families []catalog.Family // rankings of such parts; none: it is searched by name
	Many     bool             // a build may have several
}

// kinds are all of them, in the order in which a build lists them.
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

// parseKind accepts the keys of kinds.
func parseKind(key string) (kind, error) {
	all := kinds()
	if i := slices.IndexFunc(all, func(k kind) bool { return k.Key == key }); i >= 0 {
		return all[i], nil
	}
	return kind{}, fault.New(fault.NotFound, "unknown_kind", "Nie ma takiego rodzaju podzespołu.")
}

// parseFamily accepts the names of families in addresses.
func parseFamily(name string) (catalog.Family, error) {
	f, err := catalog.ParseFamily(name)
	if err != nil {
		return "", fault.Wrap(err, fault.NotFound, "unknown_type", "Nie ma takiej rodziny podzespołów.")
	}
	return f, nil
}

// kindOf is the kind whose parts the ranking of f lists.
func kindOf(f catalog.Family) kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k kind) bool { return slices.Contains(k.Families, f) })]
}

// familyName is the title of a ranking.
func familyName(f catalog.Family) string {
	return map[catalog.Family]string{
		"cpu": "Procesory", "gpu": "Karty graficzne", "ssd": "Dyski SSD", "hdd": "Dyski HDD", "ram": "Pamięć RAM",
		"usb": "Pamięci USB",
	}[f]
}

// memoryLabel is what the memory of a part of f is called.
func memoryLabel(f catalog.Family) string {
	if f == "gpu" {
		return "Pamięć"
	}
	return "Pojemność"
}
