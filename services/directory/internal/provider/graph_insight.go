package provider

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// reading gathers the figures of one account.
type reading struct {
	caller      *caller
	path        string // of the account's insights
	now         time.Time
	figures     map[string]any // metric → a number or an object of numbers
	unavailable []string       // metrics that are no more
	ended       bool           // the provider gives no further figures now
}

func newReading(c *caller, account string, now time.Time) *reading {
	return &reading{caller: c, path: account + "/insights", now: now, figures: map[string]any{}, unavailable: []string{}}
}

// ask asks for all metrics of each inquiry at once. One that is no more fails the
// whole call without being named, so each is asked by itself then. Only a dead
// token, an answer that cannot be read, and the end of ctx are errors.
func (r *reading) ask(ctx context.Context, inquiries []inquiry) error {
	for _, q := range inquiries {
		if r.ended || r.caller.saving() {
			return nil
		}
		err := r.fetch(ctx, q)
		switch {
		case badParameter(err) && len(q.metrics) > 1:
			if err := r.ask(ctx, q.each()); err != nil {
				return err
			}
		case badParameter(err):
			r.unavailable = append(r.unavailable, q.metrics...)
		case fault.Is(err, directory.CodeGone): // these figures are not there; others may be
		case fault.Is(err, directory.CodePermission), fault.Is(err, directory.CodeThrottled), fault.Is(err, directory.CodeTemporary):
			r.ended = true
		case err != nil:
			return err
		}
	}
	return nil
}

func (r *reading) fetch(ctx context.Context, q inquiry) error {
	var reply struct {
		Data []insight `json:"data"`
	}
	if err := r.caller.get(ctx, r.path, q.query(r.now), &reply); err != nil {
		return err
	}
	for _, i := range reply.Data {
		if value, ok := i.read(q.shape); ok {
			r.figures[i.Name] = value
		}
	}
	return nil
}

// query is the inquiry in the provider's words.
func (q inquiry) query(now time.Time) url.Values {
	query := url.Values{"metric": {strings.Join(q.metrics, ",")}, "period": {q.period}}
	if q.shape == total {
		query.Set("metric_type", "total_value")
	}
	if q.breakdown != "" {
		query.Set("breakdown", q.breakdown)
	}
	if q.since > 0 {
		query.Set("since", strconv.FormatInt(now.Add(-q.since).Unix(), 10))
		query.Set("until", strconv.FormatInt(now.Unix(), 10))
	}
	return query
}

// insight is the provider's answer for one metric. Figures that it does not have
// are absent, and not zero.
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

// read returns the figure in the asked shape, and whether there is one.
func (i insight) read(s shape) (any, bool) {
	switch s {
	case latest:
		return i.latest()
	case daily:
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
			value, end, ok = v.Value, v.EndTime.Time, true
		}
	}
	return value, ok
}

func (i insight) daily() map[string]any {
	days := map[string]any{}
	for _, v := range i.Values {
		if isFigure(v.Value) && !v.EndTime.IsZero() {
			days[v.EndTime.Format(time.DateOnly)] = v.Value
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

// isFigure reports whether v is a number or an object of numbers.
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
