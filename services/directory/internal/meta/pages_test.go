package meta_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
	"backend.example/services/internal/kit/fault"
)

func TestSocialPages(t *testing.T) {
	const accounts = "GET /v25.0/me/accounts"
	s := newServer(t, nil)
	s.Replies[accounts] = ok(`{"data":[
		{"id":"1","name":"Strona 1","category":"Sklep","fan_count":7,"tasks":["MANAGE"],"access_token":"of page 1"},
		{"id":"2","name":"Strona 2","category":"Usługi"}],"paging":{"cursors":{"before":"b","after":"Q1="}}}`)
	pages, err := newSocial(s).Pages(t.Context(), someToken, nil)
	wantFault(t, err, "")
	want := []meta.Page{{ID: "1", Name: "Strona 1", Category: "Sklep", FanCount: 7, AccessToken: "of page 1"},
		{ID: "2", Name: "Strona 2", Category: "Usługi"}}
	if !slices.Equal(pages.Items, want) || !pages.Complete || len(s.Calls) != 1 {
		t.Errorf("pages = %+v\nwant %+v in one call", pages, want)
	}
	unreadable := map[string]string{
		"page without an id":     `{"data":[{"name":"x"}]}`,
		"id with a path":         `{"data":[{"id":"../me"}]}`,
		"next without a cursor":  `{"data":[],"paging":{"next":"yes"}}`,
		"list of another form":   `{"data":{}}`,
		"no list, but an answer": `"` + someToken + `"`,
	}
	for name, body := range unreadable {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies[accounts] = ok(body)
			_, err := newSocial(s).Pages(t.Context(), someToken, nil)
			if wantFault(t, err, providertest.Changed); len(s.Calls) > 2 {
				t.Errorf("%d calls", len(s.Calls))
			}
		})
	}
}

func TestSocialFindPage(t *testing.T) {
	fake, s := newMeta(t)
	token := fake.Grant("anna", pagesScopes...).User
	page, err := newSocial(s).FindPage(t.Context(), token, bakeryID)
	if wantFault(t, err, ""); page.ID != bakeryID || page.Name != "Piekarnia Kowalski" || page.AccessToken == "" {
		t.Errorf("page = %+v", page)
	}
	_, err = newSocial(s).FindPage(t.Context(), fake.Grant("marek", pagesScopes...).User, bakeryID)
	wantFault(t, err, providertest.Permission)
	_, err = newSocial(s).FindPage(t.Context(), token, "105600000099999")
	wantFault(t, err, providertest.Gone)
	s.Replies[graphPage] = ok(`{"id":"1","access_token":"of another page"}`)
	_, err = newSocial(s).FindPage(t.Context(), token, bakeryID)
	wantFault(t, err, providertest.Changed)
}

// TestSocialPortfoliosHang: one's own pages do not wait for portfolios for longer than a
// person does.
func TestSocialPortfoliosHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, nil)
		s.Replies["GET /v25.0/me/accounts"] = ok(`{"data":[{"id":"1"}]}`)
		hanging := roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/me/businesses") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return s.RoundTrip(r)
		})
		began := time.Now()
		pages, err := meta.New(meta.Options{Transport: hanging, Now: clock}).Pages(t.Context(), someToken, pagesScopes)
		took := time.Since(began)
		if err != nil || len(pages.Items) != 1 {
			t.Fatalf("pages %+v, %v after %v", pages, err, took)
		}
		if pages.Complete || took != 20*time.Second {
			t.Errorf("pages %+v, %v after %v", pages, err, took)
		}
	})
}

// Piotr manages more pages than one list holds. The sandbox puts the token into the
// address of the next list, as the provider does.
func TestSocialPagesOfTheSandbox(t *testing.T) {
	fake, s := newMeta(t)
	for person, want := range map[string]struct{ pages, acting, calls int }{
		"anna": {pages: 3, acting: 2, calls: 2}, "piotr": {pages: 135, acting: 135, calls: 4},
		"tomasz": {pages: 0, acting: 0, calls: 2},
	} {
		s.Calls = nil
		pages, err := newSocial(s).Pages(t.Context(), fake.Grant(person, pagesScopes...).User, pagesScopes)
		wantFault(t, err, "")
		acting := 0
		for _, page := range pages.Items {
			if page.AccessToken != "" {
				acting++
			}
		}
		if !pages.Complete || len(pages.Items) != want.pages {
			t.Fatalf("%s has %d pages, %d with a token, in %d calls; want %+v", person, len(pages.Items), acting,
				len(s.Calls), want)
		}
		if acting != want.acting || len(s.Calls) != want.calls {
			t.Errorf("%s has %d pages, %d with a token, in %d calls; want %+v", person, len(pages.Items), acting,
				len(s.Calls), want)
		}
		if got := s.Calls[0].Query; got.Get("limit") != "100" {
			t.Errorf("asked with %v", got)
		}
	}
}

func TestSocialPagesBounds(t *testing.T) {
	lists := 0
	s := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lists++
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"%d"}],"paging":{"cursors":{"after":"%d"},"next":"yes"}}`, lists, lists)
		after := ""
		if lists > 1 {
			after = fmt.Sprint(lists - 1)
		}
		got := r.URL.Query()["after"]
		if after == "" && got != nil {
			t.Fatalf("list %d is asked for with the cursor %q", lists, got)
		}
		if after != "" && !slices.Equal(got, []string{after}) {
			t.Errorf("list %d is asked for with the cursor %q", lists, got)
		}
	}))
	pages, err := newSocial(s).Pages(t.Context(), someToken, nil)
	if err != nil || len(pages.Items) != 50 {
		t.Fatalf("%d pages in %d calls, %v; want those of 50 lists, which are not all", len(pages.Items), len(s.Calls),
			err)
	}
	if pages.Complete || len(s.Calls) != 50 {
		t.Errorf("%d pages in %d calls, %v; want those of 50 lists, which are not all", len(pages.Items), len(s.Calls),
			err)
	}
}

// bakeryID is the page of the bakery in the sandbox.
const bakeryID = "105600000010001"

var pageMetrics = []string{
	"page_media_view", "page_total_media_view_unique", "page_post_engagements", "page_views_total",
	"page_daily_follows_unique", "page_daily_unfollows_unique",
}

// newPageServer has replies about a page. Not all of its metrics have figures.
func newPageServer(t *testing.T) *server {
	s := newServer(t, nil)
	s.Replies[graphPage] = ok(`{"id":"` + bakeryID +
		`","name":"Piekarnia Łąkowa","category":"Piekarnia","fan_count":120,
		"followers_count":134,"link":"https://www.facebook.com/lakowa"}`)
	s.Replies[graphPage+"/insights"] = ok(`{"data":[
		{"name":"page_media_view","values":[{"value":31,"end_time":"2026-11-20T08:00:00+0000"},
			{"value":30,"end_time":"2026-11-19T08:00:00+0000"},{"value":null,"end_time":"2026-11-21T08:00:00+0000"}]},
		{"name":"page_post_engagements","values":[{"value":{"like":3,"love":1},"end_time":"2026-11-20T08:00:00+0000"}]},
		{"name":"page_views_total","values":[{"value":0,"end_time":"2026-11-20T08:00:00+0000"}]},
		{"name":"page_daily_follows_unique","values":[{"value":"odd"},{"value":{"odd":"x"}}]}]}`)
	return s
}

func TestSocialReadPage(t *testing.T) {
	s := newPageServer(t)
	got, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
	wantFault(t, err, "")
	want := meta.PageData{
		FanCount: 120, FollowersCount: 134, Name: "Piekarnia Łąkowa", Category: "Piekarnia",
		Link: "https://www.facebook.com/lakowa",
		Metrics: map[string]any{
			"page_media_view": 31.0, "page_views_total": 0.0, "page_post_engagements": map[string]any{
				"like": 3.0, "love": 1.0,
			},
		},
		Unavailable: []string{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("data = %+v\nwant %+v", got, want)
	}
	if want := []string{graphPage, graphPage + "/insights"}; !slices.Equal(s.Requests(), want) {
		t.Errorf("calls = %v, want %v", s.Requests(), want)
	}
}

// The sandbox knows the metrics, as the provider does, and refuses all others.
func TestSocialReadPageOfTheSandbox(t *testing.T) {
	retired := []string{"page_post_engagements", "page_daily_unfollows_unique"}
	tests := []struct {
		name        string
		toggle      string
		value       any
		metrics     []string
		unavailable []string
		calls       int
		missed      string
	}{
		{name: "all", toggle: "usage_percent", value: 94, metrics: pageMetrics, calls: 2},
		{
			name: "retired metrics", toggle: "dead_metrics", value: retired, unavailable: retired,
			calls: 2 + len(pageMetrics),
			metrics: slices.DeleteFunc(slices.Clone(pageMetrics), func(m string) bool {
				return slices.Contains(retired, m)
			}),
		},
		{name: "no permission for insights", toggle: "missing_permissions", value: []string{"read_insights"}, calls: 2,
			missed: providertest.Permission},
		{name: "no figures", toggle: "empty_insights", value: true, calls: 2, missed: providertest.Permission},
		{name: "near the limit", toggle: "usage_percent", value: 95, calls: 1, missed: providertest.Throttled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake, s := newMeta(t)
			token := fake.PageToken(fake.Grant("anna", socialScopes...).User, bakeryID)
			fake.SetToggle(test.toggle, test.value)
			got, err := newSocial(s).ReadPage(t.Context(), token, bakeryID)
			wantFault(t, err, "")
			if got.FollowersCount == 0 || got.Name != "Piekarnia Kowalski" {
				t.Fatalf("data = %+v, want metrics %v without %v", got, test.metrics, test.unavailable)
			}
			if got.Metrics == nil || got.Unavailable == nil {
				t.Fatalf("data = %+v, want metrics %v without %v", got, test.metrics, test.unavailable)
			}
			if len(got.Metrics) != len(test.metrics) ||
				!slices.Equal(got.Unavailable, append([]string{}, test.unavailable...)) {
				t.Errorf("data = %+v, want metrics %v without %v", got, test.metrics, test.unavailable)
			}
			wantMissed(t, got.Missed, test.missed, pageMetrics)
			for _, metric := range test.metrics {
				if _, ok := got.Metrics[metric]; !ok {
					t.Errorf("metrics %v lack %s", got.Metrics, metric)
				}
			}
			if len(s.Calls) != test.calls {
				t.Errorf("calls = %v, want %d", s.Requests(), test.calls)
			}
		})
	}
}

// TestSocialReadPageWithoutFigures: a page of 100 fans has some, unless the provider says
// otherwise.
func TestSocialReadPageWithoutFigures(t *testing.T) {
	none := ok(`{"data":[]}`)
	for name, test := range map[string]struct {
		fans        int
		first, rest reply // for the first metric and for the others
		missed      string
	}{
		"few fans":          {99, none, none, ""},
		"enough fans":       {100, none, none, providertest.Permission},
		"one figure":        {100, ok(`{"data":[{"name":"page_media_view","values":[{"value":1}]}]}`), none, ""},
		"a retired metric":  {100, graphError(100, 0, ""), none, ""},
		"a withheld figure": {100, graphError(10, 0, "(#10) Not enough viewers"), none, ""},
	} {
		s := newPageServer(t)
		s.Replies[graphPage] = ok(fmt.Sprintf(`{"id":%q,"fan_count":%d}`, bakeryID, test.fans))
		s.Replies[graphPage+"/insights"] = test.rest
		// so that each metric is asked for
		s.Replies[graphPage+"/insights "+strings.Join(pageMetrics, ",")] = graphError(100, 0, "")
		s.Replies[graphPage+"/insights "+pageMetrics[0]] = test.first
		got, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
		wantFault(t, err, "")
		t.Log(name)
		wantMissed(t, got.Missed, test.missed, pageMetrics)
		if test.missed != "" && fault.From(got.Missed.Err).Message == provider.CodePermission.Text {
			t.Error("the message does not say what is missing")
		}
	}
}

// TestSocialReadPageSplitsTwoMetrics: the retired one of two does not take the other with it.
func TestSocialReadPageSplitsTwoMetrics(t *testing.T) {
	s := newPageServer(t)
	s.Replies[graphPage+"/insights page_old,page_new"], s.Replies[graphPage+"/insights page_old"] = graphError(
		100, 0, "",
	), graphError(100, 0, "")
	s.Replies[graphPage+"/insights page_new"] = ok(`{"data":[{"name":"page_new","values":[{"value":7}]}]}`)
	client := meta.New(meta.Options{Transport: s, Now: clock, Metrics: []string{"page_old", "page_new"}})
	got, err := client.ReadPage(t.Context(), someToken, bakeryID)
	if err != nil || !reflect.DeepEqual(got.Metrics, map[string]any{"page_new": 7.0}) ||
		!slices.Equal(got.Unavailable, []string{"page_old"}) {
		t.Errorf("data = %+v, %v", got, err)
	}
}

func TestSocialReadPageFaults(t *testing.T) {
	const insights = graphPage + "/insights"
	tests := []struct {
		name, at string
		reply    reply
		want     string
	}{
		{name: "page is gone", at: graphPage, reply: graphError(100, 33, someToken), want: providertest.Gone},
		{name: "page without an id", at: graphPage, reply: ok(`{"name":"x"}`), want: providertest.Changed},
		{name: "token revoked meanwhile", at: insights, reply: graphError(190, 460, someToken),
			want: providertest.Reconnect},
		{
			name: "token revoked between metrics", at: insights + " page_views_total",
			reply: graphError(190, 460, someToken), want: providertest.Reconnect,
		},
		{name: "refusal that is not about a metric", at: insights, reply: graphError(2500, 0, ""),
			want: providertest.Changed},
		{name: "insights of another form", at: insights, reply: ok(`{"data":{"` + someToken + `":1}}`),
			want: providertest.Changed},
		{
			name: "time is a number", at: insights,
			reply: ok(`{"data":[{"name":"x","values":[{"value":1,"end_time":1795161600}]}]}`),
			want:  providertest.Changed,
		},
		{
			name: "time of another form", at: insights,
			reply: ok(`{"data":[{"name":"x","values":[{"value":1,"end_time":"` + someToken + `"}]}]}`),
			want:  providertest.Changed,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newPageServer(t)
			s.Replies[insights] = graphError(100, 0, "") // so that each metric is asked for
			s.Replies[test.at] = test.reply
			_, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
			wantFault(t, err, test.want)
		})
	}
}

func TestSocialIDIsOnePathSegment(t *testing.T) {
	s := newServer(t, nil)
	const id, path = "../me?fields=x", "/v25.0/..%2Fme%3Ffields=x"
	s.Replies["GET "+path], s.Replies["DELETE "+path+"/permissions"] = graphError(100, 33, ""), graphError(4, 0, "")
	_, err := newSocial(s).ReadPage(t.Context(), someToken, id)
	wantFault(t, err, providertest.Gone)
	_, err = newSocial(s).ReadPhotos(t.Context(), someToken, id)
	wantFault(t, err, providertest.Gone)
	_, err = newSocial(s).FindPage(t.Context(), someToken, id)
	wantFault(t, err, providertest.Gone)
	wantFault(t, newSocial(s).Revoke(t.Context(), provider.Token{ProviderUserID: id}), providertest.Throttled)
}
