package provider_test

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"backend.example/services/directory/internal/directory"
)

const metaPageObject = `{"id":"` + metaPageID + `","name":"Piekarnia Łąkowa","category":"Piekarnia","fan_count":120,
	"followers_count":134,"link":"https://www.facebook.com/lakowa","about":"not asked for",
	"instagram_business_account":{"id":"` + metaPhotoID + `"}}`

func metaPageItem(id, token string) string {
	return `{"id":"` + id + `","name":"Strona ` + id + `","category":"Sklep","fan_count":7,"tasks":["MANAGE"]` + token + `}`
}

func TestSocialPages(t *testing.T) {
	server := newMetaServer(t)
	next := "https://elsewhere.example/v25.0/me/accounts?access_token=" + metaUserToken
	server.pages[""] = metaPage{metaPageItem("1", `,"access_token":"`+metaPageToken+`"`), "Q1=", next}
	server.pages["Q1="] = metaPage{metaPageItem("2", "") + `,{"id":"3","name":"Bez polubień","category":"Usługi"}`, "Q2=", ""}

	pages, err := server.social().Pages(t.Context(), metaUserToken)
	if err != nil {
		t.Fatal(err)
	}
	want := []directory.Page{
		{ID: "1", Name: "Strona 1", Category: "Sklep", FanCount: 7, AccessToken: metaPageToken},
		{ID: "2", Name: "Strona 2", Category: "Sklep", FanCount: 7},
		{ID: "3", Name: "Bez polubień", Category: "Usługi"},
	}
	if !slices.Equal(pages, want) {
		t.Errorf("pages = %+v\nwant %+v", pages, want)
	}
	if got := server.calls[0].Query.Get("limit"); got != "100" || len(server.calls) != 2 {
		t.Errorf("limit = %s in %d calls", got, len(server.calls))
	}
}

func TestSocialPagesNone(t *testing.T) {
	server := newMetaServer(t)
	server.pages[""] = metaPage{}
	if pages, err := server.social().Pages(t.Context(), metaUserToken); err != nil || pages == nil || len(pages) != 0 {
		t.Errorf("Pages = %v, %v, want an empty list", pages, err)
	}
}

func TestSocialPagesEndless(t *testing.T) {
	same := newMetaServer(t)
	same.pages[""] = metaPage{after: "0", next: "yes"}
	same.pages["0"] = metaPage{after: "0", next: "yes"}
	circle := newMetaServer(t)
	circle.pages[""] = metaPage{after: "0", next: "yes"}
	circle.pages["0"] = metaPage{after: "1", next: "yes"}
	circle.pages["1"] = metaPage{after: "0", next: "yes"}
	blind := newMetaServer(t)
	blind.pages[""] = metaPage{next: "yes"}
	tests := map[string]struct {
		server *metaServer
		calls  int
	}{"same cursor": {same, 2}, "cursors in a circle": {circle, 3}, "no cursor": {blind, 1}}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.server.social().Pages(t.Context(), metaUserToken)
			wantFault(t, err, directory.CodeChanged)
			if len(test.server.calls) != test.calls {
				t.Errorf("calls = %d, want %d", len(test.server.calls), test.calls)
			}
		})
	}
}

func TestSocialPagesBounds(t *testing.T) {
	server := newMetaServer(t)
	server.pages[""] = metaPage{metaPageItem("0", ""), "1", "yes"}
	for i := 1; i < 100; i++ {
		server.pages[strconv.Itoa(i)] = metaPage{metaPageItem(strconv.Itoa(i), ""), strconv.Itoa(i + 1), "yes"}
	}
	pages, err := server.social().Pages(t.Context(), metaUserToken)
	if err != nil || len(pages) != 50 || len(server.calls) != 50 {
		t.Errorf("%d pages in %d calls, %v; want those of the first 50 lists", len(pages), len(server.calls), err)
	}
}

// newPageServer has a page whose metrics all have figures.
func newPageServer(t *testing.T) *metaServer {
	server := newMetaServer(t)
	server.objects["/"+metaPageID] = metaPageObject
	server.figures = map[string]any{
		"page_media_view": []any{ // out of order, and the newest not counted yet
			metaValue(31, "2026-11-20T08:00:00+0000"), metaValue(30, "2026-11-19T08:00:00+0000"), metaValue(nil, "2026-11-21T08:00:00+0000"),
		},
		"page_post_engagements": []any{metaValue(map[string]any{"like": 3, "love": 1}, "2026-11-20T08:00:00+0000")},
		"page_views_total":      []any{metaValue(0, "2026-11-20T08:00:00+0000")},
		"page_daily_follows_unique": []any{
			metaValue("odd", "2026-11-20T08:00:00+0000"), metaValue(map[string]any{"odd": "x"}, "2026-11-20T08:00:00+0000"),
		},
	}
	return server
}

func TestSocialReadPage(t *testing.T) {
	server := newPageServer(t)
	got, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
	if err != nil {
		t.Fatal(err)
	}
	want := directory.PageData{
		FanCount: 120, FollowersCount: 134, Name: "Piekarnia Łąkowa", Category: "Piekarnia", Link: "https://www.facebook.com/lakowa",
		Metrics: map[string]any{
			"page_media_view": 31.0, "page_views_total": 0.0, "page_post_engagements": map[string]any{"like": 3.0, "love": 1.0},
		},
		Unavailable: []string{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("data = %+v\nwant %+v", got, want)
	}
	if want := []string{"GET /" + metaPageID, "GET /" + metaPageID + "/insights"}; !slices.Equal(server.paths(), want) {
		t.Errorf("calls = %v, want %v", server.paths(), want)
	}
}

func TestSocialReadPageRetiredMetric(t *testing.T) {
	server := newPageServer(t)
	server.retired["page_post_engagements"] = true
	server.retired["page_daily_unfollows_unique"] = true
	got, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"page_post_engagements", "page_daily_unfollows_unique"}; !slices.Equal(got.Unavailable, want) {
		t.Errorf("unavailable = %v, want %v", got.Unavailable, want)
	}
	if want := map[string]any{"page_media_view": 31.0, "page_views_total": 0.0}; !reflect.DeepEqual(got.Metrics, want) {
		t.Errorf("metrics = %v, want %v", got.Metrics, want)
	}
	if want := 2 + len(metaPageMetrics); len(server.calls) != want {
		t.Errorf("calls = %d, want %d", len(server.calls), want)
	}
}

func TestSocialReadPageWithoutInsights(t *testing.T) {
	const at = "GET /" + metaPageID + "/insights"
	tests := map[string]struct {
		change func(*metaServer)
		calls  int
	}{
		"no permission":             {func(s *metaServer) { s.insightsDenied = true }, 2},
		"permission alreadyRevoked": {func(s *metaServer) { s.replies[at] = metaError(10, 0, "permission") }, 2},
		"limit":                     {func(s *metaServer) { s.replies[at] = metaError(32, 0, "limit") }, 2},
		"passing fault":             {func(s *metaServer) { s.replies[at] = metaReply{503, ""} }, 1 + 3},
		"nothing asked":             {func(s *metaServer) { s.header.Set("X-Page-Usage", `{"call_count":95}`) }, 1},
	}
	for name, test := range tests {
		quickly(t, name, func(t *testing.T) {
			server := newPageServer(t)
			test.change(server)
			got, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
			if err != nil {
				t.Fatal(err)
			}
			if got.FollowersCount != 134 || got.Metrics == nil || len(got.Metrics) != 0 || got.Unavailable == nil || len(got.Unavailable) != 0 {
				t.Errorf("data = %+v, want the page's own fields alone", got)
			}
			if len(server.calls) != test.calls {
				t.Errorf("calls = %v, want %d", server.paths(), test.calls)
			}
		})
	}
}

func TestSocialReadPageFails(t *testing.T) {
	const page, insights = "GET /" + metaPageID, "GET /" + metaPageID + "/insights"
	tests := map[string]struct {
		at    string
		reply metaReply
		code  string
	}{
		"page is gone":         {page, metaError(100, 33, metaPageToken), directory.CodeGone},
		"page in odd shape":    {page, metaReply{200, `{"name":"x"}`}, directory.CodeChanged},
		"token dies meanwhile": {insights, metaError(190, 460, metaPageToken), directory.CodeReconnect},
		"token dies later":     {insights + " page_views_total", metaError(190, 460, metaPageToken), directory.CodeReconnect},
		"odd insights":         {insights, metaReply{200, `{"data":{"` + metaPageToken + `":1}}`}, directory.CodeChanged},
		"number as a time":     {insights, metaReply{200, `{"data":[{"name":"x","values":[{"value":1,"end_time":1795161600}]}]}`}, directory.CodeChanged},
		"odd time":             {insights, metaReply{200, `{"data":[{"name":"x","values":[{"value":1,"end_time":"` + metaPageToken + `"}]}]}`}, directory.CodeChanged},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := newPageServer(t)
			server.retired["page_media_view"] = true // so that each is asked by itself
			server.replies[test.at] = test.reply
			_, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
			wantFault(t, err, test.code)
		})
	}
}

func TestSocialPageIDIsOnePathSegment(t *testing.T) {
	server := newPageServer(t)
	_, err := server.social().ReadPage(t.Context(), metaPageToken, "../me?fields=x")
	wantFault(t, err, directory.CodeGone)
	if got := server.calls[0]; got.Path != "/../me?fields=x" || got.Query.Get("fields") == "x" {
		t.Errorf("asked for %s with %v, want the id as one segment", got.Path, got.Query)
	}
}
