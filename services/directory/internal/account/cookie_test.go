package account

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestIDsAreRandom(t *testing.T) {
	b := newBrowsers(t)
	seen := map[string]bool{}
	for range 20 {
		s, err := b.Get(request(b.login(t, userOne, nil)), "session")
		if err != nil {
			t.Fatal(err)
		}
		if random, err := base64.RawURLEncoding.DecodeString(s.ID); err != nil || len(random) != 32 || seen[s.ID] {
			t.Errorf("id %q of %d bytes, %v", s.ID, len(random), err)
		}
		seen[s.ID] = true
	}
}

func TestKeyRotation(t *testing.T) {
	b := newBrowsers(t)
	old := b.login(t, userOne, nil)
	b.Sessions = b.open(t, false, "two", "one")
	b.requireUser(t, old, userOne)
	renewed := b.login(t, userTwo, nil)
	b.Sessions = b.open(t, false, "two")
	b.requireUser(t, old, 0)
	b.requireUser(t, renewed, userTwo)
}

func TestParseKeys(t *testing.T) {
	short := base64.StdEncoding.EncodeToString(make([]byte, 31))
	for _, list := range []string{"", "a", ":" + short, "a:" + short, "a:???", keyList("one") + ",", keyList("one") + ",b:" + short} {
		_, err := ParseKeys(list)
		if err == nil {
			t.Errorf("%q was accepted", list)
		} else if strings.Contains(err.Error(), short) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	if _, err := ParseKeys(keyList("one", "two")); err != nil {
		t.Error(err)
	}
}

// outcome returns the cookie of an outcome.
func (b *browsers) outcome(t *testing.T, outcome string) *http.Cookie {
	t.Helper()
	response := httptest.NewRecorder()
	if err := b.SetOutcome(response, outcome); err != nil {
		t.Fatal(err)
	}
	return response.Result().Cookies()[0]
}

func TestOutcomeIsTakenOnce(t *testing.T) {
	b := newBrowsers(t)
	b.Sessions = b.open(t, true, "one")
	cookie := b.outcome(t, "page_chosen")
	if cookie.Name != "__Host-outcome" || !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 600 {
		t.Errorf("cookie %s", cookie)
	}
	response := httptest.NewRecorder()
	if got := b.TakeOutcome(response, request(cookie)); got != "page_chosen" {
		t.Errorf("took %q", got)
	}
	if taken := response.Result().Cookies()[0]; taken.Name != cookie.Name || taken.Value != "" || taken.MaxAge >= 0 {
		t.Errorf("the browser keeps %s", taken)
	}
}

// TestOutcomeIsSigned: neither a made-up text nor another cookie of ours is one.
func TestOutcomeIsSigned(t *testing.T) {
	b := newBrowsers(t)
	session := b.login(t, userOne, nil)
	for name, cookie := range map[string]*http.Cookie{
		"plain": {Name: "outcome", Value: "page_chosen"}, "of a session": {Name: "outcome", Value: session.Value}, "none": session,
	} {
		response := httptest.NewRecorder()
		if got := b.TakeOutcome(response, request(cookie)); got != "" || len(response.Result().Cookies()) > 0 {
			t.Errorf("%s: took %q", name, got)
		}
	}
	b.requireUser(t, &http.Cookie{Name: "session", Value: b.outcome(t, "x").Value}, 0)
}

func TestLongOutcome(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.outcome(t, strings.Repeat("x", 8000))
	if got := b.TakeOutcome(httptest.NewRecorder(), request(cookie)); len(got) != 200 {
		t.Errorf("%d bytes", len(got))
	}
}
