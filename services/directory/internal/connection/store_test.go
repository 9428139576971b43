package connection_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestSave(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, _ *directorytest.Store) {
		now := databasetest.Time
		s, ctx := directorytest.NewStore(
			databasetest.Open(t, db.URL, database.WithClock(func() time.Time { return now })),
		), t.Context()
		u := directorytest.AddUser(t, s, "a")
		first := connection.Connection{
			CompanyID: *u.CompanyID, UserID: u.ID, Pair: pagesPair, AccessToken: "zażółć", RefreshToken: "r",
			Scopes: []string{"x", "y"},
			Chosen: connection.ChosenPage, AccountID: "1", AccountName: "Łąka", ExpiresAt: &databasetest.Time,
			UserAccessToken: "u", UserExpiresAt: &databasetest.Time, ProviderUserID: "p",
			ReconnectReason: "an earlier failure",
		}
		c := first
		ok(t, s.Connections.Save(ctx, &c, nil, directorytest.Entry(c, "connect")))
		want := first
		want.ID = c.ID
		want.Active = true
		want.ReconnectReason = ""
		want.CreatedAt = database.Instant(databasetest.Time)
		want.UpdatedAt = database.Instant(databasetest.Time)
		want.ConnectedAt = database.Instant(databasetest.Time)
		want.ExpiresAt, want.UserExpiresAt = new(database.Instant(databasetest.Time)),
			new(database.Instant(databasetest.Time))
		if diff := cmp.Diff(want, c); diff != "" || c.ID == 0 {
			t.Errorf("set: %s", diff)
		}
		requireEqual(t, "stored", want, must(s.Connections.Find(ctx, c.CompanyID, pagesPair))(t))

		now = databasetest.Time.Add(time.Hour)
		second := connection.Connection{CompanyID: *u.CompanyID, UserID: u.ID, Pair: pagesPair, AccessToken: "new",
			Scopes: []string{}}
		c = second
		ok(t, s.Connections.Save(ctx, &c, nil, directorytest.Entry(c, "connect")))
		after := second
		after.ID = want.ID
		after.Active = true
		after.RefreshToken = "r"
		after.ConnectedAt = database.Instant(now)
		after.CreatedAt = database.Instant(databasetest.Time)
		after.UpdatedAt = database.Instant(now)
		requireEqual(t, "set the second time", after, c)
		requireEqual(t, "stored the second time", after, must(s.Connections.Find(ctx, c.CompanyID, pagesPair))(t))
		c.RefreshToken = "newer"
		ok(t, s.Connections.Save(ctx, &c, nil, directorytest.Entry(c, "connect")))
		if token := must(s.Connections.Find(ctx, c.CompanyID, pagesPair))(t).RefreshToken; token != "newer" {
			t.Errorf("refresh token %q", token)
		}
		if lines := must(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t); len(lines) != 3 {
			t.Errorf("%d lines in the trail, want 3", len(lines))
		}
	})
}

// TestSaveTwiceAtOnce: two replicas that connect the same service for the
// first time both succeed, and the second replaces the first.
func TestSaveTwiceAtOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		other, ctx := directorytest.NewStore(databasetest.Open(t, db.URL)), t.Context()
		for round := range 20 {
			u := directorytest.AddUser(t, s, fmt.Sprintf("u%d", round))
			var both sync.WaitGroup
			for _, s := range []*directorytest.Store{s, other} {
				both.Go(func() {
					c := connection.Connection{CompanyID: *u.CompanyID, UserID: u.ID, Pair: pagesPair, AccessToken: "t"}
					if err := s.Connections.Save(ctx, &c, nil, directorytest.Entry(c, "connect")); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
		}
	})
}

func TestSaveAfterDisconnect(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		ctx := t.Context()
		c := directorytest.AddConnection(t, s, "a", profilePair)
		change(t, s, c, func(c *connection.Connection) {
			c.Active = false
			c.AccessToken = ""
			c.RefreshToken = ""
			c.ReconnectReason = "gone"
		})
		c.RefreshToken = ""
		ok(t, s.Connections.Save(ctx, &c, nil, directorytest.Entry(c, "connect")))
		if !c.Active || c.ReconnectReason != "" || c.RefreshToken != "" {
			t.Errorf("active %v, reason %q, refresh token %q", c.Active, c.ReconnectReason, c.RefreshToken)
		}
	})
}

func TestConnections(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		ctx := t.Context()
		social := directorytest.AddConnection(t, s, "a", pagesPair)
		search := connection.Connection{CompanyID: social.CompanyID, UserID: social.UserID, Pair: profilePair,
			AccessToken: "t"}
		ok(t, s.Connections.Save(ctx, &search, nil, directorytest.Entry(search, "connect")))
		directorytest.AddConnection(t, s, "b", pagesPair)
		requireEqual(t, "read", []connection.Connection{search, social},
			must(s.Connections.List(ctx, social.CompanyID))(t))
		if list := must(s.Connections.List(ctx, 99))(t); list == nil || len(list) != 0 {
			t.Errorf("without connections: %v", list)
		}
		wantFault(
			t,
			databasetest.ErrorOf(
				s.Connections.Find(ctx, social.CompanyID,
					provider.Pair{Provider: "provider_search", Service: "social_pages\x00"}),
			), fault.NotFound, "no_connection",
		)
	})
}

func TestGrantNeeded(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		ctx := t.Context()
		c := directorytest.AddConnection(t, s, "a", pagesPair)
		shared := func(change func(*connection.Connection)) bool {
			asked := c
			change(&asked)
			return must(s.Connections.GrantNeeded(ctx, asked))(t)
		}
		same := func(*connection.Connection) {}
		if !shared(same) {
			t.Error("not needed although it was connected again")
		}
		change(t, s, c, func(c *connection.Connection) { c.Active = false })
		other := directorytest.AddConnection(t, s, "b", pagesPair)
		if shared(same) {
			t.Error("shared with another person's grant")
		}
		if !shared(func(c *connection.Connection) { c.ProviderUserID = other.ProviderUserID }) {
			t.Error("not shared within one grant")
		}
		if shared(func(c *connection.Connection) { c.ProviderUserID, c.Pair = other.ProviderUserID, profilePair }) {
			t.Error("shared between providers")
		}
		unknown := func(c *connection.Connection) { c.ProviderUserID = "" }
		if shared(unknown) {
			t.Error("an unknown grant is shared with another company's")
		}
		if !shared(func(c *connection.Connection) { unknown(c); c.UserID = other.UserID }) {
			t.Error("an unknown grant of the same user is not shared")
		}
		photos := connection.Connection{
			CompanyID: c.CompanyID, UserID: c.UserID, AccessToken: "t",
			Pair: provider.Pair{Provider: provider.Social, Service: provider.SocialPhotos},
		}
		ok(t, s.Connections.Save(ctx, &photos, nil, directorytest.Entry(photos, "connect")))
		if !shared(same) {
			t.Error("not shared with an unknown grant of the same company")
		}
		change(t, s, photos, func(c *connection.Connection) { c.Active = false })
		if shared(same) {
			t.Error("shared with a connection that is not active")
		}
	})
}

// TestChosenIsKept: the columns tell a page, a location and an account apart.
func TestChosenIsKept(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		u := directorytest.AddUser(t, s, "a")
		for _, want := range []connection.Connection{
			{Chosen: connection.ChosenPage, AccountID: "104118", UserAccessToken: "user"},
			{Chosen: connection.ChosenLocation, AccountID: "locations/5"},
			{Chosen: connection.ChosenNothing, AccountID: "accounts/9"},
		} {
			c := want
			c.CompanyID = *u.CompanyID
			c.UserID = u.ID
			c.Pair = pagesPair
			c.AccessToken = "access"
			ok(t, s.Connections.Save(t.Context(), &c, nil, directorytest.Entry(c, "connect")))
			stored := must(s.Connections.Find(t.Context(), c.CompanyID, pagesPair))(t)
			if stored.Chosen != want.Chosen {
				t.Errorf("account %s: chosen %d, want %d", want.AccountID, stored.Chosen, want.Chosen)
			}
		}
	})
}

// wantUnread holds c to one without secrets that says why.
func wantUnread(t *testing.T, name string, c connection.Connection) {
	t.Helper()
	if !c.Active || c.AccessToken+c.RefreshToken+c.UserAccessToken != "" ||
		c.ReconnectReason != connection.ReasonUnreadable {
		t.Errorf("%s: %+v", name, c)
	}
}

// TestLostKey: a connection whose key is lost says so and can be ended or made anew;
// nothing else writes over its secrets, which the key may yet open, and the company's
// other connection works.
func TestLostKey(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		fresh, ctx := openWith(t, db.URL, database.GenerateKey()), t.Context()
		ended, renewed := directorytest.AddConnection(t, s, "a", pagesPair),
			directorytest.AddConnection(t, s, "b", pagesPair)
		beside := connection.Connection{CompanyID: ended.CompanyID, UserID: ended.UserID, Pair: profilePair,
			AccessToken: "beside"}
		ok(t, fresh.Connections.Save(ctx, &beside, nil, directorytest.Entry(beside, "connect")))

		both := must(fresh.Connections.List(ctx, ended.CompanyID))(t)
		if len(both) != 2 || both[0].AccessToken != "beside" {
			t.Fatalf("connections: %+v", both)
		}
		wantUnread(t, "of the lost key", both[1])
		held := must(fresh.Connections.Hold(ctx, ended.CompanyID, pagesPair))(t)
		held.AccountName = "renamed"
		wantFault(t, held.Save(nil), fault.Internal, provider.CodeReconnect.Name)
		held.Release()
		requireEqual(t, "when the key is back", ended, must(s.Connections.Find(ctx, ended.CompanyID, pagesPair))(t))

		change(t, fresh, ended, func(c *connection.Connection) { c.Active = false })
		if after := must(s.Connections.Find(ctx, ended.CompanyID, pagesPair))(t); after.Active || after.AccessToken+
			after.UserAccessToken != "" {
			t.Errorf("ended: %+v", after)
		}
		again := connection.Connection{CompanyID: renewed.CompanyID, UserID: renewed.UserID, Pair: pagesPair,
			AccessToken: "new"}
		ok(t, fresh.Connections.Save(ctx, &again, nil, directorytest.Entry(again, "connect")))
		if again.AccessToken != "new" || again.RefreshToken != "" || again.ReconnectReason != "" {
			t.Errorf("connected again: %+v", again)
		}
	})
}

func openWith(t *testing.T, url, keys string) *directorytest.Store {
	t.Helper()
	s := must(database.Open(t.Context(), url, must(database.ParseKeys(keys))(t)))(t)
	t.Cleanup(func() { ok(t, s.Close()) })
	return directorytest.NewStore(s)
}

func TestHold(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, _ *directorytest.Store) {
		now := databasetest.Time
		s, ctx := directorytest.NewStore(
			databasetest.Open(t, db.URL, database.WithClock(func() time.Time { return now })),
		), t.Context()
		c := directorytest.AddConnection(t, s, "a", pagesPair)
		now = databasetest.Time.Add(time.Hour)
		want := c
		want.AccessToken = ""
		want.RefreshToken = ""
		want.UserAccessToken = "u2"
		want.AccountID = "page"
		want.AccountName = "Strona"
		want.Active = false
		want.ReconnectReason = "powód"
		want.ExpiresAt = nil
		want.UserExpiresAt = new(databasetest.Time.Add(time.Minute))
		want.Scopes, want.ProviderUserID = []string{"z"}, "q"
		held := must(s.Connections.Hold(ctx, c.CompanyID, c.Pair))(t)
		defer held.Release()
		requireEqual(t, "seen", c, held.Connection)
		held.Connection = want
		held.ID = 0
		held.CompanyID = 0
		held.Pair = profilePair
		held.CreatedAt = time.Time{}
		ok(t, held.Save(new(directorytest.Entry(c, "reconnect_required"))))
		want.UpdatedAt, want.UserExpiresAt = database.Instant(now), new(database.Instant(*want.UserExpiresAt))
		requireEqual(t, "returned", want, held.Connection)
		requireEqual(t, "stored", want, must(s.Connections.Find(ctx, c.CompanyID, pagesPair))(t))
		lines := must(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 1}))(t)
		if lines[0].Action != "reconnect_required" {
			t.Errorf("trail: %+v", lines)
		}
	})
}

// TestHoldSlowly looks at what others can do while a caller is at a provider.
func TestHoldSlowly(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		other, ctx := directorytest.NewStore(databasetest.Open(t, db.URL)), t.Context()
		c, neighbour := directorytest.AddConnection(t, s, "a", pagesPair),
			directorytest.AddConnection(t, s, "b", pagesPair)
		rename := func(c *connection.Connection) { c.AccountName = "renamed" }
		held := must(s.Connections.HoldSlowly(ctx, c.CompanyID, c.Pair))(t)
		defer held.Release()
		held.AccountName = "slow"
		for name, s := range map[string]*directorytest.Store{"the same store": s, "another store": other} {
			ok(t, s.Companies().SetPlaceID(ctx, c.CompanyID, "place"))
			must(s.Connections.Find(ctx, c.CompanyID, pagesPair))(t)
			change(t, s, neighbour, rename)
			save := c
			for call, err := range map[string]error{
				"Hold": waiting(ctx, func(ctx context.Context) error {
					return databasetest.ErrorOf(s.Connections.Hold(ctx, c.CompanyID, c.Pair))
				}),
				"Save": waiting(ctx, func(ctx context.Context) error {
					return s.Connections.Save(ctx, &save, nil, directorytest.Entry(c, "connect"))
				}),
			} {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s of %s does not wait for the change: %v", call, name, err)
				}
			}
		}
		ok(t, held.Save(nil))
		if name := must(s.Connections.Find(ctx, c.CompanyID, pagesPair))(t).AccountName; name != "slow" {
			t.Errorf("account name %q", name)
		}
	})
}

// waiting runs a call that is expected to wait for longer than it is given.
func waiting(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	return call(ctx)
}

// TestUnknownPairLocksNothing: a name out of an address makes no file.
func TestUnknownPairLocksNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		c := directorytest.AddConnection(t, s, "a", pagesPair)
		for _, service := range []provider.Service{"unknown", provider.Service(strings.Repeat("x", 300))} {
			unknown := provider.Pair{Provider: pagesPair.Provider, Service: service}
			wantFault(t, databasetest.ErrorOf(s.Connections.Hold(t.Context(), c.CompanyID, unknown)),
				fault.NotFound, "no_connection")
			wantFault(t, databasetest.ErrorOf(s.Connections.HoldSlowly(t.Context(), c.CompanyID, unknown)),
				fault.NotFound, "no_connection")
		}
		path, _ := strings.CutPrefix(db.URL, "sqlite:")
		for _, name := range must(filepath.Glob(path + ".locks/*"))(t) {
			if strings.Contains(name, "unknown") {
				t.Errorf("there is a lock file %s", name)
			}
		}
	})
}
