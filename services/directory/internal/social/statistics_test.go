package social_test

import (
	"context"
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
)

// keep stores a reading of a page with so many followers.
func keep(s *directorytest.Service, account string, followers int) {
	s.T.Helper()
	err := history.Save(context.Background(), s.Store.DB, history.Reading[social.PageData]{
		CompanyID: s.Company.ID, Service: provider.SocialPages, AccountID: account, Count: followers,
		Data: &social.PageData{}, SyncedAt: s.Now,
	})
	if err != nil {
		s.T.Fatal(err)
	}
}

func TestStatistics(t *testing.T) {
	s := directorytest.New(t)
	withPage(s)
	if latest, followers, err := s.Pages.PageStatistics(t.Context(), s.Company.ID); latest.Data != nil ||
		followers != nil || err != nil {
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
	data := latest.Data
	if err != nil || data == nil {
		t.Fatalf("the newest reading: %+v, %v", latest, err)
	}
	if data.Name != "Piekarnia" || data.FollowersCount != 134 {
		t.Fatalf("the newest reading: %+v, %v", latest, err)
	}
	if !data.SyncedAt.Equal(s.Now) {
		t.Errorf("the newest reading: %+v, %v", latest, err)
	}
	if !reflect.DeepEqual(followers, want[5:]) {
		t.Errorf("followers: %+v", followers)
	}
	if latest, followers, err := s.Pages.PhotoStatistics(t.Context(), s.Company.ID); latest.Data != nil ||
		followers != nil || err != nil {
		t.Errorf("of the other service: %+v, %+v, %v", latest, followers, err)
	}
	if _, err := s.Pages.SyncPhotos(t.Context(), s.Company.ID); err != nil {
		t.Fatal(err)
	}
	newest, followers, err := s.Pages.PhotoStatistics(t.Context(), s.Company.ID)
	photos := newest.Data
	if err != nil || photos == nil {
		t.Fatalf("photos: %+v, %+v, %v", newest, followers, err)
	}
	if photos.Profile.ID != "17841" || !reflect.DeepEqual(followers, []history.Point{{At: s.Now, Count: 830}}) {
		t.Errorf("photos: %+v, %+v, %v", newest, followers, err)
	}
}

func TestStatisticsOfAnotherPage(t *testing.T) {
	s := directorytest.New(t)
	for i, account := range []string{"100", "200", "200"} {
		keep(s, account, i)
	}
	_, followers, err := s.Pages.PageStatistics(t.Context(), s.Company.ID)
	if want := []history.Point{{At: s.Now, Count: 1}, {At: s.Now, Count: 2}}; err != nil ||
		!reflect.DeepEqual(followers, want) {
		t.Errorf("followers: %+v, %v", followers, err)
	}
}

func TestFailedSyncIsNoted(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{
		Pair: pagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118",
		UserAccessToken: "user-1",
	})
	s.Connect(
		connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: "access-1", RefreshToken: "refresh-1"},
	)
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
		s.Social.Fail["ReadPage"] = err
		s.Social.Fail["ReadPhotos"] = err
		s.Search.Fail["ReadSearch"] = err
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
		{"nothing there", provider.Gone(nil), true},
	} {
		scan(test.err)
		for _, service := range []provider.Service{provider.SocialPages, provider.SocialPhotos,
			provider.SearchAnalytics} {
			want := time.Time{}
			if test.noted {
				want = s.Now
			}
			if got := reading(service); got.SyncedAt.IsZero() || !got.Failure().Equal(want) {
				t.Errorf("%s: %s: read at %v, failed at %v, want %v", test.name, service, got.SyncedAt, got.FailedAt,
					want)
			}
		}
	}
	s.Hide("social_statistics")
	scan(provider.Temporary(nil))
	if !strings.Contains(s.Log.String(), "failed sync not noted") {
		t.Errorf("log %s", s.Log.String())
	}
}
