package session_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/session"
)

func TestLogin(t *testing.T) {
	w := newWorld(t, false)
	w.requireUser(t, nil, 0)
	cookie := w.login(t, 7, nil)
	w.requireUser(t, cookie, 7)
	for hash, row := range w.repo.rows {
		if len(hash) != sha256.Size || *row.UserID != 7 || !row.CreatedAt.Equal(w.now) || !row.LastSeenAt.Equal(w.now) {
			t.Errorf("kept %x: %+v", hash, row)
		}
		if strings.Contains(cookie.Value, base64.RawURLEncoding.EncodeToString([]byte(hash))) {
			t.Error("the cookie holds what the repository holds")
		}
	}
	if len(w.repo.rows) != 1 {
		t.Errorf("%d sessions", len(w.repo.rows))
	}
}

func TestCookie(t *testing.T) {
	for secure, name := range map[bool]string{false: "session", true: "__Host-session"} {
		w := newWorld(t, secure)
		cookie := w.login(t, 7, nil)
		if cookie.Name != name || cookie.Secure != secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode ||
			cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 7*24*60*60 {
			t.Errorf("secure %t: cookie %s", secure, cookie)
		}
		recorder := httptest.NewRecorder()
		if err := w.End(recorder, request(cookie)); err != nil {
			t.Fatal(err)
		}
		gone := recorder.Result().Cookies()[0]
		if gone.Name != name || gone.Value != "" || gone.MaxAge >= 0 || gone.Secure != secure || gone.Path != "/" {
			t.Errorf("secure %t: cookie at logout %s", secure, gone)
		}
		w.requireUser(t, cookie, 0)
		if len(w.repo.rows) > 0 {
			t.Error("the session was kept after logout")
		}
	}
}

// TestFixation: a session that was there before a login, whoever planted it, ends
// with the login.
func TestFixation(t *testing.T) {
	w := newWorld(t, false)
	planted := w.login(t, 666, nil)
	r := request(planted)
	if err := w.Keep(httptest.NewRecorder(), r, &directory.Pending{State: "666"}); err != nil {
		t.Fatal(err)
	}
	cookie := w.login(t, 7, planted)
	if cookie.Value == planted.Value {
		t.Error("the id was kept")
	}
	w.requireUser(t, planted, 0)
	w.requireUser(t, cookie, 7)
	if p, err := w.Take(httptest.NewRecorder(), request(cookie)); p != nil || err != nil {
		t.Errorf("the session began with %v, %v", p, err)
	}
	again := w.login(t, 7, cookie)
	w.requireUser(t, cookie, 0)
	w.requireUser(t, again, 7)
}

// TestJunkNeverReachesTheRepository sends cookies that nobody signed.
func TestJunkNeverReachesTheRepository(t *testing.T) {
	w := newWorld(t, false)
	good := w.login(t, 7, nil)
	w.repo.calls = nil
	foreign := newWorld(t, false).with(t, false, "two")
	recorder := httptest.NewRecorder()
	if err := foreign.Begin(recorder, request(nil), 7); err != nil {
		t.Fatal(err)
	}
	values := []string{"", "x", strings.Repeat("A", 5000), good.Value[1:], good.Value + "A", recorder.Result().Cookies()[0].Value}
	for _, value := range values {
		w.requireUser(t, &http.Cookie{Name: "session", Value: value}, 0)
	}
	w.requireUser(t, &http.Cookie{Name: "__Host-session", Value: good.Value}, 0)
	if len(w.repo.calls) > 0 {
		t.Errorf("the repository was asked: %v", w.repo.calls)
	}
}

func TestKeyRotation(t *testing.T) {
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	w.Store = w.with(t, false, "two", "one")
	w.requireUser(t, cookie, 7)
	signed := w.login(t, 8, nil)
	w.Store = w.with(t, false, "two")
	w.requireUser(t, cookie, 0)
	w.requireUser(t, signed, 8)
}

func TestParseKeys(t *testing.T) {
	short := base64.StdEncoding.EncodeToString(make([]byte, 31))
	for _, list := range []string{"", "a", ":" + short, "a:" + short, "a:???", keyList("one") + ",", keyList("one") + ",b:" + short} {
		_, err := session.ParseKeys(list)
		if err == nil {
			t.Errorf("%q was taken", list)
		} else if strings.Contains(err.Error(), short) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	if _, err := session.ParseKeys(keyList("one", "two")); err != nil {
		t.Error(err)
	}
}

func TestExpiry(t *testing.T) {
	tests := map[string]struct {
		every, total time.Duration
		want         int64
	}{
		"just in use":      {12*time.Hour - time.Second, 12*time.Hour - time.Second, 7},
		"idle":             {12 * time.Hour, 12 * time.Hour, 0},
		"used for long":    {11 * time.Hour, 15 * 11 * time.Hour, 7},
		"just before week": {6 * time.Hour, 7*24*time.Hour - 6*time.Hour, 7},
		"a week old":       {6 * time.Hour, 7 * 24 * time.Hour, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, false)
			cookie := w.login(t, 7, nil)
			for end := w.now.Add(test.total); w.now.Add(test.every).Before(end); {
				w.now = w.now.Add(test.every)
				w.requireUser(t, cookie, 7)
			}
			w.now = w.now.Add(test.every)
			w.requireUser(t, cookie, test.want)
		})
	}
}

func TestLastUseIsWrittenOnceAMinute(t *testing.T) {
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	for range 180 {
		w.now = w.now.Add(time.Second)
		w.requireUser(t, cookie, 7)
	}
	if n := w.repo.asked("save"); n != 3 {
		t.Errorf("written %d times in 3 minutes", n)
	}
	r := request(cookie)
	w.repo.calls = nil
	for range 3 {
		if _, err := w.User(r); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.repo.asked("read"); n != 1 {
		t.Errorf("read %d times for one request", n)
	}
}

func TestSweep(t *testing.T) {
	w := newWorld(t, false)
	begin := w.now
	w.login(t, 1, nil)
	w.now = begin.Add(12 * time.Hour)
	cookie := w.login(t, 2, nil)
	w.now = begin.Add(12*time.Hour + time.Second)
	if n, err := w.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	w.requireUser(t, cookie, 2)
}

// TestRepositoryAway: a failure is not the same as nobody being logged in.
func TestRepositoryAway(t *testing.T) {
	w := newWorld(t, false)
	cookie, away := w.login(t, 7, nil), errors.New("away")
	w.repo.before = func(string) error { return away }
	recorder := httptest.NewRecorder()
	if _, err := w.User(request(cookie)); !errors.Is(err, away) {
		t.Errorf("User: %v", err)
	}
	if err := w.Begin(recorder, request(nil), 7); !errors.Is(err, away) {
		t.Errorf("Begin: %v", err)
	}
	if err := w.End(recorder, request(cookie)); !errors.Is(err, away) {
		t.Errorf("End: %v", err)
	}
	if err := w.Keep(recorder, request(cookie), &directory.Pending{}); !errors.Is(err, away) {
		t.Errorf("Keep: %v", err)
	}
	if _, err := w.Take(recorder, request(cookie)); !errors.Is(err, away) {
		t.Errorf("Take: %v", err)
	}
	if cookies := recorder.Result().Cookies(); len(cookies) > 0 {
		t.Errorf("cookies %v", cookies)
	}
}
