// Package meta fakes provider_social: Meta's login dialog with a consent page, the exchange of codes and tokens,
// and of the Graph API what concerns people, their pages, the Instagram accounts linked to these, and their
// figures. The paths are those of the real hosts, all on one address. It is strict where the real ones are, and
// refuses what they only discourage.
package meta

import (
	_ "embed"
	"net/http"
	"slices"
	"strconv"

	"backend.example/deploy/sandbox/fake"
)

const dialogPath = "/dialog/oauth"

// The permissions that decide what the Graph API answers (https://developers.facebook.com/docs/permissions).
const (
	listPages      = "pages_show_list"
	readPages      = "pages_read_engagement"
	readInsights   = "read_insights"
	manageBusiness = "business_management"
	photoBasic     = "instagram_basic"
	photoInsights  = "instagram_manage_insights"
)

// The toggles of the site.
const (
	toggleMissing       = "missing_permissions"
	toggleNoExpiry      = "omit_expires_in"
	toggleDeadMetrics   = "dead_metrics"
	toggleEmptyInsights = "empty_insights"
	toggleUsage         = "usage_percent"
)

// Options are what the fake depends on.
type Options = fake.Options

// Provider is the fake of provider_social.
type Provider struct {
	*fake.OAuth

	pages  []page
	photos []photo
}

//go:embed site.json
var siteJSON []byte

// New returns the fake, with nothing allowed yet
// (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
func New(options Options) *Provider {
	p := &Provider{pages: fake.ReadFixtures[page](pagesJSON), photos: fake.ReadFixtures[photo](photosJSON)}
	p.OAuth = fake.NewOAuth(fake.New(siteJSON, options.Now, fake.FaultKind{
		Kind: "graph_error", Text: "Graph API odmawia z błędem code i subcode, np. 4, 10, 190/460", Coded: true,
		Act: p.orderedError,
	}), options)
	p.Handle(p.routes())
	return p
}

func (p *Provider) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{version}"+dialogPath, p.authorize)
	mux.HandleFunc("POST /{version}"+dialogPath, p.authorize)
	mux.HandleFunc("GET /{version}/oauth/access_token", p.exchange)
	mux.HandleFunc("POST /{version}/oauth/access_token", p.exchange)
	mux.HandleFunc("GET /{version}/{node}", p.graph(p.showNode))
	mux.HandleFunc("GET /{version}/{node}/accounts", p.graph(p.listPages))
	mux.HandleFunc("GET /{version}/me/businesses", p.graph(p.listPortfolios))
	mux.HandleFunc("GET /{version}/{node}/owned_pages", p.graph(p.listPortfolio))
	mux.HandleFunc("GET /{version}/{node}/client_pages", p.graph(p.listPortfolio))
	mux.HandleFunc("GET /{version}/debug_token", p.graph(p.debugToken))
	mux.HandleFunc("GET /{version}/{node}/media", p.graph(p.listMedia))
	mux.HandleFunc("GET /{version}/{node}/insights", p.graph(p.showInsights))
	mux.HandleFunc("GET /{version}/{node}/permissions", p.graph(p.listPermissions))
	mux.HandleFunc("DELETE /{version}/{node}/permissions", p.graph(p.withdraw))
	mux.HandleFunc("/", p.refusePath)
	return mux
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	if !served(r.PathValue("version")) {
		p.refusePath(w, r)
		return
	}
	p.Authorize(w, r)
}

// personID returns the id of a person as this app sees it, or nothing for no person.
func personID(key string) string {
	i := slices.IndexFunc(fake.People(), func(p fake.Person) bool { return p.Key == key })
	if i < 0 {
		return ""
	}
	return "1022000000" + strconv.Itoa(100001+i)
}
