// Package httpapi has what the handlers of all features share: reading requests, and
// writing responses and errors.
package httpapi

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

type failure struct {
	Success bool   `json:"success"` // false
	Error   string `json:"error"`   // Polish, for people
}

// Render makes the body of an error.
func Render(f *fault.Error) any {
	body := failure{Error: f.Message}
	var sync *syncDetail
	if errors.As(f.Err, &sync) {
		return failedSync{failure: body, Message: f.Message, Code: f.Code}
	}
	return body
}

// Done is the body of a success without other content.
type Done struct {
	Success bool   `json:"success"` // true
	Message string `json:"message"` // Polish
}

// OrEmpty makes JSON of a list that is not there an empty list.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Text is null in JSON if it is empty.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// BodyLimit is the longest body of a request, in bytes.
const BodyLimit = 64 << 10

// NoStore keeps answers out of caches, because most are about one user.
func NoStore(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return next(c)
	}
}

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
