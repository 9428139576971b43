package web_test

import (
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
)

// keepPage and keepPhotos store a reading of now.
func (w *world) keepPage(data meta.PageData) {
	w.t.Helper()
	save(w, provider.SocialPages, "104118", data.FollowersCount, social.PageData{PageData: data, SyncedAt: w.Now})
}

func (w *world) keepPhotos(data meta.PhotoData) {
	w.t.Helper()
	save(w, provider.SocialPhotos, "17841", data.Profile.FollowersCount, social.PhotoData{PhotoData: data, SyncedAt: w.Now})
}

func save[T any](w *world, service provider.Service, account string, count int, data T) {
	w.t.Helper()
	r := history.Reading[T]{CompanyID: w.Company.ID, Service: service, AccountID: account, Count: count, Data: &data, SyncedAt: w.Now}
	if err := history.Save(w.t.Context(), w.Store.DB, r); err != nil {
		w.t.Fatal(err)
	}
}

// readPage is a reading of a page with one known metric and one that is not.
func readPage() meta.PageData {
	return meta.PageData{
		Name: "Piekarnia", FollowersCount: 5136, FanCount: 4931, Link: "https://social.example/p",
		Metrics: map[string]any{"page_views_total": 110.0, "unheard_of": 3.0}, Unavailable: []string{"page_media_view", "gone_metric"},
	}
}

// readPhotos is a reading with seven posts, the likes of one of which are hidden.
func readPhotos() meta.PhotoData {
	data := meta.PhotoData{
		Profile: meta.PhotoProfile{Username: "piekarnia", FollowersCount: 12345, MediaCount: 81}, Engagement: meta.Engagement{Rate: 1.984},
		Insights: map[string]any{"reach": map[string]any{"2026-11-20": 950.0, "2026-11-19": 700.0, "soon": 1.0}, "likes": 2150.0},
	}
	likes := 0
	for i := range 7 {
		data.Media = append(data.Media, meta.Medium{Caption: "Wpis " + string(rune('A'+i)), Timestamp: now, LikeCount: &likes, CommentsCount: 4})
	}
	data.Media[1].LikeCount = nil
	return data
}

// TestPhotosAlone: they are read without a page, and their card says how.
// TestPhotosOfThePage are read through it, and have no connection to end.
// TestMissedMetrics: the visitor reads that they are old, and why.
// TestStatisticsAfterTheConnection: what was read stays, but nothing new comes.
// TestAxis: the ends are round, and hold every value with room around it.
// TestChanges: a figure is shown with what it was four weeks before, or a week; where the
// history is too short, with nothing.
