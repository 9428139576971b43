package meta_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	photoID       = "17841400000000101" // of the bakery in the sandbox
	graphPhoto    = "GET /v25.0/" + photoID
	graphInsights = graphPhoto + "/insights"
)

var photoTotals = []string{
	"views", "accounts_engaged", "total_interactions", "likes", "comments", "shares", "saves", "replies", "reposts",
	"profile_links_taps", "profile_views", "website_clicks",
}

// newPhotoSite scripts an account of 200 followers.
func newPhotoSite(t *testing.T) site {
	s := newSite(t)
	s.SetReply(graphPage, ok(`{"id":"`+bakeryID+`","instagram_business_account":{"id":"`+photoID+`"}}`))
	s.SetReply(graphPhoto, ok(`{"id":"`+photoID+`","username":"lakowa","name":"Łąkowa","biography":"Pieczemy",
		"website":"https://lakowa.example","profile_picture_url":"https://cdn.example/1.jpg",
		"followers_count":200,"follows_count":12,"media_count":3}`))
	s.SetReply(graphPhoto+"/media", ok(`{"data":[
		{"id":"m1","caption":"Chleb","media_type":"IMAGE","permalink":"https://www.instagram.com/p/1/",
		"timestamp":"2026-11-20T19:20:02+0000","like_count":10,"comments_count":2},
		{"id":"m2","media_type":"VIDEO","permalink":"https://www.instagram.com/p/2/",
		"timestamp":"2026-11-19T01:00:00+0100","comments_count":5},
		{"id":"m3","media_type":"CAROUSEL_ALBUM","timestamp":"2026-11-18T08:00:00+0000","like_count":0,
		"comments_count":1}],
		"paging":{"next":"https://graph.facebook.com/next?access_token=`+someToken+`"}}`))
	s.SetReply(graphInsights, ok(`{"data":[]}`))
	s.SetReply(graphInsights+"?metric=reach", ok(`{"data":[{"name":"reach","values":[
		{"value":40,"end_time":"2026-11-19T08:00:00+0000"},{"value":55,"end_time":"2026-11-20T08:00:00+0000"},
		{"value":1}]}]}`))
	s.SetReply(graphInsights+"?metric="+strings.Join(photoTotals, ","), ok(`{"data":[
		{"name":"views","total_value":{"value":900}},{"name":"likes","total_value":{"value":0}},{"name":"replies",
		"total_value":{}}]}`))
	s.SetReply(graphInsights+"?metric=follows_and_unfollows", ok(
		`{"data":[{"name":"follows_and_unfollows","total_value":{"breakdowns":[
		{"dimension_keys":["follow_type"],"results":[{"dimension_values":["FOLLOWER"],"value":4},
		{"dimension_values":["NON_FOLLOWER"],"value":1}]}]}}]}`))
	return s
}

func TestReadPhotos(t *testing.T) {
	s := newPhotoSite(t)
	got, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
	wantFault(t, err, none)
	want := meta.PhotoData{
		Profile: meta.PhotoProfile{
			ID: photoID, Username: "lakowa", Name: "Łąkowa", Biography: "Pieczemy", Website: "https://lakowa.example",
			ProfilePictureURL: "https://cdn.example/1.jpg", FollowersCount: 200, FollowsCount: 12, MediaCount: 3,
		},
		Media: []meta.Medium{
			{
				ID: "m1", Caption: "Chleb", MediaType: "IMAGE", Permalink: "https://www.instagram.com/p/1/",
				Timestamp: time.Date(2026, 11, 20, 19, 20, 2, 0, time.UTC), LikeCount: new(10), CommentsCount: 2,
			},
			{
				ID: "m2", MediaType: "VIDEO", Permalink: "https://www.instagram.com/p/2/",
				Timestamp: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC), CommentsCount: 5,
			},
			{ID: "m3", MediaType: "CAROUSEL_ALBUM", Timestamp: time.Date(2026, 11, 18, 8, 0, 0, 0, time.UTC),
				LikeCount: new(0), CommentsCount: 1},
		},
		Engagement: meta.Engagement{Likes: 10, Comments: 8, Rate: 3.25}, // (10+2 + 0+1) / 2 media / 200 followers
		Insights: map[string]any{
			"reach": map[string]any{"2026-11-18": 40.0, "2026-11-19": 55.0}, "views": 900.0, "likes": 0.0,
			"follows_and_unfollows": map[string]any{"follower": 4.0, "non_follower": 1.0},
		},
		Days:        meta.Days{"reach": {"2026-11-18": 40, "2026-11-19": 55}},
		Unavailable: []string{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The sandbox refuses metrics, windows and forms that the provider does not take.
func TestReadPhotosOfTheSandbox(t *testing.T) {
	all := append([]string{"reach", "follows_and_unfollows", "follower_count"}, photoTotals...)
	for _, retired := range [][]string{{}, {"reach", "profile_views", "website_clicks"}} {
		s := newSite(t)
		token := s.PageToken(s.Grant("anna", socialScopes...).User, bakeryID)
		s.SetToggle("dead_metrics", retired)
		got, err := s.ReadPhotos(t.Context(), token, bakeryID, photoID)
		wantFault(t, err, none)
		metrics := slices.AppendSeq(slices.Clone(got.Unavailable), maps.Keys(got.Insights))
		if diff := cmp.Diff(slices.Sorted(slices.Values(all)), slices.Sorted(slices.Values(metrics))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(retired, got.Unavailable); diff != "" {
			t.Error(diff)
		}
		asked := []string{got.Profile.Username, got.Profile.Name, got.Profile.Biography, got.Profile.Website,
			got.Profile.ProfilePictureURL}
		if slices.Contains(asked, "") || got.Profile.FollowersCount == 0 || len(got.Media) != 25 {
			t.Errorf("profile %+v with %d media", got.Profile, len(got.Media))
		}
	}
}

// TestEngagement: the rate covers the media whose likes are not hidden, and follower_count needs 100 followers.
func TestEngagement(t *testing.T) {
	for name, test := range map[string]struct {
		followers int
		media     string // empty: the usual
		want      meta.Engagement
		requests  int
	}{
		"100":          {100, "", meta.Engagement{Likes: 10, Comments: 8, Rate: 6.5}, 7},
		"99":           {99, "", meta.Engagement{Likes: 10, Comments: 8, Rate: 6.57}, 6},
		"no followers": {0, "", meta.Engagement{Likes: 10, Comments: 8}, 6},
		"one medium": {1, `{"id":"m1","like_count":1,"comments_count":2}`,
			meta.Engagement{Likes: 1, Comments: 2, Rate: 300}, 6},
		"no media": {200, " ", meta.Engagement{}, 7},
	} {
		s := newPhotoSite(t)
		s.SetReply(graphPhoto, ok(fmt.Sprintf(`{"id":%q,"followers_count":%d}`, photoID, test.followers)))
		if test.media != "" {
			s.SetReply(graphPhoto+"/media", ok(`{"data":[`+test.media+`]}`))
		}
		got, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
		wantFault(t, err, none)
		if diff := cmp.Diff(test.want, got.Engagement); diff != "" || got.Media == nil {
			t.Errorf("%s: %s", name, diff)
		}
		if len(s.Requests()) != test.requests {
			t.Errorf("%s: %d requests, want %d", name, len(s.Requests()), test.requests)
		}
	}
}

// Missing insights are no failure, of a page as of its photo-network account.
func TestReadWithoutInsights(t *testing.T) {
	photoMetrics := slices.Concat([]string{"reach"}, photoTotals, []string{"follows_and_unfollows", "follower_count"})
	for name, test := range map[string]struct {
		reply  fake.Reply // to every call for insights
		missed fault.Code
	}{
		"too few people": {graphError(10, 0, "(#10) Not enough viewers for the media to show insights"), none},
		"no such object": {graphError(100, 33, "Unsupported get request"), none},
		"no permission":  {graphError(10, 0, "permission"), provider.CodePermission},
		"limit":          {graphError(80002, 0, "limit"), provider.CodeThrottled},
		"passing fault":  {failed(503, ""), provider.CodeTemporary},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.SetReply(graphPage, ok(`{"id":"1","followers_count":134,
					"instagram_business_account":{"id":"`+photoID+`"}}`))
				s.SetReply(graphPhoto, ok(`{"id":"`+photoID+`","followers_count":200}`))
				s.SetReply(graphPhoto+"/media", ok(`{"data":[]}`))
				s.SetReply(graphPage+"/insights", test.reply)
				s.SetReply(graphInsights, test.reply)
				page, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
				wantFault(t, err, none)
				wantMissed(t, page.Missed, test.missed, pageMetrics)
				photos, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
				wantFault(t, err, none)
				wantMissed(t, photos.Missed, test.missed, photoMetrics)
				if len(page.Metrics)+len(page.Unavailable)+len(photos.Insights)+len(photos.Unavailable) > 0 {
					t.Errorf("page %+v, photos %+v", page, photos)
				}
			})
		})
	}
}

// wantMissed wants metrics to be missed with that code; the zero code, none.
func wantMissed(t *testing.T, got meta.Missed, code fault.Code, metrics []string) {
	t.Helper()
	if code == none {
		metrics = nil
	}
	wantFault(t, got.Err, code)
	if diff := cmp.Diff(metrics, got.Metrics); diff != "" {
		t.Errorf("missed: %s", diff)
	}
}

// What was read before a limit stands, and what was not is named.
func TestReadPhotosInPart(t *testing.T) {
	s := newPhotoSite(t)
	s.SetReply(graphInsights+"?metric="+strings.Join(photoTotals, ","),
		graphError(100, 0, "")) // so that each is asked for
	s.SetReply(graphInsights+"?metric=views", ok(`{"data":[{"name":"views","total_value":{"value":900}}]}`))
	s.SetReply(graphInsights+"?metric=accounts_engaged", graphError(80002, 0, "limit"))
	got, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
	wantFault(t, err, none)
	wantMissed(t, got.Missed, provider.CodeThrottled,
		slices.Concat(photoTotals[1:], []string{"follows_and_unfollows", "follower_count"}))
	if got.Insights["views"] != 900.0 || len(got.Insights) != 2 {
		t.Errorf("insights = %v", got.Insights)
	}
}

func TestReadPhotosFaults(t *testing.T) {
	const media, reach = graphPhoto + "/media", graphInsights + "?metric=reach"
	for name, test := range map[string]struct {
		at    string
		reply fake.Reply
		want  fault.Code
	}{
		"no account is linked": {graphPage, ok(`{"id":"` + bakeryID + `"}`), provider.CodeGone},
		"linked id is a path": {graphPage, ok(`{"instagram_business_account":{"id":"../me"}}`),
			provider.CodeChanged},
		"page token revoked":       {graphPage, graphError(190, 463, someToken), provider.CodeReconnect},
		"no permission":            {graphPhoto, graphError(10, 0, "instagram_basic"), provider.CodePermission},
		"account without an id":    {graphPhoto, ok(`{}`), provider.CodeChanged},
		"no media for now":         {media, graphError(2, 0, ""), provider.CodeTemporary},
		"token revoked at the end": {reach, graphError(190, 460, someToken), provider.CodeReconnect},
		"time of another form":     {media, ok(`{"data":[{"timestamp":"2026-11-20"}]}`), provider.CodeChanged},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newPhotoSite(t)
				s.SetReply(test.at, test.reply)
				_, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
				wantFault(t, err, test.want)
			})
		})
	}
}

// TestReadPhotosNearALimit: what one response says of a limit counts for the rest.
func TestReadPhotosNearALimit(t *testing.T) {
	s := newPhotoSite(t)
	s.SetReply(graphPage, fake.Reply{Body: `{"instagram_business_account":{"id":"` + photoID + `"}}`,
		Header: http.Header{"X-Page-Usage": {`{"call_count":96}`}}})
	got, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
	wantFault(t, err, none)
	wantFault(t, got.Missed.Err, provider.CodeThrottled)
	if len(got.Insights) != 0 || got.Profile.FollowersCount != 200 {
		t.Errorf("data = %+v", got)
	}
}
