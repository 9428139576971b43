package connection

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
)

func TestStateFormat(t *testing.T) {
	form := regexp.MustCompile(`^7:42:search_profile:[A-Za-z0-9_-]{22}$`)
	seen := map[string]bool{}
	for range 100 {
		state := newState(7, 42, provider.SearchProfile)
		random, err := base64.RawURLEncoding.DecodeString(state[strings.LastIndex(state, ":")+1:])
		if !form.MatchString(state) || err != nil {
			t.Fatalf("state = %q, seen before is %t", state, seen[state])
		}
		if len(random) != 16 || seen[state] {
			t.Fatalf("state = %q, seen before is %t", state, seen[state])
		}
		seen[state] = true
		if parts, ok := parseState(state); !ok || parts != (stateParts{7, 42, provider.SearchProfile}) {
			t.Fatalf("parseState(%q) = %+v, %t", state, parts, ok)
		}
	}
}

func TestParseState(t *testing.T) {
	want := stateParts{companyID: 7, userID: 42, service: provider.SocialPages}
	for _, state := range []string{"7:42:social_pages:r", "7:42:social_pages:r:with:colons"} {
		if parts, ok := parseState(state); !ok || parts != want {
			t.Errorf("parseState(%q) = %+v, %t", state, parts, ok)
		}
	}
	for _, state := range []string{
		"", "x", ":::", "7", "7:42", "7:42:social_pages", "7:42::r", ":42:social_pages:r", "7::social_pages:r",
		"a:42:social_pages:r", "7:b:social_pages:r", "7.0:42:social_pages:r", " 7:42:social_pages:r",
		"99999999999999999999:42:social_pages:r", "\x00:\xff:social_pages:r",
	} {
		if parts, ok := parseState(state); ok || parts != (stateParts{}) {
			t.Errorf("parseState(%q) = %+v, %t, want none", state, parts, ok)
		}
	}
}

func TestPendingMeetsItsCallbackAlone(t *testing.T) {
	made := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	pending := &Pending{State: "7:42:social_pages:r", Provider: provider.Social, CreatedAt: made}
	for name, tt := range map[string]struct {
		pending  *Pending
		provider provider.Name
		state    string
		after    time.Duration
		want     bool
	}{
		"at once":             {pending, provider.Social, "7:42:social_pages:r", 0, true},
		"at the last moment":  {pending, provider.Social, "7:42:social_pages:r", 10 * time.Minute, true},
		"a moment too late":   {pending, provider.Social, "7:42:social_pages:r", 10*time.Minute + 1, false},
		"the clock went back": {pending, provider.Social, "7:42:social_pages:r", -10*time.Minute - 1, false},
		"another state":       {pending, provider.Social, "7:42:social_pages:s", 0, false},
		"a part of the state": {pending, provider.Social, "7:42:social_pages:", 0, false},
		"another provider":    {pending, provider.Search, "7:42:social_pages:r", 0, false},
		"nothing kept":        {nil, provider.Social, "7:42:social_pages:r", 0, false},
		"empty on both sides": {&Pending{Provider: provider.Social, CreatedAt: made}, provider.Social, "", 0, false},
	} {
		if got := tt.pending.meets(tt.provider, tt.state, made.Add(tt.after)); got != tt.want {
			t.Errorf("%s: meets = %t, want %t", name, got, tt.want)
		}
	}
}

// TestUnreadablePending checks that the error shows nothing of what a session kept.
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
