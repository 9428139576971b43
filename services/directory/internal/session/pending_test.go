package session_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/sessions"

	"backend.example/services/internal/kit/fault"
)

func TestPendingIsTakenOnce(t *testing.T) {
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	f.keep(t, cookie, "a")
	f.keep(t, cookie, "b") // replaces the first
	f.requireTake(t, request(cookie), "b")
	f.requireTake(t, request(cookie), "")
	f.requireUser(t, cookie, 7)
}

// TestPendingIsTakenByOne lets many requests read the session before the first of
// them takes the authorization.
func TestPendingIsTakenByOne(t *testing.T) {
	const callers = 8
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	f.keep(t, cookie, "a")
	var took atomic.Int64
	var read, done sync.WaitGroup
	read.Add(callers)
	for range callers {
		done.Go(func() {
			r := request(cookie)
			_, readErr := f.User(r)
			read.Done()
			read.Wait()
			p, takeErr := f.Take(httptest.NewRecorder(), r)
			if readErr != nil || takeErr != nil {
				t.Error(readErr, takeErr)
			}
			if p != nil {
				took.Add(1)
			}
		})
	}
	done.Wait()
	if took.Load() != 1 {
		t.Errorf("taken %d times", took.Load())
	}
}

// TestPendingSurvivesOtherRequests: another request that notes the last use between
// reading and saving loses no authorization.
func TestPendingSurvivesOtherRequests(t *testing.T) {
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	readThenDisturb := func() *http.Request {
		r := request(cookie)
		if _, err := f.User(r); err != nil {
			t.Fatal(err)
		}
		f.now = f.now.Add(2 * time.Minute)
		f.requireUser(t, cookie, 7)
		return r
	}
	if err := f.Keep(httptest.NewRecorder(), readThenDisturb(), pending("a")); err != nil {
		t.Fatal(err)
	}
	f.requireTake(t, readThenDisturb(), "a")
}

func TestPendingWithEndlessConflict(t *testing.T) {
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	f.keep(t, cookie, "a")
	f.repository.fail = conflictOnSave
	if err := f.Keep(httptest.NewRecorder(), request(cookie), pending("b")); !fault.Is(err, "session_conflict") {
		t.Errorf("Keep: %v", err)
	}
	f.requireTake(t, request(cookie), "")
}

func TestPendingWithoutASession(t *testing.T) {
	f := newFixture(t)
	response := httptest.NewRecorder()
	if err := f.Keep(response, request(nil), pending("a")); !fault.Is(err, "no_session") {
		t.Errorf("Keep: %v", err)
	}
	f.requireTake(t, request(nil), "")
	if len(f.repository.calls) > 0 || len(response.Result().Cookies()) > 0 {
		t.Errorf("asked %v, cookies %v", f.repository.calls, response.Result().Cookies())
	}
}

// TestPendingAfterLogout: a logout elsewhere, between reading and saving.
func TestPendingAfterLogout(t *testing.T) {
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	f.keep(t, cookie, "a")
	keeping, taking := request(cookie), request(cookie)
	for _, r := range []*http.Request{keeping, taking} {
		if _, err := f.User(r); err != nil {
			t.Fatal(err)
		}
	}
	clear(f.repository.rows)
	if err := f.Keep(httptest.NewRecorder(), keeping, pending("b")); !fault.Is(err, "no_session") {
		t.Errorf("Keep: %v", err)
	}
	f.requireTake(t, taking, "")
}

// TestGorillaStore uses the store as any other of gorilla/sessions.
func TestGorillaStore(t *testing.T) {
	var store sessions.Store = newFixture(t).Store
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
			t.Errorf("%v: %v was kept", key, value)
		}
	}
}
