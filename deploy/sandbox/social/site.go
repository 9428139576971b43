// Package social fakes provider_social: its login dialog with a consent page, the
// exchange of codes and tokens, and of the Graph API what concerns people, their
// pages, the photo accounts linked to these, and their figures. The paths are those of
// the real hosts, all on one address. It is strict where the real ones are, and
// refuses what they only discourage.
//
// What was allowed to the app, and which tokens it has, is kept in package tokens.
package social

import (
	"net/http"
	"net/url"
	"time"

	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/social/tokens"
	"backend.example/deploy/sandbox/upstream"
)

// Name is the site's name on the control address.
const Name = "social"

// title is what people call it.
const title = "Serwis społecznościowy (provider_social)"

// Options are what the fake depends on.
type Options struct {
	ClientID     string
	ClientSecret string
	RedirectURI  string           // the only address to which people are sent back
	Now          func() time.Time // nil: time.Now
}

// Provider is the fake of provider_social.
type Provider struct {
	*upstream.Fake

	site *site
}

type site struct {
	client  oauth.Client
	now     func() time.Time
	secrets *upstream.Secrets
	toggles *upstream.Toggles
	counter *upstream.Counter
	tokens  *tokens.Store
	people  []person
	pages   []page
	photos  []photo
}

// New returns the fake with nothing allowed yet.
func New(options Options) *Provider {
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &site{
		client: oauth.NewClient(options.ClientID, options.ClientSecret, options.RedirectURI), now: options.Now,
		secrets: upstream.NewSecrets(Name, options.Now), toggles: newToggles(),
		counter: upstream.NewCounter(countConsents, countTokenRequests, countCalls, countRefusals),
		photos:  newPhotos(),
	}
	s.pages = newPages(s.photos)
	s.people = newPeople(s.pages)
	s.tokens = tokens.New(s.secrets, s.now, func() []string { return s.toggles.Strings(toggleMissing) })
	return &Provider{site: s, Fake: upstream.New(upstream.Site{
		Name: Name, Title: title, Handler: s.handler(),
		Links: []upstream.Link{{Path: s.exampleDialog(), Text: "okno logowania"}},
		Faults: []upstream.FaultKind{
			{Kind: GraphError, Text: "Graph API odmawia z błędem code i subcode, np. 4, 10, 190/460", Coded: true},
		},
		Toggles: s.toggles, Secrets: s.secrets, State: s.state, Reset: s.reset, Actions: s.actions(),
	})}
}

// handler is the whole URL map.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{version}/dialog/oauth", s.showDialog)
	mux.HandleFunc("POST /{version}/dialog/oauth", s.decideDialog)
	mux.HandleFunc("GET /{version}/oauth/access_token", s.exchange)
	mux.HandleFunc("POST /{version}/oauth/access_token", s.exchange)
	mux.HandleFunc("GET /{version}/{node}", s.graph(s.showNode))
	mux.HandleFunc("GET /{version}/{node}/accounts", s.graph(s.listPages))
	mux.HandleFunc("GET /{version}/me/businesses", s.graph(s.listPortfolios))
	mux.HandleFunc("GET /{version}/{node}/owned_pages", s.graph(s.listPortfolio("owned_pages")))
	mux.HandleFunc("GET /{version}/{node}/client_pages", s.graph(s.listPortfolio("client_pages")))
	mux.HandleFunc("GET /{version}/debug_token", s.graph(s.debugToken))
	mux.HandleFunc("GET /{version}/{node}/media", s.graph(s.listMedia))
	mux.HandleFunc("GET /{version}/{node}/insights", s.graph(s.showInsights))
	mux.HandleFunc("GET /{version}/{node}/permissions", s.graph(s.listPermissions))
	mux.HandleFunc("DELETE /{version}/{node}/permissions", s.graph(s.withdraw))
	mux.HandleFunc("/", s.refusePath)
	return mux
}

// exampleDialog is an address that shows the login dialog.
func (s *site) exampleDialog() string {
	return "/v25.0/dialog/oauth?" + url.Values{
		"client_id": {s.client.ID}, "redirect_uri": {s.client.RedirectURI}, "response_type": {"code"}, "state": {"demo"},
		"scope": {listPages + "," + readPages + "," + readInsights + "," + photoBasic + "," + photoInsights + "," + manageBusiness},
	}.Encode()
}
