package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

const rankingOf = "/api/benchmark/gpu?limit=2"

func TestCachingHeadersOfEachLayer(t *testing.T) {
	tests := []struct {
		via            lookup.Via
		age            time.Duration
		control, cache string
	}{
		{lookup.ViaSource, 0, "public, max-age=86400", "hardware; fwd=miss; stored; ttl=86400"},
		{lookup.ViaCollapsed, time.Second, "public, max-age=86399", "hardware; fwd=miss; collapsed; ttl=86399"},
		{lookup.ViaShared, 90*time.Minute + 999*time.Millisecond, "public, max-age=80999", "hardware; hit; ttl=80999; detail=shared"},
		{lookup.ViaLocal, 24*time.Hour - time.Second, "public, max-age=1", "hardware; hit; ttl=1; detail=local"},
		{lookup.ViaLocal, 25 * time.Hour, "public, max-age=0", "hardware; hit; ttl=0; detail=local"},         // it expired on the way
		{lookup.ViaShared, -time.Minute, "public, max-age=86460", "hardware; hit; ttl=86460; detail=shared"}, // another replica's clock is ahead
	}
	for _, test := range tests {
		s := newCanned(t, test.age)
		s.via = test.via
		for _, path := range []string{rankingOf, priceOf + "q=abc"} {
			answer := s.get(path)
			want := map[string]string{
				"Cache-Control": test.control, "Age": "", "Cache-Status": test.cache, "Content-Type": "application/json",
			}
			for name, value := range want {
				if got := strings.Join(answer.Header()[name], "|"); got != value {
					t.Errorf("%s via %s: %s is %q, want %q", path, test.via, name, got, value)
				}
			}
			if etag := answer.Header().Get("ETag"); len(etag) < 15 || strings.HasPrefix(etag, "W/") {
				t.Errorf("%s via %s: ETag %q", path, test.via, etag)
			}
		}
	}
}

func TestWhatIsNotKeptSaysSo(t *testing.T) {
	for _, via := range []lookup.Via{lookup.ViaSource, lookup.ViaCollapsed, lookup.ViaLocal} {
		s := newCanned(t, 0)
		s.via = via
		s.get(rankingOf) // whose body is kept, and has the same date
		s.ranking.Value.Source, s.ranking.Shareable = rankings.LocalFallback, false
		s.price = price(prices.Finding{ProductURL: "https://www.ceneo.pl/;szukaj-abc"}, now)
		s.price.Value.Note, s.price.Shareable = "Nie znaleziono.", false
		for path, status := range map[string]string{
			rankingOf: "hardware; fwd=miss; detail=local-fallback", priceOf + "q=abc": "hardware; fwd=miss",
		} {
			answer := s.get(path)
			h := answer.Header()
			if answer.Code != 200 || h.Get("Cache-Control") != "no-store" || h.Get("Cache-Status") != status {
				t.Errorf("%s via %s: answer %d %v", path, via, answer.Code, h)
			}
			again := s.get(path, "If-None-Match", h.Get("ETag"))
			if again.Code != 304 || again.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s via %s: the same once more is %d %v", path, via, again.Code, again.Header())
			}
		}
		if b := read(t, s.get(rankingOf)); b.Source != "local-fallback" || b.Count != 2 {
			t.Errorf("fallback: %+v", b)
		}
		if b := read(t, s.get(priceOf+"q=abc")); b.Note == "" || b.ProductName != "" {
			t.Errorf("nothing matched: %+v", b)
		}
	}
}

func TestNotModified(t *testing.T) {
	s := newCanned(t, time.Hour)
	s.via = lookup.ViaLocal
	for _, path := range []string{rankingOf, priceOf + "q=RTX+4070"} {
		full := s.get(path).Header()
		etag := full.Get("ETag")
		current := [][]string{
			{etag}, {"W/" + etag}, {"*"}, {" * "}, {`"a", ` + etag}, {`W/"a",` + "\t" + "W/" + etag + `,"b"`}, {`"a"`, etag}, {`"a,` + "b\", " + etag},
		}
		for _, lines := range current {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				answer := s.do(method, path, ifNoneMatch(lines)...)
				if answer.Code != 304 || answer.Body.Len() > 0 {
					t.Errorf("%s %s with %q: %d %s", method, path, lines, answer.Code, answer.Body)
				}
				for _, name := range []string{"ETag", "Cache-Control", "Cache-Status"} {
					if got := answer.Header().Get(name); got != full.Get(name) {
						t.Errorf("%s is %q with 304, %q with 200", name, got, full.Get(name))
					}
				}
				for _, name := range []string{"Content-Type", "Content-Length"} {
					if got := answer.Header().Get(name); got != "" {
						t.Errorf("%s %q of a 304", name, got)
					}
				}
			}
		}
		changed := [][]string{
			{""}, {`""`}, {`"a"`}, {strings.Trim(etag, `"`)}, {strings.ToLower(etag)}, {etag[:len(etag)-1] + `x"`}, {"w/" + etag}, {`"a,*,b"`}, {`"*"`},
		}
		for _, lines := range changed {
			if answer := s.get(path, ifNoneMatch(lines)...); answer.Code != 200 || answer.Body.Len() == 0 {
				t.Errorf("%s with %q: %d", path, lines, answer.Code)
			}
		}
	}
}

func ifNoneMatch(lines []string) (headers []string) {
	for _, line := range lines {
		headers = append(headers, "If-None-Match", line)
	}
	return headers
}

// TestETagStandsForTheBody: same bytes, same tag; other bytes, another tag.
func TestETagStandsForTheBody(t *testing.T) {
	s := newCanned(t, 0)
	s.ranking = ranking(4, now)
	tags := map[string]string{} // tag → body
	paths := []string{
		"/api/benchmark/gpu", "/api/benchmark/gpu?limit=1", "/api/benchmark/gpu?limit=2", "/api/benchmark/gpu?limit=4", "/api/benchmark/gpu?limit=900",
		priceOf + "q=abc", priceOf + "q=+abc++", priceOf + "q=ABC", priceOf + "q=Abc", priceOf + "q=abcd", priceOf + "q=%22abc",
	}
	for _, path := range paths {
		requireOneBody(t, tags, s.get(path))
	}
	if len(tags) != 3+5 {
		t.Errorf("%d tags of 8 bodies", len(tags))
	}
	s.ranking, s.price = ranking(3, now.Add(time.Millisecond)), price(card(), now.Add(time.Millisecond))
	for _, path := range paths {
		requireOneBody(t, tags, s.get(path))
	}
	if len(tags) != 2*(3+5) {
		t.Errorf("%d tags of 16 bodies", len(tags))
	}
}

// TestBodiesOfCategories: a query has a body of its own in each category.
func TestBodiesOfCategories(t *testing.T) {
	s := newCanned(t, 0)
	first := read(t, s.get(priceOf+"q=abc&category=cpu"))
	other := card()
	other.ProductName = "ABC"
	s.price = price(other, now)
	if b := read(t, s.get(priceOf+"q=abc&category=gpu")); b.ProductName != "ABC" || first.ProductName == "ABC" {
		t.Errorf("first %+v, then %+v", first, b)
	}
}

func requireOneBody(t *testing.T, tags map[string]string, answer *httptest.ResponseRecorder) {
	t.Helper()
	tag, body := answer.Header().Get("ETag"), answer.Body.String()
	if before, ok := tags[tag]; ok && before != body {
		t.Errorf("%s stands for two bodies", tag)
	}
	tags[tag] = body
}
