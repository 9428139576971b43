package directory_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"

	"backend.example/services/directory/internal/directory"
)

// linkLogin is a provider that can do no more than authorize.
type linkLogin struct {
	needed      []string
	token       directory.Token // what Exchange gives
	exchangeErr error
	exchanges   []url.Values // the arguments of each Exchange
}

func (p *linkLogin) abilities() directory.Abilities {
	return directory.Abilities{Configured: true, AuthURL: p.AuthURL, Exchange: p.Exchange, Lacks: p.Lacks}
}

func (p *linkLogin) AuthURL(s directory.Service, state, verifier, redirectURL string) string {
	return "https://consent.example/?" + url.Values{
		"service": {string(s)}, "state": {state}, "verifier": {verifier}, "redirect": {redirectURL},
	}.Encode()
}

func (p *linkLogin) Exchange(_ context.Context, s directory.Service, code, verifier, redirectURL string) (directory.Token, error) {
	p.exchanges = append(p.exchanges, url.Values{
		"service": {string(s)}, "code": {code}, "verifier": {verifier}, "redirect": {redirectURL},
	})
	return p.token, p.exchangeErr
}

func (p *linkLogin) Lacks(_ directory.Service, granted []string) []string {
	return slices.DeleteFunc(slices.Clone(p.needed), func(s string) bool { return slices.Contains(granted, s) })
}

// linkProvider can do all that a provider may do with a credential.
type linkProvider struct {
	linkLogin
	mu          sync.Mutex
	renewal     directory.Token // what Refresh gives
	refreshErr  error
	refreshed   []directory.Connection // what Refresh was called with
	onRefresh   func()
	revokeErr   error
	revoked     []directory.Connection
	onRevoke    func()
	accountID   string
	accountName string
	accountErr  error
}

func (p *linkProvider) abilities() directory.Abilities {
	can := p.linkLogin.abilities()
	can.Refresh, can.Revoke, can.Account = p.Refresh, p.Revoke, p.Account
	return can
}

func (p *linkProvider) Refresh(ctx context.Context, c directory.Connection) (directory.Token, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refreshed = append(p.refreshed, c)
	if p.onRefresh != nil {
		p.onRefresh()
	}
	if ctx.Err() != nil {
		return directory.Token{}, ctx.Err()
	}
	return p.renewal, p.refreshErr
}

func (p *linkProvider) Revoke(_ context.Context, c directory.Connection) error {
	p.revoked = append(p.revoked, c)
	if p.onRevoke != nil {
		p.onRevoke()
	}
	return p.revokeErr
}

func (p *linkProvider) Account(context.Context, directory.Service, directory.Token) (id, name string, err error) {
	return p.accountID, p.accountName, p.accountErr
}

// linkSocial answers for pages by token: what a token does not open is dead.
type linkSocial struct {
	pages    map[string][]directory.Page // by the user's token
	page     map[string]directory.PageData
	photos   map[string]directory.PhotoData // both by "page token/page id"
	readErr  error
	requests []string // the tokens in the order of use
	during   func()   // runs in each request
}

func (s *linkSocial) Pages(_ context.Context, token string) ([]directory.Page, error) {
	return linkAnswer(s, s.pages, token, token)
}

func (s *linkSocial) ReadPage(_ context.Context, token, id string) (directory.PageData, error) {
	return linkAnswer(s, s.page, token, token+"/"+id)
}

func (s *linkSocial) ReadPhotos(_ context.Context, token, id string) (directory.PhotoData, error) {
	return linkAnswer(s, s.photos, token, token+"/"+id)
}

func linkAnswer[T any](s *linkSocial, answers map[string]T, token, key string) (answer T, err error) {
	s.requests = append(s.requests, token)
	if s.during != nil {
		s.during()
	}
	if s.readErr != nil {
		return answer, s.readErr
	}
	answer, ok := answers[key]
	if !ok {
		return answer, directory.Revoked(errors.New("no such token"), "Dostęp wygasł.")
	}
	return answer, nil
}

// linkSearch answers for locations by access token.
type linkSearch struct {
	locations map[string][]directory.Location
	profiles  map[string]directory.Profile // by "token locations/id"
	err       error
	during    func() // runs while locations are listed
}

func (s *linkSearch) Locations(_ context.Context, token string) ([]directory.Location, error) {
	if s.during != nil {
		s.during()
	}
	return s.locations[token], s.err
}

func (s *linkSearch) ReadLocation(_ context.Context, token, name string) (directory.Profile, error) {
	return s.profiles[token+" "+name], s.err
}
