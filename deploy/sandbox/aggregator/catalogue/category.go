package catalogue

import "slices"

// ParentSlug is the slug of all component categories together.
const ParentSlug = "Podzespoly_komputerowe"

// Category is one shelf of the shop window.
type Category struct {
	ID       int
	Slug     string   // as in /{Slug};szukaj-…
	Aliases  []string // further slugs that lead here
	Name     string   // Polish
	Keywords string   // words that find every product of it
	Parent   string   // Polish
	Boxes    bool     // listed as boxes instead of rows
}

// Path is the breadcrumb with slashes.
func (c Category) Path() string { return "Komputery/" + c.Parent + "/" + c.Name }

const (
	components  = "Podzespoły komputerowe"
	accessories = "Akcesoria komputerowe"
	complete    = "Komputery stacjonarne"
)

// Categories returns all of them in the order of the home page.
func Categories() []Category {
	return []Category{
		graphicsCategory(), processorCategory(), memoryCategory(), storageCategory(),
		motherboardCategory(), powerCategory(), coolingCategory(), caseCategory(),
		accessoryCategory(), computerCategory(),
	}
}

func graphicsCategory() Category {
	return Category{ID: 51, Slug: "Karty_graficzne", Name: "Karty graficzne", Parent: components,
		Keywords: "karta graficzna karty graficzne"}
}

func processorCategory() Category {
	return Category{ID: 52, Slug: "Procesory", Name: "Procesory", Parent: components,
		Keywords: "procesor procesory"}
}

func memoryCategory() Category {
	return Category{ID: 53, Slug: "Pamieci_RAM", Name: "Pamięci RAM", Parent: components,
		Keywords: "pamięć pamięci ram"}
}

func storageCategory() Category {
	return Category{ID: 54, Slug: "Dyski", Aliases: []string{"Dyski_SSD", "Dyski_twarde"}, Name: "Dyski",
		Parent: components, Keywords: "dysk dyski"}
}

func motherboardCategory() Category {
	return Category{ID: 55, Slug: "Plyty_glowne", Name: "Płyty główne", Parent: components,
		Keywords: "płyta główna płyty główne"}
}

func powerCategory() Category {
	return Category{ID: 56, Slug: "Zasilacze", Aliases: []string{"Zasilacze_komputerowe", "Zasilacze_do_komputerow"},
		Name: "Zasilacze", Parent: components, Keywords: "zasilacz zasilacze"}
}

func coolingCategory() Category {
	return Category{ID: 57, Slug: "Chlodzenie_komputerowe",
		Aliases: []string{"Chlodzenia_procesorow", "Chlodzenie", "Wentylatory"}, Name: "Chłodzenie komputerowe",
		Parent: components, Keywords: "chłodzenie cooler wentylator", Boxes: true}
}

func caseCategory() Category {
	return Category{ID: 58, Slug: "Obudowy", Aliases: []string{"Obudowy_komputerowe", "Obudowy_do_komputerow"},
		Name: "Obudowy", Parent: components, Keywords: "obudowa obudowy", Boxes: true}
}

func accessoryCategory() Category {
	return Category{ID: 71, Slug: "Akcesoria_komputerowe", Name: "Akcesoria do podzespołów", Parent: accessories,
		Keywords: "akcesoria"}
}

func computerCategory() Category {
	return Category{ID: 72, Slug: "Komputery_stacjonarne", Name: "Komputery do gier", Parent: complete,
		Keywords: "komputer komputery zestaw"}
}

// inventedCategory holds what is made up for queries outside the catalogue.
func inventedCategory() Category {
	return Category{ID: 99, Slug: "Rozne", Name: "Różne", Parent: "Pozostałe"}
}

// FindCategory returns the category of a slug or alias.
func FindCategory(slug string) (Category, bool) {
	for _, category := range Categories() {
		if category.Slug == slug || slices.Contains(category.Aliases, slug) {
			return category, true
		}
	}
	return Category{}, false
}
