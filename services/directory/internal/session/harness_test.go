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

// fakeRepository keeps sessions in memory and notes the calls. fail, unless nil, may
// refuse a call.
type fakeRepository struct {
	mu    sync.Mutex
	rows  map[string]directory.Session
	calls []string
	fail  func(call string) error
}

// call locks the repository for one call.
func (f *fakeRepository) call(name string) (unlock func(), err error) {
	f.mu.Lock()
	f.calls = append(f.calls, name)
	if f.fail != nil {
		err = f.fail(name)
	}
	return f.mu.Unlock, err
}

func (f *fakeRepository) CreateSession(_ context.Context, s directory.Session) error {
	unlock, err := f.call("create")
	defer unlock()
	if err == nil {
		f.rows[string(s.IDHash)] = s
	}
	return err
}

func (f *fakeRepository) Session(_ context.Context, idHash []byte) (directory.Session, error) {
	unlock, err := f.call("read")
	defer unlock()
	s, ok := f.rows[string(idHash)]
	switch {
	case err != nil:
		return directory.Session{}, err
	case !ok:
		return s, fault.New(fault.NotFound, "no_session", "Brak sesji.")
	case s.UserID != nil:
		s.User = &directory.User{ID: *s.UserID}
	}
	return s, nil
}

func (f *fakeRepository) SaveSession(_ context.Context, s directory.Session) (directory.Session, error) {
	unlock, err := f.call("save")
	defer unlock()
	stored, ok := f.rows[string(s.IDHash)]
	switch {
	case err != nil:
		return directory.Session{}, err
	case !ok:
		return s, fault.New(fault.NotFound, "no_session", "Brak sesji.")
	case stored.Version != s.Version:
		return s, errConflict
	}
	s.Version++
	f.rows[string(s.IDHash)] = s
	return s, nil
}

func (f *fakeRepository) DeleteSession(_ context.Context, idHash []byte) error {
	unlock, err := f.call("delete")
	defer unlock()
	if err == nil {
		delete(f.rows, string(idHash))
	}
	return err
}

func (f *fakeRepository) DeleteSessionsBefore(_ context.Context, created, lastSeen time.Time) (n int64, err error) {
	for id, s := range f.rows {
		if s.CreatedAt.Before(created) || s.LastSeenAt.Before(lastSeen) {
			delete(f.rows, id)
			n++
		}
	}
	return n, nil
}

var errConflict = fault.New(fault.Unavailable, "session_conflict", "Konflikt.")

// conflictOnSave is a fail that lets another request win every time.
func conflictOnSave(call string) error {
	if call == "save" {
		return errConflict
	}
	return nil
}

// count counts the calls of one name.
func (f *fakeRepository) count(name string) (n int) {
	for _, call := range f.calls {
		if call == name {
			n++
		}
	}
	return n
}

// fixture is a store whose clock the test moves.
type fixture struct {
	*session.Store
	repository *fakeRepository
	now        time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		repository: &fakeRepository{rows: map[string]directory.Session{}},
		now:        time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC),
	}
	f.Store = f.open(t, false, "one")
	return f
}

// open makes another store on the same repository.
func (f *fixture) open(t *testing.T, secure bool, keyNames ...string) *session.Store {
	t.Helper()
	keys, err := session.ParseKeys(keyList(keyNames...))
	if err != nil {
		t.Fatal(err)
	}
	return session.New(f.repository, keys, secure, func() time.Time { return f.now })
}

// keyList is a setting with a key for each name.
func keyList(names ...string) string {
	var entries []string
	for _, name := range names {
		entries = append(entries, name+":"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat(name, 32))))
	}
	return strings.Join(entries, ", ")
}

// login begins a session in a browser that sends cookie, unless it is nil, and
// returns the new one.
func (f *fixture) login(t *testing.T, userID int64, cookie *http.Cookie) *http.Cookie {
	t.Helper()
	response := httptest.NewRecorder()
	if err := f.Begin(response, request(cookie), userID); err != nil {
		t.Fatal(err)
	}
	cookies := response.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	return cookies[0]
}

// keep keeps an authorization with that state in the session.
func (f *fixture) keep(t *testing.T, cookie *http.Cookie, state string) {
	t.Helper()
	if err := f.Keep(httptest.NewRecorder(), request(cookie), pending(state)); err != nil {
		t.Fatal(err)
	}
}

// requireTake takes the authorization and requires its state, "" for none.
func (f *fixture) requireTake(t *testing.T, r *http.Request, want string) {
	t.Helper()
	p, err := f.Take(httptest.NewRecorder(), r)
	if err != nil || p == nil && want != "" || p != nil && *p != *pending(want) {
		t.Errorf("took %+v, %v; want the state %q", p, err, want)
	}
}

func pending(state string) *directory.Pending {
	return &directory.Pending{
		State: state, Verifier: "v-" + state, Provider: directory.ProviderSearch,
		CreatedAt: time.Date(2026, time.November, 21, 12, 0, 0, 123456000, time.UTC),
	}
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

// requireUser requires that user at a browser with the cookie, 0 for nobody.
func (f *fixture) requireUser(t *testing.T, cookie *http.Cookie, want int64) {
	t.Helper()
	user, err := f.User(request(cookie))
	if err != nil || idOf(user) != want {
		t.Errorf("user %+v, %v; want %d", user, err, want)
	}
}
