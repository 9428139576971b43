package store_test

import (
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
)

// TestDocumentsKeepTheirForm: what is stored as JSON stays readable in databases of
// every release, so that its names and their order never change.
func TestDocumentsKeepTheirForm(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx, base := db.Store, t.Context(), storetest.Kept(databasetest.Time)
		c := storetest.AddCompany(t, s, "a")
		ok(t, s.SaveStatistics(ctx, directory.Statistics{CompanyID: c.ID, Service: directory.SocialPages, SyncedAt: base, Page: &directory.PageData{
			FanCount: 1, FollowersCount: 2, Name: "n", Category: "c", Link: "l", Metrics: map[string]any{"m": 3.0}, Unavailable: []string{"u"}, SyncedAt: base,
		}}))
		ok(t, s.SaveStatistics(ctx, directory.Statistics{CompanyID: c.ID, Service: directory.SocialPhotos, SyncedAt: base, Photos: &directory.PhotoData{
			Profile: directory.PhotoProfile{
				ID: "i", Username: "u", Name: "n", Biography: "b", Website: "w", ProfilePictureURL: "p", FollowersCount: 1, FollowsCount: 2, MediaCount: 3,
			},
			Media: []directory.Medium{
				{ID: "m", Caption: "c", MediaType: "t", Permalink: "p", Timestamp: base, LikeCount: new(4), CommentsCount: 5},
			},
			Engagement: directory.Engagement{Likes: 4, Comments: 5, Rate: 1.5}, Insights: map[string]any{"x": 1.0}, SyncedAt: base,
		}}))
		ok(t, s.SaveStatistics(ctx, directory.Statistics{CompanyID: c.ID, Service: directory.SearchAnalytics, SyncedAt: base, Search: &directory.SearchData{
			Site: "s", From: "f", To: "t", Clicks: 1, Impressions: 2, CTR: 0.5, Position: 3.5, SyncedAt: base,
			Days:    []directory.SearchDay{{Day: "d", Clicks: 1, Impressions: 2, Position: 3.5}},
			Queries: []directory.SearchQuery{{Query: "q", Clicks: 1, Impressions: 2, CTR: 0.5, Position: 3.5}},
		}}))
		at := `"2026-03-29T00:30:15.123456Z"`
		for query, want := range map[string]string{
			"SELECT data FROM social_statistics WHERE service = 'social_pages'": `{"fan_count":1,"followers_count":2,"name":"n","category":"c","link":"l","metrics":{"m":3},` +
				`"unavailable":["u"],"synced_at":` + at + `}`,
			"SELECT data FROM social_statistics WHERE service = 'social_photos'": `{"profile":{"id":"i","username":"u","name":"n","biography":"b","website":"w",` +
				`"profile_picture_url":"p","followers_count":1,"follows_count":2,"media_count":3},` +
				`"media":[{"id":"m","caption":"c","media_type":"t","permalink":"p","timestamp":` + at + `,"like_count":4,"comments_count":5}],` +
				`"engagement":{"likes":4,"comments":5,"rate":1.5},"insights":{"x":1},"unavailable":null,"synced_at":` + at + `}`,
			"SELECT data FROM social_statistics WHERE service = 'search_analytics'": `{"site":"s","from":"f","to":"t","clicks":1,"impressions":2,"ctr":0.5,"position":3.5,` +
				`"days":[{"day":"d","clicks":1,"impressions":2,"position":3.5}],` +
				`"queries":[{"query":"q","clicks":1,"impressions":2,"ctr":0.5,"position":3.5}],"synced_at":` + at + `}`,
		} {
			var got string
			ok(t, db.Raw(t).QueryRow(query).Scan(&got))
			if got != want {
				t.Errorf("%s: %s\nwant %s", query, got, want)
			}
		}
	})
}
