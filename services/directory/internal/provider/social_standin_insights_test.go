package provider_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	metaPageMetrics = []string{
		"page_media_view", "page_total_media_view_unique", "page_post_engagements", "page_views_total",
		"page_daily_follows_unique", "page_daily_unfollows_unique",
	}
	metaPhotoSeries = []string{"reach", "follower_count"}
	metaPhotoTotals = []string{
		"reach", "views", "accounts_engaged", "total_interactions", "likes", "comments", "shares", "saves", "replies",
		"reposts", "profile_links_taps", "profile_views", "website_clicks", "follows_and_unfollows",
	}
)

// insights answers for the metrics that have figures, after the checks that the
// real API makes.
func (s *metaServer) insights(path string, query url.Values) metaReply {
	if s.insightsDenied {
		return metaReply{200, `{"data":[]}`}
	}
	if refusal := s.refuse(path, query); refusal != "" {
		return metaError(100, 0, refusal)
	}
	data := []map[string]any{}
	for _, name := range strings.Split(query.Get("metric"), ",") {
		figure, ok := s.figures[name]
		if !ok {
			continue
		}
		key := "values"
		if query.Get("metric_type") == "total_value" {
			key = "total_value"
		}
		data = append(data, map[string]any{"name": name, "period": "day", key: figure, "title": name, "id": path + "/" + name})
	}
	body, _ := json.Marshal(map[string]any{"data": data, "paging": map[string]any{}})
	return metaReply{200, string(body)}
}

// refuse returns the message of error 100, or nothing.
func (s *metaServer) refuse(path string, query url.Values) string {
	known := metaPageMetrics
	if strings.HasPrefix(path, "/"+metaPhotoID) {
		known = metaPhotoSeries
		if query.Get("metric_type") == "total_value" {
			known = metaPhotoTotals
		}
	}
	metrics := strings.Split(query.Get("metric"), ",")
	for _, name := range metrics {
		if s.retired[name] {
			return "The value must be a valid insights metric"
		}
		if !slices.Contains(known, name) {
			return "The following metrics are incompatible with the metric type: " + name
		}
	}
	if breakdown := query.Get("breakdown"); breakdown != "" && (breakdown != "follow_type" || !slices.Equal(metrics, []string{"follows_and_unfollows"})) {
		return "Invalid breakdown"
	}
	if query.Get("period") != "day" {
		return "Invalid period"
	}
	return refuseWindow(metrics, query)
}

func refuseWindow(metrics []string, query url.Values) string {
	if !query.Has("since") && !query.Has("until") {
		return ""
	}
	since, err1 := strconv.ParseInt(query.Get("since"), 10, 64)
	until, err2 := strconv.ParseInt(query.Get("until"), 10, 64)
	midnight := metaNow.Truncate(24 * time.Hour)
	switch {
	case err1 != nil || err2 != nil || until > metaNow.Unix():
		return "since or until param is not valid"
	case until-since > 2592000:
		return "There cannot be more than 30 days (2592000 s) between since and until"
	case slices.Contains(metrics, "follower_count") && since < midnight.AddDate(0, 0, -29).Unix():
		return "(follower_count) metric only supports querying data for the last 30 days excluding the current day"
	}
	return ""
}

// metaValue is a value of a series.
func metaValue(value any, endTime string) map[string]any {
	return map[string]any{"value": value, "end_time": endTime}
}
