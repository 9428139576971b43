package account

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/sessions"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/fault"
)

func TestBegin(t *testing.T) {
	b := newBrowsers(t)
	b.requireUser(t, nil, 0)
	cookie := b.login(t, userOne, nil)
	b.requireUser(t, cookie, userOne)
	rows := b.rows(t)
	if len(rows) != 1 || *rows[0].UserID != userOne || !rows[0].CreatedAt.Equal(b.now) || !rows[0].LastSeenAt.Equal(b.now) {
		t.Errorf("stored %+v", rows)
	}
	if hash := rows[0].IDHash; len(hash) != sha256.Size || strings.Contains(cookie.Value, base64.RawURLEncoding.EncodeToString(hash)) {
		t.Errorf("the cookie contains the stored %x", hash)
	}
}

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

func TestSweep(t *testing.T) {
	const week = 7 * 24 * time.Hour
	tests := []struct {
		name      string
		age, idle time.Duration
		want      int64 // sessions swept
	}{
		{"new", 0, 0, 0},
		{"old and in use", 13 * time.Hour, time.Minute, 0},
		{"not used for 12 hours", 12 * time.Hour, 12 * time.Hour, 0},
		{"not used for longer", 12*time.Hour + time.Microsecond, 12*time.Hour + time.Microsecond, 1},
		{"a week old", week, 0, 0},
		{"older than a week", week + time.Microsecond, 0, 1},
	}
	for _, test := range tests {
		b := newBrowsers(t)
		b.login(t, userOne, nil)
		ok(t, b.db.Write(t.Context()).Model(&Session{}).Where("true").
			Updates(map[string]any{"created_at": database.Instant(b.now.Add(-test.age)), "last_seen_at": database.Instant(b.now.Add(-test.idle))}).Error)
		if n, err := b.Sweep(t.Context()); n != test.want || err != nil {
			t.Errorf("%s: swept %d, %v; want %d", test.name, n, err, test.want)
		}
	}
}

// TestValueIsTakenByOne lets many requests read the session before the first of
// them takes the value.
func TestValueIsTakenByOne(t *testing.T) {
	const callers = 8
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	b.put(t, cookie, "a")
	var took atomic.Int64
	var read, done sync.WaitGroup
	read.Add(callers)
	for range callers {
		done.Go(func() {
			r := request(cookie)
			_, readErr := b.User(r)
			read.Done()
			read.Wait()
			p, takeErr := b.Take(httptest.NewRecorder(), r, "value")
			if readErr != nil || takeErr != nil {
				t.Error(readErr, takeErr)
			}
			if p != "" {
				took.Add(1)
			}
		})
	}
	done.Wait()
	if took.Load() != 1 {
		t.Errorf("taken %d times", took.Load())
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

// TestGorillaStore uses the store as any other of gorilla/sessions.
func TestGorillaStore(t *testing.T) {
	var store sessions.Store = newBrowsers(t).Sessions
	response := httptest.NewRecorder()
	s, err := store.Get(request(nil), "other")
	if err != nil || !s.IsNew {
		t.Fatalf("new %t, %v", s.IsNew, err)
	}
	s.Values["color"] = "zielony"
	if err := s.Save(request(nil), response); err != nil {
		t.Fatal(err)
	}
	cookie := response.Result().Cookies()[0]
	s, err = store.Get(request(cookie), "other")
	if err != nil || s.IsNew || s.Values["color"] != "zielony" {
		t.Errorf("%+v, %v", s, err)
	}
	cookie.Name = "session"
	if s, _ := store.Get(request(cookie), "session"); !s.IsNew {
		t.Error("a cookie of one session is good for another")
	}
	for key, value := range map[any]any{"color": 1, 1: "zielony", "user": int64(3), "list": []string{"a"}} {
		s, _ := store.Get(request(nil), "other")
		s.Values[key] = value
		if err := s.Save(request(nil), httptest.NewRecorder()); err == nil {
			t.Errorf("%v: %v was stored", key, value)
		}
	}
}
