package provider

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/directory/internal/directory"
)

// The addresses of provider_search
// (https://developers.google.com/identity/protocols/oauth2/web-server).
const (
	searchAuthAddr     = "https://accounts.google.com/o/oauth2/v2/auth"
	searchExchangeAddr = "https://oauth2.googleapis.com/token"
	searchRevokeAddr   = "https://oauth2.googleapis.com/revoke"
)

// scopeOpenID makes the token endpoint say who granted.
const scopeOpenID = "openid"

// searchScopes are what each service needs. Business Profile has no scope that
// only reads (https://developers.google.com/my-business/content/implement-oauth).
var searchScopes = map[directory.Service][]string{
	directory.SearchProfile: {"https://www.googleapis.com/auth/business.manage"},
	directory.SearchAnalytics: {
		"https://www.googleapis.com/auth/webmasters.readonly",
		"https://www.googleapis.com/auth/analytics.readonly",
	},
}

// SearchOptions configure a [Search].
type SearchOptions struct {
	ClientID, ClientSecret string            // empty: not configured
	BaseURL                *url.URL          // replaces scheme and host of every address; nil: the real hosts
	Transport              http.RoundTripper // nil: http.DefaultTransport
	Timeout                time.Duration     // of one exchange; zero: none but that of the context
	Now                    func() time.Time
}

// Search is the adapter of provider_search: its OAuth 2.0 with PKCE and refresh
// tokens, and the Business Profile APIs. It is safe for concurrent use.
type Search struct {
	options SearchOptions
	client  *http.Client
}

// NewSearch returns a Search.
func NewSearch(options SearchOptions) *Search {
	return &Search{options: options, client: newClient(options.Transport, options.Timeout)}
}

// Abilities is what the domain may ask of provider_search.
func (s *Search) Abilities() directory.Abilities {
	return directory.Abilities{
		Configured: s.Configured(), UsesPKCE: s.UsesPKCE(), AuthURL: s.AuthURL, Exchange: s.Exchange, Lacks: s.Lacks,
		Account: s.Account, Refresh: s.Refresh, Revoke: s.Revoke,
		Locations: s.Locations, ReadLocation: s.ReadLocation,
	}
}

// Configured reports whether client id and secret are set.
func (s *Search) Configured() bool { return s.options.ClientID != "" && s.options.ClientSecret != "" }

// UsesPKCE is true: the provider takes a code challenge from web clients too.
func (s *Search) UsesPKCE() bool { return true }

// AuthURL asks for offline access with a consent page each time, without which
// the provider gives a refresh token on the very first consent only.
func (s *Search) AuthURL(service directory.Service, state, verifier, redirectURL string) string {
	config := s.oauth(redirectURL)
	config.Scopes = append([]string{scopeOpenID}, searchScopes[service]...)
	return config.AuthCodeURL(state, oauth2.AccessTypeOffline, oauth2.ApprovalForce, oauth2.S256ChallengeOption(verifier))
}

// Lacks lists those of the scopes which service needs that granted does not hold:
// the user may untick each on the consent page. A scope that may write stands
// for its reading twin.
func (s *Search) Lacks(service directory.Service, granted []string) []string {
	var lacking []string
	for _, scope := range searchScopes[service] {
		if !slices.Contains(granted, scope) && !slices.Contains(granted, strings.TrimSuffix(scope, ".readonly")) {
			lacking = append(lacking, scope)
		}
	}
	return lacking
}

func (s *Search) oauth(redirectURL string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: s.options.ClientID, ClientSecret: s.options.ClientSecret, RedirectURL: redirectURL,
		Endpoint: oauth2.Endpoint{
			AuthURL: s.at(searchAuthAddr), TokenURL: s.at(searchExchangeAddr), AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

func (s *Search) at(addr string) string { return rebase(addr, s.options.BaseURL) }
