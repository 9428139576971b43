package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestLockConnection(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		now := databasetest.Time
		s, ctx := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return now })), t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		now = databasetest.Time.Add(time.Hour)
		want := c
		want.AccessToken, want.RefreshToken, want.UserAccessToken, want.AccountID, want.AccountName = "", "", "u2", "page", "Strona"
		want.Active, want.ReconnectReason, want.ExpiresAt, want.UserExpiresAt = false, "powód", nil, new(databasetest.Time.Add(time.Minute))
		want.Scopes, want.ProviderUserID = []string{"z"}, "q"
		returned := must(s.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, current *connection.Connection) (*trail.Entry, error) {
			requireEqual(t, "seen", c, *current)
			*current = want
			current.ID, current.CompanyID, current.Pair, current.CreatedAt = 0, 0, profile, time.Time{}
			e := storetest.Entry(c, "reconnect_required")
			return &e, nil
		}))(t)
		want.UpdatedAt, want.UserExpiresAt = storetest.Kept(now), new(storetest.Kept(*want.UserExpiresAt))
		requireEqual(t, "returned", want, returned)
		requireEqual(t, "stored", want, must(s.Connection(ctx, c.CompanyID, pages))(t))
		if lines := must(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 1}))(t); lines[0].Action != "reconnect_required" {
			t.Errorf("trail: %+v", lines)
		}
	})
}

func TestLockConnectionWritesNothing(t *testing.T) {
	refusal := fault.New(fault.Internal, "provider_temporary", "Spróbuj później.")
	tests := map[string]struct {
		change func(*connection.Connection) (*trail.Entry, error)
		want   error
	}{
		"nothing changed": {func(*connection.Connection) (*trail.Entry, error) { return nil, nil }, nil},
		"change fails": {func(c *connection.Connection) (*trail.Entry, error) {
			c.AccessToken = "lost"
			return &trail.Entry{CompanyID: c.CompanyID, Action: "refresh"}, refusal
		}, refusal},
		"another error": {func(c *connection.Connection) (*trail.Entry, error) { return nil, io.ErrUnexpectedEOF }, io.ErrUnexpectedEOF},
		"entry fails": {func(c *connection.Connection) (*trail.Entry, error) {
			c.AccessToken = "lost"
			return &trail.Entry{CompanyID: c.CompanyID, Action: "\xff"}, nil
		}, fault.New(fault.Invalid, "invalid_text", "")},
	}
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return databasetest.Time })), t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		later := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return databasetest.Time.Add(time.Hour) }))
		for name, test := range tests {
			returned, err := later.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) { return test.change(c) })
			var f *fault.Error
			if isFault := errors.As(test.want, &f); isFault && !fault.Is(err, f.Code) || !isFault && !errors.Is(err, test.want) {
				t.Errorf("%s: error %v, want %v", name, err, test.want)
			}
			if diff := cmp.Diff(c, returned); err == nil && diff != "" {
				t.Errorf("%s: returned: %s", name, diff)
			}
			requireEqual(t, name+": stored", c, must(s.Connection(ctx, c.CompanyID, pages))(t))
			if lines := must(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t); len(lines) != 1 {
				t.Errorf("%s: %d lines in the trail", name, len(lines))
			}
		}
		wantFault(t, errorOf(s.LockConnection(ctx, 99, pages, nil)), fault.NotFound, "no_connection")
	})
}

// TestSlowChange looks at what others can do while a change is at a provider.
func TestSlowChange(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, other, ctx := db.Store, storetest.Open(t, db.URL), t.Context()
		c, neighbour := storetest.AddConnection(t, s, "a", pages), storetest.AddConnection(t, s, "b", pages)
		rename := func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.AccountName = "renamed"
			return nil, nil
		}
		must(s.RenewConnection(ctx, c.CompanyID, c.Pair, func(ctx context.Context, locked *connection.Connection) (*trail.Entry, error) {
			locked.AccountName = "slow"
			for name, s := range map[string]*store.Store{"the same store": s, "another store": other} {
				ok(t, s.SetPlaceID(ctx, c.CompanyID, "place"))
				must(s.Connection(ctx, c.CompanyID, pages))(t)
				must(s.LockConnection(ctx, neighbour.CompanyID, neighbour.Pair, rename))(t)
				save := c
				for call, err := range map[string]error{
					"LockConnection": waiting(ctx, func(ctx context.Context) error {
						_, err := s.LockConnection(ctx, c.CompanyID, c.Pair, rename)
						return err
					}),
					"SaveConnection": waiting(ctx, func(ctx context.Context) error {
						return s.SaveConnection(ctx, &save, nil, storetest.Entry(c, "connect"))
					}),
					"SelectPage": waiting(ctx, func(ctx context.Context) error {
						_, err := s.SelectPage(ctx, c.CompanyID, c.Pair, nil, storetest.Entry(c, ""), nil)
						return err
					}),
				} {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%s of %s does not wait for the change: %v", call, name, err)
					}
				}
			}
			return nil, nil
		}))(t)
		if name := must(s.Connection(ctx, c.CompanyID, pages))(t).AccountName; name != "slow" {
			t.Errorf("account name %q", name)
		}
		must(other.LockConnection(ctx, c.CompanyID, c.Pair, rename))(t)
	})
}

// waiting runs a call that is expected to wait for longer than it is given.
func waiting(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	return call(ctx)
}

func TestPanicInChangeReleases(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", pages)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is lost")
				}
			}()
			_, _ = db.Store.LockConnection(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
				panic("in a provider")
			})
		}()
		must(db.Store.LockConnection(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) { return nil, nil }))(t)
	})
}

// TestUnknownPairLocksNothing: a name out of an address makes no file.
func TestUnknownPairLocksNothing(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", pages)
		for _, service := range []provider.Service{"unknown", provider.Service(strings.Repeat("x", 300))} {
			wantFault(t, errorOf(db.Store.LockConnection(t.Context(), c.CompanyID, provider.Pair{Provider: pages.Provider, Service: service}, nil)), fault.NotFound, "no_connection")
		}
		path, _ := strings.CutPrefix(db.URL, "sqlite:")
		for _, name := range must(filepath.Glob(path + ".locks/*"))(t) {
			if strings.Contains(name, "unknown") {
				t.Errorf("there is a lock file %s", name)
			}
		}
	})
}

func TestExclusively(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, other, ctx := db.Store, storetest.Open(t, db.URL), t.Context()
		ran := must(s.Exclusively(ctx, "scan", func(ctx context.Context) error {
			for name, s := range map[string]*store.Store{"the same store": s, "another store": other} {
				if must(s.Exclusively(ctx, "scan", func(context.Context) error { return errors.New("ran") }))(t) {
					t.Errorf("%s ran a second one", name)
				}
				if !must(s.Exclusively(ctx, "scan/2 ąę", func(context.Context) error { return nil }))(t) {
					t.Errorf("%s did not run one of another name", name)
				}
			}
			return nil
		}))(t)
		if !ran {
			t.Error("the first one did not run")
		}
		ran, err := other.Exclusively(ctx, "scan", func(context.Context) error { return io.ErrNoProgress })
		if !ran || !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("after the first one: ran %v, error %v", ran, err)
		}
	})
}

// holdLock is a program: it takes the lock "scan" and keeps it until its input
// ends.
func holdLock(ctx context.Context, url, _ string) error {
	s, err := openStore(ctx, url)
	if err != nil {
		return err
	}
	ran, err := s.Exclusively(ctx, "scan", func(context.Context) error {
		fmt.Println("held")
		listen()
		return nil
	})
	if !ran {
		err = errors.Join(err, errors.New("not held"))
	}
	return err
}

// TestLockLastsOverAPooler: who has a lock is in a transaction, during which a pooler
// that shares sessions between transactions leaves the session alone; and it is idle for
// as long as it takes.
func TestLockLastsOverAPooler(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		if db.Name != "postgres" {
			t.Skip("an SQLite file has no pooler")
		}
		pool := db.Raw(t)
		ran, err := db.Store.Exclusively(t.Context(), "scan", func(context.Context) error {
			states := query(t, pool, `SELECT a.state FROM pg_locks l JOIN pg_stat_activity a USING (pid)
				WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
			requireEqual(t, "states of those with a lock", []string{"idle in transaction"}, states)
			return nil
		})
		ok(t, err)
		if !ran {
			t.Error("it did not run")
		}
		if left := query(t, pool, "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// TestPoolerIsHinted takes the session's prepared statements away, as a pooler does.
func TestPoolerIsHinted(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		if db.Name != "postgres" {
			t.Skip("an SQLite file has no pooler")
		}
		s := storetest.Open(t, db.URL)
		ok(t, s.Migrate(t.Context()))
		ok(t, s.Write(t.Context()).Exec("DEALLOCATE ALL").Error)
		err := s.Migrate(t.Context())
		if err == nil || !strings.Contains(err.Error(), "default_query_exec_mode=exec") {
			t.Errorf("error %v", err)
		}
	})
}

func TestLockOfAProcessEndsWithIt(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		holder := start(t, "hold", db.URL, "")
		holder.expect(t, "held")
		try := func() bool {
			return must(db.Store.Exclusively(t.Context(), "scan", func(context.Context) error { return nil }))(t)
		}
		for range 2 { // to ask takes nothing away
			if try() {
				t.Error("the other process does not keep the lock")
			}
		}
		holder.kill(t)
		for !try() { // PostgreSQL needs a moment to see that its client is gone
			if t.Context().Err() != nil {
				t.Fatal("the lock outlives its process")
			}
		}
	})
}
