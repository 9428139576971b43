package social_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

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
func (w *world) days(number int) string {
	return fmt.Sprintf("&since=%d&until=%d", w.now.AddDate(0, 0, -number).Unix(), w.now.Unix())
}

func TestPageInsightsAreAboutWholeDays(t *testing.T) {
	w := newWorld(t)
	token := w.pageToken(w.login("anna"), bakery)
	list := w.get(token, bakery+"/insights?metric=page_views_total,page_media_view&period=day").list()
	if len(list) != 2 || list[0]["name"] != "page_media_view" || list[0]["period"] != "day" || list[0]["id"] != bakery+"/insights/page_media_view/day" || list[0]["title"] == "" {
		t.Fatalf("got %v", list)
	}
	times, _ := figures(list[0])
	if !slices.Equal(times, []string{"2026-11-20T08:00:00+0000", "2026-11-21T08:00:00+0000"}) {
		t.Errorf("days end at %v", times)
	}
	times, _ = figures(w.get(token, bakery+"/insights?metric=page_media_view&period=day"+w.days(30)).list()[0])
	if len(times) != 30 || times[0] != "2026-10-23T08:00:00+0000" {
		t.Errorf("%d days from %v", len(times), times[0])
	}
}

func TestTheSameDayKeepsItsFigures(t *testing.T) {
	w := newWorld(t)
	token := w.pageToken(w.login("anna"), bakery)
	_, today := figures(w.get(token, bakery+"/insights?metric=page_media_view&period=day").list()[0])
	w.now = w.now.AddDate(0, 0, 1)
	_, tomorrow := figures(w.get(token, bakery+"/insights?metric=page_media_view&period=day").list()[0])
	if today[1] != tomorrow[0] || tomorrow[0] == tomorrow[1] {
		t.Errorf("first %v, a day later %v", today, tomorrow)
	}
}

func TestPeriodsOfPageInsights(t *testing.T) {
	w := newWorld(t)
	token := w.pageToken(w.login("anna"), bakery)
	ask := func(metric, period string) []map[string]any {
		return w.get(token, bakery+"/insights?metric="+metric+"&period="+period+w.days(7)).list()
	}
	_, perDay := figures(ask("page_media_view", "day")[0])
	_, week := figures(ask("page_media_view", "week")[0])
	_, whole := figures(ask("page_media_view", "total_over_range")[0])
	sum := 0
	for _, number := range perDay {
		var n int
		_, _ = fmt.Sscan(number, &n)
		sum += n
	}
	if len(whole) != 1 || whole[0] != fmt.Sprint(sum) || week[len(week)-1] != whole[0] {
		t.Errorf("days %v, week %v, whole %v", perDay, week, whole)
	}
	if list := ask("page_follows_city", "lifetime"); len(list) != 1 || !strings.Contains(fmt.Sprint(list[0]["values"]), "Kraków:") {
		t.Errorf("cities %v", list)
	}
	if list := ask("page_follows", "week"); len(list) != 0 {
		t.Errorf("a period that the metric has not: %v", list)
	}
	if list := w.get(token, bakery+"/insights?metric=page_media_view").list(); len(list) != 4 {
		t.Errorf("without a period: %d answers, want one of each", len(list))
	}
}

func TestEveryLivingPageMetricHasFigures(t *testing.T) {
	w := newWorld(t)
	token := w.pageToken(w.login("anna"), bakery)
	for _, name := range strings.Fields(`page_media_view page_total_media_view_unique page_views_total page_post_engagements page_video_views page_daily_follows
		page_daily_follows_unique page_daily_unfollows_unique page_follows page_follows_city page_follows_country page_total_actions
		page_actions_post_reactions_like_total page_video_view_time page_lifetime_engaged_followers_unique`) {
		if list := w.get(token, bakery+"/insights?metric="+name).list(); len(list) == 0 {
			t.Errorf("%s has none", name)
		}
	}
}

func TestPageInsightsRefuse(t *testing.T) {
	w := newWorld(t)
	user := w.login("anna")
	token := w.pageToken(user, bakery)
	cases := map[string]struct{ query, message string }{
		"no metric":        {"period=day", "metric is required"},
		"dead metric":      {"metric=page_media_view,page_fans&period=day", "must be a valid insights metric"},
		"dead in 2026":     {"metric=page_impressions_unique", "must be a valid insights metric"},
		"period":           {"metric=page_media_view&period=year", "period must be one of"},
		"too long":         {"metric=page_media_view" + w.days(91), "more than 90 days (7776000 s)"},
		"backwards":        {"metric=page_media_view&since=2026-11-02&until=2026-11-01", "later than since"},
		"no time":          {"metric=page_media_view&since=yesterday", "since must be"},
		"no time at last":  {"metric=page_media_view&until=x", "until must be"},
		"far off the time": {"metric=page_media_view&since=-9223372036854775808", "more than 90 days"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if a := w.get(token, bakery+"/insights?"+c.query); a.refusal() != "100" || !strings.Contains(a.message(), c.message) {
				t.Errorf("got %s", a.Body)
			}
		})
	}
	w.wantRefusal(user, bakery+"/insights?metric=page_media_view", "190")
	w.wantRefusal(token, bakery+"/feed", "100")
	w.knobs(`{"dead_metrics": ["page_media_view"]}`)
	w.wantRefusal(token, bakery+"/insights?metric=page_media_view,page_views_total", "100")
	if a := w.get(token, bakery+"/insights?metric=page_views_total"); a.refusal() != "" {
		t.Errorf("the others: %s", a.Body)
	}
}

func TestWhereThereAreNoPageInsights(t *testing.T) {
	const empty = "{\"data\":[]}\n"
	const query = "/insights?metric=page_media_view&period=day"
	w := newWorld(t)
	token := w.pageToken(w.login("anna"), bakery)
	if a := w.get(w.pageToken(w.login("zofia"), gallery), gallery+query); a.Body.String() != empty {
		t.Errorf("a page with hardly any fans: %s", a.Body)
	}
	for _, knob := range []string{"missing_permissions", "empty_insights"} {
		w.knobs(`{"missing_permissions": [], "empty_insights": false}`)
		w.knobs(map[string]string{"missing_permissions": `{"missing_permissions": ["read_insights"]}`, "empty_insights": `{"empty_insights": true}`}[knob])
		if a := w.get(token, bakery+query); a.Body.String() != empty {
			t.Errorf("%s: %s", knob, a.Body)
		}
	}
	w.Knobs.Reset()
	for _, when := range []string{"&since=2020-01-01&until=2020-01-10", "&since=2026-11-22&until=2026-11-24"} {
		if list := w.get(token, bakery+query+when).list(); len(list) != 0 {
			t.Errorf("%s: %v", when, list)
		}
	}
}

func TestInsightsLeadToTheTimeBefore(t *testing.T) {
	w := newWorld(t)
	token := w.pageToken(w.login("anna"), bakery)
	a := w.get(token, bakery+"/insights?metric=page_media_view&period=day"+w.days(7))
	previous, err := url.Parse(a.body["paging"].(map[string]any)["previous"].(string))
	if err != nil {
		t.Fatal(err)
	}
	times, _ := figures(w.get(token, strings.TrimPrefix(previous.RequestURI(), version)).list()[0])
	if end := w.now.AddDate(0, 0, -7).Format(time.DateOnly) + "T08:00:00+0000"; len(times) != 7 || times[6] != end {
		t.Errorf("the week before ends at %v, want %s", times, end)
	}
}
