package meta

import (
	"context"
	"errors"
	"net/url"

	"backend.example/services/directory/internal/provider"
)

// PageData is what is read of a page.
type PageData struct {
	FanCount       int            `json:"fan_count"`
	FollowersCount int            `json:"followers_count"`
	Name           string         `json:"name"`
	Category       string         `json:"category"`
	Link           string         `json:"link"`
	Metrics        map[string]any `json:"metrics"`     // metric name → its latest value, a float64 or a map[string]any of them
	Unavailable    []string       `json:"unavailable"` // metrics that the provider no longer has
	Missed         Missed         `json:"-"`
}

// ReadPage reads the page's fields, then its insights. A failure to read insights is no
// error.
func (s *Client) ReadPage(ctx context.Context, pageToken, pageID string) (PageData, error) {
	graph, path := s.graph.withToken(pageToken), url.PathEscape(pageID)
	var page struct {
		ID string `json:"id"`
		PageData
	}
	query := url.Values{"fields": {"id,name,category,fan_count,followers_count,link"}}
	if err := graph.get(ctx, path, query, &page); err != nil {
		return PageData{}, err
	}
	if page.ID == "" {
		return PageData{}, provider.Unreadable(errors.New("page without an id"))
	}
	insights := newInsightReader(graph, path, s.options.Now())
	if err := insights.read(ctx, s.pageInsights()); err != nil {
		return PageData{}, err
	}
	insights.missAll(page.FanCount, s.pageInsights())
	data := page.PageData
	data.Metrics, data.Unavailable, data.Missed = insights.figures, insights.unavailable, insights.missed
	return data, nil
}
