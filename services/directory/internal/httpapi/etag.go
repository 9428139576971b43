package httpapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/httpx"
)

// JSONWithETag writes a body that clients may keep and revalidate, or 304 if the client
// already has it. The tag is derived from the encoded body.
func JSONWithETag(c echo.Context, body any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(encoded)
	tag := fmt.Sprintf(`"%x"`, digest[:8])
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-cache")
	header.Set("ETag", tag)
	if httpx.MatchesETag(c.Request().Header.Values("If-None-Match"), tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.JSONBlob(http.StatusOK, append(encoded, '\n'))
}
