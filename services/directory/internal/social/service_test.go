package social_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// withPage is a connection with a page and a user's token that is valid for an hour.
func withPage(s *directorytest.Service) connection.Connection {
	s.Social.Token.AccessToken = "user-1"
	return s.WithPage(time.Hour)
}

func TestSelectPage(t *testing.T) { onEachDatabase(t, testSelectPage) }

func testSelectPage(t *testing.T, s *directorytest.Service) {
	want := s.Granted()
	// the actor's company is another one
	page, data, err := s.Pages.Select(t.Context(), directorytest.ActorOf(s.Anna, 9), s.Company.ID, "104118")
	if err != nil || page != s.Social.Pages[0] {
		t.Fatalf("Select = %+v, %v", page, err)
	}
	if data == nil || data.FanCount != 1204 || !data.SyncedAt.Equal(directorytest.Start) {
		t.Errorf("sync = %+v", data)
	}
	want.Chosen = connection.ChosenPage
	want.UserAccessToken = "access-1"
	want.UserExpiresAt = want.ExpiresAt
	want.AccessToken = "page-1"
	want.ExpiresAt = nil
	want.AccountID, want.AccountName, want.OwnerName = "104118", "Piekarnia", want.AccountName
	got := s.Stored(directorytest.PagesPair)
	got.Readings = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v", got, want)
	}
	config := social.Config{
		ID: 1, Platform: "social_pages", CompanyID: s.Company.ID, PageID: "104118", PageName: "Piekarnia",
		AccessToken: "page-1",
		IsActive:    true, DebugMode: true, UpdatedBy: s.Anna.ID, CreatedAt: directorytest.Start,
		UpdatedAt: directorytest.Start,
	}
	if got, err := social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID); err != nil || got != config {
		t.Errorf("configuration = %+v, %v, want %+v", got, err, config)
	}
	s.WantTrail("select_page")
	e := s.Trail()[0]
	if e.CompanyID != s.Company.ID || *e.UserID != s.Anna.ID {
		t.Fatalf("entry = %+v", e)
	}
	if e.Detail != "104118" || e.Pair != directorytest.PagesPair {
		t.Fatalf("entry = %+v", e)
	}
	if e.RequestID != "req-1" {
		t.Errorf("entry = %+v", e)
	}
}

func TestSelectAnotherPageKeepsTheUserToken(t *testing.T) {
	s := directorytest.New(t)
	want := withPage(s)
	s.Change(directorytest.PagesPair, func(c *connection.Connection) {
		c.ReconnectReason = "Nie zarządzasz już tą stroną."
	})
	if _, _, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, "104119"); err != nil {
		t.Fatal(err)
	}
	want.AccessToken = "page-2"
	want.AccountID = "104119"
	want.AccountName = "Cukiernia"
	got := s.Stored(directorytest.PagesPair)
	got.Readings = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v: another page mends the connection", got, want)
	}
}

func TestSelectPageFaults(t *testing.T) {
	broken := errors.New("database is away")
	for name, tt := range map[string]struct {
		pageID string
		spoil  func(*directorytest.Service)
		kind   fault.Kind
		code   string
	}{
		"not managed": {"400", func(*directorytest.Service) {}, fault.NotFound, social.CodePageNotFound.Name},
		"no credential": {"104120", func(*directorytest.Service) {}, fault.Invalid,
			social.CodePageWithoutCredential.Name},
		"provider away": {
			"104118", func(s *directorytest.Service) { s.Social.Fail["Pages"] = provider.Temporary(broken) },
			fault.Internal, provider.CodeTemporary.Name,
		},
		"ended then": {"104118", func(s *directorytest.Service) {
			s.Social.During["Pages"] = func() { s.Change(directorytest.PagesPair, directorytest.Inactive) }
		}, fault.NotFound, connection.CodeNoConnection.Name},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			before := s.Granted()
			tt.spoil(s)
			page, data, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, tt.pageID)
			directorytest.WantFault(t, err, tt.kind, tt.code)
			_, err = social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID)
			directorytest.WantFault(t, err, fault.NotFound, social.CodeNoConfig.Name)
			if page != (meta.Page{}) || data != nil || len(s.Social.Calls) != 1 {
				t.Errorf("page %+v, sync %+v after %q", page, data, s.Social.Calls)
			}
			if got := s.Stored(directorytest.PagesPair); got.AccessToken != before.AccessToken ||
				got.UserAccessToken != "" {
				t.Errorf("stored = %+v", got)
			}
			s.WantTrail()
		})
	}
}

func TestSelectPageOutlivesItsSync(t *testing.T) {
	for name, spoil := range map[string]func(*directorytest.Service){
		"not read": func(s *directorytest.Service) { s.Social.Fail["ReadPage"] = directorytest.Revoked() },
		"not kept": func(s *directorytest.Service) { s.Hide("social_statistics") },
	} {
		s := directorytest.New(t)
		s.Granted()
		spoil(s)
		page, data, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, "104118")
		if err != nil || page.ID != "104118" {
			t.Fatalf("%s: Select = %+v, %+v, %v", name, page, data, err)
		}
		if data != nil || s.Stored(directorytest.PagesPair).AccountID != "104118" {
			t.Errorf("%s: Select = %+v, %+v, %v", name, page, data, err)
		}
		if log := s.Log.String(); !strings.Contains(log, "req-1") || strings.Contains(log, "page-1") ||
			strings.Contains(log, "access-1") {
			t.Errorf("%s: log = %q", name, log)
		}
	}
}

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var pagesPair = directorytest.PagesPair

// onEachDatabase runs a test with a service on each database.
func onEachDatabase(t *testing.T, test func(t *testing.T, s *directorytest.Service)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, directorytest.On(t, db.URL)) })
}

// selected is a service whose company has chosen the page 104118.
func selected(t *testing.T, s *directorytest.Service) {
	t.Helper()
	s.Granted()
	if _, _, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, "104118"); err != nil {
		t.Fatal(err)
	}
}

func TestDisconnectSwitchesOffPublishing(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s *directorytest.Service) {
		selected(t, s)
		other := s.AddCompany("cukiernia")
		config := social.Config{Platform: social.Platform, CompanyID: other.ID, PageID: "1", AccessToken: "page",
			IsActive: true, UpdatedBy: s.Anna.ID}
		if err := social.SaveConfig(s.Store.Write(t.Context()), s.Store.DB, config); err != nil {
			t.Fatal(err)
		}
		s.WantPublishing("page-1")
		s.Change(pagesPair, func(c *connection.Connection) { c.Active, c.AccessToken = false, "" })
		s.WantPublishing("")
		if ended, err := social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID); err != nil ||
			ended.PageID != "104118" {
			t.Errorf("after its connection ended: %+v, %v", ended, err)
		}
		if got, err := social.ReadConfig(t.Context(), s.Store.DB, other.ID); err != nil || !got.IsActive ||
			got.AccessToken != "page" {
			t.Errorf("of another company: %+v, %v", got, err)
		}
		moved := s.Store.Write(t.Context()).
			Exec("UPDATE social_media_configs SET access_token = (SELECT access_token FROM social_media_configs "+
				"WHERE company_id = ?)", other.ID)
		if _, err := social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID); moved.Error != nil ||
			!fault.Is(err, "secret_unreadable") {
			t.Errorf("with the token of another company: %v, %v", moved.Error, err)
		}
	})
}

func TestSelectPageWithoutAConnection(t *testing.T) {
	s := directorytest.New(t)
	_, _, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, "104118")
	if directorytest.WantFault(t, err, fault.NotFound, connection.CodeNoConnection.Name); len(s.Social.Calls) > 0 {
		t.Errorf("calls %q", s.Social.Calls)
	}
}

// TestPublishingIsSwitchedOffWithItsConnection, or neither is.
func TestPublishingIsSwitchedOffWithItsConnection(t *testing.T) {
	s := directorytest.New(t)
	selected(t, s)
	restore := s.FailUpdates("social_media_configs", "access_token")
	_, err := s.Store.Connections.Change(t.Context(), s.Company.ID, pagesPair,
		func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.End()
			return nil, nil
		})
	restore()
	if err == nil || !s.Stored(pagesPair).Active {
		t.Errorf("%v, stored %+v", err, s.Stored(pagesPair))
	}
	s.WantPublishing("page-1")
}

// TestPublishingFollowsThePage checks that the configuration is what its connection allows,
// and is written only if that has changed.
func TestPublishingFollowsThePage(t *testing.T) {
	s := directorytest.New(t)
	selected(t, s)
	want, err := social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID)
	if err != nil {
		t.Fatal(err)
	}
	ewa := s.AddUser("ewa", account.Member, &s.Company)
	lost := func(c *connection.Connection) {
		c.Chosen = connection.ChosenNothing
		c.UserAccessToken = ""
		c.AccountID = ""
		c.AccountName = ""
	}
	for _, step := range []struct {
		name   string
		change func(*connection.Connection)
		follow func() // what changes in the configuration
	}{
		{"other scopes", func(c *connection.Connection) { c.Scopes = []string{"a"} }, nil},
		{"another token", func(c *connection.Connection) { c.AccessToken = "page-9" },
			func() { want.AccessToken = "page-9" }},
		{"another page", func(c *connection.Connection) {
			c.AccessToken = "page-2"
			c.AccountID = "104119"
			c.AccountName = "Cukiernia"
		}, func() {
			want.AccessToken = "page-2"
			want.PageID = "104119"
			want.PageName = "Cukiernia"
		}},
		{"token not read yet", func(c *connection.Connection) { c.AccessToken = "" },
			func() { want.AccessToken, want.IsActive = "", false }},
		{"read", func(c *connection.Connection) { c.AccessToken = "page-3" },
			func() { want.AccessToken, want.IsActive = "page-3", true }},
		{"page lost", lost, func() { want.AccessToken, want.IsActive = "", false }},
		{"still lost", func(c *connection.Connection) { c.AccessToken = "access-3" }, nil},
		{"page back", func(c *connection.Connection) {
			c.Choose(connection.ChosenPage, provider.Choice{ID: "104118", Name: "Piekarnia", Token: "page-4"})
			c.UserID = ewa.ID
		}, func() {
			want.AccessToken = "page-4"
			want.IsActive = true
			want.PageID = "104118"
			want.PageName = "Piekarnia"
			want.UpdatedBy = ewa.ID
		}},
		{"ended", func(c *connection.Connection) { c.Active = false },
			func() { want.AccessToken, want.IsActive = "", false }},
	} {
		s.Now = s.Now.Add(time.Minute)
		s.Change(pagesPair, step.change)
		if step.follow != nil {
			step.follow()
			want.UpdatedAt = s.Now
		}
		if got, err := social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID); err != nil || got != want {
			t.Errorf("%s: configuration %+v, %v, want %+v", step.name, got, err, want)
		}
	}
}

// TestSyncReadsTheTokenOfThePageFirst if a new grant has not read it yet.
func TestSyncReadsTheTokenOfThePageFirst(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{
		Pair: pagesPair, Chosen: connection.ChosenPage, AccountID: "104118", AccountName: "Stara nazwa",
		UserAccessToken: "access-1", UserExpiresAt: directorytest.After(time.Hour),
	})
	_, err := s.Pages.SyncPage(t.Context(), s.Company.ID)
	c := s.Stored(pagesPair)
	if err != nil || c.AccessToken != "page-1" {
		t.Fatalf("%v, stored %+v", err, c)
	}
	if c.AccountID != "104118" || c.AccountName != "Piekarnia" {
		t.Errorf("%v, stored %+v", err, c)
	}
}

func TestSelectPageWritesNothingIfOneWriteFails(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s *directorytest.Service) {
		before := s.Granted()
		for _, table := range []string{"social_media_configs", "audit_trail"} {
			restore := s.Hide(table)
			if _, _, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID,
				"104118"); err == nil {
				t.Errorf("without %s a page was selected", table)
			}
			restore()
			s.WantUnchanged(before)
			if _, err := social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID); !fault.Is(err, social.CodeNoConfig) {
				t.Errorf("without %s: configuration read with %v", table, err)
			}
		}
	})
}

func TestSelectPageWritesTheConfigurationOnce(t *testing.T) {
	s := directorytest.New(t)
	s.Granted()
	var writes []string
	err := databasetest.Observe(s.Store.DB, func(statement string) {
		if strings.Contains(statement, "social_media_configs") {
			writes = append(writes, statement)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"104118", "104119"} {
		writes = nil
		if _, _, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, page); err != nil ||
			len(writes) != 1 {
			t.Errorf("page %s: %v, statements %q", page, err, writes)
		}
	}
}

// TestFailuresAreReported checks that nothing succeeds if one of its statements fails.
func TestFailuresAreReported(t *testing.T) {
	s := directorytest.New(t)
	withPage(s)
	ctx := t.Context()
	actor := directorytest.Actor(s.Anna)
	id := s.Company.ID
	later := func() { s.Now = s.Now.Add(time.Second) }
	s.FailEach([]databasetest.Call{
		{Name: "discover", Run: func() error { _, err := s.Pages.Discover(ctx, id); return err }},
		{Name: "select", Run: func() error { _, _, err := s.Pages.Select(ctx, actor, id, "104119"); return err }},
		{
			Name: "sync of the page", Before: later,
			Run: func() error { _, err := s.Pages.SyncPage(ctx, id); return err },
		},
		{Name: "sync of the photos", Before: later,
			Run: func() error { _, err := s.Pages.SyncPhotos(ctx, id); return err }},
		{
			Name: "scan of the page", Before: later,
			Run: func() error { _, err := s.Pages.ScanPage(ctx, id); return err },
		},
		{Name: "sync that misses metrics", Before: func() {
			later()
			s.Social.Page.Missed = meta.Missed{Metrics: []string{"views"}, Err: provider.Throttled(nil, 0)}
		}, Run: func() error { _, err := s.Pages.SyncPage(ctx, id); return err }},
		{Name: "figures of the page", Run: func() error { _, _, err := s.Pages.PageStatistics(ctx, id); return err }},
		{
			Name: "figures of the photos",
			Run:  func() error { _, _, err := s.Pages.PhotoStatistics(ctx, id); return err },
		},
	}...)
}
