package storetest_test

import (
	"context"
	"errors"
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
	"backend.example/services/directory/internal/storetest"
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
		returned := must(s.Change(ctx, c.CompanyID, c.Pair, func(_ context.Context, current *connection.Connection) (*trail.Entry, error) {
			requireEqual(t, "seen", c, *current)
			*current = want
			current.ID, current.CompanyID, current.Pair, current.CreatedAt = 0, 0, profile, time.Time{}
			e := storetest.Entry(c, "reconnect_required")
			return &e, nil
		}))(t)
		want.UpdatedAt, want.UserExpiresAt = storetest.Kept(now), new(storetest.Kept(*want.UserExpiresAt))
		requireEqual(t, "returned", want, returned)
		requireEqual(t, "stored", want, must(s.Find(ctx, c.CompanyID, pages))(t))
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
			returned, err := later.Change(ctx, c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) { return test.change(c) })
			var f *fault.Error
			if isFault := errors.As(test.want, &f); isFault && !fault.Is(err, f.Code) || !isFault && !errors.Is(err, test.want) {
				t.Errorf("%s: error %v, want %v", name, err, test.want)
			}
			if diff := cmp.Diff(c, returned); err == nil && diff != "" {
				t.Errorf("%s: returned: %s", name, diff)
			}
			requireEqual(t, name+": stored", c, must(s.Find(ctx, c.CompanyID, pages))(t))
			if lines := must(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t); len(lines) != 1 {
				t.Errorf("%s: %d lines in the trail", name, len(lines))
			}
		}
		wantFault(t, errorOf(s.Change(ctx, 99, pages, nil)), fault.NotFound, "no_connection")
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
		must(s.Renew(ctx, c.CompanyID, c.Pair, func(ctx context.Context, locked *connection.Connection) (*trail.Entry, error) {
			locked.AccountName = "slow"
			for name, s := range map[string]*storetest.Store{"the same store": s, "another store": other} {
				ok(t, s.SetPlaceID(ctx, c.CompanyID, "place"))
				must(s.Find(ctx, c.CompanyID, pages))(t)
				must(s.Change(ctx, neighbour.CompanyID, neighbour.Pair, rename))(t)
				save := c
				for call, err := range map[string]error{
					"Change": waiting(ctx, func(ctx context.Context) error {
						_, err := s.Change(ctx, c.CompanyID, c.Pair, rename)
						return err
					}),
					"Save": waiting(ctx, func(ctx context.Context) error {
						return s.Save(ctx, &save, nil, storetest.Entry(c, "connect"))
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
		if name := must(s.Find(ctx, c.CompanyID, pages))(t).AccountName; name != "slow" {
			t.Errorf("account name %q", name)
		}
		must(other.Change(ctx, c.CompanyID, c.Pair, rename))(t)
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
			_, _ = db.Store.Change(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
				panic("in a provider")
			})
		}()
		must(db.Store.Change(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) { return nil, nil }))(t)
	})
}

// TestUnknownPairLocksNothing: a name out of an address makes no file.
func TestUnknownPairLocksNothing(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", pages)
		for _, service := range []provider.Service{"unknown", provider.Service(strings.Repeat("x", 300))} {
			wantFault(t, errorOf(db.Store.Change(t.Context(), c.CompanyID, provider.Pair{Provider: pages.Provider, Service: service}, nil)), fault.NotFound, "no_connection")
		}
		path, _ := strings.CutPrefix(db.URL, "sqlite:")
		for _, name := range must(filepath.Glob(path + ".locks/*"))(t) {
			if strings.Contains(name, "unknown") {
				t.Errorf("there is a lock file %s", name)
			}
		}
	})
}
