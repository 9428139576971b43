package social_test

import (
	"os"
	"strings"
	"testing"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/storetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var pagesPair = directorytest.PagesPair

// onEachDatabase runs a test with a service on each database.
func onEachDatabase(t *testing.T, test func(t *testing.T, s *directorytest.Service)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db storetest.Database) { test(t, directorytest.On(t, db.URL)) })
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
		config := social.Config{Platform: social.Platform, CompanyID: other.ID, PageID: "1", AccessToken: "page", IsActive: true, UpdatedBy: s.Anna.ID}
		if err := social.SaveConfig(s.Store.Write(t.Context()), s.Store.DB, config); err != nil {
			t.Fatal(err)
		}
		s.WantPublishing("page-1")
		s.Change(pagesPair, func(c *connection.Connection) { c.Active, c.AccessToken = false, "" })
		s.WantPublishing("")
		if ended, err := social.ReadConfig(t.Context(), s.Store.DB, s.Company.ID); err != nil || ended.PageID != "104118" {
			t.Errorf("after its connection ended: %+v, %v", ended, err)
		}
		if got, err := social.ReadConfig(t.Context(), s.Store.DB, other.ID); err != nil || !got.IsActive || got.AccessToken != "page" {
			t.Errorf("of another company: %+v, %v", got, err)
		}
	})
}

func TestSelectPageWritesNothingIfOneWriteFails(t *testing.T) {
	for _, table := range []string{"social_media_configs", "audit_trail"} {
		s := directorytest.New(t)
		before := s.Granted()
		s.Hide(table)
		if _, _, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, "104118"); err == nil {
			t.Errorf("without %s a page was selected", table)
		}
		if now := s.Stored(pagesPair); now.AccessToken != before.AccessToken || now.Chosen != connection.ChosenNothing {
			t.Errorf("without %s: stored = %+v", table, now)
		}
	}
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
		if _, _, err := s.Pages.Select(t.Context(), directorytest.Actor(s.Anna), s.Company.ID, page); err != nil || len(writes) != 1 {
			t.Errorf("page %s: %v, statements %q", page, err, writes)
		}
	}
}
