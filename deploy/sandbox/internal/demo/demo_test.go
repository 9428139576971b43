package demo_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"backend.example/deploy/sandbox/internal/demo"
)

func find(t *testing.T, slug string) demo.Business {
	t.Helper()
	for _, business := range demo.Businesses() {
		if business.Slug == slug {
			return business
		}
	}
	t.Fatalf("no business %s", slug)
	return demo.Business{}
}

func TestTheBakeryHasEverythingThatAnAuditLooksFor(t *testing.T) {
	bakery := find(t, "piekarnia-kowalski")
	if bakery.Photos < 10 || utf8.RuneCountInString(bakery.Description) < 250 || len(bakery.Services) < 5 || len(bakery.Categories) < 3 || len(bakery.Reviews) < 6 {
		t.Errorf("something is missing: %+v", bakery)
	}
	for day, spans := range bakery.Hours {
		if len(spans) == 0 {
			t.Errorf("day %d has no hours", day)
		}
	}
	if bakery.Address() != "ul. Floriańska 12, 31-021 Kraków" || bakery.Phone == "" || bakery.Website == "" {
		t.Errorf("the contact is not whole: %q %q %q", bakery.Address(), bakery.Phone, bakery.Website)
	}
}

func TestTheOthersHaveLess(t *testing.T) {
	workshop, studio := find(t, "warsztat-nowak"), find(t, "studio-wisniewska")
	if workshop.Description != "" || workshop.Website != "" || workshop.Photos >= 10 || !workshop.Hours.Known() {
		t.Errorf("the workshop is not half complete: %+v", workshop)
	}
	if studio.Phone != "" || studio.Website != "" || studio.Hours.Known() || studio.Photos != 0 || studio.ReviewCount != 0 {
		t.Errorf("the studio has too much: %+v", studio)
	}
}

func TestEveryBusinessIsWellFormed(t *testing.T) {
	slugs, places := map[string]bool{}, map[string]bool{}
	for _, b := range demo.Businesses() {
		if slugs[b.Slug] || places[b.PlaceID()] {
			t.Errorf("%s is there twice", b.Slug)
		}
		slugs[b.Slug], places[b.PlaceID()] = true, true
		if len(b.PlaceID()) < 27 || b.Name == "" || len(b.Categories) == 0 || (b.Address() == "") != b.ComesToYou {
			t.Errorf("%s is not whole: %+v", b.Slug, b)
		}
		if (b.Rating == 0) != (b.ReviewCount == 0) || len(b.Reviews) > b.ReviewCount {
			t.Errorf("%s: %d reviews, %d shown, rating %v", b.Slug, b.ReviewCount, len(b.Reviews), b.Rating)
		}
		if b.Phone != "" && (!strings.HasPrefix(b.Phone, "+48 ") || !strings.Contains(b.Phone, " 000 ")) {
			t.Errorf("%s: %s could be somebody's number", b.Slug, b.Phone)
		}
		for day, spans := range b.Hours {
			for _, span := range spans {
				if span.From < 0 || span.From >= 24*60 || span.To <= span.From || span.To-span.From > 24*60 {
					t.Errorf("%s, day %d: odd span %+v", b.Slug, day, span)
				}
			}
		}
	}
}

func TestAlwaysOpen(t *testing.T) {
	for slug, want := range map[string]bool{"stacja-pod-lasem": true, "bar-ksiezyc": false, "studio-wisniewska": false} {
		if got := find(t, slug).Hours.AlwaysOpen(); got != want {
			t.Errorf("%s: got %t", slug, got)
		}
	}
}

func TestEveryStartShowsTheSame(t *testing.T) {
	if !reflect.DeepEqual(demo.Businesses(), demo.Businesses()) {
		t.Error("two calls differ")
	}
}

func TestFindPerson(t *testing.T) {
	keys := map[string]bool{}
	for _, person := range demo.People() {
		if found, ok := demo.FindPerson(person.Key); !ok || found != person || keys[person.Key] {
			t.Errorf("%s: found %+v, %t", person.Key, found, ok)
		}
		keys[person.Key] = true
		if !strings.HasSuffix(person.Email, ".example") {
			t.Errorf("%s could be somebody's address", person.Email)
		}
	}
	if _, ok := demo.FindPerson("nobody"); ok {
		t.Error("found nobody")
	}
}
