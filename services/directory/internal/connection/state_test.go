package connection

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
)

func TestUnreadablePendingKeepsItsVerifierOutOfTheError(t *testing.T) {
	pending, err := ParsePending(`{"verifier":"secret"`)
	if err == nil {
		t.Fatalf("a text that is no JSON was parsed as %+v", pending)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error %q holds the verifier", err)
	}
}

func TestFurtherServicesOfAConsent(t *testing.T) {
	granted := Granted{Pair: provider.ProfilePair, More: []provider.Service{provider.SearchAnalytics}}
	if got, want := granted.more(), "&oauth_success=provider_search/search_analytics"; got != want {
		t.Errorf("connected besides: query %q, want %q", got, want)
	}
	refused := Granted{Pair: provider.PagesPair, Refused: []provider.Service{provider.SocialPhotos}}
	if got, want := refused.more(), "&oauth_refused=provider_social/social_photos"; got != want {
		t.Errorf("refused: query %q, want %q", got, want)
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
				t.Errorf("parseState(%q) refuses it, but returns %+v", state, parts)
			}
			return
		}
		if parts.service == "" || strings.Contains(string(parts.service), ":") || strings.Count(state, ":") < 3 {
			t.Errorf("parseState(%q) = %+v, want four parts and a service without a colon", state, parts)
		}
		again := newState(parts.companyID, parts.userID, parts.service)
		if back, ok := parseState(again); !ok || back != parts {
			t.Errorf("newState(%+v) = %q, which parseState reads as %+v, %t", parts, again, back, ok)
		}
	})
}

func FuzzPending(f *testing.F) {
	for _, seed := range []struct {
		keptState, sentState, keptProvider, sentProvider string
		age                                              int64 // nanoseconds
	}{
		{"7:42:s:r", "7:42:s:r", "provider_search", "provider_search", 600e9},
		{"7:42:s:r", "7:42:s:r", "provider_search", "provider_search", 600e9 + 1},
		{"", "", "p", "p", 0}, {"a", "A", "p", "p", 0}, {"a", "a", "p", "P", 0}, {"a", "a\x00", "", "", -1 << 63},
	} {
		f.Add(seed.keptState, seed.sentState, seed.keptProvider, seed.sentProvider, seed.age)
	}
	made := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, keptState, sentState, keptProvider, sentProvider string, age int64) {
		p := &Pending{State: keptState, Provider: provider.Name(keptProvider), CreatedAt: made}
		sameState := keptState != "" && keptState == sentState
		inTime := time.Duration(age).Abs() <= 10*time.Minute
		want := sameState && keptProvider == sentProvider && inTime
		got := p.meets(provider.Name(sentProvider), sentState, made.Add(time.Duration(age)))
		if got != want {
			t.Errorf("%+v meets %q from %q after %d ns = %t, want %t", p, sentState, sentProvider, age, got, want)
		}
		if (*Pending)(nil).meets(provider.Name(sentProvider), sentState, made) {
			t.Errorf("without an authorization, %q from %q is met", sentState, sentProvider)
		}
	})
}
