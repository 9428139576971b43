package ceneo

import (
	"slices"
	"strconv"
	"strings"
	"sync"
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

func TestNearMissesAndAccessoriesComeLast(t *testing.T) {
	list := newInventory()
	found := names(list.search("rtx 4070 super", "Karty_graficzne"))
	full := func(name string) bool { return strings.Contains(name, "SUPER ") }
	firstMiss := slices.IndexFunc(found, func(name string) bool { return !full(name) })
	if firstMiss < 2 || slices.ContainsFunc(found[firstMiss:], full) {
		t.Errorf("found %q", found)
	}
	parts := list.search("Ryzen 7 7800X3D", "")
	if last := len(parts) - 1; last < 1 || parts[0].Category.Slug != "Procesory" ||
		parts[last].Category.Slug == "Procesory" {
		t.Errorf("found %q", names(parts))
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

func TestInventedProductsAreTheSameOnEveryStart(t *testing.T) {
	first, second := newInventory(), newInventory()
	found := first.search("klocki magnetyczne", "")
	if again := second.search("Klocki  Magnetyczne", ""); len(found) != len(again) || found[0].ID != again[0].ID {
		t.Errorf("two starts invent %q and %q", names(found), names(again))
	}
	if len(found) < 3 || len(found) > 6 {
		t.Errorf("invented %d products", len(found))
	}
	for i, p := range found {
		named := p.Name == "Klocki magnetyczne" || i > 0 && strings.HasPrefix(p.Name, "Klocki magnetyczne ")
		if page, ok := first.product(p.ID); !ok || page.Name != p.Name || page.Short != p.Name || p.Opinions < 1 ||
			!named {
			t.Errorf("the page of %q is that of %q", p.Name, page.Name)
		}
	}
}

func TestOffersOfEveryProduct(t *testing.T) {
	list := newInventory()
	ids := map[int]bool{}
	outlets := 0
	for _, p := range list.products {
		offers := list.offers(p)
		inStock := 0
		bidding := 0
		shops := map[string]bool{}
		for _, o := range offers {
			if o.Bidding {
				bidding++
			}
			if o.InStock {
				inStock++
			}
			isOutlet := o.Title == p.Short+" OUTLET powystawowy" // the one that is cheaper than the cheapest new one
			if isOutlet {
				outlets++
			}
			odd := o.Bidding && !o.InStock || isOutlet && p.Shops < 5 || o.InStock &&
				(o.Price < p.Price != isOutlet || o.Price > p.Price*13/10) || !isOutlet && o.Title != p.Short
			if shops[o.Shop.Domain] || o.Price < 100 || odd {
				t.Errorf("%s: odd offer %+v", p.Name, o)
			}
			shops[o.Shop.Domain] = true
		}
		if inStock != p.Shops || p.OfferOnly && inStock != 1 || ids[p.ID] || !slices.Equal(offers, list.offers(p)) {
			t.Errorf("%s: %d of %d offers in stock, or they or its number are not stable", p.Name, inStock, p.Shops)
		}
		if want := map[bool]int{true: 3}[len(offers) > 3]; bidding != want {
			t.Errorf("%s: %d of %d offers in the list of paid places, want %d", p.Name, bidding, len(offers), want)
		}
		ids[p.ID] = true
	}
	if len(ids) < 300 || outlets < len(ids)/5 || outlets > len(ids)/2 {
		t.Errorf("%d products, %d of them with an outlet offer", len(ids), outlets)
	}
}

// TestInventionsAreForgotten checks that 50,000 products that were made up are kept, not more.
func TestInventionsAreForgotten(t *testing.T) {
	for kept, forgotten := range map[int]bool{50_000: false, 50_001: true} {
		list := newInventory()
		for id := range kept {
			list.invented[id] = product{}
		}
		made := list.invent("x", "x")
		_, found := list.product(0)
		if want := len(made) + map[bool]int{false: kept}[forgotten]; found == forgotten || len(list.invented) != want {
			t.Errorf("of %d: found %t, %d left, want %d", kept, found, len(list.invented), want)
		}
	}
}

func TestUnitsBelongToTheirNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"2 TB": "2tb", "dysk 2 TB SSD": "dysk 2tb ssd", "W 850 W": "w 850w", "pamięć GB": "pamiec gb",
		"16GB 3200 MHz": "16gb 3200mhz", "5 GHz, 40 mm, 8 mb, 4 gb": "5ghz 40mm 8mb 4gb", "3 m": "3 m",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestPricesHaveThreeSeparators has a plain, a no-break and a thin space between thousands.
func TestPricesHaveThreeSeparators(t *testing.T) {
	for p, want := range map[price][4]string{
		5: {"0,05", "0.05", "0.05", "0.05"}, 99999: {"999,99", "999.99", "999.99", "999.99"},
		44900:  {"449,00", "449.00", "449", "449.00"},
		264600: {"2 646,00", "2646.00", "2646", "2646.00"}, 264790: {"2\u00a0647,90", "2647.90", "2647.90", "2647.90"},
		264849:   {"2\u2009648,49", "2648.49", "2648.49", "2648.49"},
		264851:   {"2\u2009648,51", "2648.51", "2648.51", "2648.51"},
		10264800: {"102 648,00", "102648.00", "102648", "102648.00"},
	} {
		number, err := p.MarshalJSON()
		if got := [4]string{p.Text(), p.Fixed(), p.Short(), string(number)}; err != nil || got != want {
			t.Errorf("%d: got %q, want %q", p, got, want)
		}
	}
	for _, c := range []struct {
		zlotys, choice int
		want           price
	}{{10, 0, 1000}, {10, 1, 999}, {10, 2, 990}, {10, 3, 1000}, {10, 4, 999}, {10, 5, 949}, {1, 1, 199}, {2, 5, 149}} {
		if got := shopPrice(c.zlotys, c.choice); got != c.want {
			t.Errorf("%d zlotys, ending %d: got %d, want %d", c.zlotys, c.choice, got, c.want)
		}
	}
}

// TestInventionsAtOnce has the race detector watch the products that are made up.
func TestInventionsAtOnce(t *testing.T) {
	list := newInventory()
	id := list.search("klocki magnetyczne", "")[0].ID
	var requests sync.WaitGroup
	for i := range 20 {
		requests.Go(func() { list.search("klocki magnetyczne nowe"+strconv.Itoa(i), "") })
		requests.Go(func() {
			if _, found := list.product(id); !found {
				t.Error("a product is gone")
			}
		})
	}
	requests.Wait()
}
