package company_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database/databasetest"
)

func add(t *testing.T, s *company.Companies, name, slug string) {
	t.Helper()
	if err := s.Create(t.Context(), &company.Company{Name: name, Slug: slug, Status: company.StatusActive}); err != nil {
		t.Fatal(err)
	}
}

// TestSearch: both databases find the same companies in the same order, by the beginning
// of their names without regard to letter case and Polish letters, or by their slug.
func TestSearch(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		for slug, name := range map[string]string{
			"a": "Źródło", "b": "ZRODLO", "c": "Łan 10%", "d": "lan-9", "e": "LAN 1", "f": "", "g": strings.Repeat("Ż", 5000), "h": "łan_z",
		} {
			add(t, s, name, slug)
		}
		for text, want := range map[string][]string{
			"lan":                    {"LAN 1", "Łan 10%", "lan-9", "łan_z"},
			"lan 1":                  {"LAN 1", "Łan 10%"},
			" ŁAŃ 1 ":                {"LAN 1", "Łan 10%"},
			"%":                      nil,
			"d":                      {"lan-9"},
			strings.Repeat("Ż", 200): {"ŻŻŻŻŻ"},
		} {
			found, more, err := s.Search(t.Context(), text, company.Position{})
			var names []string
			for _, f := range found {
				names = append(names, f.Name[:min(len(f.Name), 10)])
			}
			if err != nil || more || !slices.Equal(names, want) {
				t.Errorf("%.10q: %q, %t, %v; want %q", text, names, more, err, want)
			}
		}
		all, _, err := s.Search(t.Context(), "", company.Position{})
		if err != nil || len(all) != 8 || all[0].Slug != "f" || len([]rune(all[7].Key)) != 100 {
			t.Errorf("all are %+v, %v", all, err)
		}
	})
}

// TestSearchByPages: each company is on one page, also the one with the slug.
func TestSearchByPages(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		const pages, last = 3, 7
		for i := range 25*(pages-1) + last {
			add(t, s, "Same name", fmt.Sprintf("company-%02d", i))
		}
		add(t, s, "Another name", "same")
		var slugs []string
		after := company.Position{}
		for page := range pages {
			found, more, err := s.Search(t.Context(), "same", after)
			if err != nil || more != (page < pages-1) {
				t.Fatalf("page %d: more = %t, %v", page, more, err)
			}
			for _, f := range found {
				slugs = append(slugs, f.Slug)
			}
			after = company.Position{Key: found[len(found)-1].Key, ID: found[len(found)-1].ID}
		}
		byName := slugs[1:]
		if slugs[0] != "same" || len(byName) != 57 || !slices.IsSorted(byName) || len(slices.Compact(byName)) != 57 {
			t.Errorf("the pages have %q", slugs)
		}
	})
}
