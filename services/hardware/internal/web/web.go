// Package web serves the wizard at /kreator: rankings of parts, their offers, and a build that lives in its
// address. It uses the domain directly, as package httpapi does.
package web

import (
	"embed"
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"backend.example/services/hardware/internal/builds"
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/network"
	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/site"
)

//go:embed templates static
var files embed.FS

// Options configure the pages.
type Options struct {
	Rankings                   *rankings.Rankings
	Prices                     *prices.Prices
	Quotes                     *prices.Quotes
	Builds                     builds.Store
	ClientIP                   echo.IPExtractor
	Log                        *slog.Logger
	Notice                     string // on every page, unless it is empty
	RankingSource, PriceSource string
	Legal                      settings.Legal
}

// Pages has the handlers of the wizard.
type Pages struct {
	Options
	site   *site.Site
	shares *middleware.RateLimiterMemoryStore
}

const (
	startPath         = "/kreator"
	rankingPath       = "/kreator/ranking/"
	comparePath       = "/kreator/porownaj"
	comparePricesPath = "/kreator/porownaj/ceny"
	partPath          = "/kreator/czesc"
	offersPath        = "/kreator/oferty"
	queuePath         = "/kreator/kolejka"
	buildPath         = "/kreator/zestaw"
	pricesPath        = "/kreator/ceny"
	staticPath        = "/kreator/static"
)

// New parses the templates.
func New(o Options) (*Pages, error) {
	s, err := site.New(site.Options{
		Name: "Kreator PC", Theme: "violet", Home: startPath, Paths: []string{startPath}, Prefix: staticPath,
		Notice: o.Notice, Legal: o.Legal, Files: files,
		Visitor: func(r *http.Request) (any, []site.Link) { return accountLink, navigation(r) },
	})
	return &Pages{Options: o, site: s, shares: newShares()}, err
}

// Site returns the site, which also writes the errors of these pages.
func (p *Pages) Site() *site.Site { return p.site }

// Register is the URL map of the pages. Behind the gateway, "/" belongs to the directory.
func (p *Pages) Register(e *echo.Echo) {
	read := []string{http.MethodGet, http.MethodHead}

	e.Match(read, "/", func(c echo.Context) error { return c.Redirect(http.StatusFound, startPath) })
	e.Match(read, "/robots.txt", p.robotsTxt)
	e.Match(read, startPath, p.start)
	e.Match(read, rankingPath+":rodzina", p.ranking)
	e.Match(read, comparePath, p.compare)
	e.Match(read, comparePricesPath, p.comparePrices)
	e.Match(read, listPath+":rodzaj", p.list)
	e.Match(read, partPath, p.part)
	e.Match(read, offersPath, p.offers)
	e.Match(read, queuePath, p.queue)
	e.Match(read, buildPath, p.build)
	e.Match(read, pricesPath, p.buildPrices)
	e.Match(read, sharedPath+":kod", p.shared)
	e.POST(strings.TrimSuffix(sharedPath, "/"), p.share)
	e.Match(read, staticPath+"/*", func(c echo.Context) error { return p.site.ServeAsset(c.Response(), c.Request()) })
}

// accountLink shows the link to the account in the directory. Whether the visitor is logged in is unknown here.
const accountLink = true

func navigation(r *http.Request) []site.Link {
	b := parseBasket(r.URL.Query())
	title := "Zestaw"
	if n := len(b.Items); n > 0 {
		title += " (" + site.Count(n) + ")"
	}
	return []site.Link{
		{Href: address(startPath, b), Text: "Podzespoły"},
		{Href: address(buildPath, b), Text: title},
		{Href: "/", Text: "Katalog firm"},
	}
}

func (p *Pages) callerOf(r *http.Request) lookup.Caller {
	return lookup.Caller{Client: network.OfClient(p.ClientIP(r))}
}

func (p *Pages) show(c echo.Context, name, title string, data any) error {
	remember(c)
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return p.site.Write(c.Response(), c.Request(), http.StatusOK, name, site.Page{
		Title:       title,
		Description: title + ": podzespoły komputerowe z ocenami i aktualnymi cenami w polskich sklepach.",
		Canonical:   c.Request().URL.RequestURI(), // with the build in its query
		Scripts:     []string{"retry.js", "copy.js", "kreator.js"}, Data: data,
	})
}

type startView struct {
	Rankings []rankingLink
	Lists    []kindLink
	Basket   basketView
}

type rankingLink struct{ Name, Href string }

// start answers GET /kreator. Without a build in the address it redirects to the last one.
func (p *Pages) start(c echo.Context) error {
	b := parseBasket(c.QueryParams())
	c.Response().Header().Add(echo.HeaderVary, echo.HeaderCookie)
	if last, ok := remembered(c); ok && len(b.Items) == 0 {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return c.Redirect(http.StatusFound, address(startPath, last))
	}
	view := startView{Basket: b.view()}
	for _, name := range catalog.Families() {
		link := rankingLink{familyName(catalog.Family(name)), address(rankingPath+name, b)}
		view.Rankings = append(view.Rankings, link)
	}
	for _, k := range kinds() {
		if k.Category != "" {
			view.Lists = append(view.Lists, kindLink{k, address(listPath+k.Key, b)})
		}
	}
	return p.show(c, "start", "Złóż komputer", view)
}

// robots excludes what may begin a look-up, and fragments. Parts and comparisons stay allowed without czekaj=1.
const robots = `User-agent: *
Disallow: /api/
Disallow: ` + partPath + `?*czekaj=
Disallow: ` + comparePath + `?*czekaj=
Disallow: ` + comparePricesPath + `
Disallow: ` + offersPath + `
Disallow: ` + queuePath + `
Disallow: ` + buildPath + `
Disallow: ` + pricesPath + `
Disallow: ` + sharedPath + `
`

// robotsTxt answers GET /robots.txt (RFC 9309) for everything behind the gateway.
func (p *Pages) robotsTxt(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=86400")
	return c.String(http.StatusOK, robots)
}
