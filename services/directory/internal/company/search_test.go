package company_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database/databasetest"
)

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
