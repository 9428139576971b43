// Package search fakes provider_search: its OAuth 2.0 with a consent page and refresh
// tokens, the accounts and locations of business profiles, and the sites of the
// search console with their figures. The paths are those of the real hosts, all on one address. It is
// strict where the real ones are.
package search

import (
	"net/http"
	"time"

	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/search/tokens"
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
}

// Provider is the fake of provider_search.
type Provider struct {
	*upstream.Fake

	site *site
}

type site struct {
	client   oauth.Client
	now      func() time.Time
	secrets  *upstream.Secrets
	toggles  *upstream.Toggles
	counter  *upstream.Counter
	tokens   *tokens.Store
	accounts map[string][]account // by person
}

// New returns the fake with nothing allowed yet.
func New(options Options) *Provider {
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &site{
		client: oauth.NewClient(options.ClientID, options.ClientSecret, options.RedirectURI), now: options.Now,
		secrets: upstream.NewSecrets(Name, options.Now), toggles: newToggles(),
		counter:  upstream.NewCounter(countConsents, countTokenRequests, countTokenRefusals, countAPIRequests, countAPIRefusals),
		accounts: newAccounts(),
	}
	s.tokens = tokens.New(s.secrets, s.now, s.rules)
	return &Provider{site: s, Fake: upstream.New(upstream.Site{
		Name: Name, Title: "Konto i profile firm (provider_search)", Handler: s.handler(),
		Links:   []upstream.Link{{Path: s.exampleAuthorization(), Text: "strona zgody"}},
		Toggles: s.toggles, Secrets: s.secrets, State: s.state, Reset: s.reset, Actions: s.actions(),
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
	mux.HandleFunc("GET /v1/locations/{location}", s.guard(locationsAPI, s.showLocation))
	mux.HandleFunc("GET /v1/locations/{location}/VoiceOfMerchantState", s.guard(locationsAPI, s.showVoice))
	mux.HandleFunc("GET /webmasters/v3/sites", s.guard(consoleAPI, s.listSites))
	mux.HandleFunc("POST /webmasters/v3/sites/{site}/searchAnalytics/query", s.guard(consoleAPI, s.querySite))
	mux.HandleFunc("/", showMissing)
	return mux
}

// showMissing answers a page, as the hosts do for paths that no API has.
func showMissing(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>", http.StatusNotFound)
}
