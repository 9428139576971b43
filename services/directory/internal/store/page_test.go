package store_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

func TestSelectPage(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		wantFault(t, errorOf(s.SocialConfig(ctx, c.CompanyID, directory.PlatformPages)), fault.NotFound, "no_config")
		config := directory.SocialConfig{
			Platform: directory.PlatformPages, CompanyID: c.CompanyID, PageID: "1", PageName: "Łąka", AccessToken: "page",
			Active: true, DebugMode: true, UpdatedBy: c.UserID, UpdatedAt: databasetest.Time,
		}
		for _, page := range []string{"1", "2"} {
			config.PageID, config.AccessToken, config.DebugMode = page, "page-"+page, page == "1"
			returned := must(s.SelectPage(ctx, c.CompanyID, c.Pair, func(c *directory.Connection) error {
				c.UserAccessToken, c.AccessToken, c.AccountID, c.ExpiresAt = c.AccessToken, config.AccessToken, page, nil
				return nil
			}, config, storetest.Entry(c, "select_page")))(t)
			want := config
			want.UpdatedAt = storetest.Kept(databasetest.Time)
			requireEqual(t, "configuration", want, must(s.SocialConfig(ctx, c.CompanyID, directory.PlatformPages))(t))
			now := must(s.Connection(ctx, c.CompanyID, pages))(t)
			requireEqual(t, "returned", now, returned)
			if now.AccessToken != "page-"+page || now.AccountID != page || now.ExpiresAt != nil {
				t.Errorf("connection: %+v", now)
			}
		}
		if lines := must(s.Trail(ctx, directory.TrailSearch{CompanyID: c.CompanyID, Limit: 9}))(t); len(lines) != 3 || lines[0].Action != "select_page" {
			t.Errorf("trail: %+v", lines)
		}
	})
}

func TestDisconnectEndsConfig(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		ending, staying := storetest.AddConnection(t, s, "a", pages), storetest.AddConnection(t, s, "b", pages)
		for _, c := range []directory.Connection{ending, staying} {
			must(s.SelectPage(ctx, c.CompanyID, c.Pair, func(*directory.Connection) error { return nil }, directory.SocialConfig{
				Platform: directory.PlatformPages, CompanyID: c.CompanyID, PageID: "1", AccessToken: "page", Active: true, UpdatedBy: c.UserID, UpdatedAt: databasetest.Time,
			}, storetest.Entry(c, "select_page")))(t)
		}
		change(t, s, ending, func(c *directory.Connection) { c.Active, c.AccessToken = false, "" })
		if ended := must(s.SocialConfig(ctx, ending.CompanyID, directory.PlatformPages))(t); ended.Active || ended.AccessToken != "" || ended.PageID != "1" {
			t.Errorf("after its connection ended: %+v", ended)
		}
		if other := must(s.SocialConfig(ctx, staying.CompanyID, directory.PlatformPages))(t); !other.Active || other.AccessToken != "page" {
			t.Errorf("of another company: %+v", other)
		}
	})
}

// TestConfigFollowsItsConnection: a connection that is made anew takes the publishing
// configuration along, with the page's new token or without any.
func TestConfigFollowsItsConnection(t *testing.T) {
	tests := []struct {
		name   string
		keep   func(before directory.Connection, c *directory.Connection)
		active bool
		token  string
	}{
		{"the page is reached", func(before directory.Connection, c *directory.Connection) {
			c.Chosen, c.UserAccessToken, c.AccessToken, c.AccountID = before.Chosen, c.AccessToken, "page-2", before.AccountID
		}, true, "page-2"},
		{"the page's token is yet to be read", func(before directory.Connection, c *directory.Connection) {
			c.Chosen, c.UserAccessToken, c.AccessToken = before.Chosen, c.AccessToken, ""
		}, false, ""},
		{"the page is out of reach", func(directory.Connection, *directory.Connection) {}, false, ""},
	}
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		for _, test := range tests {
			s, ctx := db.Store, t.Context()
			c := storetest.AddConnection(t, s, strings.ReplaceAll(strings.ReplaceAll(test.name, " ", "-"), "'", ""), pages)
			must(s.SelectPage(ctx, c.CompanyID, c.Pair, func(*directory.Connection) error { return nil }, directory.SocialConfig{
				Platform: directory.PlatformPages, CompanyID: c.CompanyID, PageID: "1", AccessToken: "page-1", Active: true, UpdatedBy: c.UserID, UpdatedAt: databasetest.Time,
			}, storetest.Entry(c, "select_page")))(t)
			again := directory.Connection{CompanyID: c.CompanyID, UserID: c.UserID, Pair: pages, AccessToken: "user-2"}
			ok(t, s.SaveConnection(ctx, &again, test.keep, storetest.Entry(c, "connect")))
			config := must(s.SocialConfig(ctx, c.CompanyID, directory.PlatformPages))(t)
			if config.Active != test.active || config.AccessToken != test.token {
				t.Errorf("%s: configuration %+v", test.name, config)
			}
		}
	})
}

func TestSelectPageAllOrNothing(t *testing.T) {
	refusal := errors.New("refused")
	tests := []struct {
		name    string
		refusal error // of the change
		config  directory.SocialConfig
		entry   directory.Entry
	}{
		{name: "the change fails", refusal: refusal},
		{name: "the page's name cannot be kept", config: directory.SocialConfig{PageName: "nul\x00"}},
		{name: "the entry cannot be kept", entry: directory.Entry{Detail: "nul\x00"}},
	}
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		before := storetest.AddConnection(t, s, "a", pages)
		for _, test := range tests {
			config, entry := test.config, test.entry
			config.Platform, config.CompanyID = directory.PlatformPages, before.CompanyID
			config.UpdatedBy = cmp.Or(config.UpdatedBy, before.UserID)
			entry.CompanyID, entry.Action = before.CompanyID, "select_page"
			_, err := s.SelectPage(ctx, before.CompanyID, before.Pair, func(c *directory.Connection) error {
				c.AccessToken, c.AccountID = "page", "1"
				return test.refusal
			}, config, entry)
			if err == nil || test.refusal != nil && !errors.Is(err, refusal) {
				t.Errorf("%s: error %v", test.name, err)
			}
			requireEqual(t, test.name, before, must(s.Connection(ctx, before.CompanyID, pages))(t))
			wantFault(t, errorOf(s.SocialConfig(ctx, before.CompanyID, directory.PlatformPages)), fault.NotFound, "no_config")
			if lines := must(s.Trail(ctx, directory.TrailSearch{CompanyID: before.CompanyID, Limit: 9}))(t); len(lines) != 1 {
				t.Errorf("%s: trail: %+v", test.name, lines)
			}
		}
		unchanged := func(*directory.Connection) error { return nil }
		_, err := s.SelectPage(ctx, 99, pages, unchanged, directory.SocialConfig{}, directory.Entry{})
		wantFault(t, err, fault.NotFound, "no_connection")
	})
}

func TestStatistics(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddCompany(t, s, "a")
		wantFault(t, errorOf(s.LatestStatistics(ctx, c.ID, directory.SocialPages)), fault.NotFound, "no_statistics")
		reading := func(minutes int, name string) directory.Statistics {
			return directory.Statistics{
				CompanyID: c.ID, Service: directory.SocialPages, AccountID: "1", Followers: minutes,
				SyncedAt: databasetest.Time.Add(time.Duration(minutes) * time.Minute),
				Page: &directory.PageData{
					Name: name, Metrics: map[string]any{"views": 3.0, "by_day": map[string]any{"2026-11-20": 1.5}}, Unavailable: []string{"x"},
					SyncedAt: storetest.Kept(databasetest.Time),
				},
			}
		}
		first, second, late := reading(1, "ą \u0000"), reading(2, "ą \u0000"), reading(0, "late")
		photos := reading(9, "")
		photos.Service, photos.Page, photos.Photos = directory.SocialPhotos, nil, &directory.PhotoData{
			Profile: directory.PhotoProfile{ID: "17", Username: "u", FollowersCount: 3}, Media: []directory.Medium{{ID: "m", LikeCount: new(4)}},
			Engagement: directory.Engagement{Likes: 4, Rate: 1.5}, SyncedAt: storetest.Kept(databasetest.Time),
		}
		for _, r := range []directory.Statistics{first, second, late, photos} {
			ok(t, s.SaveStatistics(ctx, r))
		}
		for _, r := range []*directory.Statistics{&first, &second, &late, &photos} {
			r.SyncedAt = storetest.Kept(r.SyncedAt)
		}
		requireEqual(t, "latest", second, must(s.LatestStatistics(ctx, c.ID, directory.SocialPages))(t))
		requireEqual(t, "latest of the other service", photos, must(s.LatestStatistics(ctx, c.ID, directory.SocialPhotos))(t))
		history := []directory.Statistics{second, first, late}
		for i := range history {
			history[i].Page = nil
		}
		for n := range 4 {
			requireEqual(t, "history", history[:n], must(s.StatisticsHistory(ctx, c.ID, directory.SocialPages, n))(t))
		}
		failed := second.SyncedAt.Add(time.Second)
		ok(t, s.NoteFailedSync(ctx, c.ID, directory.SocialPages, failed))
		ok(t, s.NoteFailedSync(ctx, c.ID, directory.SocialPhotos, photos.SyncedAt.Add(-time.Second)))
		second.FailedAt = failed
		requireEqual(t, "latest with a later failure", second, must(s.LatestStatistics(ctx, c.ID, directory.SocialPages))(t))
		requireEqual(t, "latest with an earlier one", photos, must(s.LatestStatistics(ctx, c.ID, directory.SocialPhotos))(t))
		photos.Service = directory.SocialPages
		if err := s.SaveStatistics(ctx, photos); err == nil {
			t.Error("a reading without the data of its service is saved")
		}
	})
}
