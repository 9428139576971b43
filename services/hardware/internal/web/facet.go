package web

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"backend.example/services/hardware/internal/fits"
)

// facet filters a list by what the names of its parts say.
type facet struct {
	Key     string // parameter of the address
	Label   string
	Options []string
	Chosen  string
}

func facets() []facet {
	return []facet{
		{Key: "marka", Label: "Marka"}, {Key: "gniazdo", Label: "Gniazdo"}, {Key: "typ", Label: "Typ pamięci"},
		{Key: "pojemnosc", Label: "Pojemność"}, {Key: "moc", Label: "Moc co najmniej"},
		{Key: "rozmiar", Label: "Rozmiar"},
	}
}

// facetsOf returns the facets in which parts differ.
func facetsOf(k kind, parts []listedPart, values url.Values) (used []facet) {
	for _, f := range facets() {
		for _, part := range parts {
			trait := part.traits[f.Key]
			if !slices.ContainsFunc(f.Options, func(o string) bool { return strings.EqualFold(o, trait) }) {
				f.Options = append(f.Options, trait)
			}
		}
		if len(f.Options) < 2 {
			continue
		}
		slices.SortFunc(f.Options, compareTraits)
		if f.Options[0] == "" { // the name does not say it
			f.Options = f.Options[1:]
		}
		if chosen := values.Get(f.Key); slices.Contains(f.Options, chosen) {
			f.Chosen = chosen
		}
		if f.Key == "pojemnosc" && k.Key == "gpu" {
			f.Label = "Pamięć"
		}
		used = append(used, f)
	}
	return used
}

func (f facet) accepts(trait string) bool {
	if f.Chosen == "" || strings.EqualFold(f.Chosen, trait) {
		return true
	}
	return f.Key == "moc" && amountOf(trait) > amountOf(f.Chosen)
}

// compareTraits orders amounts by size, "512 GB" before "1 TB", and words alphabetically.
func compareTraits(a, b string) int {
	return cmp.Or(cmp.Compare(amountOf(a), amountOf(b)), cmp.Compare(strings.ToLower(a), strings.ToLower(b)))
}

// amountOf returns the number at the beginning of a trait, or 0.
func amountOf(trait string) float64 {
	number, unit, _ := strings.Cut(trait, "\u00a0")
	amount, _ := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
	if unit == "TB" {
		amount *= 1000
	}
	return amount
}

var (
	radiator = regexp.MustCompile(`(?i)\b(120|140|240|280|360|420)(?: ?mm)?\b`)
	// kindWords precede the brand in the names of some shops.
	kindWords = regexp.MustCompile(`(?i)^(?:(?:procesor|karta graficzna|płyta główna|pamięć(?: ram)?|zasilacz|` +
		`dysk(?: ssd| hdd)?|chłodzenie(?: procesora| wodne)?|obudowa)\s+)+`)
	longBrands = regexp.MustCompile(`(?i)^(?:be quiet|cooler master|fractal design|lian li|silver monkey|` +
		`western digital|team group|king bank)`)
)

// traitsOf returns what a name says, by the keys of facets.
func traitsOf(part fits.Part, name string) map[string]string {
	traits := map[string]string{"marka": brandOf(name), "gniazdo": part.Socket}
	switch part.Category {
	case "motherboard":
		traits["typ"], traits["rozmiar"] = strings.Join(part.Memory, "/"), part.Size
	case "ram":
		traits["typ"], traits["pojemnosc"] = strings.Join(part.Memory, "/"), capacityOf(name)
	case "gpu", "storage":
		traits["pojemnosc"] = capacityOf(name)
	case "psu":
		traits["rozmiar"] = part.Size
		if part.Watts > 0 {
			traits["moc"] = strconv.Itoa(part.Watts) + "\u00a0W"
		}
	case "cooling":
		if found := radiator.FindStringSubmatch(name); found != nil {
			traits["rozmiar"] = found[1] + "\u00a0mm"
		}
	case "case":
		traits["rozmiar"] = part.Size
	}
	return traits
}

func brandOf(name string) string {
	name = kindWords.ReplaceAllString(name, "")
	switch long := longBrands.FindString(name); {
	case strings.EqualFold(long, "be quiet"):
		return "be quiet!"
	case long != "":
		return long
	}
	first, _, _ := strings.Cut(name, " ")
	return first
}

func capacityOf(name string) string {
	if gigabytes := memoryIn(name); gigabytes > 0 {
		return memory(gigabytes).Text()
	}
	return ""
}
