package session_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/services/directory/internal/session"
)

func TestCookie(t *testing.T) {
	tests := []struct {
		name       string
		secure     bool
		cookieName string
	}{
		{"http", false, "session"},
		{"https", true, "__Host-session"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.Store = f.open(t, test.secure, "one")
			cookie := f.login(t, 7, nil)
			if cookie.Name != test.cookieName || cookie.Secure != test.secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode ||
				cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 7*24*60*60 {
				t.Errorf("cookie %s", cookie)
			}
			response := httptest.NewRecorder()
			if err := f.End(response, request(cookie)); err != nil {
				t.Fatal(err)
			}
			ended := response.Result().Cookies()[0]
			if ended.Name != test.cookieName || ended.Value != "" || ended.MaxAge >= 0 || ended.Secure != test.secure || ended.Path != "/" {
				t.Errorf("cookie at logout %s", ended)
			}
			f.requireUser(t, cookie, 0)
			if len(f.repository.rows) > 0 {
				t.Error("the session was kept after logout")
			}
		})
	}
}

func TestIDsAreRandom(t *testing.T) {
	f := newFixture(t)
	seen := map[string]bool{}
	for range 20 {
		s, err := f.Get(request(f.login(t, 7, nil)), "session")
		if err != nil {
			t.Fatal(err)
		}
		if random, err := base64.RawURLEncoding.DecodeString(s.ID); err != nil || len(random) != 32 || seen[s.ID] {
			t.Errorf("id %q of %d bytes, %v", s.ID, len(random), err)
		}
		seen[s.ID] = true
	}
}

// TestUnsignedCookies: what nobody signed never reaches the repository.
func TestUnsignedCookies(t *testing.T) {
	f := newFixture(t)
	good := f.login(t, 7, nil)
	other := newFixture(t)
	other.Store = other.open(t, false, "two")
	foreign := other.login(t, 7, nil)
	f.repository.calls = nil
	for _, value := range []string{"", "x", strings.Repeat("A", 5000), good.Value[1:], good.Value + "A", foreign.Value} {
		f.requireUser(t, &http.Cookie{Name: "session", Value: value}, 0)
	}
	f.requireUser(t, &http.Cookie{Name: "__Host-session", Value: good.Value}, 0)
	if len(f.repository.calls) > 0 {
		t.Errorf("the repository was asked: %v", f.repository.calls)
	}
}

func TestKeyRotation(t *testing.T) {
	f := newFixture(t)
	old := f.login(t, 7, nil)
	f.Store = f.open(t, false, "two", "one")
	f.requireUser(t, old, 7)
	renewed := f.login(t, 8, nil)
	f.Store = f.open(t, false, "two")
	f.requireUser(t, old, 0)
	f.requireUser(t, renewed, 8)
}

func TestParseKeys(t *testing.T) {
	short := base64.StdEncoding.EncodeToString(make([]byte, 31))
	for _, list := range []string{"", "a", ":" + short, "a:" + short, "a:???", keyList("one") + ",", keyList("one") + ",b:" + short} {
		_, err := session.ParseKeys(list)
		if err == nil {
			t.Errorf("%q was accepted", list)
		} else if strings.Contains(err.Error(), short) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	if _, err := session.ParseKeys(keyList("one", "two")); err != nil {
		t.Error(err)
	}
}
