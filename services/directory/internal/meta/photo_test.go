package meta_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider/providertest"
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

// newPhotoServer has replies about an account of 200 followers.
func newPhotoServer(t *testing.T) *server {
	s := newServer(t, nil)
	s.Replies[graphPage] = ok(`{"id":"` + bakeryID + `","instagram_business_account":{"id":"` + photoID + `"}}`)
	s.Replies[graphPhoto] = ok(`{"id":"` + photoID + `","username":"lakowa","name":"Łąkowa","biography":"Pieczemy",
		"website":"https://lakowa.example","profile_picture_url":"https://cdn.example/1.jpg",
		"followers_count":200,"follows_count":12,"media_count":3}`)
	s.Replies[graphPhoto+"/media"] = ok(`{"data":[
		{"id":"m1","caption":"Chleb","media_type":"IMAGE","permalink":"https://www.instagram.com/p/1/",
		"timestamp":"2026-11-20T19:20:02+0000","like_count":10,"comments_count":2},
		{"id":"m2","media_type":"VIDEO","permalink":"https://www.instagram.com/p/2/",
		"timestamp":"2026-11-19T01:00:00+0100","comments_count":5},
		{"id":"m3","media_type":"CAROUSEL_ALBUM","timestamp":"2026-11-18T08:00:00+0000","like_count":0,
		"comments_count":1}],
		"paging":{"next":"https://graph.facebook.com/next?access_token=` + someToken + `"}}`)
	s.Replies[graphInsights] = ok(`{"data":[]}`)
	s.Replies[graphInsights+" reach"] = ok(`{"data":[{"name":"reach","values":[
		{"value":40,"end_time":"2026-11-19T08:00:00+0000"},{"value":55,"end_time":"2026-11-20T08:00:00+0000"},
		{"value":1}]}]}`)
	s.Replies[graphInsights+" "+strings.Join(photoTotals, ",")] = ok(`{"data":[
		{"name":"views","total_value":{"value":900}},{"name":"likes","total_value":{"value":0}},{"name":"replies",
		"total_value":{}}]}`)
	s.Replies[graphInsights+" follows_and_unfollows"] = ok(
		`{"data":[{"name":"follows_and_unfollows","total_value":{"breakdowns":[
		{"dimension_keys":["follow_type"],"results":[{"dimension_values":["FOLLOWER"],"value":4},
		{"dimension_values":["NON_FOLLOWER"],"value":1}]}]}}]}`)
	return s
}

func TestSocialReadPhotos(t *testing.T) {
	s := newPhotoServer(t)
	got, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
	wantFault(t, err, "")
	ten, none := 10, 0
	want := meta.PhotoData{
		Profile: meta.PhotoProfile{
			ID: photoID, Username: "lakowa", Name: "Łąkowa", Biography: "Pieczemy", Website: "https://lakowa.example",
			ProfilePictureURL: "https://cdn.example/1.jpg", FollowersCount: 200, FollowsCount: 12, MediaCount: 3,
		},
		Media: []meta.Medium{
			{
				ID: "m1", Caption: "Chleb", MediaType: "IMAGE", Permalink: "https://www.instagram.com/p/1/",
				Timestamp: time.Date(2026, 11, 20, 19, 20, 2, 0, time.UTC), LikeCount: &ten, CommentsCount: 2,
			},
			{
				ID: "m2", MediaType: "VIDEO", Permalink: "https://www.instagram.com/p/2/",
				Timestamp: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC), CommentsCount: 5,
			},
			{ID: "m3", MediaType: "CAROUSEL_ALBUM", Timestamp: time.Date(2026, 11, 18, 8, 0, 0, 0, time.UTC),
				LikeCount: &none, CommentsCount: 1},
		},
		Engagement: meta.Engagement{Likes: 10, Comments: 8, Rate: 3.25}, // (10+2 + 0+1) / 2 media / 200 followers
		Insights: map[string]any{
			"reach": map[string]any{"2026-11-19": 40.0, "2026-11-20": 55.0}, "views": 900.0, "likes": 0.0,
			"follows_and_unfollows": map[string]any{"follower": 4.0, "non_follower": 1.0},
		},
		Unavailable: []string{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("data = %+v\nwant %+v", got, want)
	}
}

// A call may span 30 days, that for follower_count only 29 and the present one.
func TestSocialReadPhotosParameters(t *testing.T) {
	s := newPhotoServer(t)
	_, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
	wantFault(t, err, "")
	since := func(days int) string { return fmt.Sprint(now.AddDate(0, 0, -days).Unix()) }
	until := fmt.Sprint(now.Unix())
	want := []url.Values{
		{"fields": {"instagram_business_account"}},
		{
			"fields": {
				"id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count",
			},
		},
		{"fields": {"id,caption,media_type,permalink,timestamp,like_count,comments_count"}, "limit": {"25"}},
		{"metric": {"reach"}, "period": {"day"}, "since": {since(30)}, "until": {until}},
		{"metric": {strings.Join(photoTotals, ",")}, "metric_type": {"total_value"}, "period": {"day"},
			"since": {since(30)}, "until": {until}},
		{"metric": {"follows_and_unfollows"}, "metric_type": {"total_value"}, "breakdown": {"follow_type"},
			"period": {"day"}, "since": {since(30)}, "until": {until}},
		{"metric": {"follower_count"}, "period": {"day"}, "since": {since(29)}, "until": {until}},
	}
	if len(s.Calls) != len(want) {
		t.Fatalf("calls = %v, want %d", s.Requests(), len(want))
	}
	for i, c := range s.Calls {
		c.Query.Del("appsecret_proof")
		if c.Query.Encode() != want[i].Encode() {
			t.Errorf("call %d asks %v\nwant %v", i, c.Query, want[i])
		}
	}
}

// The sandbox refuses metrics, windows and forms that the provider does not take.
func TestSocialReadPhotosOfTheSandbox(t *testing.T) {
	all := append([]string{"reach", "follows_and_unfollows", "follower_count"}, photoTotals...)
	for _, retired := range [][]string{nil, {"reach", "profile_views", "website_clicks"}} {
		fake, s := newMeta(t)
		token := fake.PageToken(fake.Grant("anna", socialScopes...).User, bakeryID)
		fake.SetToggle("dead_metrics", append([]string{}, retired...))
		got, err := newSocial(s).ReadPhotos(t.Context(), token, bakeryID)
		wantFault(t, err, "")
		want := slices.DeleteFunc(slices.Sorted(slices.Values(all)), func(m string) bool {
			return slices.Contains(retired, m)
		})
		if metrics := slices.Sorted(maps.Keys(got.Insights)); !slices.Equal(metrics, want) ||
			!slices.Equal(got.Unavailable, append([]string{}, retired...)) {
			t.Errorf("insights %v without %v, want %v without %v", metrics, got.Unavailable, want, retired)
		}
		if got.Profile.Username != "piekarnia.kowalski" || len(got.Media) != 25 || got.Engagement.Rate == 0 {
			t.Errorf("profile %+v with %d media and %+v", got.Profile, len(got.Media), got.Engagement)
		}
	}
}

func TestSocialReadPhotosSmallAccounts(t *testing.T) {
	for followers, want := range map[int]struct {
		calls int
		rate  float64 // of engagement, with two places
	}{100: {calls: 7, rate: 6.5}, 99: {calls: 6, rate: 6.57}, 0: {calls: 6, rate: 0}} {
		s := newPhotoServer(t)
		s.Replies[graphPhoto] = ok(fmt.Sprintf(`{"id":%q,"followers_count":%d}`, photoID, followers))
		got, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
		wantFault(t, err, "")
		if len(s.Calls) != want.calls {
			t.Errorf("%d calls for %d followers, want %d: follower_count needs 100", len(s.Calls), followers,
				want.calls)
		}
		if got.Engagement != (meta.Engagement{Likes: 10, Comments: 8, Rate: want.rate}) {
			t.Errorf("engagement of %d followers = %+v, want rate %v", followers, got.Engagement, want.rate)
		}
	}
	s := newPhotoServer(t)
	s.Replies[graphPhoto] = ok(fmt.Sprintf(`{"id":%q,"followers_count":1}`, photoID))
	s.Replies[graphPhoto+"/media"] = ok(`{"data":[{"id":"m1","like_count":1,"comments_count":2}]}`)
	one, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
	if want := (meta.Engagement{Likes: 1, Comments: 2, Rate: 300}); err != nil || one.Engagement != want {
		t.Errorf("engagement of one follower with one medium = %+v, %v, want %+v", one.Engagement, err, want)
	}
	s = newPhotoServer(t)
	s.Replies[graphPhoto+"/media"] = ok(`{"data":[]}`)
	got, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
	wantFault(t, err, "")
	if got.Media == nil || len(got.Media) != 0 || got.Engagement != (meta.Engagement{}) {
		t.Errorf("media = %v, engagement = %+v, want none", got.Media, got.Engagement)
	}
}

// TestSocialFiguresOfFewDays: a single figure is one, and what is no number is none.
func TestSocialFiguresOfFewDays(t *testing.T) {
	s := newPhotoServer(t)
	s.Replies[graphInsights+" reach"] = ok(`{"data":[{"name":"reach","values":[
		{"value":40,"end_time":"2026-11-19T08:00:00+0000"},{"value":"odd","end_time":"2026-11-20T08:00:00+0000"}]}]}`)
	s.Replies[graphInsights+" follower_count"] = ok(`{"data":[{"name":"follower_count","values":[]}]}`)
	s.Replies[graphInsights+" follows_and_unfollows"] = ok(
		`{"data":[{"name":"follows_and_unfollows","total_value":{"breakdowns":[
		{"dimension_keys":["follow_type"],"results":[{"dimension_values":["FOLLOWER"],"value":4}]}]}}]}`)
	got, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
	want := map[string]any{
		"reach": map[string]any{"2026-11-19": 40.0}, "follows_and_unfollows": map[string]any{"follower": 4.0},
		"views": 900.0, "likes": 0.0,
	}
	if err != nil || !reflect.DeepEqual(got.Insights, want) {
		t.Errorf("insights = %v, %v, want %v", got.Insights, err, want)
	}
}

// Missing insights are no failure, of a page as of its photo-network account.
func TestSocialReadWithoutInsights(t *testing.T) {
	tests := []struct {
		name         string
		reply        reply // to every call for insights
		page, photos int   // calls for insights
		missed       string
	}{
		{name: "too few people", reply: graphError(10, 0, "(#10) Not enough viewers for the media to show insights"),
			page: 1, photos: 4},
		{name: "no such object", reply: graphError(100, 33, "Unsupported get request"), page: 1, photos: 4},
		{name: "no permission", reply: graphError(10, 0, "permission"), page: 1, photos: 1,
			missed: providertest.Permission},
		{name: "limit", reply: graphError(80002, 0, "limit"), page: 1, photos: 1, missed: providertest.Throttled},
		{name: "passing fault", reply: reply{Status: 503}, page: 3, photos: 3, missed: providertest.Temporary},
	}
	for _, test := range tests {
		runQuickly(t, test.name, func(t *testing.T) {
			s := newPageServer(t)
			s.Replies[graphPage+"/insights"] = test.reply
			page, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
			wantFault(t, err, "")
			if page.FollowersCount != 134 || page.Metrics == nil {
				t.Fatalf("page = %+v after %v, want only the insights to be missing", page, s.Requests())
			}
			if len(page.Metrics) != 0 || page.Unavailable == nil {
				t.Fatalf("page = %+v after %v, want only the insights to be missing", page, s.Requests())
			}
			if len(page.Unavailable) != 0 || len(s.Calls) != 1+test.page {
				t.Errorf("page = %+v after %v, want only the insights to be missing", page, s.Requests())
			}
			wantMissed(t, page.Missed, test.missed, pageMetrics)
			s = newPhotoServer(t)
			for key := range s.Replies {
				if strings.HasPrefix(key, graphInsights) {
					s.Replies[key] = test.reply
				}
			}
			photos, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
			wantFault(t, err, "")
			if photos.Engagement.Likes != 10 || len(photos.Insights) != 0 {
				t.Fatalf("photos = %+v after %v, want only the insights to be missing", photos, s.Requests())
			}
			if len(photos.Unavailable) != 0 || len(s.Calls) != 3+test.photos {
				t.Errorf("photos = %+v after %v, want only the insights to be missing", photos, s.Requests())
			}
			wantMissed(t, photos.Missed, test.missed,
				slices.Concat([]string{"reach"}, photoTotals, []string{"follows_and_unfollows", "follower_count"}))
		})
	}
}

// wantMissed wants metrics to be missed with that code; an empty one, none.
func wantMissed(t *testing.T, got meta.Missed, code string, metrics []string) {
	t.Helper()
	if code == "" {
		metrics = nil
	}
	if wantFault(t, got.Err, code); !slices.Equal(got.Metrics, metrics) {
		t.Errorf("missed %v, want %v", got.Metrics, metrics)
	}
}

// What was read before a limit stands, and what was not is named.
func TestSocialReadPhotosInPart(t *testing.T) {
	s := newPhotoServer(t)
	s.Replies[graphInsights+" "+strings.Join(photoTotals, ",")] = graphError(100, 0, "") // so that each is asked for
	s.Replies[graphInsights+" views"] = ok(`{"data":[{"name":"views","total_value":{"value":900}}]}`)
	s.Replies[graphInsights+" accounts_engaged"] = graphError(80002, 0, "limit")
	got, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
	wantFault(t, err, "")
	wantMissed(t, got.Missed, providertest.Throttled,
		slices.Concat(photoTotals[1:], []string{"follows_and_unfollows", "follower_count"}))
	if got.Insights["views"] != 900.0 || len(got.Insights) != 2 {
		t.Errorf("insights = %v", got.Insights)
	}
}

// TestSocialReadPhotosNearALimit: what one response says of a limit counts for the rest.
func TestSocialReadPhotosNearALimit(t *testing.T) {
	s := newPhotoServer(t)
	page := s.Replies[graphPage]
	page.Header = http.Header{"X-Page-Usage": {`{"call_count":96}`}}
	s.Replies[graphPage] = page
	got, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
	wantFault(t, err, "")
	if wantFault(t, got.Missed.Err, providertest.Throttled); len(got.Insights) != 0 ||
		got.Profile.FollowersCount != 200 {
		t.Errorf("data = %+v", got)
	}
}

func TestSocialReadPhotosFaults(t *testing.T) {
	tests := []struct {
		name, at string
		reply    reply
		want     string
		message  string // empty: any
	}{
		{
			name: "no account is linked", at: graphPage, reply: ok(`{"id":"` + bakeryID + `"}`),
			want: providertest.Gone,
			message: "Z wybraną stroną na Facebooku nie jest połączone konto profesjonalne na Instagramie. Zmień " +
				"konto na firmowe lub twórcy w aplikacji Instagram, połącz je ze stroną i spróbuj ponownie.",
		},
		{name: "linked id is a path", at: graphPage, reply: ok(`{"instagram_business_account":{"id":"../me"}}`),
			want: providertest.Changed},
		{name: "page token revoked", at: graphPage, reply: graphError(190, 463, someToken),
			want: providertest.Reconnect},
		{name: "no permission for the account", at: graphPhoto, reply: graphError(10, 0, "instagram_basic"),
			want: providertest.Permission},
		{name: "account without an id", at: graphPhoto, reply: ok(`{}`), want: providertest.Changed},
		{name: "no media for now", at: graphPhoto + "/media", reply: graphError(2, 0, ""),
			want: providertest.Temporary},
		{name: "token revoked meanwhile", at: graphInsights + " reach", reply: graphError(190, 460, someToken),
			want: providertest.Reconnect},
		{name: "time of another form", at: graphPhoto + "/media", reply: ok(`{"data":[{"timestamp":"2026-11-20"}]}`),
			want: providertest.Changed},
	}
	for _, test := range tests {
		runQuickly(t, test.name, func(t *testing.T) {
			s := newPhotoServer(t)
			s.Replies[test.at] = test.reply
			_, err := newSocial(s).ReadPhotos(t.Context(), someToken, bakeryID)
			if f := wantFault(t, err, test.want); test.message != "" && f.Message != test.message {
				t.Errorf("message = %q, want %q", f.Message, test.message)
			}
		})
	}
}
