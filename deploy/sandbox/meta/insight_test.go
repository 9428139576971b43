package meta_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	studioPage  = "105600000010005" // zofia's; its account hides likes
	studioPhoto = "17841400000000102"
	tinyPhoto   = "17841400000000104" // of the gallery; few followers
)

// bakeryToken is the token of a page with a photo account.
func (w *app) bakeryToken() string {
	w.t.Helper()
	return w.pageToken(w.login("anna"), bakery)
}

func TestAPhotoAccount(t *testing.T) {
	w := newApp(t)
	a := w.get(w.bakeryToken(), photo+"?fields=id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count")
	if len(a.body) != 9 || a.body["username"] != "piekarnia.kowalski" || a.body["followers_count"].(float64) < 1480 || a.body["media_count"] != 81.0 {
		t.Errorf("got %s", a.Body)
	}
	if a := w.get(w.bakeryToken(), photo); !reflect.DeepEqual(a.body, map[string]any{"id": photo}) {
		t.Errorf("without fields: %s", a.Body)
	}
}

// media lists all media with the fields that matter here.
func (w *app) media(token, account string) []map[string]any {
	w.t.Helper()
	return w.get(token, account+"/media?limit=100&fields=id,caption,media_type,permalink,timestamp,like_count,comments_count").list()
}

func TestMediaAreListedNewestFirst(t *testing.T) {
	w := newApp(t)
	list := w.media(w.bakeryToken(), photo)
	if len(list) != 81 {
		t.Fatalf("%d media", len(list))
	}
	last := w.now
	for _, medium := range list {
		posted, err := time.Parse("2006-01-02T15:04:05+0000", medium["timestamp"].(string))
		if err != nil || posted.After(last) {
			t.Errorf("%v after %s, %v", medium["timestamp"], last, err)
		}
		last = posted
	}
	if got := w.get(w.bakeryToken(), photo+"/media").list(); len(got) != 25 || len(got[0]) != 1 {
		t.Errorf("without limit and fields: %d, %v", len(got), got[0])
	}
}

func TestMediaComeInAllForms(t *testing.T) {
	w := newApp(t)
	seen := map[string]int{}
	for _, medium := range w.media(w.bakeryToken(), photo) {
		seen[medium["media_type"].(string)]++
		for _, name := range []string{"caption", "like_count"} {
			if _, found := medium[name]; !found {
				seen["no "+name]++
			}
		}
	}
	for _, kind := range []string{"IMAGE", "VIDEO", "CAROUSEL_ALBUM", "no caption", "no like_count"} {
		if seen[kind] == 0 || seen[kind] > 60 {
			t.Errorf("%s: %d of 81", kind, seen[kind])
		}
	}
}

func TestAnAccountCanHideAllLikes(t *testing.T) {
	w := newApp(t)
	for _, medium := range w.media(w.pageToken(w.login("zofia"), studioPage), studioPhoto) {
		if _, told := medium["like_count"]; told {
			t.Fatalf("likes are told: %v", medium)
		}
	}
}

// figures are the values of one metric: times, and numbers as text.
func figures(metric map[string]any) (times, numbers []string) {
	items, _ := metric["values"].([]any)
	for _, item := range items {
		value := item.(map[string]any)
		times, numbers = append(times, fmt.Sprint(value["end_time"])), append(numbers, fmt.Sprint(value["value"]))
	}
	return times, numbers
}

// days asks about the last days.
func (w *app) days(number int) string {
	return fmt.Sprintf("&since=%d&until=%d", w.now.AddDate(0, 0, -number).Unix(), w.now.Unix())
}

func TestPageInsightsAreAboutWholeDays(t *testing.T) {
	w := newApp(t)
	token := w.pageToken(w.login("anna"), bakery)
	list := w.get(token, bakery+"/insights?metric=page_views_total,page_media_view&period=day").list()
	if len(list) != 2 || list[1]["name"] != "page_media_view" || list[1]["period"] != "day" || list[1]["id"] != bakery+"/insights/page_media_view/day" {
		t.Fatalf("got %v", list)
	}
	times, today := figures(list[1])
	if !slices.Equal(times, []string{"2026-11-20T08:00:00+0000", "2026-11-21T08:00:00+0000"}) {
		t.Errorf("days end at %v", times)
	}
	w.now = w.now.AddDate(0, 0, 1)
	if _, tomorrow := figures(w.get(token, bakery+"/insights?metric=page_media_view&period=day").list()[0]); today[1] != tomorrow[0] {
		t.Errorf("first %v, a day later %v: a day keeps its figures", today, tomorrow)
	}
}

func TestEveryPageMetricThatIsReadHasFigures(t *testing.T) {
	w := newApp(t)
	token := w.pageToken(w.login("anna"), bakery)
	const metrics = "page_media_view,page_total_media_view_unique,page_post_engagements,page_views_total,page_daily_follows_unique,page_daily_unfollows_unique"
	if list := w.get(token, bakery+"/insights?period=day&metric="+metrics).list(); len(list) != 6 {
		t.Errorf("%d metrics", len(list))
	}
}

func TestPageInsightsRefuse(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	token := w.pageToken(user, bakery)
	for query, message := range map[string]string{
		"period=day": "must be a valid insights metric",
		"metric=page_media_view,page_fans&period=day":         "must be a valid insights metric",
		"metric=page_impressions_unique&period=day":           "must be a valid insights metric",
		"metric=page_media_view&period=year":                  "period must be one of",
		"metric=page_media_view&period=day" + w.days(91):      "more than 90 days (7776000 s)",
		"metric=page_media_view&period=day&since=2&until=1":   "later than since",
		"metric=page_media_view&period=day&since=yesterday":   "Unix timestamps",
		"metric=page_media_view&period=day&since=-9223372036": "more than 90 days",
	} {
		if a := w.get(token, bakery+"/insights?"+query); a.refusal() != "100" || !strings.Contains(a.message(), message) {
			t.Errorf("%s: got %s", query, a.Body)
		}
	}
	w.wantRefusal(user, bakery+"/insights?metric=page_media_view&period=day", "190")
	w.set(`{"dead_metrics": ["page_media_view"]}`)
	w.wantRefusal(token, bakery+"/insights?period=day&metric=page_media_view,page_views_total", "100")
	w.wantRefusal(token, bakery+"/insights?period=day&metric=page_views_total", "")
}

func TestWhereThereAreNoPageInsights(t *testing.T) {
	const empty = "{\"data\":[]}\n"
	const query = "/insights?metric=page_media_view&period=day"
	w := newApp(t)
	token := w.pageToken(w.login("anna"), bakery)
	if a := w.get(w.pageToken(w.login("zofia"), gallery), gallery+query); a.Body.String() != empty {
		t.Errorf("a page with hardly any fans: %s", a.Body)
	}
	for _, toggles := range []string{`{"missing_permissions": ["read_insights"]}`, `{"missing_permissions": [], "empty_insights": true}`} {
		w.set(toggles)
		if a := w.get(token, bakery+query); a.Body.String() != empty {
			t.Errorf("with %s: %s", toggles, a.Body)
		}
	}
}

func TestPhotoInsightsByDay(t *testing.T) {
	w := newApp(t)
	list := w.get(w.bakeryToken(), photo+"/insights?metric=reach,follower_count&period=day"+w.days(29)).list()
	if len(list) != 2 {
		t.Fatalf("got %v", list)
	}
	if times, _ := figures(list[0]); len(times) != 29 || times[28] != "2026-11-21T08:00:00+0000" {
		t.Errorf("days end at %v", times)
	}
}

const totals = "views,accounts_engaged,total_interactions,likes,comments,shares,saves,replies,reposts,profile_links_taps,profile_views,website_clicks"

func TestPhotoInsightsAsTotals(t *testing.T) {
	w := newApp(t)
	token := w.bakeryToken()
	list := w.get(token, photo+"/insights?metric="+totals+",reach&period=day&metric_type=total_value"+w.days(30)).list()
	if len(list) != 13 {
		t.Fatalf("%d metrics", len(list))
	}
	for _, metric := range list {
		if _, series := metric["values"]; series || metric["total_value"].(map[string]any)["value"].(float64) <= 0 {
			t.Errorf("got %v", metric)
		}
	}
	_, days := figures(w.get(token, photo+"/insights?metric=reach&period=day"+w.days(30)).list()[0])
	sum := 0.0
	for _, text := range days {
		var n float64
		_, _ = fmt.Sscan(text, &n)
		sum += n
	}
	if value := list[12]["total_value"].(map[string]any)["value"]; value != sum {
		t.Errorf("reach is %v as a total, %v by day", value, sum)
	}
}

func TestFollowsAndUnfollowsAreToldApart(t *testing.T) {
	w := newApp(t)
	a := w.get(w.bakeryToken(), photo+"/insights?metric=follows_and_unfollows&period=day&metric_type=total_value&breakdown=follow_type"+w.days(30))
	parts := map[string]float64{}
	breakdowns := a.list()[0]["total_value"].(map[string]any)["breakdowns"].([]any)
	for _, r := range breakdowns[0].(map[string]any)["results"].([]any) {
		result := r.(map[string]any)
		parts[fmt.Sprint(result["dimension_values"])] = result["value"].(float64)
	}
	if len(parts) != 2 || parts["[FOLLOWER]"] <= parts["[NON_FOLLOWER]"] || parts["[NON_FOLLOWER]"] <= 0 {
		t.Errorf("got %v", parts)
	}
}

func TestPhotoInsightsRefuse(t *testing.T) {
	w := newApp(t)
	token := w.bakeryToken()
	for query, message := range map[string]string{
		"period=day":                                               "must be one of the following values: reach, ",
		"metric=reach,impressions&period=day":                      "must be one of the following values: reach, ",
		"metric=reach":                                             "period must be one of",
		"metric=reach,views&period=day":                            "incompatible with the metric type (time_series): views",
		"metric=reach&period=day" + w.days(31):                     "more than 30 days (2592000 s)",
		"metric=follower_count&period=day&metric_type=total_value": "incompatible with the metric type (total_value): follower_count",
		"metric=likes&period=day&metric_type=total_value&breakdown=follow_type": "incompatible with the breakdown",
		"metric=reach&period=day&breakdown=follow_type":                         "incompatible with the breakdown",
	} {
		if a := w.get(token, photo+"/insights?"+query); a.refusal() != "100" || !strings.Contains(a.message(), message) {
			t.Errorf("%s: got %s", query, a.Body)
		}
	}
	tiny := w.pageToken(w.login("zofia"), gallery)
	w.wantRefusal(tiny, tinyPhoto+"/insights?metric=follower_count&period=day", "100")
	w.set(`{"dead_metrics": ["reach", "views"]}`)
	w.wantRefusal(token, photo+"/insights?metric=likes,views&period=day&metric_type=total_value", "100")
	w.set(`{"missing_permissions": ["instagram_manage_insights"]}`)
	w.wantRefusal(token, photo+"/insights?metric=likes&period=day", "10")
}
