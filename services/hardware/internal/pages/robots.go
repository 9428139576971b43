package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// robots keeps crawlers away from what may begin a look-up at a source.
const robots = `User-agent: *
Disallow: /api/
Disallow: ` + unavailablePath + `
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
