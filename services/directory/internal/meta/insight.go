package meta

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Reading is what comes with the metrics of an account.
type Reading struct {
	Unavailable []string `json:"unavailable"` // metrics that the provider no longer has
	Days        Days     `json:"-"`
	Missed      Missed   `json:"-"`
}

// Missed lists the metrics that the provider has but did not return.
type Missed struct {
	Metrics []string
	Err     error // the reason; nil if nothing was missed
}

// Days are figures of each metric by the day of the Pacific, e.g. "2026-11-20".
type Days map[string]map[string]float64

type insightReader struct {
	graph       *caller
	path        string // of the account's insights
	now         time.Time
	figures     map[string]any // metric → a number or an object of numbers
	days        Days
	earlier     bool     // whether the days before those of the first call are wanted, too
	unavailable []string // metrics that no longer exist
	withheld    bool     // whether the provider said of a metric that it has no figures
	missed      Missed   // once it has an error, no further calls are made
	tooMuch     []string // metrics that the provider could not collect even one by one
}

var errNoFigures = errors.New("no figures of a page that must have them")

// newInsightReader reads the insights of the account id, and also its earlier days unless it is known, which is the
// account whose earlier days are stored already.
func newInsightReader(graph *caller, id, known string, now time.Time) *insightReader {
	return &insightReader{graph: graph, path: url.PathEscape(id) + "/insights", now: now, figures: map[string]any{},
		days: Days{}, earlier: id != known, unavailable: []string{}}
}

// read makes one call for each query. A metric that no longer exists fails the call without being named,
// so that those of the query are then read one by one. Only a revoked token, an unreadable answer and
// the end of ctx are errors.
func (r *insightReader) read(ctx context.Context, queries []insightQuery) error {
	for _, q := range queries {
		if r.missed.Err != nil {
			r.missed.Metrics = append(r.missed.Metrics, q.metrics...)
			continue
		}
		err := r.fetch(ctx, q)
		tooMuch := errors.Is(err, errTooMuchData)
		switch {
		case err == nil:
		case (isBadParameter(err) || tooMuch) && len(q.metrics) > 1:
			if err := r.read(ctx, q.single()); err != nil {
				return err
			}
		case tooMuch: // others may be less
			r.tooMuch = append(r.tooMuch, r.unread(q)...)
		case isBadParameter(err):
			r.unavailable = append(r.unavailable, r.unread(q)...)
		case fault.Is(err, provider.CodeGone): // these figures do not exist, but others may
			r.withheld = true
		case fault.Is(err, provider.CodePermission), fault.Is(err, provider.CodeThrottled),
			fault.Is(err, provider.CodeTemporary):
			r.missed = Missed{Metrics: append(r.missed.Metrics, r.unread(q)...), Err: err}
		default:
			return err
		}
	}
	return nil
}

func (r *insightReader) unread(q insightQuery) []string {
	return slices.DeleteFunc(slices.Clone(q.metrics), func(name string) bool { return r.figures[name] != nil })
}

// fewestFans is how many fans a page needs before the provider has figures of it.
const fewestFans = 100

// missAll marks all figures of a page as missed if there are none: without the permission the provider
// returns an empty list. A page with few fans has no figures yet.
func (r *insightReader) missAll(fans int, queries []insightQuery) {
	answered := len(r.figures)+len(r.unavailable)+len(r.tooMuch) > 0 || r.withheld
	if r.missed.Err != nil || fans < fewestFans || answered {
		return
	}
	denied := provider.Denied(errNoFigures)
	denied.Message = "Facebook nie podał żadnych statystyk strony. Połącz konto ponownie i zaznacz wszystkie zgody."
	r.missed.Err = denied
	for _, q := range queries {
		r.missed.Metrics = append(r.missed.Metrics, q.metrics...)
	}
}

func (r *insightReader) reading() Reading {
	missed := r.missed
	if len(r.tooMuch) > 0 {
		missed.Metrics = append(missed.Metrics, r.tooMuch...)
		missed.Err = cmp.Or(missed.Err, provider.Named("Facebook", provider.Temporary(errTooMuchData)))
	}
	return Reading{r.unavailable, r.days, missed}
}

// fetch reads what q asks for and, if the earlier days are wanted, goes on to the times before, until there is nothing.
func (r *insightReader) fetch(ctx context.Context, q insightQuery) error {
	calls := 1
	if r.earlier {
		calls = max(1, q.calls)
	}
	for i := range calls {
		if err := r.graph.nearLimit(); err != nil {
			return err
		}
		var list struct {
			Data []insight `json:"data"`
		}
		if err := r.graph.get(ctx, r.path, q.parameters(r.now.Add(-time.Duration(i)*q.since)), &list); err != nil {
			return err
		}
		if len(list.Data) == 0 {
			return nil
		}
		for _, i := range list.Data {
			r.add(i, q.form)
		}
	}
	return nil
}

// add does not replace the figures of a former call, because calls go back in time.
func (r *insightReader) add(i insight, form figureForm) {
	if figure, ok := i.figure(form); ok && r.figures[i.Name] == nil {
		r.figures[i.Name] = figure
	}
	for day, value := range i.daily() {
		if number, ok := value.(float64); ok {
			if r.days[i.Name] == nil {
				r.days[i.Name] = map[string]float64{}
			}
			r.days[i.Name][day] = number
		}
	}
}

func (q insightQuery) parameters(until time.Time) url.Values {
	query := url.Values{"metric": {strings.Join(q.metrics, ",")}, "period": {q.period}}
	if q.form == totalValue {
		query.Set("metric_type", "total_value")
	}
	if q.breakdown != "" {
		query.Set("breakdown", q.breakdown)
	}
	query.Set("since", strconv.FormatInt(until.Add(-q.since).Unix(), 10))
	query.Set("until", strconv.FormatInt(until.Unix(), 10))
	return query
}

// insight is the answer for one metric. Absent figures are not zero.
type insight struct {
	Name   string `json:"name"`
	Values []struct {
		Value   any       `json:"value"`
		EndTime graphTime `json:"end_time"`
	} `json:"values"`
	TotalValue struct {
		Value      any `json:"value"`
		Breakdowns []struct {
			Results []struct {
				DimensionValues []string `json:"dimension_values"`
				Value           float64  `json:"value"`
			} `json:"results"`
		} `json:"breakdowns"`
	} `json:"total_value"`
}

func (i insight) figure(form figureForm) (any, bool) {
	switch form {
	case latestValue:
		return i.latest()
	case dailyValues:
		days := i.daily()
		return days, len(days) > 0
	default:
		return i.total()
	}
}

func (i insight) latest() (value any, ok bool) {
	var end time.Time
	for _, v := range i.Values {
		if isFigure(v.Value) && !v.EndTime.Before(end) {
			value = v.Value
			end = v.EndTime.Time
			ok = true
		}
	}
	return value, ok
}

// daily names the days after what they cover: one ends at midnight of the Pacific, which is
// at 07:00 or 08:00 UTC of the day after it.
func (i insight) daily() map[string]any {
	days := map[string]any{}
	for _, v := range i.Values {
		if isFigure(v.Value) && !v.EndTime.IsZero() {
			days[v.EndTime.Add(-12*time.Hour).Format(time.DateOnly)] = v.Value
		}
	}
	return days
}

func (i insight) total() (any, bool) {
	parts := map[string]any{}
	for _, b := range i.TotalValue.Breakdowns {
		for _, result := range b.Results {
			parts[strings.ToLower(strings.Join(result.DimensionValues, "."))] = result.Value
		}
	}
	if len(parts) > 0 {
		return parts, true
	}
	return i.TotalValue.Value, isFigure(i.TotalValue.Value)
}

func isFigure(v any) bool {
	parts, ok := v.(map[string]any)
	if !ok {
		_, ok = v.(float64)
		return ok
	}
	for _, part := range parts {
		if _, ok := part.(float64); !ok {
			return false
		}
	}
	return true
}

type insightQuery struct {
	metrics   []string
	period    string
	form      figureForm
	breakdown string        // dimension of a total, unless empty
	since     time.Duration // how far back a call goes, which the provider bounds
	calls     int           // how many make up the history of an account; zero is one
}

type figureForm uint8

const (
	latestValue figureForm = iota // the newest value
	dailyValues                   // values by the day that they cover, for example "2026-11-20"
	totalValue                    // one value for the whole time; a call cannot mix it with the others
)

func (q insightQuery) single() []insightQuery {
	queries := make([]insightQuery, len(q.metrics))
	for i := range q.metrics {
		queries[i] = q
		queries[i].metrics = q.metrics[i : i+1]
	}
	return queries
}

const day = 24 * time.Hour

// pageInsights asks for the metrics of a page
// (https://developers.facebook.com/docs/graph-api/reference/insights). They are a setting,
// because the provider retires some every half year. A call spans 90 days at most.
func (s *Client) pageInsights() []insightQuery {
	return []insightQuery{{metrics: s.options.PageMetrics, period: "day", form: latestValue, since: 90 * day, calls: 2}}
}

// photoInsights are the metrics of a photo-network account
// (https://developers.facebook.com/docs/instagram-platform/api-reference/instagram-user/insights).
// A call spans 30 days at most, and the last 90 are known. follower_count exists for accounts
// with 100 followers, and for 30 days without today.
func photoInsights(followers int) []insightQuery {
	queries := []insightQuery{
		{metrics: []string{"reach"}, period: "day", form: dailyValues, since: 30 * day, calls: 3},
		{
			metrics: []string{
				"views", "accounts_engaged", "total_interactions", "likes", "comments", "shares", "saves",
				"replies", "reposts", "profile_links_taps", "profile_views", "website_clicks",
			},
			period: "day", form: totalValue, since: 30 * day,
		},
		{metrics: []string{"follows_and_unfollows"}, period: "day", form: totalValue, breakdown: "follow_type",
			since: 30 * day},
	}
	if followers >= 100 {
		queries = append(queries, insightQuery{metrics: []string{"follower_count"}, period: "day", form: dailyValues,
			since: 29 * day})
	}
	return queries
}
