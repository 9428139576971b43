// Package google is the client of provider_search ([Client]) and of public places ([Places]).
package google

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/pace"
)

// See https://developers.google.com/identity/protocols/oauth2/web-server.
const (
	searchAuthURL   = "https://accounts.google.com/o/oauth2/v2/auth"
	searchTokenURL  = "https://oauth2.googleapis.com/token" // #nosec G101 -- an address
	searchRevokeURL = "https://oauth2.googleapis.com/revoke"
)

// searchScopes are what each service needs. Business Profile has no read-only scope
// (https://developers.google.com/my-business/content/implement-oauth).
var searchScopes = map[provider.Service][]string{
	provider.SearchProfile:   {"https://www.googleapis.com/auth/business.manage"},
	provider.SearchAnalytics: {"https://www.googleapis.com/auth/webmasters.readonly"},
}

// Options configure a [Client] or [Places].
type Options struct {
	ClientID, ClientSecret string   // of a Client
	APIKey                 string   // of Places; without one every call is the fault provider_setup
	BaseURL                *url.URL // replaces scheme and host of every address, unless nil
	Transport              http.RoundTripper
	Timeout                time.Duration // of one call with its retries; zero for only that of the context
	Now                    func() time.Time
	Budgets                budget.Budgets // of each of [APIs]; requests to the token endpoints have none
	Metrics                *metrics.Metrics
}

// APIs lists the APIs by the first part of their hosts. Each has a quota of its own.
func APIs() []string {
	return []string{
		"businessprofileperformance", "mybusinessaccountmanagement", "mybusinessbusinessinformation",
		"mybusinessverifications", "places", "searchconsole",
	}
}

// Client is the client of provider_search. It is safe for concurrent use.
type Client struct {
	options Options
	client  *http.Client
	class   pace.Class
}

// New returns a Client whose requests a person waits for.
func New(options Options) *Client {
	return &Client{options: options, client: provider.NewClient(options.Transport, options.Timeout)}
}

// ForScans returns a copy whose requests wait for those that a person waits for.
func (s *Client) ForScans() *Client {
	c := *s
	c.class = pace.Idle
	return &c
}

// Configured reports whether the client id and secret are set.
func (s *Client) Configured() bool { return s.options.ClientID != "" && s.options.ClientSecret != "" }

// UsesPKCE reports true: authorizations carry a code challenge.
func (s *Client) UsesPKCE() bool { return true }

// AuthURL asks for consent each time; else a refresh token comes with the first one alone.
func (s *Client) AuthURL(services []provider.Service, state, verifier, redirectURL string) string {
	config := s.oauth(redirectURL)
	config.Scopes = askedScopes(services)
	return config.AuthCodeURL(state, oauth2.AccessTypeOffline, oauth2.ApprovalForce,
		oauth2.S256ChallengeOption(verifier))
}

func askedScopes(services []provider.Service) []string {
	scopes := []string{"openid"}
	for _, service := range services {
		scopes = append(scopes, searchScopes[service]...)
	}
	return scopes
}

// Lacks lists the scopes of service that were not granted. One for writing includes the read-only one.
func (s *Client) Lacks(service provider.Service, granted []string) []string {
	var lacking []string
	for _, scope := range searchScopes[service] {
		if !slices.Contains(granted, scope) && !slices.Contains(granted, strings.TrimSuffix(scope, ".readonly")) {
			lacking = append(lacking, scope)
		}
	}
	return lacking
}

func (s *Client) oauth(redirectURL string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: s.options.ClientID, ClientSecret: s.options.ClientSecret, RedirectURL: redirectURL,
		Endpoint: oauth2.Endpoint{
			AuthURL: s.at(searchAuthURL), TokenURL: s.at(searchTokenURL), AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

func (s *Client) at(address string) string { return provider.WithHost(address, s.options.BaseURL) }

func (s *Client) get(ctx context.Context, accessToken, address string, query url.Values, out any) error {
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return s.call(ctx, provider.Request{Method: http.MethodGet, URL: address, Token: accessToken}, out)
}

// call sends a request, whose address is at the real host.
func (s *Client) call(ctx context.Context, r provider.Request, out any) error {
	api, _, _ := strings.Cut(strings.TrimPrefix(r.URL, "https://"), ".")
	r.Turn = s.options.Budgets[api].Turn(s.class)
	r.URL = s.at(r.URL)
	res, err := provider.Send(ctx, s.client, r, func(res provider.Response) error {
		return googleFault(res, s.options.Now())
	})
	if err != nil {
		return provider.Named("Google", err)
	}
	return res.Decode(out)
}

func pageQuery(size int, token string) url.Values {
	query := url.Values{"pageSize": {strconv.Itoa(size)}}
	if token != "" {
		query.Set("pageToken", token)
	}
	return query
}

func missingName(what string) error {
	return provider.Unreadable(fmt.Errorf("%s without a resource name", what))
}
