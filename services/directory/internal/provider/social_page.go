package provider

import (
	"context"
	"errors"
	"net/url"

	"backend.example/services/directory/internal/directory"
)

// maxPageLists is how many lists of 100 pages are read for one user.
const maxPageLists = 50

// pageList is one list of a user's pages
// (https://developers.facebook.com/docs/graph-api/reference/user/accounts).
type pageList struct {
	Data []struct {
		node
		Category    string `json:"category"`
		FanCount    int    `json:"fan_count"`
		AccessToken string `json:"access_token"`
	} `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"` // not followed: it contains the token, and could lead to another host
	} `json:"paging"`
}

// next returns the cursor of the next list. It is empty if this list is the last one.
func (l *pageList) next() (string, error) {
	after := l.Paging.Cursors.After
	switch {
	case l.Paging.Next == "":
		return "", nil
	case after == "":
		return "", directory.Unreadable(errors.New("me/accounts: more pages, but no cursor"))
	}
	return after, nil
}

// Pages lists the pages that the owner of userToken manages.
func (s *Social) Pages(ctx context.Context, userToken string) ([]directory.Page, error) {
	graph := s.graph.withToken(userToken)
	query := url.Values{"fields": {"id,name,category,fan_count,access_token"}, "limit": {"100"}}
	pages := []directory.Page{}
	_, err := eachPage(maxPageLists, func(after string) (string, error) {
		if after != "" {
			query.Set("after", after)
		}
		var list pageList
		if err := graph.get(ctx, "me/accounts", query, &list); err != nil {
			return "", err
		}
		for _, p := range list.Data {
			if !graphID.MatchString(p.ID) {
				return "", directory.Unreadable(errors.New("me/accounts: page without an id"))
			}
			pages = append(pages, directory.Page{
				ID: p.ID, Name: p.Name, Category: p.Category, FanCount: p.FanCount, AccessToken: p.AccessToken,
			})
		}
		return list.next()
	})
	if err != nil {
		return nil, err
	}
	return pages, nil
}

// ReadPage reads the page's fields, then its insights. Those that cannot be
// read are no failure.
func (s *Social) ReadPage(ctx context.Context, pageToken, pageID string) (directory.PageData, error) {
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
		return directory.PageData{}, directory.Unreadable(errors.New("page without an id"))
	}
	insights := newInsightReader(graph, path, s.options.Now())
	if err := insights.read(ctx, pageInsights()); err != nil {
		return directory.PageData{}, err
	}
	insights.missAll(page.FanCount, pageInsights())
	return directory.PageData{
		FanCount: page.FanCount, FollowersCount: page.FollowersCount, Name: page.Name, Category: page.Category, Link: page.Link,
		Metrics: insights.figures, Unavailable: insights.unavailable, Missed: insights.missed,
	}, nil
}
