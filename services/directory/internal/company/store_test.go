package company_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEditsDoNotUndoEachOther edits three fields of a company at the same time.
func TestEditsDoNotUndoEachOther(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := company.New(db.DB), t.Context()
		add(t, s, "First", "first")
		edit := func(change company.Change) error {
			_, err := s.Edit(ctx, 1, change, trail.Entry{})
			return err
		}
		var edits sync.WaitGroup
		for _, set := range []func(text string) error{
			func(text string) error { return edit(company.Change{Phone: &text}) },
			func(text string) error { return edit(company.Change{Website: &text}) },
			func(text string) error { return s.SetPlaceID(ctx, 1, text) },
		} {
			edits.Go(func() {
				for i := range 20 {
					if err := set(strconv.Itoa(i)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		edits.Wait()
		c, err := s.ByID(ctx, 1)
		ok(t, err)
		for field, got := range map[string]string{"phone": c.Phone, "website": c.Website, "place id": c.PlaceID} {
			if got != "19" {
				t.Errorf("%s %q, want 19, the last that was set", field, got)
			}
		}
	})
}

// TestCompanyFaults checks the code of each refusal of the store.
func TestCompanyFaults(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := company.New(db.DB), t.Context()
		add(t, s, "First", "first")
		edit := func(id int64, change company.Change) error {
			_, err := s.Edit(ctx, id, change, trail.Entry{})
			return err
		}
		addErr := func(slug string) error {
			_, err := s.Add(ctx, slug, company.Change{Name: new("x")}, trail.Entry{})
			return err
		}
		_, byID := s.ByID(ctx, 99)
		_, bySlug := s.BySlug(ctx, "First")
		for _, test := range []struct {
			name string
			err  error
			want fault.Code
		}{
			{"create with a slug in use", s.Create(ctx, &company.Company{Slug: "first"}), company.CodeSlugTaken},
			{"add with a slug in use", addErr("first"), company.CodeSlugTaken},
			{"unknown id", byID, company.CodeNotFound},
			{"slug in another letter case", bySlug, company.CodeNotFound},
			{"place of an unknown id", s.SetPlaceID(ctx, 99, "p"), company.CodeNotFound},
			{"edit of an unknown id", edit(99, company.Change{Phone: new("1")}), company.CodeNotFound},
			{"no name", edit(1, company.Change{Name: new(" ")}), company.CodeNoName},
			{"unknown status", edit(1, company.Change{Status: new("inactive")}), httpapi.CodeInvalidField},
		} {
			if !fault.Is(test.err, test.want) {
				t.Errorf("%s: error %v, want %s", test.name, test.err, test.want)
			}
		}
	})
}

func TestCheckSlug(t *testing.T) {
	for _, slug := range []string{"a", "7", "piekarnia-kowalski", "health-food", "historyk", "a-1-b",
		strings.Repeat("a", 100)} {
		if err := company.CheckSlug(slug); err != nil {
			t.Errorf("CheckSlug(%q) = %v, want no error", slug, err)
		}
	}
	for _, slug := range []string{
		"health", "history", // words of the address
		"", "-a", "a-", "a--b", "Piekarnia", "żuk", "a b", "a/b", "a.b", "a_b", "a\n", "..", strings.Repeat("a", 101),
	} {
		if err := company.CheckSlug(slug); !fault.Is(err, company.CodeInvalidSlug) {
			t.Errorf("CheckSlug(%q) = %v, want %s", slug, err, company.CodeInvalidSlug)
		}
	}
}

// add adds an active company.
func add(t *testing.T, s *company.Companies, name, slug string) {
	t.Helper()
	ok(t, s.Create(t.Context(), &company.Company{Name: name, Slug: slug, Status: company.StatusActive}))
}

// TestSearch: both databases find the same companies in the same order, by the beginning
// of their names without regard to letter case and Polish letters, or by their slug.
func TestSearch(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		for slug, name := range map[string]string{
			"a": "Źródło", "b": "ZRODLO", "c": "Łan 10%", "d": "lan-9", "e": "LAN 1", "f": "",
			"g": strings.Repeat("Ż", 5000), "h": "łan_z",
		} {
			add(t, s, name, slug)
		}
		for text, want := range map[string]string{
			"lan": "e c d h", "lan 1": "e c", " ŁAŃ 1 ": "e c", "%": "", "d": "d", "lan\x00": "", "\x00": "",
			strings.Repeat("Ż", 200): "g",
		} {
			requireFound(t, text, want, false)(s.Search(t.Context(), text, company.Position{}))
		}
		all, _, err := s.Search(t.Context(), "", company.Position{})
		if err != nil || len(all) != 8 {
			t.Fatalf("the empty text finds %d companies, error %v; want all 8", len(all), err)
		}
		if first := all[0]; first.Slug != "f" {
			t.Errorf("the first company is %q, want the one without a name", first.Slug)
		}
		if key := []rune(all[7].Key); len(key) != 100 {
			t.Errorf("the key of the longest name has %d characters, want 100", len(key))
		}
	})
}

// TestSearchByPages: pages have 25 companies, and the first one also that with the slug. Each company is
// on one page.
func TestSearchByPages(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		const pages, onLast = 3, 7 // companies with the same name on the last page
		for i := range 25*(pages-1) + onLast {
			add(t, s, "Same name", fmt.Sprintf("company-%02d", i))
		}
		add(t, s, "Another name", "same")
		var slugs []string
		after := company.Position{}
		for page := range pages {
			found, more, err := s.Search(t.Context(), "same", after)
			if err != nil || more != (page < pages-1) {
				t.Fatalf("page %d of %d: another page is %t, error %v", page+1, pages, more, err)
			}
			if want := []int{26, 25, onLast}[page]; len(found) != want {
				t.Errorf("page %d has %d companies, want %d", page+1, len(found), want)
			}
			for _, f := range found {
				slugs = append(slugs, f.Slug)
			}
			after = company.Position{Key: found[len(found)-1].Key, ID: found[len(found)-1].ID}
		}
		if slugs[0] != "same" {
			t.Errorf("the first company is %q, want the one with the slug", slugs[0])
		}
		byName := slugs[1:]
		if !slices.IsSorted(byName) {
			t.Errorf("the others are not sorted: %q", byName)
		}
		if n := len(slices.Compact(byName)); n != 57 || len(byName) != n {
			t.Errorf("%d other companies on the pages, %d of them different; want 57: %q", len(byName), n, byName)
		}
	})
}

// requireFound checks the results of a search: the slugs in their order, and whether there is more.
func requireFound(t *testing.T, what, want string, wantMore bool) func([]company.Found, bool, error) {
	return func(found []company.Found, more bool, err error) {
		t.Helper()
		if err != nil || more != wantMore {
			t.Errorf("%s: more is %t, error %v; want more %t", what, more, err, wantMore)
		}
		var slugs []string
		for _, f := range found {
			slugs = append(slugs, f.Slug)
		}
		if got := strings.Join(slugs, " "); got != want {
			t.Errorf("%s: found %q, want %q", what, got, want)
		}
	}
}

// TestVisitorsFindActiveCompanies by their slug, or by two letters of their name and more.
func TestVisitorsFindActiveCompanies(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := company.New(db.DB), t.Context()
		for i := range 10 {
			add(t, s, fmt.Sprint("Łan ", i), fmt.Sprint("lan-", i))
		}
		add(t, s, "Żar", "zar-1")
		add(t, s, "ul", "x")
		err := s.Create(ctx, &company.Company{Name: "Zar zamknięty", Slug: "zar", Status: company.StatusArchived})
		ok(t, err)
		ten := "lan-0 lan-1 lan-2 lan-3 lan-4 lan-5 lan-6 lan-7 lan-8 lan-9"
		for text, want := range map[string]string{
			" LAN-3 ": "lan-3", "X": "x", "zar-1": "zar-1", "zar": "zar-1", "Zar zamk": "", "łan": ten, "ŁA": ten,
			"Ł": "", "l": "", "": "", "ul": "x", "nic takiego": "",
		} {
			requireFound(t, text, want, false)(s.SearchActive(ctx, text))
		}
		add(t, s, "Łan i pole", "pole")
		requireFound(t, "ten of eleven", ten, true)(s.SearchActive(ctx, "łan"))
		found, _, err := s.SearchActive(ctx, "zar-1")
		want := []company.Found{{ID: 11, Name: "Żar", Slug: "zar-1", Status: "active"}}
		if err != nil || !slices.Equal(found, want) {
			t.Errorf("by a slug: found %+v, error %v; want %+v", found, err, want)
		}
		ok(t, db.DB.Close())
		for _, text := range []string{"lan-3", "Łan i pole"} {
			if found, _, err := s.SearchActive(ctx, text); err == nil {
				t.Errorf("%q without the database: %+v", text, found)
			}
			if found, _, err := s.Search(ctx, text, company.Position{}); err == nil {
				t.Errorf("%q without the database, all: %+v", text, found)
			}
		}
	})
}

func TestPositionInAnAddress(t *testing.T) {
	for _, want := range []company.Position{{Key: "zrodlo i lan", ID: 7}, {Key: "", ID: 1},
		{Key: "a=b&c/+ ", ID: 1 << 40}} {
		text := want.String()
		if got, valid := company.ParsePosition(text); !valid || got != want {
			t.Errorf("%q is read as %+v, %t; want %+v", text, got, valid, want)
		}
		if strings.ContainsAny(text, "+/=& ") {
			t.Errorf("%q has to be escaped in an address", text)
		}
	}
	if got, valid := company.ParsePosition(""); !valid || got != (company.Position{}) {
		t.Errorf("the beginning: %+v, %t", got, valid)
	}
	for _, text := range []string{"7", "7key", "0 key", "-1 key", "x key", " key"} {
		if got, valid := company.ParsePosition(base64.RawURLEncoding.EncodeToString([]byte(text))); valid {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
	if got, valid := company.ParsePosition((company.Position{Key: "k", ID: 7}).String() + "?"); valid {
		t.Errorf("not base64: read as %+v", got)
	}
}

func TestAFullPageIsTheLast(t *testing.T) {
	s := company.New(databasetest.Open(t, databasetest.NewSQLite(t)))
	for i := range 25 {
		add(t, s, "Bar", fmt.Sprintf("bar-%02d", i))
	}
	found, more, err := s.Search(t.Context(), "bar", company.Position{})
	ok(t, err)
	if len(found) != 25 || more {
		t.Errorf("%d companies, more is %t; want 25, and no more", len(found), more)
	}
}

func TestACompanyWhoseNameIsItsSlugIsFoundOnce(t *testing.T) {
	s := company.New(databasetest.Open(t, databasetest.NewSQLite(t)))
	add(t, s, "Karczma", "karczma")
	requireFound(t, "karczma", "karczma", false)(s.Search(t.Context(), "karczma", company.Position{}))
}
