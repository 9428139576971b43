package pages

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// unavailablePath is where the gateway asks for the body of its own 502 and 504, when
// the directory service cannot be reached.
const unavailablePath = "/niedostepne/"

// unavailable answers GET /niedostepne/{status}: a page for browsers, and for programs
// the JSON of the directory service's failures. The gateway sets the status; here it
// is 200, since nothing has failed in this service.
func (p *Pages) unavailable(c echo.Context) error {
	status, err := strconv.Atoi(c.Param("status"))
	if err != nil || status != http.StatusBadGateway && status != http.StatusGatewayTimeout {
		return echo.ErrNotFound
	}
	const message = "Ta część serwisu jest chwilowo niedostępna. Spróbuj ponownie za chwilę."
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-store")
	header.Set(echo.HeaderRetryAfter, "5")
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), echo.MIMETextHTML) {
		return p.site.WriteFailure(c.Response(), c.Request(), status, message)
	}
	return c.JSON(http.StatusOK, struct {
		Success bool   `json:"success"` // false
		Error   string `json:"error"`
	}{Error: message})
}
