package account

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/trail"
)

func newSessions(db *database.DB) *Sessions {
	db.Now = func() time.Time { return databasetest.Time }
	return NewSessions(db, Keys{}, false, nil)
}

func TestSetPasswordHashEndsSessions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		u, other := addMember(t, db.DB, "a@example.test"), addMember(t, db.DB, "b@example.test")
		for id, user := range map[string]*int64{"1": &u.ID, "2": &u.ID, "3": &other.ID, "4": nil} {
			ok(t, sessions.insert(ctx, Session{IDHash: hashOf(id), UserID: user}))
		}
		ok(t, users.SetPasswordHash(ctx, u.ID, "new", trail.Entry{}))
		stored, err := users.ByEmail(ctx, u.Email)
		ok(t, err)
		requireEqual(t, "password hash", "new", stored.PasswordHash)
		for id, stays := range map[string]bool{"1": false, "2": false, "3": true, "4": true} {
			if _, err := sessions.use(ctx, hashOf(id)); (err == nil) != stays {
				t.Errorf("session %s is used with error %v; want that it stays: %t", id, err, stays)
			}
		}
	})
}

func TestSessionsAreStored(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := newSessions(db.DB), t.Context()
		u := addMember(t, db.DB, "a@example.test")
		session := Session{
			IDHash: []byte("\x00\xff hash of the id \x80 0123456789ab"), UserID: &u.ID, OAuthState: "ąę",
			CreatedAt: databasetest.Time, LastSeenAt: databasetest.Time.Add(time.Minute),
		}
		ok(t, s.insert(ctx, session))
		session.CreatedAt, session.LastSeenAt = database.Instant(session.CreatedAt), database.Instant(databasetest.Time)
		session.User = &u
		got, err := s.use(ctx, session.IDHash)
		ok(t, err)
		requireEqual(t, "session", session, got)
		list, err := s.Of(ctx, u.ID)
		ok(t, err)
		if len(list) != 1 || list[0].LastSeenAt != session.LastSeenAt {
			t.Errorf("sessions of the user: %+v, want one, last seen at %s", list, session.LastSeenAt)
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
		sessions, ctx := newSessions(db.DB), t.Context()
		u := addMember(t, db.DB, "a@example.test")
		_, err := NewUsers(db.DB).Edit(ctx, u.ID, UserChange{Disabled: new(true)}, Actor{})
		ok(t, err)
		ok(t, sessions.insert(ctx, Session{IDHash: hashOf("late"), UserID: &u.ID}))
		found, err := sessions.use(ctx, hashOf("late"))
		ok(t, err)
		if found.User != nil {
			t.Errorf("the session has the user %+v, want none", found.User)
		}
	})
}

// TestSessionOfALostKey has ended: the person logs in again.
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
		u := addMember(t, db.DB, "a@example.test")
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
			t.Errorf("taken %d times, want once", taken.Load())
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
		sessions, ctx := newSessions(db.DB), t.Context()
		u, other := addMember(t, db.DB, "a@x.pl"), addMember(t, db.DB, "b@x.pl")
		for i := range 4 {
			seen := databasetest.Time.Add(time.Duration(i) * time.Minute)
			ok(t, sessions.insert(ctx, Session{IDHash: hashOf(fmt.Sprint(i)), UserID: &u.ID, LastSeenAt: seen}))
		}
		ok(t, sessions.insert(ctx, Session{IDHash: hashOf("other"), UserID: &other.ID}))
		listed := func(id string) string { return (&Session{IDHash: hashOf(id)}).listedID() }
		for _, step := range []struct {
			id, except string // the arguments of EndOf
			ended      int
			unknown    bool   // CodeUnknownSession
			left       string // sessions of the user, the last used first
		}{
			{listed("1"), listed("1"), 1, false, "3 2 0"},
			{listed("1"), "", 0, true, "3 2 0"},
			{listed("other"), "", 0, true, "3 2 0"},
			{"", listed("2"), 2, false, "2"},
			{"", "", 1, false, ""},
			{"", "", 0, false, ""},
		} {
			ended, err := sessions.EndOf(ctx, Operator("ola"), u, step.id, step.except)
			if step.unknown {
				wantCode(t, err, CodeUnknownSession)
			} else {
				ok(t, err)
			}
			if ended != step.ended {
				t.Errorf("%+v: ended %d", step, ended)
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
