package account

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
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

// state begins an authorization in the session.
func (b *browsers) state(t *testing.T, cookie *http.Cookie, state string) {
	t.Helper()
	ok(t, b.PutState(request(cookie), state))
}

// requireState takes the authorization and requires it, "" for none.
func (b *browsers) requireState(t *testing.T, cookie *http.Cookie, want string) {
	t.Helper()
	if got, err := b.TakeState(request(cookie)); err != nil || got != want {
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

func TestLastUseIsWrittenOnceAMinute(t *testing.T) {
	b := newBrowsers(t)
	cookie := b.login(t, userOne, nil)
	for range 180 {
		b.now = b.now.Add(time.Second)
		b.requireUser(t, cookie, userOne)
	}
	if n := strings.Count("\n"+strings.Join(b.statements, "\n"), "\nUPDATE"); n != 3 {
		t.Errorf("written %d times in 3 minutes", n)
	}
	r := request(cookie)
	b.statements = nil
	for range 3 {
		_, err := b.User(r)
		ok(t, err)
	}
	if n := len(b.statements); n != 1 {
		t.Errorf("read %d times for one request", n)
	}
}

func TestKeyRotation(t *testing.T) {
	b := newBrowsers(t)
	old := b.login(t, userOne, nil)
	b.Sessions = b.open(t, false, "two", "one")
	b.requireUser(t, old, userOne)
	renewed := b.login(t, userTwo, nil)
	b.Sessions = b.open(t, false, "two")
	b.requireUser(t, old, 0)
	b.requireUser(t, renewed, userTwo)
}

// TestParseKeys: the least length, and which key an error is about, which it does not show.
func TestParseKeys(t *testing.T) {
	key := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", n))) }
	if _, err := ParseKeys(" one:" + key(32) + " ,\ttwo:" + key(33)); err != nil {
		t.Error(err)
	}
	for list, position := range map[string]string{
		"": "key 1:", "a": "key 1:", ":" + key(31): "key 1:", "a:???": "key 1:", "one:" + key(31): "key 1:",
		"one:" + key(32) + ",": "key 2:", "one:" + key(32) + ",two:" + key(31): "key 2:",
		"one:" + key(32) + "," + key(32): "key 2:",
	} {
		keys, err := ParseKeys(list)
		if err == nil || !strings.Contains(err.Error(), position) || keys.codecs != nil {
			t.Fatalf("%q: %v", list, err)
		}
		if strings.Contains(err.Error(), key(31)) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
}

// outcome returns the cookie of an outcome.
func (b *browsers) outcome(t *testing.T, outcome string) *http.Cookie {
	t.Helper()
	response := httptest.NewRecorder()
	if err := b.SetOutcome(response, outcome); err != nil {
		t.Fatal(err)
	}
	return response.Result().Cookies()[0]
}

func TestOutcomeIsTakenOnce(t *testing.T) {
	b := newBrowsers(t)
	b.Sessions = b.open(t, true, "one")
	cookie := b.outcome(t, "page_chosen")
	if cookie.Name != "__Host-outcome" || !cookie.Secure {
		t.Fatalf("cookie %s", cookie)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
		t.Fatalf("cookie %s", cookie)
	}
	if cookie.MaxAge != 600 {
		t.Errorf("cookie %s", cookie)
	}
	response := httptest.NewRecorder()
	if got := b.TakeOutcome(response, request(cookie)); got != "page_chosen" {
		t.Errorf("took %q", got)
	}
	if taken := response.Result().Cookies()[0]; taken.Name != cookie.Name || taken.Value != "" || taken.MaxAge >= 0 {
		t.Errorf("the browser keeps %s", taken)
	}
}

// TestOutcomeIsSigned: neither a made-up text nor another cookie of ours is one.
func TestOutcomeIsSigned(t *testing.T) {
	b := newBrowsers(t)
	session := b.login(t, userOne, nil)
	for name, cookie := range map[string]*http.Cookie{
		"plain": {Name: "outcome", Value: "page_chosen"}, "of a session": {Name: "outcome", Value: session.Value},
		"none": session,
	} {
		response := httptest.NewRecorder()
		if got := b.TakeOutcome(response, request(cookie)); got != "" || len(response.Result().Cookies()) > 0 {
			t.Errorf("%s: took %q", name, got)
		}
	}
	b.requireUser(t, &http.Cookie{Name: "session", Value: b.outcome(t, "x").Value}, 0)
}

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
	rows := b.rows(t)
	if len(rows) != 1 || *rows[0].UserID != userTwo {
		t.Fatalf("stored %+v", rows)
	}
	if !rows[0].CreatedAt.Equal(b.now) || !rows[0].LastSeenAt.Equal(b.now) {
		t.Errorf("stored %+v", rows)
	}
	ok(t, b.End(httptest.NewRecorder(), request(renewed)))
	b.requireUser(t, renewed, 0)
	if rows := b.rows(t); len(rows) != 0 {
		t.Errorf("left %+v", rows)
	}
	ok(t, b.End(httptest.NewRecorder(), request(nil)))
	for _, r := range []*http.Request{request(nil), request(renewed)} {
		wantCode(t, b.PutState(r, "d"), CodeNoSession)
		if state, err := b.TakeState(r); state != "" || err != nil {
			t.Errorf("took %q, %v without a session", state, err)
		}
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

// FuzzCookie: a cookie that the service did not sign for this very id has no user, and
// the database is not even read. good is the place of a changed byte in a
// cookie that is good; a negative one takes value as it is.
func FuzzCookie(fz *testing.F) {
	fz.Add("", -1, byte(0))
	fz.Add("MTc2MzcyNjQwMHw0fHx8fA==", -1, byte(0))
	fz.Add(strings.Repeat("A", 8000), -1, byte(0))
	fz.Add("", 3, byte(1))
	fz.Add("AA==", 90, byte(0x20))
	fz.Add("x; session=y", -1, byte(0))
	fz.Fuzz(func(t *testing.T, value string, good int, change byte) {
		b := newBrowsers(t)
		signed := b.login(t, userOne, nil)
		stranger := b.login(t, userTwo, nil)
		if good >= 0 {
			bytes := []byte(signed.Value)
			bytes[good%len(bytes)] ^= change
			value = string(bytes) + value
		}
		b.statements = nil
		user, err := b.User(request(&http.Cookie{Name: signed.Name, Value: value}))
		switch {
		case err != nil || user != nil && user.ID == userTwo && value != stranger.Value:
			t.Errorf("%q: user %+v, %v", value, user, err)
		case user == nil && len(b.statements) > 0:
			t.Errorf("%q: the database was read: %q", value, b.statements)
		}
	})
}

func newSessions(db *database.DB) *Sessions {
	db.Now = func() time.Time { return databasetest.Time }
	return NewSessions(db, Keys{}, false, nil)
}

func TestSetPasswordHashEndsSessions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		u, other := User{Email: "a@example.test", Role: Member}, User{Email: "b@example.test", Role: Member}
		ok(t, users.Add(ctx, &u, trail.Entry{}))
		ok(t, users.Add(ctx, &other, trail.Entry{}))
		for id, user := range map[string]*int64{"1": &u.ID, "2": &u.ID, "3": &other.ID, "4": nil} {
			ok(t, sessions.insert(ctx, Session{IDHash: hashOf(id), UserID: user}))
		}
		ok(t, users.SetPasswordHash(ctx, u.ID, "new", trail.Entry{}))
		if kept, err := users.ByEmail(ctx, u.Email); err != nil || kept.PasswordHash != "new" {
			t.Errorf("%+v, %v", kept, err)
		}
		for id, stays := range map[string]bool{"1": false, "2": false, "3": true, "4": true} {
			if _, err := sessions.use(ctx, hashOf(id)); (err == nil) != stays {
				t.Errorf("session %s: %v", id, err)
			}
		}
	})
}

func TestSessionsAreStored(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := newSessions(db.DB), t.Context()
		u := User{Email: "a@example.test", Role: Member}
		ok(t, NewUsers(db.DB).Add(ctx, &u, trail.Entry{}))
		session := Session{
			IDHash: []byte("\x00\xff hash of the id \x80 0123456789ab"), UserID: &u.ID, OAuthState: "ąę",
			CreatedAt: databasetest.Time, LastSeenAt: databasetest.Time.Add(time.Minute),
		}
		ok(t, s.insert(ctx, session))
		session.CreatedAt, session.LastSeenAt = database.Instant(session.CreatedAt), database.Instant(databasetest.Time)
		session.User = &u
		got, err := s.use(ctx, session.IDHash)
		if diff := cmp.Diff(session, got); diff != "" || err != nil {
			t.Errorf("read with %v (-want +got): %s", err, diff)
		}
		if list, err := s.Of(ctx, u.ID); err != nil || len(list) != 1 || list[0].LastSeenAt != session.LastSeenAt {
			t.Errorf("Of = %+v, %v", list, err)
		}
		_, err = s.EndOf(ctx, Actor{}, u, "", "")
		ok(t, err)
		_, err = s.use(ctx, session.IDHash)
		wantCode(t, err, CodeNoSession)
		if err := s.insert(ctx, Session{IDHash: []byte(strings.Repeat("x", 43))}); err == nil {
			t.Error("the id itself is stored")
		}
	})
}

// TestSessionOfADisabledUser: a login that ends after its user was disabled has no user.
func TestSessionOfADisabledUser(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		u := User{Email: "a@example.test", Role: Member}
		ok(t, users.Add(ctx, &u, trail.Entry{}))
		_, err := users.Edit(ctx, u.ID, UserChange{Disabled: new(true)}, Actor{})
		ok(t, err)
		ok(t, sessions.insert(ctx, Session{IDHash: hashOf("late"), UserID: &u.ID}))
		if found, err := sessions.use(ctx, hashOf("late")); err != nil || found.User != nil {
			t.Errorf("%+v, %v", found.User, err)
		}
	})
}

// TestSessionOfALostKey: the person logs in again.
func TestSessionOfALostKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		ok(t, newSessions(db.DB).insert(t.Context(), Session{IDHash: hashOf("a"), OAuthState: "state"}))
		keys, err := database.ParseKeys(database.GenerateKey())
		ok(t, err)
		other, err := database.Open(t.Context(), db.URL, keys)
		ok(t, err)
		defer other.Close()
		_, err = newSessions(other).use(t.Context(), hashOf("a"))
		wantCode(t, err, CodeNoSession)
	})
}

// TestStateIsTakenOnce by one of many requests at all replicas.
func TestStateIsTakenOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		keys, err := ParseKeys(keyList("one"))
		ok(t, err)
		var stores []*Sessions
		for _, replica := range []*database.DB{db.DB, databasetest.Open(t, db.URL)} {
			stores = append(stores, NewSessions(replica, keys, false, nil))
		}
		u := User{Email: "a@example.test", Role: Member}
		ok(t, NewUsers(db.DB).Add(t.Context(), &u, trail.Entry{}))
		response := httptest.NewRecorder()
		ok(t, stores[0].Begin(response, request(nil), u.ID))
		cookie := response.Result().Cookies()[0]
		ok(t, stores[0].PutState(request(cookie), "state"))
		var taken atomic.Int32
		var requests sync.WaitGroup
		for i := range 20 {
			requests.Go(func() {
				state, err := stores[i%2].TakeState(request(cookie))
				if err != nil {
					t.Error(err)
				}
				if state == "state" {
					taken.Add(1)
				}
			})
		}
		requests.Wait()
		if taken.Load() != 1 {
			t.Errorf("taken %d times", taken.Load())
		}
	})
}

func TestOldSessionsAreSwept(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := newSessions(db.DB)
		ctx := t.Context()
		now := databasetest.Time
		idle, old := now.Add(-12*time.Hour), now.Add(-7*24*time.Hour)
		for id, times := range map[string][2]time.Time{
			"old":        {old.Add(-time.Microsecond), now},
			"idle":       {now, idle.Add(-time.Millisecond)},
			"idle whole": {now, idle.Truncate(time.Second)},
			"limit":      {old, idle},
			"later":      {old.Add(time.Microsecond), idle.Add(10 * time.Millisecond)},
			"whole":      {old.Truncate(time.Second).Add(time.Second), now},
		} {
			ok(t, s.insert(ctx, Session{IDHash: hashOf(id), CreatedAt: times[0], LastSeenAt: times[1]}))
		}
		if n, err := s.Sweep(ctx); n != 3 || err != nil {
			t.Errorf("%d deleted, %v; want 3", n, err)
		}
		left := map[string]bool{}
		var rows []Session
		ok(t, db.DB.Read(ctx).Find(&rows).Error)
		for _, row := range rows {
			left[string(row.IDHash)] = true
		}
		for _, stays := range []string{"limit", "later", "whole"} {
			if !left[string(hashOf(stays))] {
				t.Errorf("session %q was deleted", stays)
			}
		}
	})
}

// TestEndSessions of a user: one by its id, all, or all but one.
func TestEndSessions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		u, other := User{Email: "a@x.pl", Role: Member}, User{Email: "b@x.pl", Role: Member}
		ok(t, errors.Join(users.Add(ctx, &u, trail.Entry{}), users.Add(ctx, &other, trail.Entry{})))
		for i := range 4 {
			ok(
				t,
				sessions.insert(
					ctx,
					Session{
						IDHash:     hashOf(fmt.Sprint(i)),
						UserID:     &u.ID,
						LastSeenAt: databasetest.Time.Add(time.Duration(i) * time.Minute),
					},
				),
			)
		}
		ok(t, sessions.insert(ctx, Session{IDHash: hashOf("other"), UserID: &other.ID}))
		listed := func(id string) string { return (&Session{IDHash: hashOf(id)}).listedID() }
		for _, step := range []struct {
			id, except string
			ended      int
			code       string
			left       string
		}{
			{listed("1"), listed("1"), 1, "", "3 2 0"},
			{listed("1"), "", 0, "unknown_session", "3 2 0"},
			{listed("other"), "", 0, "unknown_session", "3 2 0"},
			{"", listed("2"), 2, "", "2"},
			{"", "", 1, "", ""},
			{"", "", 0, "", ""},
		} {
			ended, err := sessions.EndOf(ctx, Operator("ola"), u, step.id, step.except)
			if ended != step.ended || step.code == "" && err != nil {
				t.Errorf("%+v: ended %d, %v", step, ended, err)
			}
			if step.code != "" {
				wantCode(t, err, CodeUnknownSession)
			}
			var left []string
			list, err := sessions.Of(ctx, u.ID)
			ok(t, err)
			for _, s := range list {
				for i := range 4 {
					if s.listedID() == listed(fmt.Sprint(i)) {
						left = append(left, fmt.Sprint(i))
					}
				}
			}
			if strings.Join(left, " ") != step.left {
				t.Errorf("%+v: left %q", step, left)
			}
		}
		if _, err := sessions.use(ctx, hashOf("other")); err != nil {
			t.Errorf("the other user's session: %v", err)
		}
		line := trail.Entry{Actor: "ola", AboutUserID: u.ID, Action: "session end"}
		var lines []trail.Entry
		for _, n := range []int{0, 1, 2, 1} {
			line.Detail = fmt.Sprint(n, " ended")
			lines = append(lines, line)
		}
		requireTrail(t, db.DB, u.ID, append(lines, trail.Entry{AboutUserID: u.ID, Detail: "MEMBER"})...)
	})
}
