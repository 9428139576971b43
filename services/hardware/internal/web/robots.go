package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

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
