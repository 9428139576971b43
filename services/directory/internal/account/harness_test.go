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
	"backend.example/services/directory/internal/trail"
)

// browsers is a Sessions whose clock the test moves, with two users.
type browsers struct {
	*Sessions
	db         *database.DB
	now        time.Time
	statements []string // that were executed
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
		ok(t, NewUsers(b.db).Add(t.Context(), &User{Email: email, Role: Member}, trail.Entry{}))
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

// count counts the executed statements that begin with text.
func (b *browsers) count(text string) (n int) {
	for _, statement := range b.statements {
		if strings.HasPrefix(statement, text) {
			n++
		}
	}
	return n
}

// rows returns all stored sessions.
func (b *browsers) rows(t *testing.T) (rows []Session) {
	t.Helper()
	ok(t, b.db.Read(t.Context()).Find(&rows).Error)
	return rows
}

// login begins a session in a browser that sends cookie, unless it is nil, and returns
// the new one.
func (b *browsers) login(t *testing.T, userID int64, cookie *http.Cookie) *http.Cookie {
	t.Helper()
	response := httptest.NewRecorder()
	ok(t, b.Begin(response, request(cookie), userID))
	cookies := response.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	return cookies[0]
}

// put stores a value in the session.
func (b *browsers) put(t *testing.T, cookie *http.Cookie, value string) {
	t.Helper()
	ok(t, b.Put(httptest.NewRecorder(), request(cookie), "value", value))
}

// requireTake takes the value and requires it, "" for none.
func (b *browsers) requireTake(t *testing.T, r *http.Request, want string) {
	t.Helper()
	if got, err := b.Take(httptest.NewRecorder(), r, "value"); err != nil || got != want {
		t.Errorf("took %q, %v; want %q", got, err, want)
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
		t.Errorf("user %d, %v; want %d", user.ID, err, want)
	}
}
