package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"backend.example/deploy/sandbox/internal/googleapi"
)

// The limits of a query
// (https://developers.google.com/webmaster-tools/v1/searchanalytics/query).
const (
	maxAnalyticsBody = 64 << 10
	usualRows        = 1000
	maxRows          = 25_000
)

// analyticsQuery is what is asked for. Days are those of California, as with the
// real API; nobody sees the difference in invented figures.
type analyticsQuery struct {
	StartDate       string   `json:"startDate"` // 2026-11-21
	EndDate         string   `json:"endDate"`
	Dimensions      []string `json:"dimensions"`
	RowLimit        int      `json:"rowLimit"`
	StartRow        int      `json:"startRow"`
	Type            string   `json:"type"`
	DataState       string   `json:"dataState"`
	AggregationType string   `json:"aggregationType"`

	from, to time.Time
}

// readAnalytics reads the body, which is one JSON object.
func readAnalytics(r *http.Request) (analyticsQuery, error) {
	asked := analyticsQuery{RowLimit: usualRows, Type: "web"}
	decoder := json.NewDecoder(io.LimitReader(r.Body, maxAnalyticsBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return asked, googleapi.Invalid("Invalid JSON payload received. %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return asked, googleapi.Invalid("Invalid JSON payload received. There is more than one object.")
	}
	return asked, asked.check()
}

func (q *analyticsQuery) check() error {
	var startErr, endErr error
	q.from, startErr = time.Parse(time.DateOnly, q.StartDate)
	q.to, endErr = time.Parse(time.DateOnly, q.EndDate)
	switch {
	case startErr != nil:
		return googleapi.InvalidField("start_date", "startDate is not a date (YYYY-MM-DD)")
	case endErr != nil:
		return googleapi.InvalidField("end_date", "endDate is not a date (YYYY-MM-DD)")
	case q.to.Before(q.from):
		return googleapi.InvalidField("end_date", "endDate is before startDate")
	case q.RowLimit < 1 || q.RowLimit > maxRows:
		return googleapi.InvalidField("row_limit", fmt.Sprintf("rowLimit must be between 1 and %d", maxRows))
	case q.StartRow < 0:
		return googleapi.InvalidField("start_row", "startRow must not be negative")
	}
	return q.checkWords()
}

func (q *analyticsQuery) checkWords() error {
	for i, dimension := range q.Dimensions {
		if dimensionKeys("", dimension) == nil && dimension != "date" || slices.Contains(q.Dimensions[:i], dimension) {
			return googleapi.InvalidField("dimensions", "unknown or repeated dimension "+dimension)
		}
	}
	for _, word := range []struct {
		field, value string
		known        []string
	}{
		{"type", q.Type, []string{"web", "image", "video", "news", "discover", "googleNews"}},
		{"data_state", q.DataState, []string{"", "final", "all"}},
		{"aggregation_type", q.AggregationType, []string{"", "auto", "byPage", "byProperty"}},
	} {
		if !slices.Contains(word.known, word.value) {
			return googleapi.InvalidField(word.field, fmt.Sprintf("unknown value %q", word.value))
		}
	}
	return nil
}

// aggregation is by page as soon as pages are told apart.
func (q *analyticsQuery) aggregation() string {
	if q.AggregationType == "byPage" || slices.Contains(q.Dimensions, "page") {
		return "byPage"
	}
	return "byProperty"
}

// cut is the part of the rows that was asked for.
func (q *analyticsQuery) cut(rows []analyticsRow) []analyticsRow {
	rows = rows[min(q.StartRow, len(rows)):]
	return rows[:min(q.RowLimit, len(rows))]
}
