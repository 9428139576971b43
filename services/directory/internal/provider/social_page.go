package provider

import (
	"context"
	"errors"
	"net/url"

	"backend.example/services/directory/internal/directory"
)

// maxPageLists bounds the lists of 100 pages that are read of one user.
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
		Next string `json:"next"` // only says that there is more: it holds the token, and could lead elsewhere
	} `json:"paging"`
}

// next is the cursor of the next list; empty when this is the last one.
func (l *pageList) next() (string, error) {
	after := l.Paging.Cursors.After
	switch {
	case l.Paging.Next == "":
		return "", nil
	case after == "":
		return "", directory.Unreadable(errors.New("me/accounts: more pages, but no way to them"))
	}
	return after, nil
}

// Pages lists the pages that the owner of userToken manages.
func (s *Social) Pages(ctx context.Context, userToken string) ([]directory.Page, error) {
	caller := s.graph.with(userToken)
	query := url.Values{"fields": {"id,name,category,fan_count,access_token"}, "limit": {"100"}}
	pages := []directory.Page{}
	err := everyPage(maxPageLists, func(after string) (string, error) {
		if after != "" {
			query.Set("after", after)
		}
		var list pageList
		if err := caller.get(ctx, "me/accounts", query, &list); err != nil {
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

// ReadPage reads the page's fields, then its insights. What the provider does not
// tell of the insights is left out and fails nothing.
func (s *Social) ReadPage(ctx context.Context, pageToken, pageID string) (directory.PageData, error) {
	caller, path := s.graph.with(pageToken), url.PathEscape(pageID)
	var page struct {
		node
		Category       string `json:"category"`
		FanCount       int    `json:"fan_count"`
		FollowersCount int    `json:"followers_count"`
		Link           string `json:"link"`
	}
	query := url.Values{"fields": {"id,name,category,fan_count,followers_count,link"}}
	if err := caller.get(ctx, path, query, &page); err != nil {
		return directory.PageData{}, err
	}
	if page.ID == "" {
		return directory.PageData{}, directory.Unreadable(errors.New("page without an id"))
	}
	r := newReading(caller, path, s.options.Now())
	if err := r.ask(ctx, pageInquiries()); err != nil {
		return directory.PageData{}, err
	}
	return directory.PageData{
		FanCount: page.FanCount, FollowersCount: page.FollowersCount, Name: page.Name, Category: page.Category, Link: page.Link,
		Metrics: r.figures, Unavailable: r.unavailable,
	}, nil
}
