package prices_test

import (
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/hardware/internal/catalog"
)

func TestListsAreReadOnceForAll(t *testing.T) {
	one, two := withRedis(t, "HARDWARE_LIST_PAGES=5")
	one.Prices.ReadLists(t.Context())
	two.Prices.ReadLists(t.Context())
	if n := len(one.Asked()); n != 45 {
		t.Errorf("%d requests, want 45 for five pages of nine lists", n)
	}
	for _, category := range catalog.Categories() {
		var got struct {
			Rows []struct{ ProductName, ProductURL string }
		}
		two.Get("/api/prices/ceneo/popular?category=" + category).Want(200).JSON(&got)
		if len(got.Rows) == 0 {
			t.Errorf("no popular %s", category)
		}
	}
}

func TestListsSaveRequests(t *testing.T) {
	a := apptest.New(t, apptest.Setting("HARDWARE_LIST_PAGES=5"))
	a.Prices.ReadLists(t.Context())
	a.Ceneo.ClearRequests()
	q := catalog.Query{Text: "Samsung 990 PRO 4TB", Category: "storage"}
	if known, ok := a.Prices.Known(q); !ok || known.Value.PriceLow <= 0 {
		t.Errorf("the price of a listed drive is not known for rankings: %+v", known)
	}
	if _, ok := a.Prices.Kept(q); ok {
		t.Error("the price of a list passes for offers")
	}
	a.Get("/api/prices/ceneo?q=Samsung+990+PRO+4TB&category=storage").Want(200)
	if got := kinds(a); !slices.Equal(got, []string{productPath}) {
		t.Errorf("requests %v, want no search for a model that one listed product has", got)
	}
}

func TestPopularFits(t *testing.T) {
	a := apptest.New(t, apptest.Setting("HARDWARE_LIST_PAGES=1"))
	a.Prices.ReadLists(t.Context())
	var got struct {
		Rows []struct{ ProductName, Fits string }
	}
	a.Get("/api/prices/ceneo/popular?category=motherboard&with=cpu:Ryzen+7+7800X3D").Want(200).JSON(&got)
	for _, row := range got.Rows {
		if strings.Contains(row.ProductName, "B650") && row.Fits != "compatible" {
			t.Errorf("%s is %q for a processor of its socket", row.ProductName, row.Fits)
		}
		if strings.Contains(row.ProductName, "B760") && row.Fits != "incompatible" {
			t.Errorf("%s is %q for a processor of another socket", row.ProductName, row.Fits)
		}
	}
}

// TestRankingsTakePricesFromLists holds each of the first 50 rows of every ranking to having a
// price if it stands in a list: a listed name has all of its words, and no other variant. USB
// sticks have no list. At 1.2 s for each of 45 requests, the lists are known after a minute.
func TestRankingsTakePricesFromLists(t *testing.T) {
	a := apptest.New(t, apptest.Setting("HARDWARE_LIST_PAGES=5"))
	a.Prices.ReadLists(t.Context())
	if n := len(a.Asked()); n != 45 {
		t.Errorf("%d requests for the lists, want 45", n)
	}
	categories := map[catalog.Family]catalog.Category{
		"cpu": "cpu", "gpu": "gpu", "ssd": "storage", "hdd": "storage", "ram": "ram",
	}
	priced := map[catalog.Family]int{}
	for family, category := range categories {
		ranking, _, err := a.Rankings.Get(t.Context(), family)
		if err != nil {
			t.Fatal(err)
		}
		listed, _ := a.Prices.Popular(category)
		for _, row := range ranking.Value.Rows[:50] {
			name := row.SearchName()
			if _, ok := a.Prices.Known(catalog.Query{Text: name, Category: category}); ok {
				priced[family]++
				continue
			}
			for _, product := range listed {
				if standsFor(product.Name, name) {
					t.Errorf("%s: %q has no price, but %q is listed", family, name, product.Name)
				}
			}
		}
	}
	if priced["cpu"] < 30 || priced["gpu"] < 15 {
		t.Errorf("rows with a price: %v, want most processors and every chip", priced)
	}
}

// standsFor reports whether a listed name has all words of a part and names no other variant.
func standsFor(listed, part string) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" ,/()", r) })
	}
	has, wants := words(listed), words(part)
	isMissing := func(word string) bool { return !slices.Contains(has, word) }
	isOther := func(variant string) bool { return slices.Contains(has, variant) && !slices.Contains(wants, variant) }
	variants := []string{"ti", "super", "xt", "xtx", "oem"}
	return !slices.ContainsFunc(wants, isMissing) && !slices.ContainsFunc(variants, isOther)
}
