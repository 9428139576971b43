package storetest_test

import (
	"fmt"
	"sync"
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

func TestSaveConnection(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		now := databasetest.Time
		s, ctx := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return now })), t.Context()
		u := storetest.AddUser(t, s, "a")
		first := connection.Connection{
			CompanyID: *u.CompanyID, UserID: u.ID, Pair: pages, AccessToken: "zażółć", RefreshToken: "r", Scopes: []string{"x", "y"},
			Chosen: connection.ChosenPage, AccountID: "1", AccountName: "Łąka", ExpiresAt: &databasetest.Time, UserAccessToken: "u", UserExpiresAt: &databasetest.Time, ProviderUserID: "p",
			ReconnectReason: "an earlier failure",
		}
		c := first
		ok(t, s.Save(ctx, &c, nil, storetest.Entry(c, "connect")))
		want := first
		want.ID, want.Active, want.ReconnectReason, want.CreatedAt, want.UpdatedAt = c.ID, true, "", storetest.Kept(databasetest.Time), storetest.Kept(databasetest.Time)
		want.ConnectedAt = storetest.Kept(databasetest.Time)
		want.ExpiresAt, want.UserExpiresAt = new(storetest.Kept(databasetest.Time)), new(storetest.Kept(databasetest.Time))
		if diff := cmp.Diff(want, c); diff != "" || c.ID == 0 {
			t.Errorf("set: %s", diff)
		}
		requireEqual(t, "stored", want, must(s.Find(ctx, c.CompanyID, pages))(t))

		now = databasetest.Time.Add(time.Hour)
		second := connection.Connection{CompanyID: *u.CompanyID, UserID: u.ID, Pair: pages, AccessToken: "new", Scopes: []string{}}
		c = second
		ok(t, s.Save(ctx, &c, nil, storetest.Entry(c, "connect")))
		after := second
		after.ID, after.Active, after.RefreshToken = want.ID, true, "r"
		after.ConnectedAt, after.CreatedAt, after.UpdatedAt = storetest.Kept(now), storetest.Kept(databasetest.Time), storetest.Kept(now)
		requireEqual(t, "set the second time", after, c)
		requireEqual(t, "stored the second time", after, must(s.Find(ctx, c.CompanyID, pages))(t))
		c.RefreshToken = "newer"
		ok(t, s.Save(ctx, &c, nil, storetest.Entry(c, "connect")))
		if token := must(s.Find(ctx, c.CompanyID, pages))(t).RefreshToken; token != "newer" {
			t.Errorf("refresh token %q", token)
		}
		if lines := must(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t); len(lines) != 3 {
			t.Errorf("%d lines in the trail, want 3", len(lines))
		}
	})
}

// TestSaveConnectionTwiceAtOnce: two replicas that connect the same service for the
// first time both succeed, and the second replaces the first.
func TestSaveConnectionTwiceAtOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		other, ctx := storetest.Open(t, db.URL), t.Context()
		for round := range 20 {
			u := storetest.AddUser(t, db.Store, fmt.Sprintf("u%d", round))
			var both sync.WaitGroup
			for _, s := range []*storetest.Store{db.Store, other} {
				both.Go(func() {
					c := connection.Connection{CompanyID: *u.CompanyID, UserID: u.ID, Pair: pages, AccessToken: "t"}
					if err := s.Save(ctx, &c, nil, storetest.Entry(c, "connect")); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
		}
	})
}

func TestSaveConnectionAfterDisconnect(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddConnection(t, s, "a", profile)
		change(t, s, c, func(c *connection.Connection) {
			c.Active, c.AccessToken, c.RefreshToken, c.ReconnectReason = false, "", "", "gone"
		})
		c.RefreshToken = ""
		ok(t, s.Save(ctx, &c, nil, storetest.Entry(c, "connect")))
		if !c.Active || c.ReconnectReason != "" || c.RefreshToken != "" {
			t.Errorf("active %v, reason %q, refresh token %q", c.Active, c.ReconnectReason, c.RefreshToken)
		}
	})
}

func TestSaveConnectionWithItsEntryOrNotAtAll(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		u := storetest.AddUser(t, s, "a")
		c := connection.Connection{CompanyID: *u.CompanyID, UserID: u.ID, Pair: profile, AccessToken: "t"}
		before := c
		wantFault(t, s.Save(ctx, &c, nil, trail.Entry{CompanyID: c.CompanyID, Action: "nul\x00"}), fault.Invalid, "invalid_text")
		requireEqual(t, "a failed save changed its argument", before, c)
		wantFault(t, errorOf(s.Find(ctx, c.CompanyID, profile)), fault.NotFound, "no_connection")
	})
}

func TestConnections(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		social := storetest.AddConnection(t, s, "a", pages)
		search := connection.Connection{CompanyID: social.CompanyID, UserID: social.UserID, Pair: profile, AccessToken: "t"}
		ok(t, s.Save(ctx, &search, nil, storetest.Entry(search, "connect")))
		storetest.AddConnection(t, s, "b", pages)
		requireEqual(t, "read", []connection.Connection{search, social}, must(s.List(ctx, social.CompanyID))(t))
		if list := must(s.List(ctx, 99))(t); list == nil || len(list) != 0 {
			t.Errorf("without connections: %v", list)
		}
		wantFault(t, errorOf(s.Find(ctx, social.CompanyID, provider.Pair{Provider: "provider_search", Service: "social_pages\x00"})), fault.NotFound, "no_connection")
	})
}

func TestGrantShared(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		shared := func(change func(*connection.Connection)) bool {
			asked := c
			change(&asked)
			return must(s.GrantShared(ctx, asked))(t)
		}
		same := func(*connection.Connection) {}
		if shared(same) {
			t.Error("shared with itself")
		}
		other := storetest.AddConnection(t, s, "b", pages)
		if shared(same) {
			t.Error("shared with another person's grant")
		}
		if !shared(func(c *connection.Connection) { c.ProviderUserID = other.ProviderUserID }) {
			t.Error("not shared within one grant")
		}
		if shared(func(c *connection.Connection) { c.ProviderUserID, c.Pair = other.ProviderUserID, profile }) {
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
		ok(t, s.Save(ctx, &photos, nil, storetest.Entry(photos, "connect")))
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
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s := storetest.Open(t, db.URL)
		u := storetest.AddUser(t, s, "a")
		for _, want := range []connection.Connection{
			{Chosen: connection.ChosenPage, AccountID: "104118", UserAccessToken: "user"},
			{Chosen: connection.ChosenLocation, AccountID: "locations/5"},
			{Chosen: connection.ChosenNothing, AccountID: "accounts/9"},
		} {
			c := want
			c.CompanyID, c.UserID, c.Pair, c.AccessToken = *u.CompanyID, u.ID, pages, "access"
			ok(t, s.Save(t.Context(), &c, nil, storetest.Entry(c, "connect")))
			if stored := must(s.Find(t.Context(), c.CompanyID, pages))(t); stored.Chosen != want.Chosen {
				t.Errorf("account %s: chosen %d, want %d", want.AccountID, stored.Chosen, want.Chosen)
			}
		}
	})
}
