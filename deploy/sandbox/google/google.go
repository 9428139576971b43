// Package google fakes provider_search: Google's OAuth 2.0 with a consent page and refresh tokens, the accounts and
// locations of Business Profile and the sites of Search Console, both with their figures. The paths are those of
// the real hosts, all on one address. It is strict where the real ones are.
package google

import (
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"backend.example/deploy/sandbox/fake"
)

// The scopes that an app may ask for (https://developers.google.com/identity/protocols/oauth2/scopes).
const (
	scopeBusiness  = "https://www.googleapis.com/auth/business.manage"
	scopeConsole   = "https://www.googleapis.com/auth/webmasters"
	scopeConsoleRO = "https://www.googleapis.com/auth/webmasters.readonly"
)

// The toggles of the site.
const (
	toggleEmpty         = "empty_lists"
	toggleRotate        = "rotate_refresh_tokens"
	toggleWithhold      = "withhold_refresh_tokens"
	toggleAccessSeconds = "access_token_seconds"
	toggleQuota         = "requests_per_minute"
)

// Options are what the fake depends on.
type Options = fake.Options

// Provider is the fake of provider_search.
type Provider struct {
	*fake.OAuth

	accounts  map[string][]account // by person
	locations map[string][]Object
	sites     map[string][]Object // by person

	mu   sync.Mutex
	sent map[string][]time.Time // the requests of the last minute, by API
}

//go:embed site.json
var siteJSON []byte

// New returns the fake, with nothing allowed yet
// (https://developers.google.com/identity/protocols/oauth2/web-server).
func New(options Options) *Provider {
	p := &Provider{OAuth: fake.NewOAuth(fake.New(siteJSON, options.Now), options), sent: map[string][]time.Time{}}
	p.readFixtures()
	p.Handle(p.routes())
	return p
}

func (p *Provider) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+p.Provider.Path, p.Authorize)
	mux.HandleFunc("POST "+p.Provider.Path, p.Authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("POST /revoke", p.revoke)
	mux.HandleFunc("GET /v1/accounts", p.guard(accountsAPI, p.listAccounts, "pageSize", "pageToken"))
	mux.HandleFunc("GET /v1/accounts/{account}/locations",
		p.guard(locationsAPI, p.listLocations, "readMask", "pageSize", "pageToken"))
	show := p.guard(locationsAPI, p.showLocation, "readMask")
	figures := p.guard(performanceAPI, p.showFigures, dailyParameters...)
	mux.HandleFunc("GET /v1/locations/{location}", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.PathValue("location"), figuresMethod) {
			figures(w, r)
			return
		}
		show(w, r)
	})
	mux.HandleFunc("GET /v1/locations/{location}/VoiceOfMerchantState", p.guard(verificationsAPI, p.showVoice))
	mux.HandleFunc("GET /v1/locations/{location}/searchkeywords/impressions/monthly",
		p.guard(performanceAPI, p.listKeywords, keywordParameters...))
	mux.HandleFunc("GET /webmasters/v3/sites", p.guard(consoleAPI, p.listSites))
	mux.HandleFunc("POST /webmasters/v3/sites/{site}/searchAnalytics/query", p.guard(consoleAPI, p.querySite))
	mux.HandleFunc("/", ShowMissing)
	return mux
}

// api is one of the APIs. Any of the scopes opens it.
type api struct {
	service string
	scopes  []string
}

var (
	performanceAPI   = api{"businessprofileperformance.googleapis.com", []string{scopeBusiness}}
	accountsAPI      = api{"mybusinessaccountmanagement.googleapis.com", []string{scopeBusiness}}
	locationsAPI     = api{"mybusinessbusinessinformation.googleapis.com", []string{scopeBusiness}}
	verificationsAPI = api{"mybusinessverifications.googleapis.com", []string{scopeBusiness}}
	consoleAPI       = api{"searchconsole.googleapis.com", []string{scopeConsole, scopeConsoleRO}}
)

// exceeds counts a request, and reports whether there were more in the last minute than the quota allows
// (https://developers.google.com/my-business/content/limits).
func (p *Provider) exceeds(api api) bool {
	quota, now := p.Number(toggleQuota), p.Now()
	if quota == 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := append(p.sent[api.service], now)
	for !sent[0].After(now.Add(-time.Minute)) {
		sent = sent[1:]
	}
	p.sent[api.service] = sent
	return len(sent) > quota
}

type request struct {
	*http.Request
	person string
	query  url.Values
	mask   []string // top-level fields of a location
}

// guard admits requests with a valid token and scope, and no other parameters.
func (p *Provider) guard(api api, next func(request) (any, error), parameters ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.Count("api_requests", api.service)
		req, err := p.read(r, api, parameters)
		if err != nil {
			Send(p.Fake, w, nil, err)
			return
		}
		body, err := next(req)
		Send(p.Fake, w, body, err)
	}
}

func (p *Provider) read(r *http.Request, api api, parameters []string) (req request, err error) {
	req.Request = r
	req.person, err = p.admit(r, api)
	if p.exceeds(api) {
		err = usedUp(api.service)
	}
	if err != nil {
		return req, err
	}
	if req.query, err = Query(r, parameters...); err != nil {
		return req, err
	}
	if slices.Contains(parameters, "readMask") {
		req.mask, err = readMask(req.query.Get("readMask"))
	}
	return req, err
}

func (p *Provider) admit(r *http.Request, api api) (string, error) {
	const expected = "Expected OAuth 2 access token, login cookie or other valid authentication credential."
	refused := Error{HTTP: http.StatusUnauthorized, Status: "UNAUTHENTICATED", Service: api.service,
		Auth: "invalid_token"}
	refused.Message = "Request had invalid authentication credentials. " + expected
	value, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	token, err := p.Tokens.Check(value)
	switch {
	case !found:
		refused.Reason, refused.Auth = "CREDENTIALS_MISSING", ""
		refused.Message = "Request is missing required authentication credential. " + expected
	case errors.Is(err, fake.ErrExpired):
		refused.Reason = "ACCESS_TOKEN_EXPIRED"
	case token.Kind != accessToken: // a token that is unknown or ended has no kind
		refused.Reason = "ACCESS_TOKEN_TYPE_UNSUPPORTED"
	case !slices.ContainsFunc(api.scopes, func(scope string) bool { return slices.Contains(token.Scopes, scope) }):
		refused = forbidden()
		refused.Reason = "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
		refused.Service = api.service
		refused.Auth = "insufficient_scope"
		refused.Message = "Request had insufficient authentication scopes."
	default:
		return token.Account, nil
	}
	return "", refused
}
