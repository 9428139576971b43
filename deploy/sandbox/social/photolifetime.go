package social

import (
	"slices"
	"strconv"
	"strings"

	"backend.example/deploy/sandbox/social/network"
)

// lifetimeMetrics lists the metrics of an account that are about who follows it.
func lifetimeMetrics() []string {
	return []string{"online_followers", "follower_demographics", "engaged_audience_demographics"}
}

// lifetime answers them. An account with few followers has none of the figures.
func (q photoQuestion) lifetime(names []string) (insightList, *refusal) {
	list := noInsights()
	for _, name := range names {
		answer := newInsight(q.photo.ID, name, "lifetime", strings.ReplaceAll(name, "_", " "))
		var refused *refusal
		switch followers := q.photo.Followers(q.now); name {
		case "online_followers":
			answer.Values, refused = q.online(followers)
		case "follower_demographics":
			answer.Total, refused = q.demographics(name, followers)
		case "engaged_audience_demographics":
			answer.Total, refused = q.demographics(name, network.Part(followers, 23))
		default:
			refused = badParameter("The following metrics are incompatible with the period (lifetime): %s", name)
		}
		if refused != nil {
			return insightList{}, refused
		}
		if q.photo.Followers(q.now) >= fewestFollowers {
			list.Data = append(list.Data, answer)
		}
	}
	return list, nil
}

// online is how many followers are there at each hour of the last day that ended.
func (q photoQuestion) online(followers int) ([]insightValue, *refusal) {
	if q.form != timeSeries {
		return nil, badParameter("The following metrics are incompatible with the metric type (%s): online_followers", q.form)
	}
	hours := make(map[string]int)
	for hour := range 24 {
		hours[strconv.Itoa(hour)] = network.Part(followers, float64(10+2*min(hour, 23-hour)))
	}
	return []insightValue{{hours, network.LastEnded(q.now).End().Format(graphTime)}}, nil
}

// demographics divides people by where they live or who they are.
func (q photoQuestion) demographics(name string, people int) (*total, *refusal) {
	dimensions := strings.Split(q.split, ",")
	timeframe := q.call.form.Get("timeframe")
	switch {
	case q.form != totalValue:
		return nil, badParameter("The following metrics are incompatible with the metric type (%s): %s", q.form, name)
	case !slices.Contains([]string{"age", "gender", "age,gender", "gender,age", "city", "country"}, q.split):
		return nil, badParameter("breakdown must be one of the following values for %s: age, city, country, gender", name)
	case name == "engaged_audience_demographics" && timeframe != "this_week" && timeframe != "this_month":
		return nil, badParameter("timeframe must be one of the following values: this_month, this_week")
	}
	return &total{Breakdowns: []breakdown{splitBy(people, dimensions...)}}, nil
}
