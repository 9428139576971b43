package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// strongTag is a strong ETag (RFC 9110, section 8.8.3) of a digest.
var strongTag = regexp.MustCompile(`^"[\w-]{15,}"$`)

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
		s := newService(t, test.age)
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
			if etag := answer.Header().Get("ETag"); !strongTag.MatchString(etag) {
				t.Errorf("%s via %s: ETag %q", path, test.via, etag)
			}
		}
	}
}

func TestWhatIsNotKeptSaysSo(t *testing.T) {
	for _, via := range []lookup.Via{lookup.ViaSource, lookup.ViaCollapsed, lookup.ViaLocal} {
		s := newService(t, 0)
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
	s := newService(t, time.Hour)
	s.via = lookup.ViaLocal
	for _, path := range []string{rankingOf, priceOf + "q=RTX+4070"} {
		full := s.get(path).Header()
		want := map[string]string{
			"ETag": full.Get("ETag"), "Cache-Control": full.Get("Cache-Control"), "Cache-Status": full.Get("Cache-Status"),
			"Content-Type": "", "Content-Length": "",
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			answer := s.do(method, path, "If-None-Match", `"a"`, "If-None-Match", "W/"+full.Get("ETag"))
			if answer.Code != 304 || answer.Body.Len() > 0 {
				t.Errorf("%s %s: %d %s", method, path, answer.Code, answer.Body)
			}
			for name, value := range want {
				if got := answer.Header().Get(name); got != value {
					t.Errorf("%s is %q with 304, want %q", name, got, value)
				}
			}
		}
		if answer := s.get(path, "If-None-Match", `"a"`); answer.Code != 200 || answer.Body.Len() == 0 {
			t.Errorf("%s with another tag: %d", path, answer.Code)
		}
	}
}

// TestETagStandsForTheBody: same bytes, same tag; other bytes, another tag. The bodies of an
// older answer, and those of a query in another category, are not served.
func TestETagStandsForTheBody(t *testing.T) {
	s := newService(t, time.Hour)
	tags := map[string]string{} // tag → body
	for round := 1; round <= 2; round++ {
		for _, path := range []string{
			"/api/benchmark/gpu", "/api/benchmark/gpu?limit=1", "/api/benchmark/gpu?limit=2", "/api/benchmark/gpu?limit=3", "/api/benchmark/gpu?limit=900",
			priceOf + "q=abc", priceOf + "q=+abc++", priceOf + "q=ABC", priceOf + "q=abcd", priceOf + "q=%22abc",
		} {
			for range 2 {
				answer := s.get(path)
				tag, body := answer.Header().Get("ETag"), answer.Body.String()
				if before, ok := tags[tag]; ok && before != body {
					t.Errorf("%s stands for two bodies", tag)
				}
				tags[tag] = body
			}
		}
		if len(tags) != round*(3+4) {
			t.Errorf("%d tags in round %d, want %d", len(tags), round, round*(3+4))
		}
		s.ranking, s.price = ranking(4, now), price(card(), now)
		s.ranking.Value.Rows = s.ranking.Value.Rows[1:]
	}
	other := card()
	other.ProductName = "ABC"
	s.price.Value.Finding = other
	if b := read(t, s.get(priceOf+"q=abc&category=gpu")); b.ProductName != "ABC" {
		t.Errorf("in a category: %+v", b)
	}
}
