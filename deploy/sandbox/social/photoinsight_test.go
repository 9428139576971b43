package social_test

import (
	"fmt"
	"strings"
	"testing"
)

const totals = "views,accounts_engaged,total_interactions,likes,comments,shares,saves,replies,reposts,profile_links_taps,profile_views,website_clicks"

func TestPhotoInsightsByDay(t *testing.T) {
	w := newWorld(t)
	list := w.get(w.bakeryToken(), photo+"/insights?metric=reach,follower_count&period=day"+w.days(29)).list()
	if len(list) != 2 || list[0]["name"] != "follower_count" {
		t.Fatalf("got %v", list)
	}
	if times, _ := figures(list[1]); len(times) != 29 || times[28] != "2026-11-21T08:00:00+0000" {
		t.Errorf("days end at %v", times)
	}
}

// totalOf is the single value of an answer with one metric.
func totalOf(a answer) (value float64, parts map[string]float64) {
	parts = map[string]float64{}
	list := a.list()
	if len(list) == 0 {
		return 0, parts
	}
	whole, _ := list[0]["total_value"].(map[string]any)
	value, _ = whole["value"].(float64)
	breakdowns, _ := whole["breakdowns"].([]any)
	for _, b := range breakdowns {
		for _, r := range b.(map[string]any)["results"].([]any) {
			result := r.(map[string]any)
			parts[strings.Trim(fmt.Sprint(result["dimension_values"]), "[]")] = result["value"].(float64)
		}
	}
	return value, parts
}

func TestPhotoInsightsAsTotals(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	list := w.get(token, photo+"/insights?metric="+totals+"&period=day&metric_type=total_value"+w.days(30)).list()
	if len(list) != 12 {
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
	if value, _ := totalOf(w.get(token, photo+"/insights?metric=reach&period=day&metric_type=total_value"+w.days(30))); value != sum {
		t.Errorf("reach is %v as a total, %v by day", value, sum)
	}
}

func TestPhotoInsightsByDimension(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	ask := func(metric, breakdown string) map[string]float64 {
		_, parts := totalOf(w.get(token, photo+"/insights?metric="+metric+"&period=day&metric_type=total_value&breakdown="+breakdown+w.days(30)))
		return parts
	}
	if parts := ask("follows_and_unfollows", "follow_type"); len(parts) != 2 || parts["FOLLOWER"] <= parts["NON_FOLLOWER"] || parts["NON_FOLLOWER"] <= 0 {
		t.Errorf("follows and unfollows %v", parts)
	}
	if parts := ask("views", "media_product_type"); len(parts) != 3 || parts["FEED"] <= parts["STORY"] {
		t.Errorf("views %v", parts)
	}
}

func TestWhoFollowsAPhotoAccount(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	ask := func(query string) answer { return w.get(token, photo+"/insights?period=lifetime&metric="+query) }
	for query, want := range map[string]struct {
		part  string
		parts int
	}{
		"follower_demographics&metric_type=total_value&breakdown=country":                            {"PL", 3},
		"follower_demographics&metric_type=total_value&breakdown=age,gender":                         {"25-34 F", 21},
		"engaged_audience_demographics&metric_type=total_value&breakdown=city&timeframe=this_month":  {"Kraków, Lesser Poland Voivodeship", 3},
		"engaged_audience_demographics&metric_type=total_value&breakdown=gender&timeframe=this_week": {"F", 3},
	} {
		a := ask(query)
		if _, parts := totalOf(a); parts[want.part] <= 0 || len(parts) != want.parts {
			t.Errorf("%s: got %s", query, a.Body)
		}
	}
	if a := ask("online_followers"); !strings.Contains(a.Body.String(), `"23":`) {
		t.Errorf("by hour: %s", a.Body)
	}
}

func TestPhotoInsightsRefuse(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	cases := map[string]struct{ query, message string }{
		"no metric":            {"period=day", "metric is required"},
		"dead":                 {"metric=reach,impressions&period=day", "must be one of the following values: reach, "},
		"no period":            {"metric=reach", "period must be one of"},
		"week":                 {"metric=reach&period=week", "period must be one of"},
		"total as series":      {"metric=reach,views&period=day", "incompatible with the metric type (time_series): views"},
		"series as total":      {"metric=follower_count&period=day&metric_type=total_value", "incompatible with the metric type (total_value): follower_count"},
		"breakdown":            {"metric=likes&period=day&metric_type=total_value&breakdown=follow_type", "incompatible with the breakdown"},
		"breakdown of series":  {"metric=reach&period=day&breakdown=follow_type", "incompatible with the breakdown"},
		"31 days":              {"metric=reach&period=day" + w.days(31), "more than 30 days (2592000 s)"},
		"old follower count":   {"metric=follower_count&period=day&since=2026-09-01&until=2026-09-10", "last 30 days excluding the current day"},
		"lifetime of reach":    {"metric=reach&period=lifetime", "incompatible with the period (lifetime)"},
		"day of demographics":  {"metric=follower_demographics&period=day", "incompatible with the period (day)"},
		"demographics by day":  {"metric=follower_demographics&period=lifetime&metric_type=total_value&breakdown=planet", "breakdown must be"},
		"demographics, series": {"metric=follower_demographics&period=lifetime&breakdown=age", "incompatible with the metric type"},
		"hours as total":       {"metric=online_followers&period=lifetime&metric_type=total_value", "incompatible with the metric type"},
		"no timeframe":         {"metric=engaged_audience_demographics&period=lifetime&metric_type=total_value&breakdown=age", "timeframe must be"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if a := w.get(token, photo+"/insights?"+c.query); a.refusal() != "100" || !strings.Contains(a.message(), c.message) {
				t.Errorf("got %s", a.Body)
			}
		})
	}
	w.wantRefusal(token, photo+"/tags", "100")
}

func TestWhereThereAreNoPhotoInsights(t *testing.T) {
	w := newWorld(t)
	token, tiny := w.bakeryToken(), w.pageToken(w.login("zofia"), gallery)
	const reach = "/insights?metric=reach&period=day"
	if a := w.get(token, photo+reach+"&since=2026-05-01&until=2026-05-05"); len(a.list()) != 0 || a.refusal() != "" {
		t.Errorf("older than 90 days: %s", a.Body)
	}
	if a := w.get(tiny, tinyPhoto+"/insights?metric=online_followers&period=lifetime"); len(a.list()) != 0 || a.refusal() != "" {
		t.Errorf("few followers: %s", a.Body)
	}
	w.wantRefusal(tiny, tinyPhoto+"/insights?metric=follower_count&period=day", "100")
	if a := w.get(tiny, tinyPhoto+reach+"&since=2026-08-25&until=2026-09-05"); len(a.list()) != 1 || strings.Count(a.Body.String(), "end_time") != 4 {
		t.Errorf("before it was of a business: %s", a.Body)
	}
	w.knobs(`{"empty_insights": true}`)
	if a := w.get(token, photo+reach); a.Body.String() != "{\"data\":[]}\n" {
		t.Errorf("with the knob: %s", a.Body)
	}
	w.knobs(`{"empty_insights": false, "dead_metrics": ["reach", "views"]}`)
	w.wantRefusal(token, photo+reach, "100")
	w.wantRefusal(token, photo+"/insights?metric=likes,views&period=day&metric_type=total_value", "100")
	w.knobs(`{"missing_permissions": ["instagram_manage_insights"]}`)
	w.wantRefusal(token, photo+"/insights?metric=likes&period=day", "10")
}
