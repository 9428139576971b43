package store_test

import (
	"strings"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
)

// TestSearchCompanies: both databases find the same companies in the same order, by the
// beginning of their names without regard to letter case and Polish letters.
func TestSearchCompanies(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		for slug, name := range map[string]string{
			"a": "Źródło", "b": "ZRODLO", "c": "Łan 10%", "d": "lan-9", "e": "LAN 1", "f": "", "g": strings.Repeat("Ż", 5000), "h": "łan_z",
		} {
			ok(t, s.CreateCompany(ctx, &directory.Company{Name: name, Slug: slug, Status: "active"}))
		}
		names := func(search directory.CompanySearch) (names []string) {
			search.Limit = 9
			for _, found := range must(s.SearchCompanies(ctx, search))(t) {
				names = append(names, found.Name[:min(len(found.Name), 10)])
			}
			return names
		}
		requireEqual(t, "lan", []string{"LAN 1", "Łan 10%", "lan-9", "łan_z"}, names(directory.CompanySearch{Prefix: "lan"}))
		requireEqual(t, "lan 1", []string{"LAN 1", "Łan 10%"}, names(directory.CompanySearch{Prefix: "lan 1"}))
		requireEqual(t, "typed", []string{"LAN 1", "Łan 10%"}, names(directory.CompanySearch{Prefix: " ŁAŃ 1 "}))
		requireEqual(t, "too long", 1, len(names(directory.CompanySearch{Prefix: strings.Repeat("Ż", 200)})))
		requireEqual(t, "%", []string(nil), names(directory.CompanySearch{Prefix: "%"}))
		all := must(s.SearchCompanies(ctx, directory.CompanySearch{Limit: 9}))(t)
		if len(all) != 8 || all[0].Slug != "f" || len([]rune(all[7].Key)) != 100 {
			t.Errorf("all are %+v", all)
		}
		var one []directory.CompanyFound // a page of one company each
		for after := (directory.CompanyPosition{}); ; {
			found := must(s.SearchCompanies(ctx, directory.CompanySearch{After: after, Limit: 1}))(t)
			if len(found) == 0 {
				break
			}
			one, after = append(one, found...), directory.CompanyPosition{Key: found[0].Key, ID: found[0].ID}
		}
		requireEqual(t, "page by page", all, one)
	})
}
