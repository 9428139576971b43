package source

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/gocolly/colly/v2"
)

// session is one look-up's visits to the aggregator, made by one collector.
type session struct {
	*road
	collector *colly.Collector
	last      *colly.Response
}

// page is an answer of the site that is no redirect and no refusal.
type page struct {
	url    *url.URL // where it was found in the end
	status int
	body   []byte
}

// newSession builds the collector of one look-up. It is made by hand, as
// colly.NewCollector lets COLLY_ environment variables overrule the options, such
// as the one to obey robots.txt.
func newSession(ctx context.Context, r *road) *session {
	s := &session{road: r, collector: &colly.Collector{}}
	c := s.collector
	c.Init()
	c.Context = ctx
	c.UserAgent = r.userAgent
	c.AllowedDomains = r.site.hosts()
	c.IgnoreRobotsTxt = false
	c.AllowURLRevisit = true
	c.ParseHTTPErrorResponse = true
	c.MaxBodySize = 0 // the transport holds the limit, and fails instead of cutting
	c.SetRequestTimeout(0)
	c.WithTransport(&lookupTransport{road: r, ctx: ctx})
	c.SetRedirectHandler(stopAtRedirect)
	c.OnResponse(func(resp *colly.Response) { s.last = resp })
	return s
}

// stopAtRedirect lets only robots.txt be redirected by the HTTP client. A page's
// redirects are followed by open, each as a visit of its own, because colly holds
// only visits against robots.txt.
func stopAtRedirect(_ *http.Request, via []*http.Request) error {
	if via[0].URL.Path != robotsPath {
		return http.ErrUseLastResponse
	}
	if len(via) > maxRedirects {
		return errRedirects
	}
	return nil
}

// open visits address and follows redirects. It stops at one for which until
// (may be nil) is true: the page then has that address and no body.
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
		if err := refusal(resp.StatusCode, *resp.Headers, s.now()); err != nil {
			return page{}, err
		}
		target := redirectOf(resp)
		if target == nil {
			return page{url: resp.Request.URL, status: resp.StatusCode, body: resp.Body}, nil
		}
		if until != nil && s.site.holds(target) && until(target) {
			return page{url: target}, nil
		}
		address = target.String()
	}
	return page{}, errRedirects
}

// redirectOf is where resp sends us, nil when it is no redirect.
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
