package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/aggregator/catalogue"
)

func names(products []catalogue.Product) []string {
	var list []string
	for _, product := range products {
		list = append(list, product.Name)
	}
	return list
}

func TestTheCatalogueIsLargeAndEveryShelfFilled(t *testing.T) {
	goods := catalogue.New()
	total := 0
	for _, category := range catalogue.Categories() {
		shelf := goods.Shelf(category.Slug)
		if len(shelf) == 0 {
			t.Errorf("%s is empty", category.Slug)
		}
		total += len(shelf)
	}
	if total < 500 {
		t.Errorf("only %d products", total)
	}
}

func TestTheParentShelfHoldsComponentsOnly(t *testing.T) {
	goods, seen := catalogue.New(), map[string]bool{}
	for _, product := range goods.Shelf(catalogue.ParentSlug) {
		seen[product.Category.Slug] = true
	}
	if len(seen) != 8 || seen["Akcesoria_komputerowe"] || seen["Komputery_stacjonarne"] {
		t.Errorf("holds %v", seen)
	}
}

func TestNumbersAreUniqueAndFound(t *testing.T) {
	goods, seen := catalogue.New(), map[int]string{}
	for _, category := range catalogue.Categories() {
		for _, product := range goods.Shelf(category.Slug) {
			if other, taken := seen[product.ID]; taken || product.ID < 10_000 || product.ID > 999_999_999 {
				t.Errorf("%d is %q and %q", product.ID, product.Name, other)
			}
			seen[product.ID] = product.Name
			if found, ok := goods.Product(product.ID); ok == product.OfferOnly || ok && found.Name != product.Name {
				t.Errorf("Product(%d) = %q, %t; want %q unless it is offer only", product.ID, found.Name, ok, product.Name)
			}
		}
	}
	if _, found := goods.Product(12345678); found {
		t.Error("found a product that is not there")
	}
}

func TestSearchFindsAllWordsFirst(t *testing.T) {
	found := names(catalogue.New().Search("rtx 4070 super", "Karty_graficzne"))
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
	cases := []struct {
		query, slug string
		want        string // in every name found; empty = nothing is found
	}{
		{"Ryzen 7 7800X3D", "Procesory", "Ryzen 7 7800X3D"},
		{"ryzen 7 7700x", "Procesory", "Ryzen 7 7700X"},
		{"rtx4090", "Karty_graficzne", "RTX 4090"},
		{"990 pro 2 tb", "Dyski", "990"},
		{"płyta główna B650", "Plyty_glowne", "B650"},
		{"plyta glowna b650", "Plyty_glowne", "B650"},
		{"zasilacz 850 W", "Zasilacze", "850W"},
		{"klocki", "Procesory", ""},
		{"RTX 4070", "Procesory", ""},
		{"RTX 4070 brakwyniku", "Karty_graficzne", ""},
		{"brakwyniku", "", ""},
		{"BrakWyniku czegoś", "", ""},
		{"12345678", "", ""},
		{"xqzt", "", ""},
		{"!!!", "", ""},
	}
	goods := catalogue.New()
	for _, c := range cases {
		found := names(goods.Search(c.query, c.slug))
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
	found := catalogue.New().Search("Ryzen 7 7800X3D", "")
	if len(found) < 2 || found[0].Category.Slug != "Procesory" || found[len(found)-1].Category.Slug == "Procesory" {
		t.Errorf("found %q", names(found))
	}
}

func TestExact(t *testing.T) {
	cases := []struct {
		query, slug, want string // beginning of the name; empty = not exact
	}{
		{"AMD Ryzen 7 7800X3D", "", "AMD Ryzen 7 7800X3D BOX"},
		{"  amd   RYZEN 7 7800x3d ", "Procesory", "AMD Ryzen 7 7800X3D BOX"},
		{"AMD Ryzen 7 7800X3D", "Dyski", ""},
		{"Ryzen 7 7800X3D", "", ""},
		{"Samsung 990 PRO 2TB", "", "Samsung 990 PRO 2TB M.2"},
		{"samsung 990 pro 2 TB", "", "Samsung 990 PRO 2TB M.2"},
		{"Samsung 990 PRO", "", ""},
		{"ALC-13527", "", "Alphacool Core blok wodny"},
	}
	goods := catalogue.New()
	for _, c := range cases {
		product, exact := goods.Exact(c.query, c.slug)
		if exact != (c.want != "") || !strings.HasPrefix(product.Name, c.want) {
			t.Errorf("%q in %q: got %q, %t", c.query, c.slug, product.Name, exact)
		}
	}
}

func TestInventedProducts(t *testing.T) {
	first, second := catalogue.New(), catalogue.New()
	found := first.Search("klocki magnetyczne", "")
	if again := second.Search("Klocki  Magnetyczne", ""); len(found) != len(again) || found[0].ID != again[0].ID {
		t.Errorf("two starts invent %q and %q", names(found), names(again))
	}
	if len(found) < 3 || len(found) > 6 {
		t.Errorf("invented %d products", len(found))
	}
	for _, product := range found {
		if !strings.HasPrefix(product.Name, "Klocki magnetyczne ") {
			t.Errorf("invented %q", product.Name)
		}
		if page, ok := first.Product(product.ID); !ok || page.Name != product.Name {
			t.Errorf("no page for %q", product.Name)
		}
	}
	if _, known := catalogue.New().Product(found[0].ID); known {
		t.Error("a product is known before its query was asked")
	}
}

func TestInventedNamesAreCleanAndShort(t *testing.T) {
	found := catalogue.New().Search(`<script>alert("żółw")</script> `+strings.Repeat("długie ", 40), "")
	if len(found) == 0 {
		t.Fatal("nothing invented")
	}
	for _, name := range names(found) {
		if strings.ContainsAny(name, `<>"/()`) || len([]rune(name)) > 80 || !strings.HasPrefix(name, "Script alert żółw script długie") {
			t.Errorf("invented %q", name)
		}
	}
}

func TestSimilarLeavesOutTheProductItself(t *testing.T) {
	goods := catalogue.New()
	product, _ := goods.Exact("AMD Ryzen 7 7800X3D", "")
	similar := goods.Similar(product, 4)
	if len(similar) != 4 || slices.Contains(names(similar), product.Name) {
		t.Errorf("got %q", names(similar))
	}
}

func TestFindCategory(t *testing.T) {
	for slug, want := range map[string]string{
		"Karty_graficzne": "Karty_graficzne", "Zasilacze_komputerowe": "Zasilacze", "Obudowy_do_komputerow": "Obudowy",
		"Wentylatory": "Chlodzenie_komputerowe", "Smartfony": "", "": "",
	} {
		if category, found := catalogue.FindCategory(slug); category.Slug != want || found != (want != "") {
			t.Errorf("FindCategory(%q) = %q, %t", slug, category.Slug, found)
		}
	}
}
