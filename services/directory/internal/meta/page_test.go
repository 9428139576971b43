package meta_test

import (
	"reflect"
	"slices"
	"testing"

	"backend.example/services/directory/internal/meta"
)

// bakeryID is the page of the bakery in the sandbox.
const bakeryID = "105600000010001"

var pageMetrics = []string{
	"page_media_view", "page_total_media_view_unique", "page_post_engagements", "page_views_total",
	"page_daily_follows_unique", "page_daily_unfollows_unique",
}

// newPageServer has replies about a page. Not all of its metrics have figures.
func newPageServer(t *testing.T) *server {
	s := newServer(t, nil)
	s.Replies[graphPage] = ok(`{"id":"` + bakeryID + `","name":"Piekarnia Łąkowa","category":"Piekarnia","fan_count":120,
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
	got, err := s.social().ReadPage(t.Context(), someToken, bakeryID)
	wantFault(t, err, "")
	want := meta.PageData{
		FanCount: 120, FollowersCount: 134, Name: "Piekarnia Łąkowa", Category: "Piekarnia", Link: "https://www.facebook.com/lakowa",
		Metrics: map[string]any{
			"page_media_view": 31.0, "page_views_total": 0.0, "page_post_engagements": map[string]any{"like": 3.0, "love": 1.0},
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
			name: "retired metrics", toggle: "dead_metrics", value: retired, unavailable: retired, calls: 2 + len(pageMetrics),
			metrics: slices.DeleteFunc(slices.Clone(pageMetrics), func(m string) bool { return slices.Contains(retired, m) }),
		},
		{name: "no permission for insights", toggle: "missing_permissions", value: []string{"read_insights"}, calls: 2, missed: permission},
		{name: "no figures", toggle: "empty_insights", value: true, calls: 2, missed: permission},
		{name: "near the limit", toggle: "usage_percent", value: 95, calls: 1, missed: throttled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake, s := newMeta(t)
			token := fake.PageToken(fake.Grant("anna", socialScopes...).User, bakeryID)
			fake.SetToggle(test.toggle, test.value)
			got, err := s.social().ReadPage(t.Context(), token, bakeryID)
			wantFault(t, err, "")
			if got.FollowersCount == 0 || got.Name != "Piekarnia Kowalski" || got.Metrics == nil || got.Unavailable == nil ||
				len(got.Metrics) != len(test.metrics) || !slices.Equal(got.Unavailable, append([]string{}, test.unavailable...)) {
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

func TestSocialReadPageFaults(t *testing.T) {
	const insights = graphPage + "/insights"
	tests := []struct {
		name, at string
		reply    reply
		want     string
	}{
		{name: "page is gone", at: graphPage, reply: graphError(100, 33, someToken), want: gone},
		{name: "page without an id", at: graphPage, reply: ok(`{"name":"x"}`), want: changed},
		{name: "token revoked meanwhile", at: insights, reply: graphError(190, 460, someToken), want: reconnect},
		{
			name: "token revoked between metrics", at: insights + " page_views_total",
			reply: graphError(190, 460, someToken), want: reconnect,
		},
		{name: "insights of another form", at: insights, reply: ok(`{"data":{"` + someToken + `":1}}`), want: changed},
		{
			name: "time is a number", at: insights,
			reply: ok(`{"data":[{"name":"x","values":[{"value":1,"end_time":1795161600}]}]}`), want: changed,
		},
		{
			name: "time of another form", at: insights,
			reply: ok(`{"data":[{"name":"x","values":[{"value":1,"end_time":"` + someToken + `"}]}]}`), want: changed,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newPageServer(t)
			s.Replies[insights] = graphError(100, 0, "") // so that each metric is asked for
			s.Replies[test.at] = test.reply
			_, err := s.social().ReadPage(t.Context(), someToken, bakeryID)
			wantFault(t, err, test.want)
		})
	}
}

func TestSocialPageIDIsOnePathSegment(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v25.0/..%2Fme%3Ffields=x"] = graphError(100, 33, "")
	_, err := s.social().ReadPage(t.Context(), someToken, "../me?fields=x")
	wantFault(t, err, gone)
}
