package connection

import (
	"encoding/base64"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/incident"
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

// TestMarksThatAreUndone checks that a mark is undone on the connection that has it, and
// leaves the marks for other reasons.
func TestMarksThatAreUndone(t *testing.T) {
	const pages, photos = provider.SocialPages, provider.SocialPhotos
	for name, tt := range map[string]struct {
		c       Connection
		mark    incident.Mark
		changed bool
		want    Connection
	}{
		"reason": {
			Connection{Active: true, ReconnectReason: "A", Denied: []provider.Service{pages}},
			incident.Mark{Kind: incident.Token, Detail: "A"},
			true, Connection{Active: true, Denied: []provider.Service{pages}},
		},
		"another reason": {
			Connection{Active: true, ReconnectReason: "B"}, incident.Mark{Kind: incident.Renewal, Detail: "A"},
			false, Connection{Active: true, ReconnectReason: "B"},
		},
		"no reason": {Connection{Active: true}, incident.Mark{Kind: incident.Token}, false, Connection{Active: true}},
		"permission": {
			Connection{Active: true, ReconnectReason: "social_photos", Denied: []provider.Service{pages, photos}},
			incident.Mark{Kind: incident.Permission, Detail: "social_photos"},
			true, Connection{Active: true, ReconnectReason: "social_photos", Denied: []provider.Service{pages}},
		},
		"permission of another service": {
			Connection{Active: true, ReconnectReason: "social_photos", Denied: []provider.Service{pages}},
			incident.Mark{Kind: incident.Permission, Detail: "social_photos"},
			false, Connection{Active: true, ReconnectReason: "social_photos", Denied: []provider.Service{pages}},
		},
		"ended": {
			Connection{ReconnectReason: "A"}, incident.Mark{Kind: incident.Token, Detail: "A"},
			false, Connection{ReconnectReason: "A"},
		},
	} {
		c := tt.c
		if changed := c.unmark(tt.mark); changed != tt.changed || !reflect.DeepEqual(c, tt.want) {
			t.Errorf("%s: changed %t, %+v, want %+v", name, changed, c, tt.want)
		}
	}
}

// TestWhatIsForgotten checks that nothing is left of the person who granted a connection, and
// that the company keeps its location.
func TestWhatIsForgotten(t *testing.T) {
	end := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for name, tt := range map[string]struct{ chosen, left Connection }{
		"an account": {Connection{AccountID: "accounts/9", AccountName: "Ewa"}, Connection{}},
		"a page":     {Connection{Chosen: ChosenPage, AccountID: "104118", AccountName: "Strona Ewy"}, Connection{}},
		"a location": {
			Connection{Chosen: ChosenLocation, AccountID: "locations/1", AccountName: "Piekarnia",
				AccountAddress: "Długa 5", PlaceID: "place-1"},
			Connection{Chosen: ChosenLocation, AccountID: "locations/1", AccountName: "Piekarnia",
				AccountAddress: "Długa 5", PlaceID: "place-1"},
		},
	} {
		c, want := tt.chosen, tt.left
		c.ID = 1
		c.CompanyID = 7
		c.UserID = 42
		c.ProviderUserID = "p-1"
		c.OwnerName = "Ewa"
		c.Active = true
		c.AccessToken = "access"
		c.RefreshToken = "refresh"
		c.UserAccessToken = "user"
		c.ReconnectReason = "A"
		c.LostChoice = "Cukiernia"
		c.ExpiresAt = &end
		c.UserExpiresAt = &end
		c.DataAccessExpiresAt = &end
		c.Denied = []provider.Service{provider.SocialPages}
		want.ID = 1
		want.CompanyID = 7
		want.ReconnectReason = "Dostęp cofnięto."
		if c.Forget("Dostęp cofnięto."); !reflect.DeepEqual(c, want) {
			t.Errorf("%s: left %+v, want %+v", name, c, want)
		}
	}
}
