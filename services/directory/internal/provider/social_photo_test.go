package provider_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

const metaMedia = `{"data":[
	{"id":"m1","caption":"Chleb","media_type":"IMAGE","permalink":"https://www.instagram.com/p/1/","timestamp":"2026-11-20T19:20:02+0000","like_count":10,"comments_count":2},
	{"id":"m2","media_type":"VIDEO","permalink":"https://www.instagram.com/p/2/","timestamp":"2026-11-19T01:00:00+0100","comments_count":5},
	{"id":"m3","caption":"Rogal","media_type":"CAROUSEL_ALBUM","permalink":"https://www.instagram.com/p/3/","timestamp":"2026-11-18T08:00:00+0000","like_count":0,"comments_count":1}
],"paging":{"cursors":{"after":"x"},"next":"https://graph.facebook.com/next?access_token=` + metaPageToken + `"}}`

func metaTotal(value int) map[string]any { return map[string]any{"value": value} }

// newPhotoServer has a page with a linked account of 200 followers.
func newPhotoServer(t *testing.T) *metaServer {
	server := newMetaServer(t)
	server.objects["/"+metaPageID] = metaPageObject
	server.objects["/"+metaPhotoID] = `{"id":"` + metaPhotoID + `","username":"lakowa","name":"Łąkowa","biography":"Pieczemy",
		"website":"https://lakowa.example","profile_picture_url":"https://cdn.example/1.jpg","followers_count":200,"follows_count":12,"media_count":3}`
	server.objects["/"+metaPhotoID+"/media"] = metaMedia
	server.figures = map[string]any{
		"reach":          []any{metaValue(40, "2026-11-19T08:00:00+0000"), metaValue(55, "2026-11-20T08:00:00+0000")},
		"follower_count": []any{metaValue(-1, "2026-11-20T08:00:00+0000")},
		"views":          metaTotal(900),
		"likes":          metaTotal(0),
		"follows_and_unfollows": map[string]any{"breakdowns": []any{map[string]any{
			"dimension_keys": []string{"follow_type"},
			"results": []any{
				map[string]any{"dimension_values": []string{"FOLLOWER"}, "value": 4},
				map[string]any{"dimension_values": []string{"NON_FOLLOWER"}, "value": 1},
			},
		}}},
	}
	return server
}

func TestSocialReadPhotos(t *testing.T) {
	server := newPhotoServer(t)
	got, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
	if err != nil {
		t.Fatal(err)
	}
	ten, none := 10, 0
	want := directory.PhotoData{
		Profile: directory.PhotoProfile{
			ID: metaPhotoID, Username: "lakowa", Name: "Łąkowa", Biography: "Pieczemy", Website: "https://lakowa.example",
			ProfilePictureURL: "https://cdn.example/1.jpg", FollowersCount: 200, FollowsCount: 12, MediaCount: 3,
		},
		Media: []directory.Medium{
			{
				ID: "m1", Caption: "Chleb", MediaType: "IMAGE", Permalink: "https://www.instagram.com/p/1/",
				Timestamp: time.Date(2026, 11, 20, 19, 20, 2, 0, time.UTC), LikeCount: &ten, CommentsCount: 2,
			},
			{
				ID: "m2", MediaType: "VIDEO", Permalink: "https://www.instagram.com/p/2/",
				Timestamp: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC), CommentsCount: 5,
			},
			{
				ID: "m3", Caption: "Rogal", MediaType: "CAROUSEL_ALBUM", Permalink: "https://www.instagram.com/p/3/",
				Timestamp: time.Date(2026, 11, 18, 8, 0, 0, 0, time.UTC), LikeCount: &none, CommentsCount: 1,
			},
		},
		Engagement: directory.Engagement{Likes: 10, Comments: 8, Rate: 3.25}, // (10+2 + 0+1) / 2 media / 200 followers
		Insights: map[string]any{
			"reach":          map[string]any{"2026-11-19": 40.0, "2026-11-20": 55.0},
			"follower_count": map[string]any{"2026-11-20": -1.0},
			"views":          900.0, "likes": 0.0,
			"follows_and_unfollows": map[string]any{"follower": 4.0, "non_follower": 1.0},
		},
		Unavailable: []string{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("data = %+v\nwant %+v", got, want)
	}
	if limit := server.calls[2].Query.Get("limit"); limit != "25" {
		t.Errorf("limit of media = %s", limit)
	}
	if len(server.calls) != 7 {
		t.Errorf("calls = %v, want 7", server.paths())
	}
}

func TestSocialReadPhotosSmallAccount(t *testing.T) {
	server := newPhotoServer(t)
	server.objects["/"+metaPhotoID] = `{"id":"` + metaPhotoID + `","followers_count":99}`
	server.objects["/"+metaPhotoID+"/media"] = `{"data":[]}`
	got, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range server.calls {
		if strings.Contains(call.Query.Get("metric"), "follower_count") {
			t.Error("follower_count is asked for, which needs 100 followers")
		}
	}
	if got.Media == nil || len(got.Media) != 0 || got.Engagement != (directory.Engagement{}) {
		t.Errorf("media = %v, engagement = %+v, want none", got.Media, got.Engagement)
	}
}

func TestSocialReadPhotosWithoutFollowers(t *testing.T) {
	server := newPhotoServer(t)
	server.objects["/"+metaPhotoID] = `{"id":"` + metaPhotoID + `"}`
	got, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
	if want := (directory.Engagement{Likes: 10, Comments: 8}); err != nil || got.Engagement != want {
		t.Errorf("engagement = %+v, %v, want %+v", got.Engagement, err, want)
	}
}

func TestSocialReadPhotosRetiredMetrics(t *testing.T) {
	server := newPhotoServer(t)
	for _, name := range []string{"reach", "profile_views", "website_clicks"} {
		server.retired[name] = true
	}
	got, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"reach", "profile_views", "website_clicks"}; !slices.Equal(got.Unavailable, want) {
		t.Errorf("unavailable = %v, want %v", got.Unavailable, want)
	}
	for _, name := range []string{"views", "likes", "follows_and_unfollows", "follower_count"} {
		if _, ok := got.Insights[name]; !ok {
			t.Errorf("%s is lost: %v", name, got.Insights)
		}
	}
}

func TestSocialReadPhotosFiguresNotThere(t *testing.T) {
	tests := map[string]metaReply{
		"too few people": metaError(10, 0, "(#10) Not enough viewers for the media to show insights"),
		"no such object": metaError(100, 33, "Unsupported get request"),
	}
	for name, reply := range tests {
		t.Run(name, func(t *testing.T) {
			server := newPhotoServer(t)
			server.replies["GET /"+metaPhotoID+"/insights"] = reply
			got, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
			if err != nil || len(got.Insights) != 0 || len(got.Unavailable) != 0 {
				t.Errorf("insights = %v, unavailable = %v, err = %v, want no figures", got.Insights, got.Unavailable, err)
			}
			if len(server.calls) != 7 {
				t.Errorf("calls = %v, want every group asked once", server.paths())
			}
		})
	}
}

func TestSocialReadPhotosEndsWithoutFigures(t *testing.T) {
	tests := map[string]struct {
		reply metaReply
		calls int
	}{
		"permission":    {metaError(10, 0, "permission"), 3 + 1},
		"limit":         {metaError(80002, 0, "limit"), 3 + 1},
		"passing fault": {metaReply{503, ""}, 3 + 3},
	}
	for name, test := range tests {
		quickly(t, name, func(t *testing.T) {
			server := newPhotoServer(t)
			server.replies["GET /"+metaPhotoID+"/insights"] = test.reply
			got, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
			if err != nil || got.Engagement.Likes != 10 || len(got.Insights) != 0 {
				t.Errorf("data = %+v, %v, want no insights alone", got, err)
			}
			if len(server.calls) != test.calls {
				t.Errorf("calls = %v, want no other metrics asked for", server.paths())
			}
		})
	}
}

func TestSocialReadPhotosNoneLinked(t *testing.T) {
	server := newMetaServer(t)
	server.objects["/"+metaPageID] = `{"id":"` + metaPageID + `"}`
	_, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
	f := wantFault(t, err, directory.CodeGone)
	if !strings.Contains(f.Message, "Z wybraną stroną nie jest połączone konto firmowe") {
		t.Errorf("message = %q", f.Message)
	}
}

func TestSocialReadPhotosFails(t *testing.T) {
	tests := map[string]struct {
		at    string
		reply metaReply
		code  string
	}{
		"page's token dead":    {"GET /" + metaPageID, metaError(190, 463, metaPageToken), directory.CodeReconnect},
		"permission for photo": {"GET /" + metaPhotoID, metaError(10, 0, "instagram_basic"), directory.CodePermission},
		"account without id":   {"GET /" + metaPhotoID, metaReply{200, `{}`}, directory.CodeChanged},
		"media later":          {"GET /" + metaPhotoID + "/media", metaError(2, 0, ""), directory.CodeTemporary},
		"token dies meanwhile": {"GET /" + metaPhotoID + "/insights reach", metaError(190, 460, metaPageToken), directory.CodeReconnect},
		"odd time of a medium": {"GET /" + metaPhotoID + "/media", metaReply{200, `{"data":[{"timestamp":"2026-11-20"}]}`}, directory.CodeChanged},
	}
	for name, test := range tests {
		quickly(t, name, func(t *testing.T) {
			server := newPhotoServer(t)
			server.replies[test.at] = test.reply
			_, err := server.social().ReadPhotos(t.Context(), metaPageToken, metaPageID)
			wantFault(t, err, test.code)
		})
	}
}
