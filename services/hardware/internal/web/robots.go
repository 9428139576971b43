package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// robots keeps crawlers away from what may begin a look-up of offers, and from what is no
// page that they could show. Parts and comparisons stay open to them, save with czekaj=1: then they wait.
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

// robotsTxt answers GET /robots.txt (RFC 9309), for all that stands behind the gateway.
func (p *Pages) robotsTxt(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=86400")
	return c.String(http.StatusOK, robots)
}
