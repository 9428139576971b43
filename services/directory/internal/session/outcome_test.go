package session_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// tell returns the cookie of an outcome.
func (f *fixture) tell(t *testing.T, outcome string) *http.Cookie {
	t.Helper()
	response := httptest.NewRecorder()
	if err := f.Tell(response, outcome); err != nil {
		t.Fatal(err)
	}
	return response.Result().Cookies()[0]
}

func TestOutcomeIsToldOnce(t *testing.T) {
	f := newFixture(t)
	f.Store = f.open(t, true, "one")
	cookie := f.tell(t, "page_chosen")
	if cookie.Name != "__Host-outcome" || !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 600 {
		t.Errorf("cookie %s", cookie)
	}
	response := httptest.NewRecorder()
	if got := f.Told(response, request(cookie)); got != "page_chosen" {
		t.Errorf("told %q", got)
	}
	if taken := response.Result().Cookies()[0]; taken.Name != cookie.Name || taken.Value != "" || taken.MaxAge >= 0 {
		t.Errorf("the browser keeps %s", taken)
	}
}

// TestOutcomeIsSigned: neither a text of somebody else nor another cookie of ours is one.
func TestOutcomeIsSigned(t *testing.T) {
	f := newFixture(t)
	session := f.login(t, 7, nil)
	for name, cookie := range map[string]*http.Cookie{
		"plain": {Name: "outcome", Value: "page_chosen"}, "of a session": {Name: "outcome", Value: session.Value}, "none": session,
	} {
		response := httptest.NewRecorder()
		if got := f.Told(response, request(cookie)); got != "" || len(response.Result().Cookies()) > 0 {
			t.Errorf("%s: told %q", name, got)
		}
	}
	f.requireUser(t, &http.Cookie{Name: "session", Value: f.tell(t, "x").Value}, 0)
}

func TestLongOutcome(t *testing.T) {
	f := newFixture(t)
	cookie := f.tell(t, strings.Repeat("x", 8000))
	if got := f.Told(httptest.NewRecorder(), request(cookie)); len(got) != 200 {
		t.Errorf("%d bytes", len(got))
	}
}
