// Package search plays provider_search: its OAuth 2.0 with a consent page and
// refresh tokens, the accounts, locations and performance figures of business
// profiles, and the sites and queries of the search console. The paths are those
// of the real hosts, all on one address. It is strict where the real ones are.
//
// What was allowed is remembered in ledger; who owns which business stands in
// estate.go, the facts of the businesses in demo. Delays, cut connections and
// other faults of any site stay in faults.
package search

import (
	"net/http"
	"time"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/internal/knobs"
	"backend.example/deploy/sandbox/internal/registration"
	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/internal/tally"
	"backend.example/deploy/sandbox/search/ledger"
	"backend.example/deploy/sandbox/upstream"
)

// Name is the site's name on the control address.
const Name = "search"

// Options are what the fake depends on.
type Options struct {
	ClientID     string
	ClientSecret string
	RedirectURI  string           // the only address to which people are sent back
	Now          func() time.Time // nil: time.Now

	Secrets *issued.Register // of codes and tokens, shared with other fakes; nil: one of its own
}

// Provider is the fake of provider_search.
type Provider struct {
	*upstream.Fake

	site *site
}

type site struct {
	client registration.Client
	issuer issued.Issuer
	now    func() time.Time
	knobs  *knobs.Panel
	ledger *ledger.Ledger
	estate *estate
	tally  tally.Tally
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
		issuer: options.Secrets.For(Name), now: options.Now, knobs: newPanel(), estate: newEstate(),
	}
	s.ledger = ledger.New(s.issuer, s.now, s.rules)
	return &Provider{site: s, Fake: upstream.New(standin.StandIn{
		Site:    faults.Site{Name: Name, Kinds: faults.Common()},
		Title:   "Konto i profile firm (provider_search)",
		Handler: s.handler(),
		Knobs:   s.knobs,
		Memory:  memory{s},
		Links:   []standin.Link{{Path: s.exampleAuthorization(), Text: "strona zgody"}},
	})}
}

// handler is the whole URL map.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+authPath, s.showConsent)
	mux.HandleFunc("POST "+authPath, s.decideConsent)
	mux.HandleFunc("POST /token", s.giveTokens)
	mux.HandleFunc("POST /revoke", s.revoke)
	mux.HandleFunc("GET /v1/accounts", s.guard(accountsAPI, s.listAccounts))
	mux.HandleFunc("GET /v1/accounts/{account}/locations", s.guard(locationsAPI, s.listLocations))
	mux.HandleFunc("GET /v1/locations/{location}", s.routeLocation)
	mux.HandleFunc("GET /webmasters/v3/sites", s.guard(consoleAPI, s.listSites))
	mux.HandleFunc("POST /webmasters/v3/sites/{site}/searchAnalytics/query", s.guard(consoleAPI, s.queryAnalytics))
	mux.HandleFunc("/", showMissing)
	return mux
}

// showMissing answers a page, as the hosts do for paths that no API has.
func showMissing(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>", http.StatusNotFound)
}
