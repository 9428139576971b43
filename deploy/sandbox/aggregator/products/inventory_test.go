package products_test

import (
	"strings"
	"testing"

	"backend.example/deploy/sandbox/aggregator/products"
)

// all lists what the words of the categories find.
func all(list *products.Inventory) []products.Product {
	var found []products.Product
	for slug, query := range map[string]string{
		"Karty_graficzne": "karta graficzna", "Procesory": "procesor", "Pamieci_RAM": "ram", "Dyski": "dysk", "Plyty_glowne": "płyta główna",
		"Zasilacze": "zasilacz", "Chlodzenie_komputerowe": "cooler", "Obudowy": "obudowa", "Akcesoria_komputerowe": "akcesoria",
		"Komputery_stacjonarne": "komputer",
	} {
		found = append(found, list.Search(query, slug)...)
	}
	return found
}

func names(found []products.Product) []string {
	var list []string
	for _, product := range found {
		list = append(list, product.Name)
	}
	return list
}

func TestEveryProductHasANumberOfItsOwn(t *testing.T) {
	list, seen := products.New(), map[int]string{}
	for _, product := range all(list) {
		if other, taken := seen[product.ID]; taken || product.ID < 10_000 || product.ID > 999_999_999 {
			t.Errorf("%d is %q and %q", product.ID, product.Name, other)
		}
		seen[product.ID] = product.Name
		if found, ok := list.Product(product.ID); !ok || found.Name != product.Name {
			t.Errorf("Product(%d) = %q, %t; want %q", product.ID, found.Name, ok, product.Name)
		}
	}
	if len(seen) < 300 {
		t.Errorf("only %d products", len(seen))
	}
	if _, found := list.Product(12345678); found {
		t.Error("found a product that is not there")
	}
}

func TestSearchFindsAllWordsFirst(t *testing.T) {
	found := names(products.New().Search("rtx 4070 super", "Karty_graficzne"))
	lastFull, firstMiss := -1, len(found)
	kinds := map[string]int{}
	for place, name := range found {
		switch {
		case strings.Contains(name, "RTX 4070 Ti SUPER "):
			kinds["Ti SUPER"]++
			lastFull = place
		case strings.Contains(name, "RTX 4070 SUPER "):
			kinds["SUPER"]++
			lastFull = place
		case strings.Contains(name, "RTX 4070 "):
			kinds["near miss"]++
			firstMiss = min(firstMiss, place)
		default:
			t.Errorf("found %q", name)
		}
	}
	if kinds["SUPER"] == 0 || kinds["Ti SUPER"] == 0 || kinds["near miss"] == 0 || lastFull > firstMiss {
		t.Errorf("found %v, last full match at %d, first near miss at %d", kinds, lastFull, firstMiss)
	}
}

func TestSearch(t *testing.T) {
	list := products.New()
	for _, c := range []struct {
		query, slug string
		want        string // in every name found; empty: nothing is found
	}{
		{"Ryzen 7 7800X3D", "Procesory", "Ryzen 7 7800X3D"},
		{"ryzen 7 7700x", "Podzespoly_komputerowe", "Ryzen 7 7700X"},
		{"rtx4090", "Karty_graficzne", "RTX 4090"},
		{"990 pro 2 tb", "Dyski", "990"},
		{"płyta główna B650", "Plyty_glowne", "B650"},
		{"plyta glowna b650", "Plyty_glowne", "B650"},
		{"zasilacz 850 W", "Zasilacze", "850W"},
		{"klocki", "Komputery", "Klocki"},
		{"zasilacz 850 W", "Komputery", "850W"},
		{"klocki", "Procesory", ""},
		{"RTX 4070", "Procesory", ""},
		{"RTX 4070 brakwyniku", "Karty_graficzne", ""},
		{"BrakWyniku czegoś", "", ""},
		{"komputer gamingowy", "Podzespoly_komputerowe", ""},
		{"12345678", "", ""},
		{"xqzt", "", ""},
		{"!!!", "", ""},
	} {
		found := names(list.Search(c.query, c.slug))
		if (len(found) == 0) != (c.want == "") {
			t.Errorf("%q in %q: found %q", c.query, c.slug, found)
		}
		for _, name := range found {
			if !strings.Contains(name, c.want) {
				t.Errorf("%q in %q: found %q", c.query, c.slug, name)
			}
		}
	}
}

func TestAccessoriesComeAfterTheProducts(t *testing.T) {
	found := products.New().Search("Ryzen 7 7800X3D", "")
	if len(found) < 2 || found[0].Category.Slug != "Procesory" || found[len(found)-1].Category.Slug == "Procesory" {
		t.Errorf("found %q", names(found))
	}
}

func TestExact(t *testing.T) {
	list := products.New()
	for _, c := range []struct {
		query, slug, want string // beginning of the name; empty: not exact
	}{
		{"AMD Ryzen 7 7800X3D", "", "AMD Ryzen 7 7800X3D BOX"},
		{"  amd   RYZEN 7 7800x3d ", "Procesory", "AMD Ryzen 7 7800X3D BOX"},
		{"AMD Ryzen 7 7800X3D", "Dyski", ""},
		{"Ryzen 7 7800X3D", "", ""},
		{"samsung 990 pro 2 TB", "", "Samsung 990 PRO 2TB M.2"},
		{"Samsung 990 PRO", "", ""},
		{"ALC-13527", "", "Alphacool Core blok wodny"},
		{"Intel Core i5-14600K OEM", "", ""}, // sold by a single shop
	} {
		product, exact := list.Exact(c.query, c.slug)
		if exact != (c.want != "") || !strings.HasPrefix(product.Name, c.want) {
			t.Errorf("%q in %q: got %q, %t", c.query, c.slug, product.Name, exact)
		}
	}
}

func TestInventedProducts(t *testing.T) {
	first, second := products.New(), products.New()
	found := first.Search("klocki magnetyczne", "")
	if again := second.Search("Klocki  Magnetyczne", ""); len(found) != len(again) || found[0].ID != again[0].ID {
		t.Errorf("two starts invent %q and %q", names(found), names(again))
	}
	if len(found) < 3 || len(found) > 6 {
		t.Errorf("invented %d products", len(found))
	}
	for i, product := range found {
		named := product.Name == "Klocki magnetyczne" || i > 0 && strings.HasPrefix(product.Name, "Klocki magnetyczne ")
		if page, ok := first.Product(product.ID); !ok || page.Name != product.Name || !named {
			t.Errorf("the page of %q is that of %q", product.Name, page.Name)
		}
	}
	if _, known := products.New().Product(found[0].ID); known {
		t.Error("a product is known before its query was asked")
	}
}
