package meta

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	maxPageLists   = 50               // of 100 pages, for one user and of one portfolio
	portfolioLimit = 20 * time.Second // the person waits
)

// scopePortfolio opens the pages that a person administers through a business portfolio
// alone (https://developers.facebook.com/docs/permissions#b).
const scopePortfolio = "business_management"

// Page is a page that a user manages.
type Page struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Category    string `json:"category"`
	FanCount    int    `json:"fan_count"`
	AccessToken string `json:"-"` // the page's own; empty if the user may not act for it
}

type graphPage struct {
	Page
	Token string `json:"access_token"`
}

const graphPageFields = "id,name,category,fan_count,access_token"

func (p graphPage) page() Page {
	p.Page.AccessToken = p.Token
	return p.Page
}

// graphList is one part of a list of pages or portfolios
// (https://developers.facebook.com/docs/graph-api/results).
type graphList struct {
	Data   []graphPage `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"` // not followed: it contains the token, and could lead to another host
	} `json:"paging"`
}

// Pages lists the pages of a role on the page and, with the scope for it, of business portfolios, each
// once. A portfolio that refuses has been answered; one that cannot be read leaves the list incomplete.
func (s *Client) Pages(ctx context.Context, userToken string, granted []string) (provider.List[Page], error) {
	own, err := s.list(ctx, userToken, "me/accounts", graphPageFields)
	if err != nil {
		return provider.List[Page]{}, err
	}
	if !slices.Contains(granted, scopePortfolio) {
		return merged(own), nil
	}
	ctx, cancel := context.WithTimeout(ctx, portfolioLimit)
	defer cancel()
	portfolios, err := s.list(ctx, userToken, "me/businesses", "id,name")
	portfolios.Complete = portfolios.Complete || isRefusal(err)
	edges := make([]string, 0, 2*len(portfolios.Items))
	for _, portfolio := range portfolios.Items {
		edges = append(edges, portfolio.ID+"/owned_pages", portfolio.ID+"/client_pages")
	}
	lists := make([]provider.List[Page], len(edges))
	provider.EachAtOnce(len(edges), func(i int) {
		found, err := s.list(ctx, userToken, edges[i], graphPageFields)
		found.Complete = found.Complete || isRefusal(err)
		lists[i] = found
	})
	list := merged(append([]provider.List[Page]{own}, lists...)...)
	list.Complete = list.Complete && portfolios.Complete
	return list, nil
}

func isRefusal(err error) bool {
	return fault.Is(err, provider.CodePermission) || fault.Is(err, provider.CodeGone)
}

// merged lists each page once, and prefers the copy with a token.
func merged(lists ...provider.List[Page]) provider.List[Page] {
	all := provider.List[Page]{Items: []Page{}, Complete: true}
	at := map[string]int{}
	for _, list := range lists {
		all.Complete = all.Complete && list.Complete
		for _, page := range list.Items {
			i, known := at[page.ID]
			switch {
			case !known:
				at[page.ID] = len(all.Items)
				all.Items = append(all.Items, page)
			case all.Items[i].AccessToken == "":
				all.Items[i] = page
			}
		}
	}
	return all
}

func (s *Client) list(ctx context.Context, userToken, path, fields string) (list provider.List[Page], err error) {
	graph := s.withToken(userToken)
	query := url.Values{"fields": {fields}, "limit": {"100"}}
	list.Complete, err = provider.EachPage(maxPageLists, func(after string) (string, error) {
		if after != "" {
			query.Set("after", after)
		}
		var part graphList
		if err := graph.getPart(ctx, path, query, &part); err != nil {
			return "", err
		}
		for _, found := range part.Data {
			if !graphID.MatchString(found.ID) {
				return "", provider.Unreadable(errors.New(path + ": an object without an id"))
			}
			list.Items = append(list.Items, found.page())
		}
		if part.Paging.Next == "" {
			return "", nil
		}
		if part.Paging.Cursors.After == "" {
			return "", provider.Unreadable(errors.New("more pages, but no cursor"))
		}
		return part.Paging.Cursors.After, nil
	})
	return list, err
}

// FindPage reads one page as Pages would list it.
func (s *Client) FindPage(ctx context.Context, userToken, pageID string) (Page, error) {
	var page graphPage
	err := s.withToken(userToken).get(ctx, url.PathEscape(pageID), url.Values{"fields": {graphPageFields}}, &page)
	if err != nil {
		return page.page(), err
	}
	if page.ID != pageID {
		return page.page(), provider.Unreadable(errors.New("another page"))
	}
	return page.page(), nil
}

// FindChoice reads the page with its token. A page without one is the fault provider_gone.
func (s *Client) FindChoice(ctx context.Context, userToken, pageID string) (provider.Choice, error) {
	page, err := s.FindPage(ctx, userToken, pageID)
	if err != nil {
		return provider.Choice{}, err
	}
	if page.AccessToken == "" {
		return provider.Choice{}, provider.Gone(errors.New("the person may not act for the page"))
	}
	return provider.Choice{ID: page.ID, Name: page.Name, Token: page.AccessToken}, nil
}

// PageData is what is read of a page.
type PageData struct {
	FanCount       int    `json:"fan_count"`
	FollowersCount int    `json:"followers_count"`
	Name           string `json:"name"`
	Category       string `json:"category"`
	Link           string `json:"link"`
	// metric name → its latest value, a float64 or a map[string]any of them
	Metrics map[string]any `json:"metrics"`
	Reading
}

// ReadPage reads the page's fields, then its insights of the last 90 days and, unless it is
// the known page, of the 90 days before. A failure to read insights is no error.
func (s *Client) ReadPage(ctx context.Context, pageToken, pageID, known string) (data PageData, err error) {
	defer func() { s.options.Metrics.Call(string(provider.Social), "page", err) }()
	graph := s.withToken(pageToken)
	var page struct {
		ID string `json:"id"`
		PageData
	}
	query := url.Values{"fields": {"id,name,category,fan_count,followers_count,link"}}
	if err := graph.get(ctx, url.PathEscape(pageID), query, &page); err != nil {
		return PageData{}, err
	}
	if page.ID == "" {
		return PageData{}, provider.Unreadable(errors.New("page without an id"))
	}
	insights := newInsightReader(graph, pageID, known, s.options.Now())
	if err := insights.read(ctx, s.pageInsights()); err != nil {
		return PageData{}, err
	}
	insights.missAll(page.FanCount, s.pageInsights())
	data = page.PageData
	data.Metrics, data.Reading = insights.figures, insights.reading()
	return data, nil
}
