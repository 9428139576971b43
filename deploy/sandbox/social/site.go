// Package social plays provider_social: its login dialog with a consent page, the
// exchange of codes and tokens, and of the Graph API what concerns people, their
// pages, the photo accounts linked to these, media and insights. The paths are
// those of the real hosts, all on one address. It is strict where the real ones
// are, and refuses what they only discourage.
//
// Who and what there is, and how its figures grow, stays in network; what was
// allowed to the app, and which tokens it has, in ledger. Delays, cut connections
// and other faults of any site stay in faults.
package social

import (
	"net/http"
	"net/url"
	"time"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/internal/knobs"
	"backend.example/deploy/sandbox/internal/registration"
	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/internal/tally"
	"backend.example/deploy/sandbox/social/ledger"
	"backend.example/deploy/sandbox/social/network"
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

	Secrets *issued.Register // of codes and tokens, shared with other fakes; nil: one of its own
}

// Provider is the fake of provider_social.
type Provider struct {
	*upstream.Fake

	site *site
}

type site struct {
	client  registration.Client
	now     func() time.Time
	panel   *knobs.Panel
	network *network.Network
	ledger  *ledger.Ledger
	counts  tally.Tally
}

// New returns the fake with nothing allowed yet.
func New(options Options) *Provider {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Secrets == nil {
		options.Secrets = issued.New(issued.Usual, options.Now)
	}
	s := &site{
		client: registration.New(options.ClientID, options.ClientSecret, options.RedirectURI),
		now:    options.Now, panel: newPanel(), network: network.New(),
	}
	s.ledger = ledger.New(options.Secrets.For(Name), s.now, s.rules)
	return &Provider{site: s, Fake: upstream.New(standin.StandIn{
		Site: faults.Site{Name: Name, Kinds: append(faults.Common(), faults.Definition{
			Kind: GraphError, Text: "Graph API odmawia z błędem code i subcode, np. 4, 10, 190/460", Coded: true,
		})},
		Title:   title,
		Handler: s.handler(),
		Knobs:   s.panel,
		Memory:  memory{s},
		Links:   []standin.Link{{Path: s.exampleDialog(), Text: "okno logowania"}},
	})}
}

// handler is the whole URL map.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{version}/dialog/oauth", s.showDialog)
	mux.HandleFunc("POST /{version}/dialog/oauth", s.decideDialog)
	mux.HandleFunc("GET /{version}/oauth/access_token", s.exchange)
	mux.HandleFunc("POST /{version}/oauth/access_token", s.exchange)
	mux.HandleFunc("GET /{version}/debug_token", s.graph(s.debugToken))
	mux.HandleFunc("GET /{version}/{node}", s.graph(s.showNode))
	mux.HandleFunc("GET /{version}/{node}/{edge}", s.graph(s.showEdge))
	mux.HandleFunc("GET /{version}/{node}/permissions", s.graph(s.listPermissions))
	mux.HandleFunc("DELETE /{version}/{node}/permissions", s.graph(s.withdraw))
	mux.HandleFunc("DELETE /{version}/{node}/permissions/{permission}", s.graph(s.withdrawOne))
	mux.HandleFunc("/", s.refusePath)
	return mux
}

// exampleDialog is an address that shows the login dialog.
func (s *site) exampleDialog() string {
	return "/" + usual + "/dialog/oauth?" + url.Values{
		"client_id": {s.client.ID}, "redirect_uri": {s.client.RedirectURI}, "response_type": {"code"}, "state": {"demo"},
		"scope": {listPages + "," + readPages + "," + readInsights + "," + photoBasic + "," + photoInsights + "," + manageBusiness},
	}.Encode()
}
