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

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const tooMuchData = `{"error":{"code":1,` +
	`"message":"Please reduce the amount of data you're asking for, then retry your request"}}`

func TestPages(t *testing.T) {
	const accounts = "GET /v25.0/me/accounts"
	s := newSite(t)
	s.SetReply(accounts, ok(`{"data":[
		{"id":"1","name":"Strona 1","category":"Sklep","fan_count":7,"tasks":["MANAGE"],"access_token":"of page 1"},
		{"id":"2","name":"Strona 2","category":"Usługi"}],"paging":{"cursors":{"before":"b","after":"Q1="}}}`))
	pages, err := s.Pages(t.Context(), someToken, nil)
	wantFault(t, err, none)
	want := []meta.Page{{ID: "1", Name: "Strona 1", Category: "Sklep", FanCount: 7, AccessToken: "of page 1"},
		{ID: "2", Name: "Strona 2", Category: "Usługi"}}
	testkit.Equal(t, "pages", pages, provider.List[meta.Page]{Items: want, Complete: true})
	for name, body := range map[string]string{
		"page without an id":     `{"data":[{"name":"x"}]}`,
		"id with a path":         `{"data":[{"id":"../me"}]}`,
		"next without a cursor":  `{"data":[],"paging":{"next":"yes"}}`,
		"list of another form":   `{"data":{}}`,
		"no list, but an answer": `"` + someToken + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			s.SetReply(accounts, ok(body))
			_, err := s.Pages(t.Context(), someToken, nil)
			wantFault(t, err, provider.CodeChanged)
		})
	}
}

// What Meta refuses or repeats costs a person neither pages nor the knowledge of others.
func TestPagesOfOrdinaryPeople(t *testing.T) {
	const (
		ownPage = `{"data":[{"id":"1","name":"P","access_token":"T"}]}`
		noPages = `{"data":[]}`
		onePart = `{"data":[{"id":"55","name":"B"}]}`
		denied  = `{"error":{"message":"(#10) Application does not have permission for this ` +
			`action","type":"OAuthException","code":10}}`
		repeated = `{"data":[{"id":"1","name":"P","access_token":"T"}],` +
			`"paging":{"cursors":{"after":"Q"},"next":"yes"}}`
	)
	const accounts, businesses = "GET /v25.0/me/accounts", "GET /v25.0/me/businesses"
	const owned, client = "GET /v25.0/55/owned_pages", "GET /v25.0/55/client_pages"
	type outcome struct {
		IDs      []string
		Complete bool
	}
	for name, test := range map[string]struct {
		replies map[string]fake.Reply
		want    outcome
	}{
		"a portfolio refuses": {
			map[string]fake.Reply{accounts: {Body: ownPage}, businesses: {Body: onePart}, owned: failed(403, denied),
				client: {Body: noPages}},
			outcome{[]string{"1"}, true},
		},
		"no portfolio may be listed": {
			map[string]fake.Reply{accounts: {Body: ownPage}, businesses: failed(403, denied)},
			outcome{[]string{"1"}, true},
		},
		"a portfolio is throttled": {
			map[string]fake.Reply{
				accounts: {Body: ownPage}, businesses: {Body: onePart}, client: {Body: noPages},
				owned: failed(400, `{"error":{"code":17}}`),
			},
			outcome{[]string{"1"}, false},
		},
		"100 pages are too much": {
			map[string]fake.Reply{
				accounts + "?limit=100": failed(500, tooMuchData), accounts + "?limit=50": failed(500, tooMuchData),
				accounts + "?limit=25": {Body: ownPage}, businesses: {Body: noPages},
			},
			outcome{[]string{"1"}, true},
		},
		"the cursor repeats": {
			map[string]fake.Reply{accounts: {Body: repeated}, businesses: {Body: noPages}},
			outcome{[]string{"1"}, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			for pattern, reply := range test.replies {
				s.SetReply(pattern, reply)
			}
			list, err := s.Pages(t.Context(), s.Grant("anna", pagesScopes...), pagesScopes)
			wantFault(t, err, none)
			got := outcome{Complete: list.Complete}
			for _, page := range list.Items {
				got.IDs = append(got.IDs, page.ID)
			}
			testkit.Equal(t, "pages", got, test.want)
		})
	}
}

func TestFindPage(t *testing.T) {
	s := newSite(t)
	token := s.Grant("anna", pagesScopes...)
	page, err := s.FindPage(t.Context(), token, bakeryID)
	wantFault(t, err, none)
	testkit.Equal(t, "name", page.Name, "Piekarnia Kowalski")
	if page.AccessToken == "" {
		t.Error("no token of the page")
	}
	_, err = s.FindPage(t.Context(), s.Grant("marek", pagesScopes...), bakeryID)
	wantFault(t, err, provider.CodePermission)
	_, err = s.FindPage(t.Context(), token, "105600000099999")
	wantFault(t, err, provider.CodeGone)
	s.SetReply(graphPage, ok(`{"id":"1","access_token":"of another page"}`))
	_, err = s.FindPage(t.Context(), token, bakeryID)
	wantFault(t, err, provider.CodeChanged)
}

func TestPortfoliosHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		o := options(hanging(t, s.Provider, "/me/businesses"))
		o.Timeout = 0
		began := time.Now()
		pages, err := meta.New(o).Pages(t.Context(), s.Grant("anna", pagesScopes...), pagesScopes)
		wantFault(t, err, none)
		testkit.Equal(t, "wait for the portfolios", time.Since(began), 20*time.Second)
		if len(pages.Items) == 0 {
			t.Error("no pages, want those outside portfolios")
		}
		testkit.Equal(t, "complete", pages.Complete, false)
	})
}

// Piotr manages more pages than one list holds. The address of the next list has the token in it.
func TestPagesOfTheSandbox(t *testing.T) {
	type outcome struct{ Pages, WithToken, Requests int }
	for person, want := range map[string]outcome{
		"anna": {3, 2, 2}, "piotr": {135, 135, 4}, "tomasz": {0, 0, 2},
	} {
		s := newSite(t)
		pages, err := s.Pages(t.Context(), s.Grant(person, pagesScopes...), pagesScopes)
		wantFault(t, err, none)
		testkit.Equal(t, person+": complete", pages.Complete, true)
		got := outcome{Pages: len(pages.Items), Requests: len(s.Requests())}
		for _, page := range pages.Items {
			if page.AccessToken != "" {
				got.WithToken++
			}
		}
		testkit.Equal(t, person, got, want)
	}
}

func TestPagesBounds(t *testing.T) {
	s := newSite(t)
	const list = `{"data":[{"id":"%d"}],"paging":{"cursors":{"after":"%[1]d"},"next":"yes"}}`
	s.SetReply("GET /v25.0/me/accounts", ok(fmt.Sprintf(list, 1)))
	for i := range 60 {
		s.SetReply(fmt.Sprintf("GET /v25.0/me/accounts?after=%d", i), ok(fmt.Sprintf(list, i+1)))
	}
	pages, err := s.Pages(t.Context(), someToken, nil)
	wantFault(t, err, none)
	testkit.Equal(t, "number of pages, one of each list that was read", len(pages.Items), 50)
	testkit.Equal(t, "complete", pages.Complete, false)
}

// newPageSite scripts a page. Not all of its metrics have figures.
func newPageSite(t *testing.T) site {
	s := newSite(t)
	s.SetReply(graphPage, ok(`{"id":"`+bakeryID+
		`","name":"Piekarnia Łąkowa","category":"Piekarnia","fan_count":120,
		"followers_count":134,"link":"https://www.facebook.com/lakowa"}`))
	s.SetReply(graphPage+"/insights", ok(`{"data":[
		{"name":"page_media_view","values":[{"value":31,"end_time":"2026-11-20T08:00:00+0000"},
			{"value":30,"end_time":"2026-11-19T08:00:00+0000"},{"value":null,"end_time":"2026-11-21T08:00:00+0000"}]},
		{"name":"page_post_engagements","values":[{"value":{"like":3,"love":1},"end_time":"2026-11-20T08:00:00+0000"}]},
		{"name":"page_views_total","values":[{"value":0,"end_time":"2026-11-20T08:00:00+0000"}]},
		{"name":"page_daily_follows_unique","values":[{"value":"odd"},{"value":{"odd":"x"}}]}]}`))
	return s
}

func TestReadPage(t *testing.T) {
	got, err := newPageSite(t).ReadPage(t.Context(), someToken, bakeryID, bakeryID)
	wantFault(t, err, none)
	want := meta.PageData{
		FanCount: 120, FollowersCount: 134, Name: "Piekarnia Łąkowa", Category: "Piekarnia",
		Link: "https://www.facebook.com/lakowa",
		Metrics: map[string]any{
			"page_media_view": 31.0, "page_views_total": 0.0, "page_post_engagements": map[string]any{
				"like": 3.0, "love": 1.0,
			},
		},
		Reading: meta.Reading{Unavailable: []string{}, Days: meta.Days{
			"page_media_view": {"2026-11-18": 30, "2026-11-19": 31}, "page_views_total": {"2026-11-19": 0},
		}},
	}
	testkit.Equal(t, "data of the page", got, want)
}

// The sandbox knows the metrics, as the provider does, and refuses all others.
func TestReadPageOfTheSandbox(t *testing.T) {
	retired := []string{"page_post_engagements", "page_daily_unfollows_unique"}
	for name, test := range map[string]struct {
		toggle      string
		value       any
		metrics     int
		unavailable []string
		missed      fault.Code
	}{
		"all":             {"usage_percent", 94, 6, []string{}, none},
		"retired metrics": {"dead_metrics", retired, 4, retired, none},
		"no permission for insights": {"missing_permissions", []string{"read_insights"}, 0, []string{},
			provider.CodePermission},
		"no figures":     {"empty_insights", true, 0, []string{}, provider.CodePermission},
		"near the limit": {"usage_percent", 95, 0, []string{}, provider.CodeThrottled},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			token := s.PageToken(s.Grant("anna", socialScopes...), bakeryID)
			s.SetToggle(test.toggle, test.value)
			got, err := s.ReadPage(t.Context(), token, bakeryID, bakeryID)
			wantFault(t, err, none)
			if got.FollowersCount == 0 {
				t.Error("no followers")
			}
			testkit.Equal(t, "name", got.Name, "Piekarnia Kowalski")
			if got.Metrics == nil {
				t.Error("the metrics are nil")
			}
			testkit.Equal(t, "number of metrics", len(got.Metrics), test.metrics)
			testkit.Equal(t, "unavailable metrics", got.Unavailable, test.unavailable)
			wantMissed(t, got.Missed, test.missed, pageMetrics)
		})
	}
}

// The days of an account that is not known go further back. The clocks of the Pacific went back on November 1st.
func TestReadByDay(t *testing.T) {
	for _, isKnown := range []bool{false, true} {
		s := newSite(t)
		token := s.PageToken(s.Grant("anna", socialScopes...), bakeryID)
		knownPage, knownPhotos := "", ""
		want := map[string]string{"page_media_view": "2026-05-25", "reach": "2026-08-23"}
		if isKnown {
			knownPage, knownPhotos = bakeryID, photoID
			want = map[string]string{"page_media_view": "2026-08-23", "reach": "2026-10-22"}
		}
		page, err := s.ReadPage(t.Context(), token, bakeryID, knownPage)
		wantFault(t, err, none)
		photos, err := s.ReadPhotos(t.Context(), token, bakeryID, knownPhotos)
		wantFault(t, err, none)
		for metric, first := range want {
			figures := maps.Clone(page.Days)
			maps.Copy(figures, photos.Days)
			days := slices.Sorted(maps.Keys(figures[metric]))
			if len(days) == 0 {
				t.Errorf("no days of %s, known: %t", metric, isKnown)
				continue
			}
			what := fmt.Sprintf("first and last day of %s, known: %t", metric, isKnown)
			testkit.Equal(t, what, days[0]+" "+days[len(days)-1], first+" 2026-11-20")
		}
		if got, want := page.Metrics["page_media_view"], page.Days["page_media_view"]["2026-11-20"]; got != want {
			t.Errorf("latest value %v, want that of the last day, %v", got, want)
		}
	}
}

func TestEarlierDaysAreMissed(t *testing.T) {
	s := newSite(t)
	token := s.PageToken(s.Grant("anna", socialScopes...), bakeryID)
	s.SetReply(fmt.Sprintf("%s/insights?until=%d", graphPage, now.AddDate(0, 0, -90).Unix()),
		graphError(80001, 0, ""))
	got, err := s.ReadPage(t.Context(), token, bakeryID, "")
	wantFault(t, err, none)
	wantMissed(t, got.Missed, provider.CodeThrottled, nil)
	testkit.Equal(t, "number of metrics", len(got.Metrics), len(pageMetrics))
	testkit.Equal(t, "number of days", len(got.Days["page_media_view"]), 90)
}

// TestReadPageWithoutFigures: a page of 100 fans has some, unless the provider says otherwise.
func TestReadPageWithoutFigures(t *testing.T) {
	empty := ok(`{"data":[]}`)
	for name, test := range map[string]struct {
		fans   int
		first  fake.Reply // for the first metric; empty for the others
		missed fault.Code
	}{
		"few fans":          {99, empty, none},
		"enough fans":       {100, empty, provider.CodePermission},
		"one figure":        {100, ok(`{"data":[{"name":"page_media_view","values":[{"value":1}]}]}`), none},
		"a retired metric":  {100, graphError(100, 0, ""), none},
		"a withheld figure": {100, graphError(10, 0, "(#10) Not enough viewers"), none},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.SetReply(graphPage, ok(fmt.Sprintf(`{"id":%q,"fan_count":%d}`, bakeryID, test.fans)))
			s.SetReply(graphPage+"/insights", empty)
			// so that each metric is asked for
			s.SetReply(graphPage+"/insights?metric="+strings.Join(pageMetrics, ","), graphError(100, 0, ""))
			s.SetReply(graphPage+"/insights?metric="+pageMetrics[0], test.first)
			got, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
			wantFault(t, err, none)
			wantMissed(t, got.Missed, test.missed, pageMetrics)
			if test.missed != none && fault.From(got.Missed.Err).Message == provider.CodePermission.Text {
				t.Error("the message does not say what is missing")
			}
		})
	}
}

func TestInsightsAreSplit(t *testing.T) {
	s := newPageSite(t)
	s.SetReply(graphPage+"/insights", failed(500, tooMuchData))
	s.SetReply(graphPage+"/insights?metric="+pageMetrics[0],
		ok(`{"data":[{"name":"page_media_view","values":[{"value":31}]}]}`))
	got, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
	wantFault(t, err, none)
	testkit.Equal(t, "metrics", got.Metrics, map[string]any{pageMetrics[0]: 31.0})
	wantMissed(t, got.Missed, provider.CodeTemporary, pageMetrics[1:])
}

func TestReadPageFaults(t *testing.T) {
	const insights = graphPage + "/insights"
	for name, test := range map[string]struct {
		request string // that gets the reply
		reply   fake.Reply
		want    fault.Code
	}{
		"page is gone":             {graphPage, graphError(100, 33, someToken), provider.CodeGone},
		"page without an id":       {graphPage, ok(`{"name":"x"}`), provider.CodeChanged},
		"token revoked at the end": {insights, graphError(190, 460, someToken), provider.CodeReconnect},
		"token revoked between metrics": {insights + "?metric=page_views_total", graphError(190, 460, someToken),
			provider.CodeReconnect},
		"refusal not about a metric": {insights, graphError(2500, 0, ""), provider.CodeChanged},
		"insights of another form":   {insights, ok(`{"data":{"` + someToken + `":1}}`), provider.CodeChanged},
		"time is a number": {insights, ok(`{"data":[{"name":"x","values":[{"value":1,"end_time":1795161600}]}]}`),
			provider.CodeChanged},
		"time of another form": {insights, ok(
			`{"data":[{"name":"x","values":[{"value":1,"end_time":"` + someToken + `"}]}]}`,
		), provider.CodeChanged},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPageSite(t)
			s.SetReply(insights, graphError(100, 0, "")) // so that each metric is asked for
			s.SetReply(test.request, test.reply)
			_, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
			wantFault(t, err, test.want)
		})
	}
}

func TestIDIsOnePathSegment(t *testing.T) {
	s := newSite(t)
	const id, path = "../me?fields=x", "/v25.0/..%2Fme%3Ffields=x"
	s.SetReply("GET "+path, graphError(100, 33, ""))
	s.SetReply("DELETE "+path+"/permissions", graphError(4, 0, ""))
	_, err := s.ReadPage(t.Context(), someToken, id, id)
	wantFault(t, err, provider.CodeGone)
	_, err = s.ReadPhotos(t.Context(), someToken, id, id)
	wantFault(t, err, provider.CodeGone)
	_, err = s.FindPage(t.Context(), someToken, id)
	wantFault(t, err, provider.CodeGone)
	wantFault(t, s.Revoke(t.Context(), provider.Token{ProviderUserID: id}), provider.CodeThrottled)
}

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
		Reading: meta.Reading{
			Unavailable: []string{}, Days: meta.Days{"reach": {"2026-11-18": 40, "2026-11-19": 55}},
		},
	}
	testkit.Equal(t, "data of the account", got, want)
}

// The sandbox refuses metrics, windows and forms that the provider does not take.
func TestReadPhotosOfTheSandbox(t *testing.T) {
	all := append([]string{"reach", "follows_and_unfollows", "follower_count"}, photoTotals...)
	slices.Sort(all)
	for _, retired := range [][]string{{}, {"reach", "profile_views", "website_clicks"}} {
		s := newSite(t)
		token := s.PageToken(s.Grant("anna", socialScopes...), bakeryID)
		s.SetToggle("dead_metrics", retired)
		got, err := s.ReadPhotos(t.Context(), token, bakeryID, photoID)
		wantFault(t, err, none)
		metrics := slices.AppendSeq(slices.Clone(got.Unavailable), maps.Keys(got.Insights))
		slices.Sort(metrics)
		testkit.Equal(t, fmt.Sprintf("metrics without %q", retired), metrics, all)
		testkit.Equal(t, "unavailable metrics", got.Unavailable, retired)
		p := got.Profile
		if slices.Contains([]string{p.Username, p.Name, p.Biography, p.Website, p.ProfilePictureURL}, "") {
			t.Errorf("profile %+v, want one with all texts", p)
		}
		if p.FollowersCount == 0 {
			t.Error("no followers")
		}
		testkit.Equal(t, "number of media", len(got.Media), 25)
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
		testkit.Equal(t, name+": engagement", got.Engagement, test.want)
		if got.Media == nil {
			t.Errorf("%s: the media are nil", name)
		}
		testkit.Equal(t, name+": number of requests", len(s.Requests()), test.requests)
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
				if len(page.Metrics)+len(photos.Insights) > 0 {
					t.Errorf("metrics %v of the page and %v of the photos, want none", page.Metrics, photos.Insights)
				}
				if len(page.Unavailable)+len(photos.Unavailable) > 0 {
					t.Errorf("unavailable %q and %q, want none", page.Unavailable, photos.Unavailable)
				}
			})
		})
	}
}

// wantMissed checks that the metrics were missed with that code or, for none, that no metric was missed.
func wantMissed(t *testing.T, got meta.Missed, code fault.Code, metrics []string) {
	t.Helper()
	if code == none {
		metrics = nil
	}
	wantFault(t, got.Err, code)
	testkit.Equal(t, "missed metrics", got.Metrics, metrics)
}

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
	testkit.Equal(t, "insights", slices.Sorted(maps.Keys(got.Insights)), []string{"reach", "views"})
	testkit.Equal(t, "views", got.Insights["views"], any(900.0))
}

func TestReadPhotosFaults(t *testing.T) {
	const media, reach = graphPhoto + "/media", graphInsights + "?metric=reach"
	for name, test := range map[string]struct {
		request string // that gets the reply
		reply   fake.Reply
		want    fault.Code
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
				s.SetReply(test.request, test.reply)
				_, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
				wantFault(t, err, test.want)
			})
		})
	}
}

func TestReadPhotosNearALimit(t *testing.T) {
	s := newPhotoSite(t)
	s.SetReply(graphPage, fake.Reply{Body: `{"instagram_business_account":{"id":"` + photoID + `"}}`,
		Header: http.Header{"X-Page-Usage": {`{"call_count":96}`}}})
	got, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
	wantFault(t, err, none)
	wantFault(t, got.Missed.Err, provider.CodeThrottled)
	testkit.Equal(t, "number of insights", len(got.Insights), 0)
	testkit.Equal(t, "followers", got.Profile.FollowersCount, 200)
}
