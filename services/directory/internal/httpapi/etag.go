package httpapi

import (
	"fmt"
	"hash/fnv"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/httpx"
)

// unchanged has clients keep an answer about audits and ask whether it is still
// current, which is told by its company and the ids of its audits: an audit never
// changes. It reports whether the client's copy is, which is then answered with 304.
func (a *API) unchanged(c echo.Context, company directory.Company, audits ...int64) bool {
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %d %q %q %d", a.Build, company.ID, company.Name, company.Slug, audits)
	tag := fmt.Sprintf(`"%x"`, hash.Sum64())
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-cache")
	header.Set("ETag", tag)
	if !httpx.MatchesETag(c.Request().Header.Values("If-None-Match"), tag) {
		return false
	}
	c.Response().WriteHeader(http.StatusNotModified)
	return true
}

// conditional reports whether the client has a copy to ask about.
func conditional(c echo.Context) bool { return c.Request().Header.Get("If-None-Match") != "" }
