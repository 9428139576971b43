package directory_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

func TestStatistics(t *testing.T) {
	l := newLink(t)
	l.chosen(time.Hour)
	pages, social := l.paged()
	if data, followers, err := pages.PageStatistics(t.Context(), 7); data != nil || followers != nil || err != nil {
		t.Errorf("before a sync: %+v, %+v, %v", data, followers, err)
	}
	l.store.statistics = append(l.store.statistics, directory.Statistics{
		CompanyID: 7, Service: directory.SocialPages, AccountID: "200", Followers: 9999, Data: []byte("{}"), // the page before
	})
	var want []directory.Followers
	for day := range 95 {
		l.now = linkNow.Add(time.Duration(day) * 24 * time.Hour)
		social.page["page-1/100"] = directory.PageData{Name: "Piekarnia", FollowersCount: 40 + day}
		if _, err := pages.SyncPage(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		want = append(want, directory.Followers{At: l.now, Count: 40 + day})
	}
	data, followers, err := pages.PageStatistics(t.Context(), 7)
	if err != nil || data == nil || data.Name != "Piekarnia" || data.FollowersCount != 134 || !data.SyncedAt.Equal(l.now) {
		t.Errorf("the newest reading: %+v, %v", data, err)
	}
	if !reflect.DeepEqual(followers, want[5:]) {
		t.Errorf("followers: %+v", followers)
	}
	if data, followers, err := pages.PhotoStatistics(t.Context(), 7); data != nil || followers != nil || err != nil {
		t.Errorf("of the other service: %+v, %+v, %v", data, followers, err)
	}
	if _, err := pages.SyncPhotos(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	photos, followers, err := pages.PhotoStatistics(t.Context(), 7)
	if err != nil || photos == nil || photos.Profile.ID != "178" || !reflect.DeepEqual(followers, []directory.Followers{{At: l.now, Count: 12}}) {
		t.Errorf("photos: %+v, %+v, %v", photos, followers, err)
	}
}

// TestStatisticsOfAnotherPage: the history begins anew with the page.
func TestStatisticsOfAnotherPage(t *testing.T) {
	l := newLink(t)
	pages, _ := l.paged()
	for i, account := range []string{"100", "200", "200"} {
		l.store.statistics = append(l.store.statistics, directory.Statistics{
			CompanyID: 7, Service: directory.SocialPages, AccountID: account, Followers: i, Data: []byte("{}"), SyncedAt: linkNow,
		})
	}
	_, followers, err := pages.PageStatistics(t.Context(), 7)
	if want := []directory.Followers{{At: linkNow, Count: 1}, {At: linkNow, Count: 2}}; err != nil || !reflect.DeepEqual(followers, want) {
		t.Errorf("followers: %+v, %v", followers, err)
	}
}

func TestStatisticsFail(t *testing.T) {
	away := errors.New("database is away")
	for name, spoil := range map[string]func(*linkStore){
		"newest":     func(s *linkStore) { s.statisticsErr = away },
		"history":    func(s *linkStore) { s.historyErr = away },
		"unreadable": func(s *linkStore) { s.statistics[0].Data = []byte(`{"followers_count":"many"}`) },
	} {
		l := newLink(t)
		pages, _ := l.paged()
		l.store.statistics = []directory.Statistics{{CompanyID: 7, Service: directory.SocialPages, Data: []byte("{}")}}
		spoil(l.store)
		if data, followers, err := pages.PageStatistics(t.Context(), 7); err == nil || data != nil || followers != nil {
			t.Errorf("%s: %+v, %+v, %v", name, data, followers, err)
		}
	}
}
