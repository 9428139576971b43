package session_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/session"
	"backend.example/services/internal/kit/fault"
)

// memory is a repository in memory. before runs ahead of every call and may fail it.
type memory struct {
	mu     sync.Mutex
	rows   map[string]directory.Session
	calls  []string
	before func(call string) error
}

func (m *memory) enter(call string) error {
	m.mu.Lock()
	m.calls = append(m.calls, call)
	before := m.before
	m.mu.Unlock()
	if before != nil {
		return before(call)
	}
	return nil
}

func (m *memory) CreateSession(_ context.Context, s directory.Session) error {
	if err := m.enter("create"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows[string(s.IDHash)] = s
	return nil
}

func (m *memory) Session(_ context.Context, idHash []byte) (directory.Session, error) {
	if err := m.enter("read"); err != nil {
		return directory.Session{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.rows[string(idHash)]
	if !ok {
		return s, fault.New(fault.NotFound, "no_session", "Brak sesji.")
	}
	if s.UserID != nil {
		s.User = &directory.User{ID: *s.UserID}
	}
	return s, nil
}

func (m *memory) SaveSession(_ context.Context, s directory.Session) (directory.Session, error) {
	if err := m.enter("save"); err != nil {
		return directory.Session{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch now, ok := m.rows[string(s.IDHash)]; {
	case !ok:
		return s, fault.New(fault.NotFound, "no_session", "Brak sesji.")
	case now.Version != s.Version:
		return s, fault.New(fault.Unavailable, "session_conflict", "Konflikt.")
	}
	s.Version++
	m.rows[string(s.IDHash)] = s
	return s, nil
}

func (m *memory) DeleteSession(_ context.Context, idHash []byte) error {
	if err := m.enter("delete"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.rows, string(idHash))
	return nil
}

func (m *memory) DeleteSessionsBefore(_ context.Context, created, lastSeen time.Time) (n int64, err error) {
	for id, s := range m.rows {
		if s.CreatedAt.Before(created) || s.LastSeenAt.Before(lastSeen) {
			delete(m.rows, id)
			n++
		}
	}
	return n, nil
}

// asked counts the calls of one kind.
func (m *memory) asked(call string) (n int) {
	for _, c := range m.calls {
		if c == call {
			n++
		}
	}
	return n
}

// world is a store with a clock that the test moves.
type world struct {
	*session.Store
	repo *memory
	now  time.Time
}

func newWorld(t *testing.T, secure bool) *world {
	t.Helper()
	w := &world{repo: &memory{rows: map[string]directory.Session{}}, now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	w.Store = w.with(t, secure, "one")
	return w
}

// with is another store on the same repository, with the named keys.
func (w *world) with(t *testing.T, secure bool, names ...string) *session.Store {
	t.Helper()
	keys, err := session.ParseKeys(keyList(names...))
	if err != nil {
		t.Fatal(err)
	}
	return session.New(w.repo, keys, secure, func() time.Time { return w.now })
}

// keyList is a setting with a key for each name.
func keyList(names ...string) string {
	var entries []string
	for _, name := range names {
		entries = append(entries, name+":"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat(name, 32))))
	}
	return strings.Join(entries, ", ")
}

// login begins a session from a browser with that cookie, nil for none.
func (w *world) login(t *testing.T, userID int64, cookie *http.Cookie) *http.Cookie {
	t.Helper()
	recorder := httptest.NewRecorder()
	if err := w.Begin(recorder, request(cookie), userID); err != nil {
		t.Fatal(err)
	}
	cookies := recorder.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	return cookies[0]
}

func request(cookie *http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	return r
}

// idOf is 0 for nobody.
func idOf(user *directory.User) int64 {
	if user == nil {
		return 0
	}
	return user.ID
}

// requireUser wants that user at a browser with the cookie, 0 for nobody.
func (w *world) requireUser(t *testing.T, cookie *http.Cookie, want int64) {
	t.Helper()
	user, err := w.User(request(cookie))
	if err != nil || idOf(user) != want {
		t.Errorf("user %+v, %v; want %d", user, err, want)
	}
}
