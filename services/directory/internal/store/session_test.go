package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

// TestSessionOfALostKey: the person logs in again.
func TestSessionOfALostKey(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		id := []byte("0123456789abcdef0123456789abcdef")
		ok(t, db.Store.CreateSession(t.Context(), directory.Session{IDHash: id, Values: []byte(`{"a":"b"}`), CreatedAt: databasetest.Time, LastSeenAt: databasetest.Time}))
		other := must(store.Open(t.Context(), db.URL, must(database.ParseKeys(database.GenerateKey()))(t)))(t)
		defer other.Close()
		_, err := other.Session(t.Context(), id)
		wantFault(t, err, fault.NotFound, "no_session")
	})
}

func TestSession(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		u := storetest.AddUser(t, s, "a")
		id := []byte("\x00\xff hash of the id \x80 0123456789ab")
		session := directory.Session{IDHash: id, Values: []byte(`{"oauth_state":"ąę"}`), Version: 3, CreatedAt: databasetest.Time, LastSeenAt: databasetest.Time.Add(time.Minute)}
		ok(t, s.CreateSession(ctx, session))
		session.CreatedAt, session.LastSeenAt = storetest.Kept(session.CreatedAt), storetest.Kept(session.LastSeenAt)
		requireEqual(t, "created", session, must(s.Session(ctx, id))(t))
		session.UserID, session.User, session.Values, session.LastSeenAt = &u.ID, &u, []byte{}, databasetest.Time.Add(time.Hour)
		saved := must(s.SaveSession(ctx, session))(t)
		session.Version, session.LastSeenAt = 4, storetest.Kept(session.LastSeenAt)
		requireEqual(t, "returned", session, saved)
		requireEqual(t, "saved", session, must(s.Session(ctx, id))(t))
		ok(t, s.DeleteSession(ctx, id))
		ok(t, s.DeleteSession(ctx, id))
		wantFault(t, errorOf(s.Session(ctx, id)), fault.NotFound, "no_session")
		wantFault(t, errorOf(s.SaveSession(ctx, session)), fault.NotFound, "no_session")
		if err := s.CreateSession(ctx, directory.Session{IDHash: []byte(sessionID)}); err == nil {
			t.Error("the id itself is stored")
		}
	})
}

func TestSaveSessionConflict(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		stores := []*store.Store{db.Store, storetest.Open(t, db.URL)}
		session := directory.Session{IDHash: hash("id"), CreatedAt: databasetest.Time}
		ok(t, db.Store.CreateSession(t.Context(), session))
		var saved, conflicts atomic.Int32
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				switch _, err := stores[i%2].SaveSession(t.Context(), session); {
				case err == nil:
					saved.Add(1)
				case fault.Is(err, "session_conflict"):
					conflicts.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if saved.Load() != 1 || conflicts.Load() != 19 {
			t.Errorf("%d saved, %d conflicts", saved.Load(), conflicts.Load())
		}
		if version := must(db.Store.Session(t.Context(), session.IDHash))(t).Version; version != 1 {
			t.Errorf("version %d", version)
		}
	})
}

func TestDeleteSessionsBefore(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		limit := time.Date(2026, 1, 2, 3, 4, 5, 500_000_000, time.UTC)
		young := limit.Add(time.Hour)
		for id, times := range map[string][2]time.Time{
			"old":        {limit.Add(-time.Microsecond), young},
			"idle":       {young, limit.Add(-time.Millisecond)},
			"idle whole": {young, limit.Truncate(time.Second)},
			"limit":      {limit, limit},
			"later":      {limit.Add(time.Microsecond), limit.Add(10 * time.Millisecond)},
			"whole":      {limit.Truncate(time.Second).Add(time.Second), young},
		} {
			ok(t, s.CreateSession(ctx, directory.Session{IDHash: hash(id), CreatedAt: times[0], LastSeenAt: times[1]}))
		}
		zone := time.FixedZone("behind", -5*60*60)
		if n := must(s.DeleteSessionsBefore(ctx, limit.In(zone), limit.In(zone)))(t); n != 3 {
			t.Errorf("%d deleted, want 3", n)
		}
		for _, stays := range []string{"limit", "later", "whole"} {
			if _, err := s.Session(ctx, hash(stays)); err != nil {
				t.Errorf("session %q: %v", stays, err)
			}
		}
	})
}
