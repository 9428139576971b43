package session_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/sessions"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

func pending(state string) *directory.Pending {
	return &directory.Pending{
		State: state, Verifier: "v-" + state, Provider: directory.ProviderSearch,
		CreatedAt: time.Date(2026, time.November, 21, 12, 0, 0, 123456000, time.UTC),
	}
}

func TestAuthorizationIsTakenOnce(t *testing.T) {
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	for _, state := range []string{"a", "b"} { // the second replaces the first
		if err := w.Keep(httptest.NewRecorder(), request(cookie), pending(state)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.Take(httptest.NewRecorder(), request(cookie))
	if err != nil || p == nil || *p != *pending("b") {
		t.Fatalf("took %+v, %v", p, err)
	}
	if p, err := w.Take(httptest.NewRecorder(), request(cookie)); p != nil || err != nil {
		t.Errorf("took it again: %+v, %v", p, err)
	}
	w.requireUser(t, cookie, 7)
}

// TestAuthorizationIsTakenByOne lets many requests read the session before the
// first of them takes the authorization.
func TestAuthorizationIsTakenByOne(t *testing.T) {
	const callers = 8
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	if err := w.Keep(httptest.NewRecorder(), request(cookie), pending("a")); err != nil {
		t.Fatal(err)
	}
	var took atomic.Int64
	var read, done sync.WaitGroup
	read.Add(callers)
	for range callers {
		done.Go(func() {
			r := request(cookie)
			_, err := w.User(r)
			read.Done()
			read.Wait()
			p, err2 := w.Take(httptest.NewRecorder(), r)
			if err != nil || err2 != nil {
				t.Error(err, err2)
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

// TestOtherRequestsDoNotDisturb: noting the last use, which another request does
// between reading and saving, loses no authorization.
func TestOtherRequestsDoNotDisturb(t *testing.T) {
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	keeping, taking := request(cookie), request(cookie)
	disturb := func(r func() error) {
		t.Helper()
		w.now = w.now.Add(2 * time.Minute)
		w.requireUser(t, cookie, 7)
		if err := r(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.User(keeping); err != nil {
		t.Fatal(err)
	}
	disturb(func() error { return w.Keep(httptest.NewRecorder(), keeping, pending("a")) })
	if _, err := w.User(taking); err != nil {
		t.Fatal(err)
	}
	var p *directory.Pending
	disturb(func() (err error) { p, err = w.Take(httptest.NewRecorder(), taking); return err })
	if p == nil || p.State != "a" {
		t.Errorf("took %+v", p)
	}
}

func TestConflictOnTheLastUse(t *testing.T) {
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	w.now = w.now.Add(time.Hour)
	w.repo.before = func(call string) error {
		if call == "save" {
			return fault.New(fault.Unavailable, "session_conflict", "Konflikt.")
		}
		return nil
	}
	w.requireUser(t, cookie, 7)
}

func TestEndlessConflict(t *testing.T) {
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	if err := w.Keep(httptest.NewRecorder(), request(cookie), pending("a")); err != nil {
		t.Fatal(err)
	}
	w.repo.before = func(call string) error {
		if call == "save" {
			return fault.New(fault.Unavailable, "session_conflict", "Konflikt.")
		}
		return nil
	}
	if err := w.Keep(httptest.NewRecorder(), request(cookie), pending("b")); !fault.Is(err, "session_conflict") {
		t.Errorf("Keep: %v", err)
	}
	if p, err := w.Take(httptest.NewRecorder(), request(cookie)); p != nil || err != nil {
		t.Errorf("took %+v, %v", p, err)
	}
}

func TestWithoutASession(t *testing.T) {
	w := newWorld(t, false)
	recorder := httptest.NewRecorder()
	if err := w.Keep(recorder, request(nil), pending("a")); !fault.Is(err, "no_session") {
		t.Errorf("Keep: %v", err)
	}
	if p, err := w.Take(recorder, request(nil)); p != nil || err != nil {
		t.Errorf("took %+v, %v", p, err)
	}
	if len(w.repo.calls) > 0 || len(recorder.Result().Cookies()) > 0 {
		t.Errorf("asked %v, cookies %v", w.repo.calls, recorder.Result().Cookies())
	}
}

// TestEndedMeanwhile: a logout elsewhere, between reading and saving.
func TestEndedMeanwhile(t *testing.T) {
	w := newWorld(t, false)
	cookie := w.login(t, 7, nil)
	if err := w.Keep(httptest.NewRecorder(), request(cookie), pending("a")); err != nil {
		t.Fatal(err)
	}
	keeping, taking := request(cookie), request(cookie)
	for _, r := range []*http.Request{keeping, taking} {
		if _, err := w.User(r); err != nil {
			t.Fatal(err)
		}
	}
	clear(w.repo.rows)
	if err := w.Keep(httptest.NewRecorder(), keeping, pending("b")); !fault.Is(err, "no_session") {
		t.Errorf("Keep: %v", err)
	}
	if p, err := w.Take(httptest.NewRecorder(), taking); p != nil || err != nil {
		t.Errorf("took %+v, %v", p, err)
	}
}

// TestStoreOfGorilla uses the store as any other of gorilla/sessions.
func TestStoreOfGorilla(t *testing.T) {
	w := newWorld(t, false)
	var store sessions.Store = w.Store
	r, recorder := request(nil), httptest.NewRecorder()
	s, err := store.Get(r, "other")
	if err != nil || !s.IsNew {
		t.Fatalf("new %t, %v", s.IsNew, err)
	}
	s.Values["color"] = "zielony"
	if err := s.Save(r, recorder); err != nil {
		t.Fatal(err)
	}
	cookie := recorder.Result().Cookies()[0]
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
		if err := s.Save(r, httptest.NewRecorder()); err == nil {
			t.Errorf("%v: %v was kept", key, value)
		}
	}
}
