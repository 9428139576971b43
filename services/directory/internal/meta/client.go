// Package meta is the client of provider_social: Facebook Login and the Graph API.
package meta

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/pace"
)

// To these addresses version and path are added
// (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
const (
	socialLoginURL = "https://www.facebook.com/"
	graphURL       = "https://graph.facebook.com/"
	tokenPath      = "/oauth/access_token" // #nosec G101 -- a path
)

// Options configure a [Client].
type Options struct {
	ClientID, ClientSecret string
	APIVersion             string   // of the Graph API and the login dialog; v25.0 if empty
	PKCE                   bool     // send a code challenge, which is documented only for the OpenID flow
	PagesScopes            []string // asked for social_pages
	PhotosScopes           []string // asked for social_photos
	ConfigID               string   // of Facebook Login for Business, asked in the place of scopes
	PageMetrics            []string // that are read of a page
	BaseURL                *url.URL // replaces scheme and host of every address, unless nil
	Transport              http.RoundTripper
	Timeout                time.Duration // of one call with its retries; zero for only that of the context
	Now                    func() time.Time
	Budget                 *budget.Budget // of requests but those to the token endpoints; without one nothing waits
	Metrics                *metrics.Metrics
}

// Client is the client of provider_social. It is safe for concurrent use.
type Client struct {
	options Options
	client  *http.Client
	baseURL string // of the Graph API with the version, without a final slash
	class   pace.Class
}

// New returns a Client whose requests a person waits for.
func New(options Options) *Client {
	options.APIVersion = cmp.Or(options.APIVersion, "v25.0")
	return &Client{
		options: options, client: provider.NewClient(options.Transport, options.Timeout),
		baseURL: provider.WithHost(graphURL+options.APIVersion, options.BaseURL),
	}
}

// ForScans returns a copy whose requests wait for those that a person waits for.
func (s *Client) ForScans() *Client {
	c := *s
	c.class = pace.Idle
	return &c
}

// Configured reports whether the client id and secret are set.
func (s *Client) Configured() bool { return s.options.ClientID != "" && s.options.ClientSecret != "" }

// UsesPKCE reports whether authorizations carry a code challenge.
func (s *Client) UsesPKCE() bool { return s.options.PKCE }

// AuthURL asks again for permissions that were declined. A configuration of Facebook Login for Business
// names the permissions itself.
func (s *Client) AuthURL(services []provider.Service, state, verifier, redirectURL string) string {
	var scopes []string
	for _, service := range services {
		for _, scope := range s.askedScopes(service) {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	parameters := []oauth2.AuthCodeOption{
		oauth2.SetAuthURLParam("scope", strings.Join(scopes, ",")),
		oauth2.SetAuthURLParam("auth_type", "rerequest"),
	}
	if s.options.ConfigID != "" {
		parameters = []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("config_id", s.options.ConfigID)}
	}
	if s.options.PKCE {
		parameters = append(parameters, oauth2.S256ChallengeOption(verifier))
	}
	return s.oauth(redirectURL).AuthCodeURL(state, parameters...)
}

func (s *Client) oauth(redirectURL string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: s.options.ClientID, ClientSecret: s.options.ClientSecret, RedirectURL: redirectURL,
		Endpoint: oauth2.Endpoint{
			AuthURL:   provider.WithHost(socialLoginURL+s.options.APIVersion+"/dialog/oauth", s.options.BaseURL),
			TokenURL:  s.baseURL + tokenPath,
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// Lacks lists the scopes that service needs and that were not granted, but for those that the
// operator's app may not ask for.
func (s *Client) Lacks(service provider.Service, granted []string) []string {
	return slices.DeleteFunc(neededScopes(service), func(scope string) bool {
		return slices.Contains(granted, scope) || !slices.Contains(s.askedScopes(service), scope)
	})
}

// neededScopes are the scopes without which the service does not work
// (https://developers.facebook.com/docs/permissions).
func neededScopes(service provider.Service) []string {
	switch service {
	case provider.SocialPages:
		return []string{"pages_show_list", "pages_read_engagement", "read_insights"}
	case provider.SocialPhotos:
		return []string{"pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_manage_insights"}
	}
	return nil
}

func (s *Client) askedScopes(service provider.Service) []string {
	if service == provider.SocialPhotos {
		return s.options.PhotosScopes
	}
	return s.options.PagesScopes
}
