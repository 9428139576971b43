package meta_test

import (
	"fmt"
	"testing"
	"time"
)

const (
	shoemaker    = "105600000010009"   // piotr's, closed for good
	tinyPhoto    = "17841400000000104" // of the gallery; few followers
	pageInsights = bakery + "/insights?period=day&metric="
	insights     = photo + "/insights?period=day&metric="
	totals       = "views,accounts_engaged,total_interactions,likes,comments,shares,saves,replies,reposts,profile_links_taps,profile_views,website_clicks"
)

// metric is the answer about one metric.
type metric struct {
	Name, Period, ID string
	Values           []struct {
		Value int
		End   string `json:"end_time"`
	}
	Total struct {
		Value      int
		Breakdowns []struct {
			Results []struct {
				Values []string `json:"dimension_values"`
				Value  int
			}
		}
	} `json:"total_value"`
}

func (w *app) metrics(token, target string) []metric {
	return value[struct{ Data []metric }](w.get(token, target)).Data
}

// days asks about the last days.
func (w *app) days(number int) string {
	return fmt.Sprintf("&since=%d&until=%d", w.now.AddDate(0, 0, -number).Unix(), w.now.Unix())
}

func TestPageInsightsAreAboutWholeDays(t *testing.T) {
	w := newApp(t)
	token := w.page(w.login("anna"), bakery)
	const all = "page_media_view,page_total_media_view_unique,page_post_engagements,page_views_total,page_daily_follows_unique,page_daily_unfollows_unique"
	today := w.metrics(token, pageInsights+all)
	first := today[0]
	if len(today) != 6 || first.Name != "page_media_view" || first.Period != "day" || first.ID != bakery+"/insights/page_media_view/day" ||
		len(first.Values) != 2 || first.Values[0].End != "2026-11-20T08:00:00+0000" || first.Values[1].End != "2026-11-21T08:00:00+0000" {
		t.Errorf("got %+v", today)
	}
	w.now = w.now.AddDate(0, 0, 1)
	if tomorrow := w.metrics(token, pageInsights+"page_media_view"); first.Values[1] != tomorrow[0].Values[0] {
		t.Errorf("first %v, a day later %v: a day keeps its figures", first, tomorrow)
	}
}

func TestPageInsightsAreRefusedOrEmpty(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	token := w.page(user, bakery)
	const empty, unknown = `{"data":[]}`, "must be a valid insights metric"
	w.check(
		check{token, bakery + "/insights?period=day", "100", unknown},
		check{token, pageInsights + "page_media_view,page_fans", "100", unknown},
		check{token, bakery + "/insights?metric=page_media_view&period=year", "100", "period must be one of"},
		check{token, pageInsights + "page_media_view" + w.days(91), "100", "more than 90 days (7776000 s)"},
		check{token, pageInsights + "page_media_view&since=2&until=1", "100", "later than since"},
		check{token, pageInsights + "page_media_view&since=2&until=2", "100", "later than since"},
		check{token, pageInsights + "page_media_view&since=yesterday", "100", "Unix timestamps"},
		check{user, pageInsights + "page_media_view", "190", ""},
		check{w.page(w.login("zofia"), gallery), gallery + "/insights?period=day&metric=page_media_view", "", empty},     // hardly any fans
		check{w.page(w.login("piotr"), shoemaker), shoemaker + "/insights?period=day&metric=page_media_view", "", empty}, // closed for good
	)
	w.SetToggle("dead_metrics", []string{"page_media_view"})
	w.check(check{token, pageInsights + "page_media_view,page_views_total", "100", unknown}, check{token, pageInsights + "page_views_total", "", "end_time"})
	w.SetToggle("missing_permissions", []string{"read_insights"})
	w.check(check{token, pageInsights + "page_views_total", "", empty})
	w.SetToggle("missing_permissions", []string{})
	w.SetToggle("empty_insights", true)
	w.check(check{token, pageInsights + "page_views_total", "", empty})
}

// TestInsightsNeedAHundredFans asks on the day before the hundredth fan of a page or
// follower of an account, and on that day.
func TestInsightsNeedAHundredFans(t *testing.T) {
	w := newApp(t)
	for _, c := range []struct {
		day                int // of 2025, counted on
		node, name, metric string
		fans               float64
	}{
		{3651, gallery, "fan_count", "page_media_view", 99}, {3652, gallery, "fan_count", "page_media_view", 100},
		{5601, tinyPhoto, "followers_count", "follower_count", 99}, {5602, tinyPhoto, "followers_count", "follower_count", 100},
	} {
		w.now = time.Date(2025, 1, c.day, 12, 0, 0, 0, time.UTC)
		token := w.page(w.login("zofia"), gallery)
		fans := value[map[string]any](w.get(token, c.node+"?fields="+c.name))[c.name]
		if list := w.metrics(token, c.node+"/insights?period=day&metric="+c.metric); fans != c.fans || len(list) == 1 != (c.fans == 100) {
			t.Errorf("%s of %s: %v, got %+v", c.name, c.node, fans, list)
		}
	}
}

func TestPhotoInsightsByDayAndAsTotals(t *testing.T) {
	w := newApp(t)
	token := w.page(w.login("anna"), bakery)
	list := w.metrics(token, insights+"reach,follower_count"+w.days(29))
	if len(list) != 2 || len(list[0].Values) != 29 || list[0].Values[28].End != "2026-11-21T08:00:00+0000" {
		t.Errorf("got %+v", list)
	}
	list = w.metrics(token, insights+totals+",reach&metric_type=total_value"+w.days(30))
	for _, m := range list {
		if m.Values != nil || m.Total.Value <= 0 || len(list) != 13 {
			t.Errorf("got %+v of %d", m, len(list))
		}
	}
	sum := 0
	for _, day := range w.metrics(token, insights+"reach"+w.days(30))[0].Values {
		sum += day.Value
	}
	if list[12].Total.Value != sum {
		t.Errorf("reach is %d as a total, %d by day", list[12].Total.Value, sum)
	}
	parts := w.metrics(token, insights+"follows_and_unfollows&metric_type=total_value&breakdown=follow_type"+w.days(30))[0].Total.Breakdowns[0].Results
	if len(parts) != 2 || parts[0].Values[0] != "FOLLOWER" || parts[1].Values[0] != "NON_FOLLOWER" || parts[0].Value <= parts[1].Value || parts[1].Value <= 0 {
		t.Errorf("got %+v", parts)
	}
}

func TestInsightsGoBackSoFar(t *testing.T) {
	w := newApp(t)
	token := w.page(w.login("anna"), bakery)
	for target, history := range map[string]int{pageInsights + "page_media_view": 2 * 365, insights + "reach": 90} {
		between := fmt.Sprintf("&since=%d&until=%d", w.now.AddDate(0, 0, -history-5).Unix(), w.now.AddDate(0, 0, 5-history).Unix())
		if list := w.metrics(token, target+between); len(list) != 1 || len(list[0].Values) != 5 {
			t.Errorf("%s: got %+v, want the last 5 of 10 days", target, list)
		}
	}
}

func TestPhotoInsightsAreRefused(t *testing.T) {
	w := newApp(t)
	token := w.page(w.login("anna"), bakery)
	w.check(
		check{token, photo + "/insights?period=day", "100", "must be one of the following values: reach, "},
		check{token, photo + "/insights?metric=reach", "100", "period must be one of"},
		check{token, insights + "reach,views", "100", "incompatible with the metric type (time_series): views"},
		check{token, insights + "reach" + w.days(31), "100", "more than 30 days (2592000 s)"},
		check{token, insights + "follower_count&metric_type=total_value", "100", "incompatible with the metric type (total_value): follower_count"},
		check{token, insights + "likes&metric_type=total_value&breakdown=follow_type", "100", "incompatible with the breakdown"},
		check{w.page(w.login("zofia"), gallery), tinyPhoto + "/insights?metric=follower_count&period=day", "100", "fewer than 100 followers"},
	)
	w.SetToggle("dead_metrics", []string{"reach", "views"})
	w.check(check{token, insights + "likes,views&metric_type=total_value", "100", ""})
	w.SetToggle("missing_permissions", []string{"instagram_manage_insights"})
	w.check(check{token, insights + "likes", "10", ""})
}
