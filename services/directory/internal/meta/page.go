package meta

import (
	"context"
	"errors"
	"net/url"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

// ReadPage reads the page's fields, then its insights. Those that cannot be
// read are no failure.
func (s *Client) ReadPage(ctx context.Context, pageToken, pageID string) (directory.PageData, error) {
	graph, path := s.graph.withToken(pageToken), url.PathEscape(pageID)
	var page struct {
		node
		Category       string `json:"category"`
		FanCount       int    `json:"fan_count"`
		FollowersCount int    `json:"followers_count"`
		Link           string `json:"link"`
	}
	query := url.Values{"fields": {"id,name,category,fan_count,followers_count,link"}}
	if err := graph.get(ctx, path, query, &page); err != nil {
		return directory.PageData{}, err
	}
	if page.ID == "" {
		return directory.PageData{}, provider.Unreadable(errors.New("page without an id"))
	}
	insights := newInsightReader(graph, path, s.options.Now())
	if err := insights.read(ctx, s.pageInsights()); err != nil {
		return directory.PageData{}, err
	}
	insights.missAll(page.FanCount, s.pageInsights())
	return directory.PageData{
		FanCount: page.FanCount, FollowersCount: page.FollowersCount, Name: page.Name, Category: page.Category, Link: page.Link,
		Metrics: insights.figures, Unavailable: insights.unavailable, Missed: insights.missed,
	}, nil
}
