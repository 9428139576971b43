package ceneo

import (
	"slices"
	"strings"
	"testing"
)

func names(found []product) []string {
	var list []string
	for _, p := range found {
		list = append(list, p.Name)
	}
	return list
}

func TestSearchFindsProductsWithTheWords(t *testing.T) {
	list := newInventory()
	for _, c := range []struct {
		query, slug string
		want        string // in every name found; empty if nothing is found
	}{
		{"Ryzen 7 7800X3D", "Procesory", "Ryzen 7 7800X3D"},
		{"rtx4090", "Karty_graficzne", "RTX 4090"},
		{"ryzen7 7800x3d", "Procesory", "Ryzen 7 7800X3D"}, // no name has the first word
		{"990p", "Dyski", "990 PRO"},
		{"plyta glowna b650", "Plyty_glowne", "B650"},
		{"zasilacz 850 W", "Komputery", "850W"},
		{"klocki", "Komputery", "Klocki"},
		{"klocki", "Procesory", ""},
		{"lis", "", "Lis"},
		{"ul", "", ""}, // too short for a word
		{"RTX 4090", "Podzespoly_komputerowe", "RTX 4090"},
		{"akcesoria", "Podzespoly_komputerowe", ""},
		{"RTX 4070 brakwyniku", "Karty_graficzne", ""},
		{"RTX 4070 xq zt", "Karty_graficzne", ""}, // two words are missing
		{"Ryzen kolorowy", "Procesory", ""},       // one of two is missing
		{"AMD Ryzen kolorowy", "Procesory", "Ryzen"},
		{"komputer gamingowy", "Podzespoly_komputerowe", ""},
		{"!!!", "", ""},
	} {
		found := names(list.search(c.query, c.slug))
		wrong := func(name string) bool { return !strings.Contains(name, c.want) }
		if (len(found) == 0) != (c.want == "") || slices.ContainsFunc(found, wrong) {
			t.Errorf("%q in %q: found %q", c.query, c.slug, found)
		}
	}
}

func TestExactFindsOneProduct(t *testing.T) {
	list := newInventory()
	for _, c := range []struct {
		query, slug, want string // beginning of the name; empty if not exact
	}{
		{"AMD Ryzen 7 7800X3D", "", "AMD Ryzen 7 7800X3D BOX"},
		{"  amd   RYZEN 7 7800x3d ", "Procesory", "AMD Ryzen 7 7800X3D BOX"},
		{"AMD Ryzen 7 7800X3D", "Dyski", ""},
		{"Ryzen 7 7800X3D", "", ""},
		{"samsung 990 pro 2 TB", "", "Samsung 990 PRO 2TB M.2"},
		{"ALC-13527", "", "Alphacool Core blok wodny"},
		{"Intel Core i5-14600K OEM", "", ""}, // sold by a single shop
	} {
		p, exact := list.exact(c.query, c.slug)
		if exact != (c.want != "") || !strings.HasPrefix(p.Name, c.want) {
			t.Errorf("%q in %q: got %q, %t", c.query, c.slug, p.Name, exact)
		}
	}
}
