package account

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestKeyRotation(t *testing.T) {
	b := newBrowsers(t)
	old := b.login(t, userOne, nil)
	b.Sessions = b.open(t, false, "two", "one")
	b.requireUser(t, old, userOne)
	renewed := b.login(t, userTwo, nil)
	b.Sessions = b.open(t, false, "two") // without the old key
	b.requireUser(t, old, 0)
	b.requireUser(t, renewed, userTwo)
}

// TestParseKeys: a key has at least 32 bytes. An error says which key it is about, and does not show it.
func TestParseKeys(t *testing.T) {
	key := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", n))) }
	if _, err := ParseKeys(" one:" + key(32) + " ,\ttwo:" + key(33)); err != nil {
		t.Error(err)
	}
	for list, position := range map[string]string{
		"": "key 1:", "a": "key 1:", ":" + key(31): "key 1:", "a:???": "key 1:", "one:" + key(31): "key 1:",
		"one:" + key(32) + ",": "key 2:", "one:" + key(32) + ",two:" + key(31): "key 2:",
		"one:" + key(32) + "," + key(32): "key 2:",
	} {
		keys, err := ParseKeys(list)
		if err == nil || !strings.Contains(err.Error(), position) {
			t.Errorf("%q: error %v, want one about %q", list, err, position)
			continue
		}
		if keys.codecs != nil {
			t.Errorf("%q: returns keys with its error", list)
		}
		if strings.Contains(err.Error(), key(31)) {
			t.Errorf("the error shows the key: %v", err)
		}
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
	requireCookie(t, cookie, http.Cookie{
		Name: "__Host-outcome", Path: "/", MaxAge: 10 * 60, Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
	response := httptest.NewRecorder()
	if got := b.TakeOutcome(response, request(cookie)); got != "page_chosen" {
		t.Errorf("took %q, want page_chosen", got)
	}
	requireRemoved(t, response, cookie)
}

// requireCookie compares the attributes of a cookie. Expires is for browsers without Max-Age.
func requireCookie(t *testing.T, got *http.Cookie, want http.Cookie) {
	t.Helper()
	ignored := cmpopts.IgnoreFields(http.Cookie{}, "Value", "Expires", "RawExpires", "Raw")
	requireEqual(t, "cookie", want, *got, ignored)
}

// requireRemoved checks that a response removes the cookie from the browser.
func requireRemoved(t *testing.T, response *httptest.ResponseRecorder, cookie *http.Cookie) {
	t.Helper()
	removal := response.Result().Cookies()[0]
	if removal.Value != "" {
		t.Errorf("the cookie still has the value %q", removal.Value)
	}
	want := *cookie
	want.MaxAge = -1
	requireCookie(t, removal, want)
}

// TestOutcomeIsSigned: neither a made-up text nor another cookie of ours is one.
func TestOutcomeIsSigned(t *testing.T) {
	b := newBrowsers(t)
	session := b.login(t, userOne, nil)
	for name, cookie := range map[string]*http.Cookie{
		"not signed":                 {Name: "outcome", Value: "page_chosen"},
		"the signed id of a session": {Name: "outcome", Value: session.Value},
		"a session and no outcome":   session,
	} {
		response := httptest.NewRecorder()
		if got := b.TakeOutcome(response, request(cookie)); got != "" {
			t.Errorf("%s: took %q, want nothing", name, got)
		}
		if cookies := response.Result().Cookies(); len(cookies) > 0 {
			t.Errorf("%s: the response sets %v", name, cookies)
		}
	}
	b.requireUser(t, &http.Cookie{Name: "session", Value: b.outcome(t, "x").Value}, 0)
}

// TestCookiesHaveNoAgeOfTheirOwn: the stored session alone decides when it ends.
func TestCookiesHaveNoAgeOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys, err := ParseKeys(keyList("one"))
		ok(t, err)
		s := NewSessions(nil, keys, false, nil)
		response := httptest.NewRecorder()
		ok(t, s.SetOutcome(response, "saved"))
		time.Sleep(400 * 24 * time.Hour)
		if got := s.TakeOutcome(httptest.NewRecorder(), request(response.Result().Cookies()[0])); got != "saved" {
			t.Errorf("took %q after 400 days, want saved", got)
		}
	})
}

// TestCookiesOfASession: with https, the prefix of its name binds a cookie to the host.
func TestCookiesOfASession(t *testing.T) {
	for secure, name := range map[bool]string{false: "session", true: "__Host-session"} {
		b := newBrowsers(t)
		b.Sessions = b.open(t, secure, "one")
		cookie := b.login(t, userOne, nil)
		requireCookie(t, cookie, http.Cookie{
			Name: name, Path: "/", MaxAge: 7 * 24 * 60 * 60, Secure: secure, HttpOnly: true,
			SameSite: http.SameSiteLaxMode,
		})
		b.requireUser(t, cookie, userOne)
		if b.Current(request(cookie)) == "" {
			t.Errorf("%s: the session is not the current one", name)
		}
		response := httptest.NewRecorder()
		ok(t, b.End(response, request(cookie)))
		requireRemoved(t, response, cookie)
	}
}

// FuzzCookie: a cookie that the service did not sign has no user, and the database is not even read.
// The cookie is value or, unless changed is negative, value after a good cookie whose byte at that
// place is changed by the bits of change.
func FuzzCookie(fz *testing.F) {
	fz.Add("", -1, byte(0))
	fz.Add("MTc2MzcyNjQwMHw0fHx8fA==", -1, byte(0))
	fz.Add(strings.Repeat("A", 8000), -1, byte(0))
	fz.Add("", 3, byte(1))
	fz.Add("AA==", 90, byte(0x20))
	fz.Add("x; session=y", -1, byte(0))
	fz.Fuzz(func(t *testing.T, value string, changed int, change byte) {
		b := newBrowsers(t)
		signed := b.login(t, userOne, nil)
		stranger := b.login(t, userTwo, nil)
		if changed >= 0 {
			bytes := []byte(signed.Value)
			bytes[changed%len(bytes)] ^= change
			value = string(bytes) + value
		}
		b.statements = nil
		user, err := b.User(request(&http.Cookie{Name: signed.Name, Value: value}))
		ok(t, err)
		if user == nil && len(b.statements) > 0 {
			t.Errorf("%q: the database was read: %q", value, b.statements)
		}
		if user != nil && user.ID == userTwo && value != stranger.Value {
			t.Errorf("%q is taken for the cookie of another user", value)
		}
	})
}
