package social_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
)

// yesterday is a service whose page and account were read in full the day before.
func yesterday(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	withPage(s)
	s.Social.Page.Metrics = map[string]any{"views": 10.0, "follows": 3.0}
	s.Social.Page.Unavailable = []string{"retired"}
	s.Social.Photos.Insights = map[string]any{"reach": 5.0}
	syncBoth(t, s)
	s.Now = s.Now.Add(24 * time.Hour)
	return s
}

func syncBoth(t *testing.T, s *directorytest.Service) (social.PageData, social.PhotoData) {
	t.Helper()
	page, err1 := s.Pages.SyncPage(t.Context(), s.Company.ID)
	photos, err2 := s.Pages.SyncPhotos(t.Context(), s.Company.ID)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return page, photos
}

// TestSyncKeepsMissedMetrics: what a sync cannot read stays as it was, with its date,
// however many syncs miss it.
func TestSyncKeepsMissedMetrics(t *testing.T) {
	throttled := provider.Throttled(errors.New("95 %"), 0)
	s := yesterday(t)
	s.Social.Page.FanCount = 1300
	s.Social.Page.Metrics = map[string]any{}
	s.Social.Page.Unavailable = nil
	s.Social.Page.Missed = meta.Missed{Metrics: []string{"views", "follows", "retired", "never"}, Err: throttled}
	s.Social.Photos.Insights = nil
	s.Social.Photos.Missed = meta.Missed{Metrics: []string{"reach"}, Err: throttled}
	for range 2 {
		page, photos := syncBoth(t, s)
		want := social.MetricsReading{
			State: social.MetricsSkipped, Reason: &throttled.Message,
			KeptFrom: map[string]time.Time{"views": directorytest.Start, "follows": directorytest.Start},
		}
		if page.FanCount != 1300 || !reflect.DeepEqual(page.Metrics, map[string]any{"views": 10.0, "follows": 3.0}) {
			t.Fatalf("page = %+v", page)
		}
		if !reflect.DeepEqual(page.Unavailable, []string{"retired"}) || !reflect.DeepEqual(page.MetricsReading, want) {
			t.Fatalf("page = %+v", page)
		}
		if !page.SyncedAt.Equal(s.Now) {
			t.Errorf("page = %+v", page)
		}
		if !reflect.DeepEqual(photos.Insights, map[string]any{"reach": 5.0}) || photos.State != social.MetricsSkipped ||
			!photos.KeptFrom["reach"].Equal(directorytest.Start) {
			t.Errorf("photos = %+v", photos)
		}
		page.Missed = meta.Missed{} // is kept nowhere
		if kept, _, err := s.Pages.PageStatistics(t.Context(), s.Company.ID); err != nil ||
			!reflect.DeepEqual(*kept.Data, page) {
			t.Errorf("kept %+v, %v, want %+v", kept, err, page)
		}
		s.Now = s.Now.Add(time.Hour)
	}
	s.Social.Page.Metrics = map[string]any{"views": 12.0}
	s.Social.Page.Missed.Metrics = []string{"follows"}
	page, _ := syncBoth(t, s)
	if page.State != social.MetricsPartial ||
		!reflect.DeepEqual(page.Metrics, map[string]any{"views": 12.0, "follows": 3.0}) ||
		!reflect.DeepEqual(page.KeptFrom, map[string]time.Time{"follows": directorytest.Start}) {
		t.Errorf("in part: %+v", page)
	}
	s.Social.Page.Missed = meta.Missed{}
	page, _ = syncBoth(t, s)
	if !reflect.DeepEqual(page.MetricsReading,
		social.MetricsReading{State: social.MetricsComplete, KeptFrom: map[string]time.Time{}}) ||
		!reflect.DeepEqual(page.Metrics, map[string]any{"views": 12.0}) {
		t.Errorf("in full: %+v", page)
	}
}

// TestSyncKeepsNothingOfAnotherPage: what the page before had is not this one's.
func TestSyncKeepsNothingOfAnotherPage(t *testing.T) {
	s := yesterday(t)
	s.Social.Page.Metrics = nil
	s.Social.Page.Missed = meta.Missed{Metrics: []string{"views"}, Err: provider.Temporary(nil)}
	if _, _, err := s.Pages.Select(t.Context(), account.Actor{User: s.Anna}, s.Company.ID, "104119"); err != nil {
		t.Fatal(err)
	}
	if page, _ := syncBoth(t, s); len(page.Metrics) != 0 || len(page.KeptFrom) != 0 ||
		page.State != social.MetricsSkipped {
		t.Errorf("page = %+v", page)
	}
}

// TestDeniedMetricsMarkTheConnection: it works on, and is good again as soon as the
// permission is there.
func TestDeniedMetricsMarkTheConnection(t *testing.T) {
	s := yesterday(t)
	needsReconnect := func(want bool) {
		t.Helper()
		status, err := s.Connections.Status(t.Context(), account.Actor{User: s.Anna})
		got := status[directorytest.PagesPair.String()]
		if err != nil || got.NeedsReconnect != want || (got.Reason == provider.CodePermission.Text) != want {
			t.Errorf("status = %+v, %v, want reconnecting %t", got, err, want)
		}
	}
	s.Change(directorytest.PagesPair, func(c *connection.Connection) { c.Scopes = []string{directorytest.Scope} })
	needsReconnect(false)
	denied := meta.Missed{Metrics: []string{"reach"}, Err: provider.Denied(nil)}
	s.Social.Photos.Missed = denied
	for range 2 {
		syncBoth(t, s)
		needsReconnect(true)
	}
	s.WantTrail("reconnect_required")
	s.Social.Photos.Missed.Err = provider.Temporary(nil)
	syncBoth(t, s)
	needsReconnect(true)
	s.Social.Photos.Missed = meta.Missed{}
	syncBoth(t, s)
	needsReconnect(false)
	s.Social.Fail["ReadPage"] = provider.Denied(nil)
	if _, err := s.Pages.SyncPage(t.Context(), s.Company.ID); err == nil {
		t.Error("a refused first call is no failure")
	}
	needsReconnect(true)
}

// TestDenialMarksNoOtherChoice: another page was chosen while this one was refused.
func TestDenialMarksNoOtherChoice(t *testing.T) {
	s := yesterday(t)
	s.Social.Fail["ReadPage"] = provider.Denied(nil)
	s.Social.During["ReadPage"] = func() {
		s.Change(pagesPair, func(c *connection.Connection) { c.AccountID = "104119" })
	}
	if _, err := s.Pages.SyncPage(t.Context(), s.Company.ID); err == nil {
		t.Error("a refused page was synced")
	}
	if c := s.Stored(pagesPair); len(c.Denied) != 0 {
		t.Errorf("denied %q", c.Denied)
	}
}
