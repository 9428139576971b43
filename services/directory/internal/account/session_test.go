package account

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

func TestLastUseIsWrittenOnceAMinute(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	for range 180 {
		b.now = b.now.Add(time.Second)
		b.requireUser(t, cookie, userOne)
	}
	if n := b.count("UPDATE"); n != 3 {
		t.Errorf("written %d times in 3 minutes", n)
	}
	r := request(cookie)
	b.statements = nil
	for range 3 {
		if _, err := b.User(r); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.statements); n != 1 {
		t.Errorf("read %d times for one request", n)
	}
}

// TestValueSurvivesOtherRequests: another request that stores the last use between
// reading and saving loses no value.
func TestValueSurvivesOtherRequests(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	readThenDisturb := func() *http.Request {
		r := request(cookie)
		if _, err := b.User(r); err != nil {
			t.Fatal(err)
		}
		b.now = b.now.Add(2 * time.Minute)
		b.requireUser(t, cookie, userOne)
		return r
	}
	if err := b.Put(httptest.NewRecorder(), readThenDisturb(), "value", "a"); err != nil {
		t.Fatal(err)
	}
	b.requireTake(t, readThenDisturb(), "a")
}

func TestValueWithoutASession(t *testing.T) {
	b := newBrowsers(t)
	response := httptest.NewRecorder()
	if err := b.Put(response, request(nil), "value", "a"); !fault.Is(err, "no_session") {
		t.Errorf("Put: %v", err)
	}
	b.requireTake(t, request(nil), "")
	if len(b.statements) > 0 || len(response.Result().Cookies()) > 0 {
		t.Errorf("statements %q, cookies %v", b.statements, response.Result().Cookies())
	}
}

// TestValueAfterLogout: a logout elsewhere, between reading and saving.
func TestValueAfterLogout(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	b.put(t, cookie, "a")
	keeping, taking := request(cookie), request(cookie)
	for _, r := range []*http.Request{keeping, taking} {
		if _, err := b.User(r); err != nil {
			t.Fatal(err)
		}
	}
	ok(t, b.db.Write(t.Context()).Where("true").Delete(&Session{}).Error)
	if err := b.Put(httptest.NewRecorder(), keeping, "value", "b"); !fault.Is(err, "no_session") {
		t.Errorf("Put: %v", err)
	}
	b.requireTake(t, taking, "")
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
	for _, list := range []string{"", "a", ":" + short, "a:" + short, "a:???", keyList("one") + ",", keyList("one") +
		",b:" + short} {
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
	if cookie.Name != "__Host-outcome" || !cookie.Secure {
		t.Fatalf("cookie %s", cookie)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
		t.Fatalf("cookie %s", cookie)
	}
	if cookie.MaxAge != 600 {
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
		"plain": {Name: "outcome", Value: "page_chosen"}, "of a session": {Name: "outcome", Value: session.Value},
		"none": session,
	} {
		response := httptest.NewRecorder()
		if got := b.TakeOutcome(response, request(cookie)); got != "" || len(response.Result().Cookies()) > 0 {
			t.Errorf("%s: took %q", name, got)
		}
	}
	b.requireUser(t, &http.Cookie{Name: "session", Value: b.outcome(t, "x").Value}, 0)
}
