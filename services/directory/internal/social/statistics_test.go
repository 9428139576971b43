package social_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/fault"
)

func TestSync(t *testing.T) {
	s := directorytest.New(t)
	c := s.WithPage(-time.Hour) // the page's token does the work
	page, err1 := s.Pages.SyncPage(t.Context(), s.Company.ID)
	photos, err2 := s.Pages.SyncPhotos(t.Context(), s.Company.ID)
	if err1 != nil || err2 != nil || page.FanCount != 1204 || photos.Profile.ID != "17841" {
		t.Fatalf("page %+v, %v, photos %+v, %v", page, err1, photos, err2)
	}
	if want := []string{"ReadPage page-1 104118", "ReadPhotos page-1 104118"}; !reflect.DeepEqual(s.Social.Calls, want) {
		t.Errorf("asked %q, want %q", s.Social.Calls, want)
	}
	keptPage, _, err1 := s.Pages.PageStatistics(t.Context(), s.Company.ID)
	keptPhotos, _, err2 := s.Pages.PhotoStatistics(t.Context(), s.Company.ID)
	wantPage := history.Reading[social.PageData]{
		CompanyID: s.Company.ID, Service: provider.SocialPages, AccountID: "104118", Count: 1250, Data: &page, SyncedAt: directorytest.Start,
	}
	wantPhotos := history.Reading[social.PhotoData]{
		CompanyID: s.Company.ID, Service: provider.SocialPhotos, AccountID: "17841", Count: 830, Data: &photos, SyncedAt: directorytest.Start,
	}
	if err1 != nil || err2 != nil || !reflect.DeepEqual(keptPage, wantPage) || !reflect.DeepEqual(keptPhotos, wantPhotos) {
		t.Errorf("statistics = %+v, %v and %+v, %v", keptPage, err1, keptPhotos, err2)
	}
	if !page.SyncedAt.Equal(directorytest.Start) || !photos.SyncedAt.Equal(directorytest.Start) {
		t.Errorf("synced at %v, %v", page.SyncedAt, photos.SyncedAt)
	}
	s.WantUnchanged(c)
}

func TestSyncFailures(t *testing.T) {
	broken := errors.New("database is away")
	unreadable := func(err error) func(*directorytest.Service) {
		return func(s *directorytest.Service) { s.Social.Fail["ReadPage"], s.Social.Fail["ReadPhotos"] = err, err }
	}
	for name, tt := range map[string]struct {
		connect func(*directorytest.Service) connection.Connection
		spoil   func(*directorytest.Service)
		code    string
		trail   []string
	}{
		"no page chosen":    {(*directorytest.Service).Granted, func(*directorytest.Service) {}, connection.CodeNoPage.Name, nil},
		"page's token lost": {withPage, unreadable(directorytest.Revoked()), provider.CodeReconnect.Name, []string{"reconnect_required"}},
		"provider busy":     {withPage, unreadable(provider.Throttled(broken, time.Minute)), provider.CodeThrottled.Name, nil},
		"not kept":          {withPage, func(s *directorytest.Service) { s.Hide("social_statistics_history") }, "internal", nil},
	} {
		for what, sync := range map[provider.Service]func(*social.Service) error{
			provider.SocialPages:  func(p *social.Service) error { _, err := p.SyncPage(t.Context(), 1); return err },
			provider.SocialPhotos: func(p *social.Service) error { _, err := p.SyncPhotos(t.Context(), 1); return err },
		} {
			t.Run(name+"/"+string(what), func(t *testing.T) {
				s := directorytest.New(t)
				tt.connect(s)
				tt.spoil(s)
				if err := sync(s.Pages); err == nil || fault.From(err).Code != string(tt.code) {
					t.Errorf("%v, want %s", err, tt.code)
				}
				if got, err := history.Latest[struct{}](t.Context(), s.Store.DB, s.Company.ID, what); err != nil || got.Data != nil {
					t.Errorf("kept %+v, %v", got, err)
				}
				s.WantTrail(tt.trail...)
			})
		}
	}
}

// keep stores a reading of a page with so many followers.
func keep(s *directorytest.Service, account string, followers int) {
	s.T.Helper()
	err := history.Save(context.Background(), s.Store.DB, history.Reading[social.PageData]{
		CompanyID: s.Company.ID, Service: provider.SocialPages, AccountID: account, Count: followers, Data: &social.PageData{}, SyncedAt: s.Now,
	})
	if err != nil {
		s.T.Fatal(err)
	}
}

func TestStatistics(t *testing.T) {
	s := directorytest.New(t)
	withPage(s)
	if latest, followers, err := s.Pages.PageStatistics(t.Context(), s.Company.ID); latest.Data != nil || followers != nil || err != nil {
		t.Errorf("before a sync: %+v, %+v, %v", latest, followers, err)
	}
	keep(s, "200", 9999) // the page before
	var want []history.Point
	for day := range 95 {
		s.Now = directorytest.Start.Add(time.Duration(day) * 24 * time.Hour)
		s.Social.Page = meta.PageData{Name: "Piekarnia", FollowersCount: 40 + day}
		if _, err := s.Pages.SyncPage(t.Context(), s.Company.ID); err != nil {
			t.Fatal(err)
		}
		want = append(want, history.Point{At: s.Now, Count: 40 + day})
	}
	latest, followers, err := s.Pages.PageStatistics(t.Context(), s.Company.ID)
	if data := latest.Data; err != nil || data == nil || data.Name != "Piekarnia" || data.FollowersCount != 134 || !data.SyncedAt.Equal(s.Now) {
		t.Errorf("the newest reading: %+v, %v", latest, err)
	}
	if !reflect.DeepEqual(followers, want[5:]) {
		t.Errorf("followers: %+v", followers)
	}
	if latest, followers, err := s.Pages.PhotoStatistics(t.Context(), s.Company.ID); latest.Data != nil || followers != nil || err != nil {
		t.Errorf("of the other service: %+v, %+v, %v", latest, followers, err)
	}
	if _, err := s.Pages.SyncPhotos(t.Context(), s.Company.ID); err != nil {
		t.Fatal(err)
	}
	newest, followers, err := s.Pages.PhotoStatistics(t.Context(), s.Company.ID)
	if photos := newest.Data; err != nil || photos == nil || photos.Profile.ID != "17841" || !reflect.DeepEqual(followers, []history.Point{{At: s.Now, Count: 830}}) {
		t.Errorf("photos: %+v, %+v, %v", newest, followers, err)
	}
}

func TestStatisticsOfAnotherPage(t *testing.T) {
	s := directorytest.New(t)
	for i, account := range []string{"100", "200", "200"} {
		keep(s, account, i)
	}
	_, followers, err := s.Pages.PageStatistics(t.Context(), s.Company.ID)
	if want := []history.Point{{At: s.Now, Count: 1}, {At: s.Now, Count: 2}}; err != nil || !reflect.DeepEqual(followers, want) {
		t.Errorf("followers: %+v, %v", followers, err)
	}
}

func TestStatisticsFail(t *testing.T) {
	for _, table := range []string{"social_statistics", "social_statistics_history"} {
		s := directorytest.New(t)
		keep(s, "100", 1)
		s.Hide(table)
		if latest, followers, err := s.Pages.PageStatistics(t.Context(), s.Company.ID); err == nil || latest.Data != nil || followers != nil {
			t.Errorf("%s: %+v, %+v, %v", table, latest, followers, err)
		}
	}
}

func TestFailedSyncIsNoted(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{
		Pair: pagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118", UserAccessToken: "user-1",
	})
	s.Connect(connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: "access-1", RefreshToken: "refresh-1"})
	s.Search.Sites = []string{"sc-domain:piekarnia.example"}
	reading := func(service provider.Service) history.Reading[struct{}] {
		latest, err := history.Latest[struct{}](t.Context(), s.Store.DB, s.Company.ID, service)
		if err != nil {
			t.Fatal(err)
		}
		return latest
	}
	scan := func(err error) {
		s.Now = s.Now.Add(24 * time.Hour)
		s.Social.Fail["ReadPage"], s.Social.Fail["ReadPhotos"], s.Search.Fail["ReadSearch"] = err, err, err
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name  string
		err   error
		noted bool
	}{
		{"works", nil, false},
		{"temporary", provider.Temporary(nil), true},
		{"works again", nil, false},
		{"unreadable", provider.Unreadable(nil), true},
		{"works again", nil, false},
		{"nothing there", provider.Gone(nil), false},
	} {
		scan(test.err)
		for _, service := range []provider.Service{provider.SocialPages, provider.SocialPhotos, provider.SearchAnalytics} {
			want := time.Time{}
			if test.noted {
				want = s.Now
			}
			if got := reading(service); got.SyncedAt.IsZero() || !got.Failure().Equal(want) {
				t.Errorf("%s: %s: read at %v, failed at %v, want %v", test.name, service, got.SyncedAt, got.FailedAt, want)
			}
		}
	}
	s.Hide("social_statistics")
	scan(provider.Temporary(nil))
	if !strings.Contains(s.Log.String(), "failed sync not noted") {
		t.Errorf("log %s", s.Log.String())
	}
}
