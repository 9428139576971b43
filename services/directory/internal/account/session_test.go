package account

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

// TestClockGoesBack: a session that was last used in what is now the future lives,
// and its idle time counts from its next use.
func TestClockGoesBack(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	b.now = b.now.Add(-13 * time.Hour)
	b.requireUser(t, cookie, userOne)
	b.now = b.now.Add(12*time.Hour - 1)
	b.requireUser(t, cookie, userOne)
	b.now = b.now.Add(12 * time.Hour)
	b.requireUser(t, cookie, 0)
}

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

func TestConflictOnTheLastUse(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	b.now = b.now.Add(time.Hour)
	b.conflict(t)
	b.requireUser(t, cookie, userOne)
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

func TestValueWithEndlessConflict(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	b.put(t, cookie, "a")
	b.conflict(t)
	if err := b.Put(httptest.NewRecorder(), request(cookie), "value", "b"); !fault.Is(err, "session_conflict") {
		t.Errorf("Put: %v", err)
	}
	b.requireTake(t, request(cookie), "")
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
	if _, err := b.DeleteBefore(t.Context(), b.now.Add(time.Second), b.now.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(httptest.NewRecorder(), keeping, "value", "b"); !fault.Is(err, "no_session") {
		t.Errorf("Put: %v", err)
	}
	b.requireTake(t, taking, "")
}
