package ceneo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/gocolly/colly/v2"

	"backend.example/services/hardware/internal/lookup"
)

// session makes the visits of one look-up to the aggregator, with one collector.
type session struct {
	*siteClient
	collector *colly.Collector
	last      *colly.Response
}

// page is an answer of the site that is no redirect and no refusal.
type page struct {
	url    *url.URL // after all redirects
	status int
	body   []byte
}

// newSession builds the collector of one look-up by hand: colly.NewCollector lets
// COLLY_ environment variables overrule options, such as the one to obey robots.txt.
func newSession(ctx context.Context, r *lookup.Request, client *siteClient) *session {
	s := &session{siteClient: client, collector: &colly.Collector{}}
	c := s.collector
	c.Init()
	c.Context = ctx
	c.UserAgent = client.userAgent
	c.AllowedDomains = client.baseURL.hosts()
	c.IgnoreRobotsTxt = false
	c.AllowURLRevisit = true
	c.ParseHTTPErrorResponse = true
	c.MaxBodySize = 0 // the transport limits the size: it fails where colly would cut the body short
	c.SetRequestTimeout(0)
	c.WithTransport(&lookupTransport{siteClient: client, ctx: ctx, request: r})
	c.SetRedirectHandler(stopAtRedirect)
	c.OnResponse(func(resp *colly.Response) { s.last = resp })
	return s
}

// stopAtRedirect lets the HTTP client follow redirects of robots.txt alone. Those of
// pages are followed by open, each as a visit of its own, because colly checks only
// visits against robots.txt.
func stopAtRedirect(_ *http.Request, via []*http.Request) error {
	if via[0].URL.Path != robotsPath {
		return http.ErrUseLastResponse
	}
	if len(via) > maxRedirects {
		return errRedirects
	}
	return nil
}

// open visits address and follows redirects. It stops before a redirect for which
// until, which may be nil, is true: the page then has that address and no body.
func (s *session) open(address string, until func(*url.URL) bool) (page, error) {
	for range maxRedirects + 1 {
		s.last = nil
		if err := s.collector.Visit(address); err != nil {
			return page{}, err
		}
		resp := s.last
		if resp == nil {
			return page{}, fmt.Errorf("%w: no response to read", errLayout)
		}
		if err := s.challenge.refusal(resp.StatusCode, *resp.Headers, resp.Body, s.now()); err != nil {
			return page{}, err
		}
		target := redirectOf(resp)
		if target == nil {
			return page{url: resp.Request.URL, status: resp.StatusCode, body: resp.Body}, nil
		}
		if s.isChallenge(target) { // before robots.txt, which closes it, makes it the fault of this address
			return page{}, lookup.Blocked(errChallenge, 0)
		}
		if until != nil && s.baseURL.contains(target) && until(target) {
			return page{url: target}, nil
		}
		address = target.String()
	}
	return page{}, errRedirects
}

// redirectOf is the target of a redirect, nil for any other response.
func redirectOf(resp *colly.Response) *url.URL {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		target, err := resp.Request.URL.Parse(resp.Headers.Get("Location"))
		if err == nil && resp.Headers.Get("Location") != "" {
			return target
		}
	}
	return nil
}
