package ceneo

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
)

func TestFindUsesTheCategoryAsFarAsTheSiteKnowsIt(t *testing.T) {
	tests := map[string]struct {
		answer http.HandlerFunc
		pages  []string
		offers int
	}{
		"known":            {text(200, fixture(t, "list.html")), []string{searchPath, sortedPath}, 26},
		"unknown":          {text(404, "no such page"), []string{searchPath, allPath, sortedPath}, 26},
		"ended elsewhere":  {redirect("/"), []string{searchPath, "/", allPath, sortedPath}, 26},
		"category dropped": {redirect(barePath), []string{searchPath, allPath, sortedPath}, 26},
		"exact match":      {redirect(plainPath), []string{searchPath, sortedPath}, 26},
		"nothing in it":    {text(200, fixture(t, "empty.html")), []string{searchPath}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, a, _ := openStub(t)
			s.on(searchPath, tt.answer)
			s.on("/", text(200, "<html><title>Ceneo.pl</title></html>"))
			f := mustFind(t, a, catalog.Query{Text: "RTX 4070", Category: "gpu"})
			if !slices.Equal(s.pages(), tt.pages) {
				t.Errorf("asked %q, want %q", s.pages(), tt.pages)
			}
			if f.OfferCount != tt.offers {
				t.Errorf("%+v, want %d offers", f, tt.offers)
			}
		})
	}
}

func TestFindNeverSearchesTheWholeSite(t *testing.T) {
	tests := map[string]string{ // question → first page asked for
		"RTX 4070":               "/Karty_graficzne;szukaj-RTX+4070",
		"dysk Samsung 990":       "/Dyski;szukaj-dysk+Samsung+990",
		"Ryzen 7 7800X3D":        "/Podzespoly_komputerowe;szukaj-Ryzen+7+7800X3D",
		"Kingston Fury DDR5":     "/Podzespoly_komputerowe;szukaj-Kingston+Fury+DDR5",
		"Noctua NH-D15":          "/Podzespoly_komputerowe;szukaj-Noctua+NH-D15",
		"Logitech MX Keys":       "/Komputery;szukaj-Logitech+MX+Keys",
		"komputer Ryzen 7 5700X": "/Komputery;szukaj-komputer+Ryzen+7+5700X",
	}
	for q, want := range tests {
		s, a, _ := openStub(t)
		s.on(want, text(200, fixture(t, "empty.html")))
		if f := mustFind(t, a, query(q)); f.ProductURL != a.SearchURL(q) || !slices.Equal(s.pages(), []string{want}) {
			t.Errorf("%s: %+v after asking %q, want %q", q, f, s.pages(), want)
		}
	}
}

func TestFindEndsWhereTheDepartmentHasNothing(t *testing.T) {
	s, a, _ := openStub(t)
	s.on(allPath, redirect(barePath))
	for _, inCategory := range []http.HandlerFunc{redirect(barePath), text(404, "")} {
		s.on(searchPath, inCategory)
		if f := mustFind(t, a, query("RTX 4070")); f.ProductName != "" || f.ProductURL != s.URL+barePath {
			t.Errorf("%+v", f)
		}
	}
	if s.count(barePath) > 0 {
		t.Errorf("asked %q", s.pages())
	}
}

func TestAnUnknownCategoryIsLeftAloneForADay(t *testing.T) {
	s, _, _ := openStub(t)
	s.on(searchPath, text(404, ""))
	o, _ := options(t, s.URL)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return now }
	a := NewAggregator(o)
	for _, step := range []struct {
		passes time.Duration
		asked  int
	}{{0, 1}, {time.Hour, 1}, {22 * time.Hour, 1}, {time.Hour, 2}} {
		now = now.Add(step.passes)
		mustFind(t, a, catalog.Query{Text: "RTX 4070", Category: "gpu"})
		if got := s.count(searchPath); got != step.asked {
			t.Errorf("category asked for %d times, want %d", got, step.asked)
		}
	}
}

func TestFindSearchesTheDepartmentWithoutASlug(t *testing.T) {
	s, _, _ := openStub(t)
	o, _ := options(t, s.URL)
	o.Slugs = map[catalog.Category]string{"gpu": ""}
	mustFind(t, NewAggregator(o), catalog.Query{Text: "RTX 4070", Category: "gpu"})
	if s.pages()[0] != allPath {
		t.Errorf("asked %q", s.pages())
	}
}

func TestFindAsksNothingForATextThatIsTooShort(t *testing.T) {
	s, a, _ := openStub(t)
	for _, q := range []string{"a//", "//ab//", `"5"`, "[x]", "#~ż~#"} {
		if f := mustFind(t, a, query(q)); f.ProductName != "" || f.Offers != nil || f.ProductURL != a.SearchURL(q) || !f.NotAsked {
			t.Errorf("%s: %+v", q, f)
		}
	}
	if len(s.asked) > 0 {
		t.Errorf("asked %q", s.asked)
	}
	s.on("/Komputery;szukaj-a+b", text(200, fixture(t, "empty.html")))
	if f := mustFind(t, a, query("a/b")); f.NotAsked || s.count("/Komputery;szukaj-a+b") != 1 {
		t.Errorf("%+v after asking %q", f, s.pages())
	}
}
