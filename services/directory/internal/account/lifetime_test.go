package account

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

// TestLifeOfASession ends at the limits, not after them.
func TestLifeOfASession(t *testing.T) {
	for name, test := range map[string]struct {
		every, total time.Duration
		lives        bool
	}{
		"almost idle too long": {12*time.Hour - 1, 12*time.Hour - 1, true},
		"idle too long":        {12 * time.Hour, 12 * time.Hour, false},
		"almost too old":       {11 * time.Hour, 7*24*time.Hour - 1, true},
		"too old":              {11 * time.Hour, 7 * 24 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowsers(t)
			cookie, end := b.login(t, userOne, nil), b.now.Add(test.total)
			for b.now.Add(test.every).Before(end) {
				b.now = b.now.Add(test.every)
				b.requireUser(t, cookie, userOne)
			}
			b.now = end
			b.requireUser(t, cookie, map[bool]int64{true: userOne}[test.lives])
			_, err := b.use(t.Context(), b.rows(t)[0].IDHash)
			if (err == nil) != test.lives || err != nil && !fault.Is(err, CodeNoSession) {
				t.Errorf("used with %v", err)
			}
		})
	}
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
			t.Errorf("took %q", got)
		}
	})
}

// TestValuesOfASession: a login begins without those of the session before, and a value can
// be replaced.
func TestValuesOfASession(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	b.put(t, cookie, "a")
	b.put(t, cookie, "b")
	b.requireTake(t, request(cookie), "b")
	b.requireTake(t, request(cookie), "")
	b.put(t, cookie, "c")
	renewed := b.login(t, userTwo, cookie)
	b.requireTake(t, request(renewed), "")
	b.requireTake(t, request(cookie), "")
	rows := b.rows(t)
	if len(rows) != 1 || *rows[0].UserID != userTwo {
		t.Fatalf("stored %+v", rows)
	}
	if !rows[0].CreatedAt.Equal(b.now) || !rows[0].LastSeenAt.Equal(b.now) {
		t.Errorf("stored %+v", rows)
	}
	response := httptest.NewRecorder()
	ok(t, b.End(response, request(renewed)))
	gone := response.Result().Cookies()
	if len(gone) != 1 || gone[0].Name != "session" {
		t.Fatalf("cookies %v", gone)
	}
	if gone[0].Value != "" || gone[0].MaxAge >= 0 {
		t.Fatalf("cookies %v", gone)
	}
	if gone[0].Path != "/" {
		t.Errorf("cookies %v", gone)
	}
	b.requireUser(t, renewed, 0)
	if rows := b.rows(t); len(rows) != 0 {
		t.Errorf("left %+v", rows)
	}
	ok(t, b.End(httptest.NewRecorder(), request(nil)))
}

// TestCurrentIsTheListedSession of the browser that sends the request.
func TestCurrentIsTheListedSession(t *testing.T) {
	b := newBrowsers(t)
	old := b.login(t, userOne, nil)
	b.now = b.now.Add(time.Minute)
	newer := b.login(t, userOne, nil)
	b.login(t, userTwo, nil)
	sessions, err := b.Of(t.Context(), userOne)
	ok(t, err)
	listed := Listed(sessions, b.Current(request(old)))
	if len(listed) != 2 || listed[0].Current {
		t.Fatalf("%+v", listed)
	}
	if !listed[1].Current || listed[0].ID != b.Current(request(newer)) {
		t.Fatalf("%+v", listed)
	}
	if len(listed[0].ID) != 12 || !listed[0].LastSeenAt.Equal(b.now) {
		t.Fatalf("%+v", listed)
	}
	if !listed[1].CreatedAt.Equal(b.now.Add(-time.Minute)) {
		t.Errorf("%+v", listed)
	}
	if current := b.Current(request(nil)); current != "" {
		t.Errorf("without a session: %q", current)
	}
	if list := Listed(nil, ""); list == nil {
		t.Error("the list of no sessions is null in JSON")
	}
}

// TestKeysOfCookies: the least length, and which key an error is about.
func TestKeysOfCookies(t *testing.T) {
	key := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", n))) }
	if _, err := ParseKeys(" one:" + key(32) + " ,\ttwo:" + key(33)); err != nil {
		t.Error(err)
	}
	for list, position := range map[string]string{"one:" + key(31): "key 1:", "one:" + key(32) + ",two:" +
		key(31): "key 2:", "one:" + key(32) + "," + key(32): "key 2:"} {
		if keys, err := ParseKeys(list); err == nil || !strings.Contains(err.Error(), position) || keys.codecs != nil {
			t.Errorf("%s: %v", position, err)
		}
	}
}

// TestCookiesOfASession: by https, its name binds it to the host.
func TestCookiesOfASession(t *testing.T) {
	for secure, name := range map[bool]string{false: "session", true: "__Host-session"} {
		b := newBrowsers(t)
		b.Sessions = b.open(t, secure, "one")
		cookie := b.login(t, userOne, nil)
		if cookie.Name != name || cookie.Secure != secure {
			t.Fatalf("cookie %s", cookie)
		}
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
			t.Fatalf("cookie %s", cookie)
		}
		if cookie.Path != "/" || cookie.Domain != "" {
			t.Fatalf("cookie %s", cookie)
		}
		if cookie.MaxAge != 7*24*60*60 {
			t.Errorf("cookie %s", cookie)
		}
		b.requireUser(t, cookie, userOne)
		if b.Current(request(cookie)) == "" {
			t.Error("the session is not the current one")
		}
		response := httptest.NewRecorder()
		ok(t, b.End(response, request(cookie)))
		gone := response.Result().Cookies()[0]
		if gone.Name != name || gone.Value != "" {
			t.Fatalf("the browser keeps %s", gone)
		}
		if gone.MaxAge >= 0 || gone.Secure != secure {
			t.Fatalf("the browser keeps %s", gone)
		}
		if gone.Path != "/" {
			t.Errorf("the browser keeps %s", gone)
		}
	}
}
