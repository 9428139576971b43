package account

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

// browsers is a Sessions whose clock the test moves, with two users.
type browsers struct {
	*Sessions
	db         *database.DB
	now        time.Time
	statements []string // that were executed since the last reset
}

const (
	userOne int64 = iota + 1
	userTwo
)

func newBrowsers(t *testing.T) *browsers {
	t.Helper()
	b := &browsers{
		db:  databasetest.Open(t, databasetest.NewSQLite(t)),
		now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC),
	}
	b.db.Now = func() time.Time { return b.now }
	for _, email := range []string{"one@example.test", "two@example.test"} {
		addMember(t, b.db, email)
	}
	ok(t, databasetest.Observe(b.db, func(statement string) { b.statements = append(b.statements, statement) }))
	b.Sessions = b.open(t, false, "one")
	return b
}

// open returns other Sessions in the same database.
func (b *browsers) open(t *testing.T, secure bool, keyNames ...string) *Sessions {
	t.Helper()
	keys, err := ParseKeys(keyList(keyNames...))
	ok(t, err)
	return NewSessions(b.db, keys, secure, nil)
}

// keyList returns a setting with a key for each name.
func keyList(names ...string) string {
	var entries []string
	for _, name := range names {
		entries = append(entries, name+":"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat(name, 32))))
	}
	return strings.Join(entries, ", ")
}

// rows returns all stored sessions.
func (b *browsers) rows(t *testing.T) (rows []Session) {
	t.Helper()
	ok(t, b.db.Read(t.Context()).Find(&rows).Error)
	return rows
}

// login begins a session of the user in a browser that sends cookie, which may be nil, and returns the
// cookie of the new session.
func (b *browsers) login(t *testing.T, userID int64, cookie *http.Cookie) *http.Cookie {
	t.Helper()
	response := httptest.NewRecorder()
	ok(t, b.Begin(response, request(cookie), userID))
	cookies := response.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("a login sets the cookies %v, want one", cookies)
	}
	return cookies[0]
}

// state begins an authorization in the session.
func (b *browsers) state(t *testing.T, cookie *http.Cookie, state string) {
	t.Helper()
	ok(t, b.PutState(request(cookie), state))
}

// requireState takes the authorization and requires it, "" for none.
func (b *browsers) requireState(t *testing.T, cookie *http.Cookie, want string) {
	t.Helper()
	if got, err := b.TakeState(request(cookie)); err != nil || got != want {
		t.Errorf("took the authorization %q, error %v; want %q", got, err, want)
	}
}

func request(cookie *http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	return r
}

// requireUser requires that user at a browser with the cookie, 0 for none.
func (b *browsers) requireUser(t *testing.T, cookie *http.Cookie, want int64) {
	t.Helper()
	user, err := b.User(request(cookie))
	if user == nil {
		user = &User{}
	}
	if err != nil || user.ID != want {
		t.Errorf("user %d, error %v; want user %d", user.ID, err, want)
	}
}

func TestLastUseIsWrittenOnceAMinute(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	for range 180 {
		b.now = b.now.Add(time.Second)
		b.requireUser(t, cookie, userOne)
	}
	updates := 0
	for _, statement := range b.statements {
		if strings.HasPrefix(statement, "UPDATE") {
			updates++
		}
	}
	if updates != 3 {
		t.Errorf("written %d times in 3 minutes, want 3", updates)
	}
}

func TestASessionIsReadOnceForARequest(t *testing.T) {
	b := newBrowsers(t)
	r := request(b.login(t, userOne, nil))
	b.statements = nil
	for range 3 {
		_, err := b.User(r)
		ok(t, err)
	}
	if n := len(b.statements); n != 1 {
		t.Errorf("%d statements for one request, want 1: %q", n, b.statements)
	}
}

// TestLifeOfASession: it ends 12 hours after its last use, and 7 days after the login, to the instant.
func TestLifeOfASession(t *testing.T) {
	for name, test := range map[string]struct {
		every time.Duration // between uses
		total time.Duration // from the login to the last try
		lives bool
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
			_, err := b.use(t.Context(), b.rows(t)[0].IDHash)
			if !test.lives {
				wantCode(t, err, CodeNoSession)
				b.requireUser(t, cookie, 0)
				return
			}
			ok(t, err)
			b.requireUser(t, cookie, userOne)
		})
	}
}

// TestStateOfASession: an authorization is replaced by a later one, taken once, and survives a login.
func TestStateOfASession(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	b.state(t, cookie, "a")
	b.state(t, cookie, "b")
	b.requireState(t, cookie, "b")
	b.requireState(t, cookie, "")
	b.state(t, cookie, "c")
	renewed := b.login(t, userTwo, cookie)
	b.requireState(t, cookie, "")
	b.requireState(t, renewed, "c")
}

// TestALoginEndsThePreviousSession of the browser, and begins another one.
func TestALoginEndsThePreviousSession(t *testing.T) {
	b := newBrowsers(t)
	old := b.login(t, userOne, nil)
	b.now = b.now.Add(time.Minute)
	b.login(t, userTwo, old)
	b.requireUser(t, old, 0)
	rows := b.rows(t)
	if len(rows) != 1 {
		t.Fatalf("%d sessions are stored, want 1: %+v", len(rows), rows)
	}
	if user := *rows[0].UserID; user != userTwo {
		t.Errorf("the session is that of user %d, want %d", user, userTwo)
	}
	for name, at := range map[string]time.Time{"created": rows[0].CreatedAt, "last seen": rows[0].LastSeenAt} {
		if !at.Equal(b.now) {
			t.Errorf("%s at %s, want %s", name, at, b.now)
		}
	}
}

// TestLogout deletes the session. Without a session it succeeds, too, and there is no authorization.
func TestLogout(t *testing.T) {
	b := newBrowsers(t)
	ended := b.login(t, userOne, nil)
	ok(t, b.End(httptest.NewRecorder(), request(ended)))
	b.requireUser(t, ended, 0)
	if rows := b.rows(t); len(rows) != 0 {
		t.Errorf("left %+v", rows)
	}
	ok(t, b.End(httptest.NewRecorder(), request(nil)))
	for _, cookie := range []*http.Cookie{nil, ended} {
		wantCode(t, b.PutState(request(cookie), "d"), CodeNoSession)
		b.requireState(t, cookie, "")
	}
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
	const network = "192.0.2.1" // of the requests of httptest
	began := b.now.Add(-time.Minute)
	want := []ListedSession{ // the last used first
		{ID: b.Current(request(newer)), CreatedAt: b.now, LastSeenAt: b.now, Network: network},
		{ID: b.Current(request(old)), CreatedAt: began, LastSeenAt: began, Network: network, Current: true},
	}
	requireEqual(t, "list", want, listed)
	if id := want[0].ID; len(id) != 12 {
		t.Errorf("the id %q has %d characters, want 12", id, len(id))
	}
	if current := b.Current(request(nil)); current != "" {
		t.Errorf("the current session of a request without one is %q", current)
	}
	if list := Listed(nil, ""); list == nil {
		t.Error("the list of no sessions is null in JSON")
	}
}
