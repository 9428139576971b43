package company_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"reflect"
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
		if c, err := s.ByID(ctx, 1); err != nil || c.Phone+" "+c.Website+" "+c.PlaceID != "19 19 19" {
			t.Errorf("phone %q, website %q, place %q, %v; want 19", c.Phone, c.Website, c.PlaceID, err)
		}
	})
}

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
		for err, want := range map[error]fault.Code{
			s.Create(ctx, &company.Company{Slug: "first"}): company.CodeSlugTaken,
			byID:                       company.CodeNotFound,
			bySlug:                     company.CodeNotFound,
			s.SetPlaceID(ctx, 99, "p"): company.CodeNotFound,
			edit(99, company.Change{Phone: new("1")}):                              company.CodeNotFound,
			edit(1, company.Change{Name: new(" ")}):                                company.CodeNoName,
			edit(1, company.Change{Status: new("inactive")}):                       httpapi.CodeInvalidField,
			edit(1, company.Change{Phone: new(strings.Repeat("1", 5001))}):         httpapi.CodeInvalidField,
			edit(1, company.Change{Services: new(make([]string, 51))}):             httpapi.CodeInvalidField,
			edit(1, company.Change{Services: &[]string{strings.Repeat("x", 201)}}): httpapi.CodeInvalidField,
			addErr("health"): company.CodeInvalidSlug,
			addErr("first"):  company.CodeSlugTaken,
		} {
			if !fault.Is(err, want) {
				t.Errorf("err = %v, want %s", err, want)
			}
		}
	})
}

func TestCheckSlug(t *testing.T) {
	for _, slug := range []string{"a", "7", "piekarnia-kowalski", "health-food", "historyk", "a-1-b",
		strings.Repeat("a", 100)} {
		if err := company.CheckSlug(slug); err != nil {
			t.Errorf("CheckSlug(%q) = %v", slug, err)
		}
	}
	for _, slug := range []string{
		"health", "history", // words of the address
		"", "-a", "a-", "a--b", "Piekarnia", "żuk", "a b", "a/b", "a.b", "a_b", "a\n", "..", strings.Repeat("a", 101),
	} {
		if err := company.CheckSlug(slug); !fault.Is(err, company.CodeInvalidSlug) {
			t.Errorf("CheckSlug(%q) = %v", slug, err)
		}
	}
}

func add(t *testing.T, s *company.Companies, name, slug string) {
	t.Helper()
	err := s.Create(t.Context(), &company.Company{Name: name, Slug: slug, Status: company.StatusActive})
	if err != nil {
		t.Fatal(err)
	}
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
		for text, want := range map[string][]string{
			"lan":                    {"LAN 1", "Łan 10%", "lan-9", "łan_z"},
			"lan 1":                  {"LAN 1", "Łan 10%"},
			" ŁAŃ 1 ":                {"LAN 1", "Łan 10%"},
			"%":                      nil,
			"d":                      {"lan-9"},
			"lan\x00":                nil,
			"\x00":                   nil,
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
		if err != nil || len(all) != 8 {
			t.Fatalf("all are %+v, %v", all, err)
		}
		if all[0].Slug != "f" || len([]rune(all[7].Key)) != 100 {
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
		if slugs[0] != "same" || len(byName) != 57 {
			t.Fatalf("the pages have %q", slugs)
		}
		if !slices.IsSorted(byName) || len(slices.Compact(byName)) != 57 {
			t.Errorf("the pages have %q", slugs)
		}
	})
}

// slugsOf returns the slugs of a list in its order.
func slugsOf(found []company.Found) string {
	var slugs []string
	for _, f := range found {
		slugs = append(slugs, f.Slug)
	}
	return strings.Join(slugs, " ")
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
		if err != nil {
			t.Fatal(err)
		}
		ten := "lan-0 lan-1 lan-2 lan-3 lan-4 lan-5 lan-6 lan-7 lan-8 lan-9"
		for text, want := range map[string]string{
			" LAN-3 ": "lan-3", "X": "x", "zar-1": "zar-1", "zar": "zar-1", "Zar zamk": "", "łan": ten, "ŁA": ten,
			"Ł": "", "l": "", "": "", "ul": "x", "nic takiego": "",
		} {
			if found, more, err := s.SearchActive(ctx, text); err != nil || more || slugsOf(found) != want {
				t.Errorf("%q: %q, %t, %v; want %q", text, slugsOf(found), more, err, want)
			}
		}
		add(t, s, "Łan i pole", "pole")
		if found, more, err := s.SearchActive(ctx, "łan"); err != nil || !more || slugsOf(found) != ten {
			t.Errorf("of eleven: %q, %t, %v", slugsOf(found), more, err)
		}
		if found, _, err := s.SearchActive(ctx, "zar-1"); err != nil || len(found) != 1 ||
			found[0] != (company.Found{ID: 11, Name: "Żar", Slug: "zar-1", Status: "active"}) {
			t.Errorf("found %+v, %v", found, err)
		}
		if err := db.DB.Close(); err != nil {
			t.Fatal(err)
		}
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
		if got, ok := company.ParsePosition(want.String()); !ok || !reflect.DeepEqual(got, want) ||
			strings.ContainsAny(want.String(), "+/=& ") {
			t.Errorf("%+v is %q, read as %+v, %t", want, want, got, ok)
		}
	}
	if got, ok := company.ParsePosition(""); !ok || got != (company.Position{}) {
		t.Errorf("the beginning: %+v, %t", got, ok)
	}
	for _, text := range []string{"7", "7key", "0 key", "-1 key", "x key", " key"} {
		if got, ok := company.ParsePosition(base64.RawURLEncoding.EncodeToString([]byte(text))); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
	if got, ok := company.ParsePosition((company.Position{Key: "k", ID: 7}).String() + "?"); ok {
		t.Errorf("not base64: read as %+v", got)
	}
}

// TestPagesHave25Companies, and one more with the slug that was searched for.
func TestPagesHave25Companies(t *testing.T) {
	s, ctx := company.New(databasetest.Open(t, databasetest.NewSQLite(t))), t.Context()
	for i := range 25 {
		add(t, s, "Bar", fmt.Sprintf("bar-%02d", i))
	}
	if found, more, err := s.Search(ctx, "bar", company.Position{}); err != nil || more || len(found) != 25 {
		t.Errorf("%d of 25, more is %t, %v", len(found), more, err)
	}
	add(t, s, "Zajazd", "bar")
	add(t, s, "Bar", "bar-25")
	found, more, err := s.Search(ctx, " bar ", company.Position{})
	if err != nil || !more {
		t.Fatalf("%d of 27, more is %t, %v", len(found), more, err)
	}
	if len(found) != 26 || found[0].Slug != "bar" {
		t.Fatalf("%d of 27, more is %t, %v", len(found), more, err)
	}
	if found[25].Slug != "bar-24" {
		t.Errorf("%d of 27, more is %t, %v", len(found), more, err)
	}
	rest, more, err := s.Search(ctx, " bar ", company.Position{Key: found[25].Key, ID: found[25].ID})
	if err != nil || more || slugsOf(rest) != "bar-25" {
		t.Errorf("the last page: %q, more is %t, %v", slugsOf(rest), more, err)
	}
	add(t, s, "Karczma", "karczma")
	if found, _, err := s.Search(ctx, "karczma", company.Position{}); err != nil || slugsOf(found) != "karczma" {
		t.Errorf("a company whose name and slug match: %q, %v", slugsOf(found), err)
	}
}
