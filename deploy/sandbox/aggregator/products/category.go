package products

import "slices"

// The slugs of more than one category.
const (
	ParentSlug     = "Podzespoly_komputerowe" // all components
	DepartmentSlug = "Komputery"              // everything
)

const components = "Podzespoły komputerowe"

// Category is a part of the aggregator's range.
type Category struct {
	ID       int
	Slug     string // as in /{Slug};szukaj-…
	Name     string // Polish
	Parent   string // Polish
	Keywords string // words that find every product of it
	Boxes    bool   // listed as boxes instead of rows
}

// Path is the breadcrumb with slashes.
func (c Category) Path() string { return "Komputery/" + c.Parent + "/" + c.Name }

func categories() []Category {
	return []Category{
		{ID: 51, Slug: "Karty_graficzne", Name: "Karty graficzne", Parent: components, Keywords: "karta graficzna karty graficzne"},
		{ID: 52, Slug: "Procesory", Name: "Procesory", Parent: components, Keywords: "procesor procesory"},
		{ID: 53, Slug: "Pamieci_RAM", Name: "Pamięci RAM", Parent: components, Keywords: "pamięć pamięci ram"},
		{ID: 54, Slug: "Dyski", Name: "Dyski", Parent: components, Keywords: "dysk dyski"},
		{ID: 55, Slug: "Plyty_glowne", Name: "Płyty główne", Parent: components, Keywords: "płyta główna płyty główne"},
		{ID: 56, Slug: "Zasilacze", Name: "Zasilacze", Parent: components, Keywords: "zasilacz zasilacze"},
		{ID: 57, Slug: "Chlodzenie_komputerowe", Name: "Chłodzenie komputerowe", Parent: components,
			Keywords: "chłodzenie cooler wentylator", Boxes: true},
		{ID: 58, Slug: "Obudowy", Name: "Obudowy", Parent: components, Keywords: "obudowa obudowy", Boxes: true},
		{ID: 71, Slug: "Akcesoria_komputerowe", Name: "Akcesoria do podzespołów", Parent: "Akcesoria komputerowe", Keywords: "akcesoria"},
		{ID: 72, Slug: "Komputery_stacjonarne", Name: "Komputery do gier", Parent: "Komputery stacjonarne",
			Keywords: "komputer komputery zestaw"},
	}
}

// inventedCategory holds the products that are made up for queries.
func inventedCategory() Category {
	return Category{ID: 99, Slug: "Pozostale_podzespoly", Name: "Pozostałe podzespoły", Parent: components}
}

// FindCategory returns the category of a slug. No slug is the whole range.
func FindCategory(slug string) (Category, bool) {
	switch slug {
	case "":
		return Category{Name: "Wszystkie kategorie"}, true
	case ParentSlug:
		return Category{Slug: slug, Name: components}, true
	case DepartmentSlug:
		return Category{Slug: slug, Name: "Komputery"}, true
	}
	i := slices.IndexFunc(categories(), func(c Category) bool { return c.Slug == slug })
	if i < 0 {
		return Category{}, false
	}
	return categories()[i], true
}
