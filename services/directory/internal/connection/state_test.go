package connection

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
)

func TestUnreadablePending(t *testing.T) {
	if pending, err := ParsePending(`{"verifier":"secret"`); pending != nil || err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("%+v, %v", pending, err)
	}
}

func TestFurtherServicesOfAConsent(t *testing.T) {
	granted := Granted{Pair: provider.ProfilePair, More: []provider.Service{provider.SearchAnalytics}}
	if got, want := granted.more(), "&oauth_success=provider_search/search_analytics"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	refused := Granted{Pair: provider.PagesPair, Refused: []provider.Service{provider.SocialPhotos}}
	if got, want := refused.more(), "&oauth_refused=provider_social/social_photos"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzState(f *testing.F) {
	for _, seed := range []string{"7:42:search_profile:r", "-1:+2:x:", "7:42::r", ":::", "9223372036854775808:1:s:r",
		"1:2:\xff:\x00:::", "007:1:s:r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, state string) {
		parts, ok := parseState(state)
		if !ok {
			if parts != (stateParts{}) {
				t.Errorf("%q: %+v with a refusal", state, parts)
			}
			return
		}
		if parts.service == "" || strings.Contains(string(parts.service), ":") || strings.Count(state, ":") < 3 {
			t.Errorf("%q: %+v", state, parts)
		}
		again := newState(parts.companyID, parts.userID, parts.service)
		if back, ok := parseState(again); !ok || back != parts {
			t.Errorf("%q: %+v becomes %q, and that %+v", state, parts, again, back)
		}
	})
}

func FuzzPending(f *testing.F) {
	for _, seed := range []struct {
		held, sent, at, from string
		age                  int64
	}{
		{"7:42:s:r", "7:42:s:r", "provider_search", "provider_search", 600e9},
		{"7:42:s:r", "7:42:s:r", "provider_search", "provider_search", 600e9 + 1},
		{"", "", "p", "p", 0}, {"a", "A", "p", "p", 0}, {"a", "a", "p", "P", 0}, {"a", "a\x00", "", "", -1 << 63},
	} {
		f.Add(seed.held, seed.sent, seed.at, seed.from, seed.age)
	}
	made := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, held, sent, at, from string, age int64) {
		p := &Pending{State: held, Provider: provider.Name(at), CreatedAt: made}
		want := held != "" && held == sent && at == from && time.Duration(age).Abs() <= 10*time.Minute
		if got := p.meets(provider.Name(from), sent, made.Add(time.Duration(age))); got != want {
			t.Errorf("%q at %q after %d ns meets %q from %q: %t", held, at, age, sent, from, got)
		}
		if (*Pending)(nil).meets(provider.Name(from), sent, made) {
			t.Error("no authorization is met")
		}
	})
}
